"""A sweep as people see it: bars on a terminal, a line a run anywhere else, and at the end what is left."""

import time
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from sharprecl.cli.show import say
from sharprecl.experiments.duration import format_duration
from sharprecl.experiments.expand import Job
from sharprecl.experiments.store import Store
from sharprecl.experiments.sweep import Options, SweepResult, sweep
from sharprecl.experiments.sweep_progress import SweepProgress

_PLAIN_EVERY = 60.0


def show_sweep(console: Console, jobs: Iterable[Job], results: Path, options: Options) -> SweepResult:
    """Make the runs of some jobs, and show how it goes and how it ended.

    Raises:
        SharpReCLError: as ``experiments.sweep.sweep`` does.
    """
    if console.is_terminal:
        with _Bars(console) as bars:
            outcome = sweep(jobs, Store(results), options, bars)
    else:
        outcome = sweep(jobs, Store(results), options, _Lines(console))
    show_outcome(console, outcome)
    return outcome


def show_outcome(console: Console, outcome: SweepResult) -> None:
    """Say how a sweep ended: what is finished, what failed and why, what is left."""
    say(console, f"{outcome.done} of {outcome.total} runs are finished, {outcome.made} of them by this command")
    if outcome.too_long is not None:
        quickest = format_duration(outcome.too_long)
        say(console, f"no run was begun that would not end in time; the quickest one left takes about {quickest}")
    if outcome.out_of_time:
        say(console, f"the time is up: {outcome.left} runs are left, with which the same command goes on")
    if outcome.failed:
        say(console, f"{len(outcome.failed)} runs failed:", style="bold red")
        for run in outcome.failed:
            say(console, f"  {run.label}: {run.sentence}" + (f" ({run.where})" if run.where else ""))
        say(console, "with the cause mended, the same command with --retry-failed makes them anew")


class _Lines:
    """A line for every run, and one a minute."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._last = time.monotonic()

    def progressed(self, progress: SweepProgress) -> None:
        """Say how far it is, unless a line was printed within the minute."""
        if time.monotonic() - self._last >= _PLAIN_EVERY:
            self.said(_words(progress))

    def said(self, sentence: str) -> None:
        """Print the sentence."""
        self._last = time.monotonic()
        say(self._console, sentence)


class _Bars:
    """A bar for the sweep and one for every run at work; sentences scroll by above them."""

    def __init__(self, console: Console) -> None:
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[words]}", markup=False),
        )
        self._progress = Progress(*columns, console=console, transient=True)
        self._bars = [self._progress.add_task("runs", total=None, words="")]

    def __enter__(self) -> "_Bars":
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def progressed(self, progress: SweepProgress) -> None:
        """Move the bars."""
        ended = progress.done + progress.failed
        self._progress.update(self._bars[0], completed=ended, total=progress.total, words=_words(progress))
        for _ in range(len(progress.running) + 1 - len(self._bars)):
            self._bars.append(self._progress.add_task("", total=None, words=""))
        for number, bar in enumerate(self._bars[1:]):
            if number < len(progress.running):
                run = progress.running[number]
                steps = f"step {run.step}/{run.steps}" if run.steps else "begins"
                self._progress.update(
                    bar, description=run.label, completed=run.step, total=run.steps or None, words=steps, visible=True
                )
            else:
                self._progress.update(bar, visible=False)

    def said(self, sentence: str) -> None:
        """Print the sentence above the bars."""
        say(self._progress.console, sentence)


def _words(progress: SweepProgress) -> str:
    """``12 of 54, 1 failed, 1:20 h left``."""
    parts = [f"{progress.done} of {progress.total} runs"]
    if progress.failed:
        parts.append(f"{progress.failed} failed")
    if progress.seconds_left is not None:
        parts.append(f"{format_duration(progress.seconds_left)} left")
    return ", ".join(parts)
