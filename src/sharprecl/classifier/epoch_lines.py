"""What ``verbose=1`` prints: a line an epoch, and the notes."""

from sharprecl.training.history import Callback, Record, TrainingSpeed


class EpochLines(Callback):
    """Prints the mean loss of every epoch when the next one begins, and the figures of its validation."""

    def __init__(self) -> None:
        self._epoch: tuple[str, int] | None = None
        self._clear()

    def on_record(self, record: Record, speed: TrainingSpeed) -> None:
        here = record.get("fold", ""), record["epoch"]
        if here != self._epoch:
            self._print()
            self._epoch = here
        if record["kind"] == "step":
            self._losses.append(record["loss"]["total"])
            self._step = f"step {speed.step} of {speed.total_steps}, {speed.texts_per_second:.0f} texts/s"
        else:
            self._validation = f", validation macro-F1 {100 * record['macro_f1']:.1f}"

    def on_message(self, sentence: str) -> None:
        self._print()
        print(sentence)

    def on_end(self) -> None:
        self._print()

    def _print(self) -> None:
        if self._epoch is not None and self._losses:
            fold, epoch = self._epoch
            mean = sum(self._losses) / len(self._losses)
            print(f"{fold}{': ' if fold else ''}epoch {epoch}: loss {mean:.4f}{self._validation}, {self._step}")
        self._clear()

    def _clear(self) -> None:
        self._losses: list[float] = []
        self._step = self._validation = ""
