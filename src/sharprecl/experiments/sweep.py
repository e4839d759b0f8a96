"""A sweep: many runs by a few workers, each run once, whatever happens to some of them."""

from collections.abc import Iterable
from dataclasses import dataclass

from sharprecl.errors import ConfigError
from sharprecl.experiments.code import code_hash
from sharprecl.experiments.expand import Job
from sharprecl.experiments.pending import Failed, PendingRuns, find_pending_runs
from sharprecl.experiments.scheduler import Scheduler
from sharprecl.experiments.store import Store
from sharprecl.experiments.sweep_progress import SweepObserver
from sharprecl.experiments.task import WorkerSettings


@dataclass(frozen=True)
class Options:
    """How a sweep goes about it. None of it but ``threads`` and ``device`` can show in a result.

    Attributes:
        workers: processes side by side.
        threads: of each. Sums of floats depend on their number, so it does not follow from that of the workers.
        device: ``auto``, ``cpu``, ``cuda``, ...; all workers share it.
        deadline: of ``time.monotonic``: there the sweep stops, and before it no run begins that is not expected to end
            by then. None has no limit.
        retry_failed: make runs anew that failed earlier.
        any_code: take runs of older code for finished.
    """

    workers: int = 1
    threads: int = 1
    device: str = "auto"
    deadline: float | None = None
    retry_failed: bool = False
    any_code: bool = False


@dataclass(frozen=True)
class SweepResult:
    """How a sweep ended.

    Attributes:
        total: runs in all.
        done: how many of them are finished now.
        made: how many of these this sweep made.
        failed: those that failed, now or earlier, or could not begin.
        data: hashes of the data that the runs are made on, as the sweep found them.
        out_of_time: whether the deadline stopped it.
        too_long: seconds that the quickest of the runs left would have taken, where none could be begun in time.
    """

    total: int
    done: int
    made: int
    failed: tuple[Failed, ...]
    data: frozenset[str] = frozenset()
    out_of_time: bool = False
    too_long: float | None = None

    @property
    def left(self) -> int:
        """Runs that the next sweep has to make."""
        return self.total - self.done - len(self.failed)


def sweep(jobs: Iterable[Job], store: Store, options: Options, observer: SweepObserver) -> SweepResult:
    """Make all runs of some jobs that a store does not have.

    A run that fails is written down and stops no other. A killed sweep loses the runs at work at most: the next one
    goes on with them from their checkpoints, or makes them anew where they were too short to have any.

    Raises:
        ConfigError: fewer than one worker or thread.
        SharpReCLError: no data could be had at all, the workers cannot start, or the source files change.
    """
    if options.workers < 1 or options.threads < 1:
        raise ConfigError("an experiment needs at least one worker, and a worker at least one thread")
    code = code_hash()
    pending = find_pending_runs(
        jobs, store, code, retry_failed=options.retry_failed, any_code=options.any_code, say=observer.said
    )
    for run in pending.done:
        store.run(run.key).tidy()  # A kill between a run's figures and the end of its checkpoints leaves these.
    observer.said(_summary(pending, options))
    settings = WorkerSettings(store.folder, code, options.device, options.threads, options.workers)
    scheduler = Scheduler(settings, pending, store, options.deadline, observer)
    scheduler.run()
    return SweepResult(
        total=pending.total,
        done=scheduler.done,
        made=scheduler.made,
        failed=tuple(scheduler.failed),
        data=pending.data,
        out_of_time=bool(scheduler.waiting),
        too_long=scheduler.too_long,
    )


def _summary(pending: PendingRuns, options: Options) -> str:
    had = f"{pending.total} runs, {len(pending.done)} of them finished already"
    earlier = sum(bool(run.where) for run in pending.failed)
    lost = f"; {earlier} failed earlier, --retry-failed makes them anew" if earlier else ""
    if not pending.tasks:
        return f"{had}{lost}; none to make"
    return f"{had}{lost}; {len(pending.tasks)} to make, {options.workers} at a time"
