"""What of a plan is left to run: its data are read, and what the store has is taken off."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from sharprecl.errors import DataError, SharpReCLError
from sharprecl.experiments.collection import newest
from sharprecl.experiments.expand import Job
from sharprecl.experiments.prepare import DataKey, Prepared, data_key, is_benchmark, prepare
from sharprecl.experiments.records import RunRecord, RunSpec, run_key
from sharprecl.experiments.run_folder import ERROR, RunFolder
from sharprecl.experiments.store import Store
from sharprecl.experiments.task import Task


@dataclass(frozen=True)
class Failed:
    """A run that failed, or could not begin; ``where`` is the file with the whole story, if there is one."""

    label: str
    sentence: str
    where: str = ""


@dataclass
class PendingRuns:
    """What a sweep has to do.

    Attributes:
        total: runs in all.
        done: those that are finished.
        tasks: those to make, in the order of the jobs.
        failed: those that failed earlier and are left, and those whose data cannot be had.
    """

    total: int
    done: list[RunRecord] = field(default_factory=list)
    tasks: list[Task] = field(default_factory=list)
    failed: list[Failed] = field(default_factory=list)

    @property
    def data(self) -> frozenset[str]:
        """Hashes of the data that the runs are made on, those that failed earlier aside."""
        return frozenset({run.data for run in self.done} | {task.data for task in self.tasks})


def failed(label: str, folder: RunFolder) -> Failed:
    """What is told of a failed run."""
    return Failed(label, folder.failure().sentence, str(folder.path / ERROR))


def label_of(job: Job) -> str:
    """How a person calls a run: ``trec@50 sharprecl seed 1``, in a curve ``cr@50 mu=0.3 seed 0``."""
    value = "" if job.x is None else f"={job.x:g}"
    return f"{job.column} {job.row}{value} seed {job.seed}"


def first_jobs(jobs: Iterable[Job]) -> dict[str, Job]:
    """The runs that jobs amount to: by the hash of the spec the first job of each, in their order."""
    found: dict[str, Job] = {}
    for job in jobs:
        found.setdefault(job.spec.hash, job)
    return found


def find_pending_runs(
    jobs: Iterable[Job],
    store: Store,
    code: str,
    *,
    retry_failed: bool = False,
    any_code: bool = False,
    say: Callable[[str], None],
) -> PendingRuns:
    """Compare jobs with a store, and read the data of those that are left.

    Data that cannot be had stop no other runs.

    Args:
        code: ``code_hash()``.
        retry_failed: make failed runs anew.
        any_code: take runs of older code for finished.
        say: is told, in one line each, of what takes time.

    Raises:
        SharpReCLError: no data could be had at all.
    """
    runs = first_jobs(jobs)
    found = store.read()
    for sentence in found.damaged.values():
        say(sentence)
    pending = PendingRuns(total=len(runs))
    known = newest(run for run in found.finished.values() if any_code or run.code == code)
    groups: dict[DataKey, dict[str, Job]] = {}
    for spec_hash, job in runs.items():
        if spec_hash in known and is_benchmark(job.spec):
            pending.done.append(known[spec_hash])
        else:
            groups.setdefault(data_key(job.spec), {})[spec_hash] = job
    order = list(runs)
    tasks: dict[str, Task] = {}
    for group in groups.values():
        first = next(iter(group.values()))
        try:
            prepared = prepare(first.spec, say)
            _check_no_copy_is_judged(first.spec, prepared)
        except SharpReCLError as error:
            if len(group) == len(runs):
                raise
            say(f"{first.column} cannot be had, so its {len(group)} runs are left out: {error}")
            pending.failed += [Failed(label_of(job), str(error)) for job in group.values()]
            continue
        data = prepared.record.hash
        store.add_data(prepared.record)
        for spec_hash, job in group.items():
            key = run_key(job.spec, data, code)
            finished = found.finished.get(key) or known.get(spec_hash)
            if finished is not None and finished.data == data:
                pending.done.append(finished)
            elif key in found.failed and not retry_failed:
                pending.failed.append(failed(label_of(job), store.run(key)))
            else:
                tasks[spec_hash] = Task(label_of(job), key, job.spec, data)
    pending.tasks = [tasks[spec_hash] for spec_hash in order if spec_hash in tasks]
    return pending


def _check_no_copy_is_judged(spec: RunSpec, prepared: Prepared) -> None:
    """Refuse to hold out a part of a file with augmented copies: a copy and its original would stand on both sides.

    Raises:
        DataError: there are copies, and no test texts of their own.
    """
    if spec.test is None and not (prepared.train.copies is None and prepared.test.copies is None):
        raise DataError(
            f"{spec.data}: some rows are augmented copies of others, so texts held out from it would be known from "
            f"training; give test texts of their own (--test, or test: in a plan), or the file without its copies"
        )
