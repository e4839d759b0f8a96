"""The same records as ``history.jsonl``, for TensorBoard."""

from pathlib import Path
from typing import Any

from sharprecl.extras import require
from sharprecl.training.history import Callback, Record, TrainingSpeed


class TensorBoardLog(Callback):
    """Writes loss terms, learning rate and validation figures as event files.

    Raises:
        MissingExtraError: tensorboard is not installed.
    """

    def __init__(self, folder: Path) -> None:
        require("tensorboard", "report", "the TensorBoard log")
        self._folder = folder
        self._writer: Any = None

    def on_record(self, record: Record, speed: TrainingSpeed) -> None:
        """Add a record at its step."""
        if "fold" in record:
            # Trainings of parts, whose steps have the numbers of the whole one's.
            return
        step = record["step"]
        if self._writer is None:
            from torch.utils.tensorboard.writer import SummaryWriter

            # A resumed run repeats the steps after its checkpoint; TensorBoard is told to forget their first telling.
            # Its thread writes by the clock, and on a full disk it would print a traceback beside our sentence. So it
            # writes when told to: after every validation.
            self._writer = SummaryWriter(str(self._folder), purge_step=step, flush_secs=10**6)
        if record["kind"] == "step":
            for name, value in record["loss"].items():
                self._writer.add_scalar(f"loss/{name}", value, step)
            self._writer.add_scalar("learning_rate", record["learning_rate"], step)
            self._writer.add_scalar("texts_per_second", speed.texts_per_second, step)
        else:
            for name in ("macro_f1", "accuracy", "loss"):
                self._writer.add_scalar(f"validation/{name}", record[name], step)
            self._writer.flush()

    def on_end(self) -> None:
        """Flush and close."""
        if self._writer is not None:
            self._writer.close()
