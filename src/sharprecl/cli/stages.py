"""Progress of work in stages, on standard error: a live bar on a terminal, plain lines anywhere else."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from sharprecl.doctor.texts import Progress as Tell

_PLAIN_EVERY = 10.0


@contextmanager
def stages(console: Console) -> Iterator[Tell]:
    """Gives what is to be called with (stage, done, total)."""
    if not console.is_terminal:
        yield _plain(console)
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(bar_width=24), MofNCompleteColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as bar:
        task = bar.add_task("", total=None)
        last = ""

        def tell(stage: str, done: int, total: int) -> None:
            nonlocal last
            if stage != last:
                # The time left is of one stage; the pace of the one before says nothing about it.
                bar.reset(task, description=stage)
                last = stage
            bar.update(task, completed=done, total=total)

        yield tell


def _plain(console: Console) -> Tell:
    last, told = "", 0.0

    def tell(stage: str, done: int, total: int) -> None:
        nonlocal last, told
        now = time.monotonic()
        if stage != last:
            console.print(stage, markup=False, highlight=False, soft_wrap=True)
        elif now - told < _PLAIN_EVERY:
            return
        else:
            console.print(f"{stage}: {done:,} of {total:,}", markup=False, highlight=False, soft_wrap=True)
        last, told = stage, now

    return tell
