"""A run's progress for people: a live bar on a terminal, plain lines anywhere else."""

import time
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from sharprecl.training.history import Callback, Record, TrainingSpeed

_PLAIN_EVERY = 10.0


def make_progress(console: Console) -> Callback:
    """The live bar if this is a terminal, lines otherwise."""
    return LiveProgress(console) if console.is_terminal else PlainProgress(console)


class PlainProgress(Callback):
    """A line every ten seconds and one after every validation."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._last = time.monotonic()

    def on_record(self, record: Record, speed: TrainingSpeed) -> None:
        """Print the record, unless a line was printed just now."""
        now = time.monotonic()
        if record["kind"] == "validation":
            self._line(validation_line(record))
        elif now - self._last >= _PLAIN_EVERY:
            self._last = now
            self._line(
                f"{fold_words(record)}step {speed.step}/{speed.total_steps}  {loss_terms(record)}  {speed_words(speed)}"
            )

    def on_message(self, sentence: str) -> None:
        """Print the sentence."""
        self._line(sentence)

    def _line(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)


class LiveProgress(Callback):
    """One bar with loss terms, speed and time left; validations scroll by above it."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar = Progress(
            TextColumn("step {task.completed}/{task.total}"),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[words]}", markup=False),
            console=console,
            transient=True,
        )
        self._task: Any = None

    def on_record(self, record: Record, speed: TrainingSpeed) -> None:
        """Move the bar, or print a validation above it."""
        if self._task is None:
            self._bar.start()
            self._task = self._bar.add_task("train", total=speed.total_steps, words="")
        if record["kind"] == "validation":
            self._bar.console.print(validation_line(record), markup=False, highlight=False)
        else:
            words = f"{fold_words(record)}{loss_terms(record)}  {speed_words(speed)}"
            self._bar.update(self._task, completed=speed.step, total=speed.total_steps, words=words)

    def on_message(self, sentence: str) -> None:
        """Print the sentence above the bar."""
        self._console.print(sentence, markup=False, highlight=False)

    def on_end(self) -> None:
        """Take the bar away."""
        self._bar.stop()


def fold_words(record: Record) -> str:
    """``fold 1 of 3: `` in the training of a fold."""
    return f"{record['fold']}: " if "fold" in record else ""


def loss_terms(record: Record) -> str:
    """``loss 3.21 (classification 1.10, contrastive 2.11)``."""
    terms = dict(record["loss"])
    total = terms.pop("total")
    parts = ", ".join(f"{name} {value:.3f}" for name, value in terms.items())
    return f"loss {total:.3f} ({parts})" if parts else f"loss {total:.3f}"


def speed_words(speed: TrainingSpeed) -> str:
    """``410 texts/s, 1:05 left``."""
    minutes, seconds = divmod(round(speed.seconds_left), 60)
    return f"{speed.texts_per_second:.0f} texts/s, {minutes}:{seconds:02d} left"


def validation_line(record: Record) -> str:
    """``epoch 3: validation macro-F1 61.2, accuracy 83.0 *``; the star marks the best so far."""
    star = " *" if record["best"] else ""
    return (
        f"{fold_words(record)}epoch {record['epoch']}: validation macro-F1 {100 * record['macro_f1']:.1f}, "
        f"accuracy {100 * record['accuracy']:.1f}{star}"
    )
