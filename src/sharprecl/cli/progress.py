"""How far the work has come: live bars on a terminal, a plain line now and then anywhere else.

``TrainingProgress`` watches a training, ``counter`` a count of things, ``stages`` one stage of work after another.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TaskID, TextColumn, TimeRemainingColumn

from sharprecl.cli.console import make_console, say, show_notes
from sharprecl.training.history import Callback, Record, TrainingSpeed

if TYPE_CHECKING:
    from sharprecl.doctor.texts import Progress as Tell


Count = Callable[[int, int | None], None]
"""Is called with (things done, things in all, if that is known)."""


def live_bars(console: Console, *columns: ProgressColumn) -> Progress:
    """Bars with a description before them and the field ``words`` behind; they go away at the end."""
    description = TextColumn("{task.description}", markup=False)
    words = TextColumn("{task.fields[words]}", markup=False)
    return Progress(description, BarColumn(bar_width=24), words, *columns, console=console, transient=True)


class PlainLines:
    """A line now and then, in seconds at least ``every``."""

    def __init__(self, console: Console, every: float = 10.0) -> None:
        self._console, self._every = console, every
        self._last = time.monotonic()

    def maybe(self, line: str) -> None:
        """Print the line, unless one was printed just now."""
        if time.monotonic() - self._last >= self._every:
            self.print(line)

    def print(self, line: str) -> None:
        """Print the line in any case."""
        self._last = time.monotonic()
        say(self._console, line)


class TrainingProgress(Callback):
    """Loss terms, speed and time left; validations and sentences scroll by above the bar."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._lines = PlainLines(console)
        self._bars = live_bars(console)
        self._bar: TaskID | None = None

    def on_record(self, record: Record, speed: TrainingSpeed) -> None:
        """Move the bar, or print a validation."""
        if record["kind"] == "validation":
            say(self._console, validation_line(record))
            return
        fold, step = _fold_words(record), f"step {speed.step}/{speed.total_steps}"
        words = f"{loss_terms(record)}  {speed_words(speed)}"
        if not self._console.is_terminal:
            self._lines.maybe(f"{fold}{step}  {words}")
            return
        if self._bar is None:
            self._bars.start()
            self._bar = self._bars.add_task(step, total=speed.total_steps, words="")
        self._bars.update(
            self._bar, description=step, completed=speed.step, total=speed.total_steps, words=f"{fold}{words}"
        )

    def on_message(self, sentence: str) -> None:
        """Print the sentence."""
        say(self._console, sentence)

    def on_end(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bars.stop()


@contextmanager
def counter(console: Console, doing: str, things: str) -> Iterator[Count]:
    """Gives what is to be called with (things done, things in all, if that is known).

    Args:
        doing: what goes on.
        things: what is counted, in the plural.
    """
    pace = _Pace(things)
    lines = PlainLines(console)

    def words(done: int, total: int | None) -> str:
        return f"{done if total is None else f'{done}/{total}'} {pace.words(done, total)}"

    if not console.is_terminal:
        yield lambda done, total: lines.maybe(f"{doing} {words(done, total)}")
        return
    with live_bars(console) as bars:
        bar = bars.add_task(doing, total=None, words="")
        yield lambda done, total: bars.update(bar, completed=done, total=total, words=words(done, total))


class Reporter:
    """Tells of the work on one file: it is checked, then worked on, and there are notes.

    Args:
        console: where sentences go; counts go to standard error.
        doing: what goes on.
    """

    def __init__(self, console: Console, doing: str) -> None:
        self.console, self._doing = console, doing

    def checking(self) -> AbstractContextManager[Count]:
        """Gives what is to be called with (rows checked, None)."""
        return counter(make_console(stderr=True), "checking", "rows")

    def working(self) -> AbstractContextManager[Count]:
        """Gives what is to be called with (texts done, texts in all, if that is known)."""
        return counter(make_console(stderr=True), self._doing, "texts")

    def notes(self, notes: Sequence[str]) -> None:
        """Say what is odd."""
        show_notes(self.console, notes)


@contextmanager
def stages(console: Console) -> "Iterator[Tell]":
    """Gives what is to be called with (stage, done, total)."""
    lines = PlainLines(console)
    bars = live_bars(console, TimeRemainingColumn())
    bar = bars.add_task("", total=None, words="")
    last = ""

    def tell(stage: str, done: int, total: int) -> None:
        nonlocal last
        new, last = stage != last, stage
        if console.is_terminal:
            if new:
                # The time left is of one stage; the pace of the one before says nothing about it.
                bars.reset(bar, description=stage)
            bars.update(bar, completed=done, total=total, words=f"{done}/{total}")
        elif new:
            lines.print(stage)
        else:
            lines.maybe(f"{stage}: {done:,} of {total:,}")

    with bars if console.is_terminal else nullcontext():
        yield tell


class _Pace:
    """How fast things are counted.

    Neither things that are done with the first call (a cache had them) say anything about the pace, nor those that come
    next: whatever is loaded first, a lexicon or a model, is in their time.
    """

    def __init__(self, things: str) -> None:
        self._things = things
        self._first: int | None = None
        self._began: float | None = None

    def words(self, done: int, total: int | None) -> str:
        """``410 texts/s, 1:05 left``; at first only ``texts``."""
        now = time.monotonic()
        if self._first is None:
            self._first = done
        if self._began is None and done > self._first:
            self._first, self._began = done, now
        if self._began is None or done <= self._first or now <= self._began:
            return self._things
        rate = (done - self._first) / (now - self._began)
        left = "" if total is None else f", {_clock((total - done) / rate)} left"
        return f"{rate:{',.0f' if rate >= 100 else '.3g'}} {self._things}/s{left}"


def _clock(seconds: float) -> str:
    """``1:05``, minutes and seconds; from an hour on ``10:01:05``."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"


def _fold_words(record: Record) -> str:
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
    return f"{speed.texts_per_second:.0f} texts/s, {_clock(speed.seconds_left)} left"


def validation_line(record: Record) -> str:
    """``epoch 3: validation macro-F1 61.2, accuracy 83.0 *``; the star marks the best so far."""
    star = " *" if record["best"] else ""
    return (
        f"{_fold_words(record)}epoch {record['epoch']}: validation macro-F1 {100 * record['macro_f1']:.1f}, "
        f"accuracy {100 * record['accuracy']:.1f}{star}"
    )
