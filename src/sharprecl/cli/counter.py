"""How far a count has come and how long it will take: a live bar on a terminal, a line now and then anywhere else."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

_PLAIN_EVERY = 10.0

Count = Callable[[int, int], None]
"""Called with (things done, things in all)."""


@contextmanager
def counter(console: Console, doing: str, things: str) -> Iterator[Count]:
    """Show a count: ``doing`` is what goes on, ``things`` what is counted, in the plural.

    Neither things that are done with the first call (a cache had them) say anything about the pace, nor those that come
    next: whatever is loaded first, a lexicon or a model, is in their time.
    """
    pace = _Pace(things)
    if not console.is_terminal:
        yield _lines(console, doing, pace)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[words]}", markup=False),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(doing, total=None, words="")

        def count(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, words=f"{done}/{total} {pace.words(done, total)}")

        yield count


def _lines(console: Console, doing: str, pace: "_Pace") -> Count:
    last = time.monotonic()

    def count(done: int, total: int) -> None:
        nonlocal last
        words = pace.words(done, total)
        if time.monotonic() - last >= _PLAIN_EVERY:
            last = time.monotonic()
            console.print(f"{doing} {done}/{total} {words}", markup=False, highlight=False, soft_wrap=True)

    return count


class _Pace:
    def __init__(self, things: str) -> None:
        self._things = things
        self._had: int | None = None
        self._start: tuple[int, float] | None = None

    def words(self, done: int, total: int) -> str:
        """``410 texts/s, 1:05 left``; at first only ``texts``."""
        now = time.monotonic()
        if self._had is None:
            self._had = done
        if self._start is None:
            if done > self._had:
                self._start = done, now
            return self._things
        first, began = self._start
        if done <= first or now <= began:
            return self._things
        rate = (done - first) / (now - began)
        minutes, seconds = divmod(round((total - done) / rate), 60)
        return f"{rate:.3g} {self._things}/s, {minutes}:{seconds:02d} left"
