"""The TensorBoard log shows every step once, also after a resume."""

import time
from pathlib import Path

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from sharprecl.training.history import TrainingSpeed
from sharprecl.training.tensorboard import TensorBoardLog

PACE = TrainingSpeed(step=1, total_steps=9, texts_per_second=10.0, seconds_left=1.0)


def tell(folder: Path, steps: range, loss: float) -> None:
    log = TensorBoardLog(folder)
    for step in steps:
        values = {"total": loss}
        log.on_record({"kind": "step", "step": step, "epoch": 1, "loss": values, "learning_rate": 0.1}, PACE)
    check = {"macro_f1": 0.5, "accuracy": 0.6, "loss": 1.0, "best": True}
    log.on_record({"kind": "validation", "step": steps[-1], "epoch": 1, **check}, PACE)
    log.on_end()


def test_steps_that_are_told_again_are_shown_once(tmp_path: Path) -> None:
    tell(tmp_path, range(1, 6), loss=1.0)
    # Files of one process and second are told apart by a counter, and TensorBoard reads 10 before 9.
    time.sleep(1.1)
    tell(tmp_path, range(4, 8), loss=2.0)
    events = EventAccumulator(str(tmp_path)).Reload()
    shown = [(event.step, event.value) for event in events.Scalars("loss/total")]
    assert shown == [(1, 1.0), (2, 1.0), (3, 1.0), (4, 2.0), (5, 2.0), (6, 2.0), (7, 2.0)]
    assert [event.step for event in events.Scalars("validation/macro_f1")] == [7]


def test_a_run_that_never_began_leaves_nothing(tmp_path: Path) -> None:
    TensorBoardLog(tmp_path / "log").on_end()
    assert not (tmp_path / "log").exists()
