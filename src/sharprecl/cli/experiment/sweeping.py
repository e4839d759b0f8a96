"""A sweep as people see it: bars on a terminal, a line a run anywhere else, and at the end what is left."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Console

from sharprecl.cli.console import say
from sharprecl.cli.options import is_ray
from sharprecl.cli.progress import PlainLines, live_bars
from sharprecl.experiments.duration import format_duration
from sharprecl.experiments.plan import Job
from sharprecl.experiments.scheduler import Sweep
from sharprecl.experiments.store import Store
from sharprecl.experiments.sweep import sweep
from sharprecl.experiments.task import MakeWorker, Options, Steps
from sharprecl.experiments.worker import Worker


def workers_on(on: str | None, address: str | None, gpu_share: float | None, options: Options) -> MakeWorker:
    """Where runs are made: in processes of this machine, or on Ray.

    Raises:
        SharpReCLError: an unknown place, options of another one, or no such cluster.
    """
    if not is_ray(on, address, gpu_share):
        return Worker
    from sharprecl.scale.ray_worker import ray_workers

    return ray_workers(address, gpu_share, options)


def show_sweep(
    console: Console, jobs: Iterable[Job], results: Path, options: Options, make_worker: MakeWorker
) -> Sweep:
    """Make the runs of some jobs, and show how it goes and how it ended.

    Raises:
        SharpReCLError: as ``experiments.sweep.sweep`` does.
    """
    if console.is_terminal:
        with _Bars(console) as bars:
            ended = sweep(jobs, Store(results), options, bars, make_worker)
    else:
        ended = sweep(jobs, Store(results), options, _Lines(console, every=60.0), make_worker)
    say(console, f"{ended.done} of {ended.total} runs are finished, {ended.made} of them by this command")
    if ended.too_long is not None:
        quickest = format_duration(ended.too_long)
        say(console, f"no run was begun that would not end in time; the quickest one left takes about {quickest}")
    if ended.waiting:
        say(console, f"the time is up: {len(ended.waiting)} runs are left, with which the same command goes on")
    if ended.failed:
        say(console, f"{len(ended.failed)} runs failed:", style="bold red")
        for run in ended.failed:
            say(console, f"  {run.label}: {run.sentence}" + (f" ({run.where})" if run.where else ""))
        say(console, "with the cause mended, the same command with --retry-failed makes them anew")
    return ended


class _Lines(PlainLines):
    """A line for every run, and one a minute."""

    def on_progress(self, sweep: Sweep, running: Sequence[tuple[str, Steps]], seconds_left: float | None) -> None:
        """Say how far it is, unless a line was printed within the minute."""
        self.maybe(_words(sweep, seconds_left))

    def on_message(self, sentence: str) -> None:
        """Print the sentence."""
        self.print(sentence)


class _Bars:
    """A bar for the sweep and one for every run at work; sentences scroll by above them."""

    def __init__(self, console: Console) -> None:
        self._progress = live_bars(console)
        self._bars = [self._progress.add_task("runs", total=None, words="")]

    def __enter__(self) -> "_Bars":
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def on_progress(self, sweep: Sweep, running: Sequence[tuple[str, Steps]], seconds_left: float | None) -> None:
        """Move the bars."""
        ended = sweep.done + len(sweep.failed)
        self._progress.update(self._bars[0], completed=ended, total=sweep.total, words=_words(sweep, seconds_left))
        for _ in range(len(running) + 1 - len(self._bars)):
            self._bars.append(self._progress.add_task("", total=None, words=""))
        for bar, (label, (step, steps)) in zip(self._bars[1:], running, strict=False):
            words = f"step {step}/{steps}" if steps else "begins"
            self._progress.update(
                bar, description=label, completed=step, total=steps or None, words=words, visible=True
            )
        for bar in self._bars[1 + len(running) :]:
            self._progress.update(bar, visible=False)

    def on_message(self, sentence: str) -> None:
        """Print the sentence above the bars."""
        say(self._progress.console, sentence)


def _words(sweep: Sweep, seconds_left: float | None) -> str:
    """``12 of 54 runs, 1 failed, 1:20 h left``."""
    parts = [f"{sweep.done} of {sweep.total} runs"]
    if sweep.failed:
        parts.append(f"{len(sweep.failed)} failed")
    if seconds_left is not None:
        parts.append(f"{format_duration(seconds_left)} left")
    return ", ".join(parts)
