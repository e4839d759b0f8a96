"""A sweep: many runs by a few workers, each run once, whatever happens to some of them."""

from collections.abc import Callable, Iterable

from sharprecl.data.set_aside import FILE as SET_ASIDE
from sharprecl.data.set_aside import SetAside, write_set_aside
from sharprecl.errors import ConfigError, DataError, SharpReCLError
from sharprecl.experiments.collection import newest
from sharprecl.experiments.plan import Job
from sharprecl.experiments.scheduler import Failed, Scheduler, Sweep, SweepCallback
from sharprecl.experiments.store import Store
from sharprecl.experiments.task import MakeWorker, Options, Task
from sharprecl.experiments.worker import Worker
from sharprecl.runs.code import code_hash, run_code
from sharprecl.runs.data import DataKey, Prepared, data_key, is_benchmark, prepare
from sharprecl.runs.record import RunRecord
from sharprecl.runs.spec import RunId, RunSpec, run_key


def sweep(
    jobs: Iterable[Job], store: Store, options: Options, callback: SweepCallback, make_worker: MakeWorker = Worker
) -> Sweep:
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
    state = find_pending_runs(
        jobs, store, code, retry_failed=options.retry_failed, any_code=options.any_code, say=callback.on_message
    )
    callback.on_message(_summary(state, options))
    Scheduler(state, store, code, options, callback, make_worker).run()
    return state


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
) -> Sweep:
    """Compare jobs with a store, and read the data of those that are left. Data that cannot be had stop no other runs.

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
    sweep = Sweep(len(runs))
    codes = {spec_hash: run_code(job.spec, code) for spec_hash, job in runs.items()}
    known = newest(run for run in found.finished.values() if any_code or run.code == codes.get(run.spec.hash))
    groups: dict[DataKey, dict[str, Job]] = {}
    for spec_hash, job in runs.items():
        if spec_hash in known and is_benchmark(job.spec):
            _take(known[spec_hash], sweep, store)
        else:
            groups.setdefault(data_key(job.spec), {})[spec_hash] = job
    tasks: dict[str, Task] = {}
    aside: dict[SetAside, None] = {}
    for group in groups.values():
        first = next(iter(group.values()))
        try:
            prepared = prepare(first.spec, say)
            _check_no_copy_is_judged(first.spec, prepared)
        except SharpReCLError as error:
            if len(group) == len(runs):
                raise
            say(f"{first.column} cannot be had, so its {len(group)} runs are left out: {error}")
            sweep.failed += [Failed(job.label, str(error)) for job in group.values()]
            continue
        for table in (prepared.train, prepared.test):
            aside.update(dict.fromkeys(table.set_aside))
        for sentence in dict.fromkeys((*prepared.train.source_notes, *prepared.test.source_notes)):
            say(sentence)
        data = prepared.record.hash
        store.add_data(prepared.record)
        for spec_hash, job in group.items():
            key = run_key(job.spec, data, codes[spec_hash])
            finished = found.finished.get(key) or known.get(spec_hash)
            if finished is not None and finished.data == data:
                _take(finished, sweep, store)
            elif key in found.failed and not retry_failed:
                sweep.failed.append(Failed.of(job.label, store.run(key)))
            else:
                tasks[spec_hash] = Task(job.label, key, RunId(job.spec, data, codes[spec_hash]))
                sweep.data.add(data)
    if aside:
        write_set_aside(aside, store.folder / SET_ASIDE)
        say(f"rows without a text or a label are listed in {store.folder / SET_ASIDE}")
    sweep.waiting = [tasks[spec_hash] for spec_hash in runs if spec_hash in tasks]
    return sweep


def _take(run: RunRecord, sweep: Sweep, store: Store) -> None:
    """Count a run that is finished already."""
    sweep.done += 1
    sweep.data.add(run.data)
    store.run(run.key).tidy()  # A kill between a run's figures and the end of its checkpoints leaves these.


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


def _summary(sweep: Sweep, options: Options) -> str:
    had = f"{sweep.total} runs, {sweep.done} of them finished already"
    earlier = sum(bool(run.where) for run in sweep.failed)
    lost = f"; {earlier} failed earlier, --retry-failed makes them anew" if earlier else ""
    if not sweep.waiting:
        return f"{had}{lost}; none to make"
    return f"{had}{lost}; {len(sweep.waiting)} to make, {options.workers} at a time"
