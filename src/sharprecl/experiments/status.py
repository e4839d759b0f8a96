"""How far a plan is, told from the store alone."""

from collections.abc import Iterable
from dataclasses import dataclass

from sharprecl.errors import DataError
from sharprecl.experiments.duration_estimate import PLACE, DurationEstimate
from sharprecl.experiments.expand import Job
from sharprecl.experiments.pending import Failed, failed, first_jobs, label_of
from sharprecl.experiments.run_folder import State
from sharprecl.experiments.store import Store


@dataclass
class ColumnStatus:
    """The runs of one column, by how far they are.

    Attributes:
        older: of those that are not finished, how many were with older code.
        cut_off: begun by a sweep that has ended.
        at_work: begun by one that goes on.
    """

    column: str
    total: int = 0
    finished: int = 0
    older: int = 0
    failed: int = 0
    cut_off: int = 0
    at_work: int = 0


@dataclass(frozen=True)
class Status:
    """How far a plan is.

    Attributes:
        seconds_left: as the newest run's sweep would take; None where nothing is known.
    """

    columns: tuple[ColumnStatus, ...]
    failures: tuple[Failed, ...]
    seconds_left: float | None


def status_of(jobs: Iterable[Job], store: Store, code: str) -> Status:
    """Look up the runs of some jobs. Data are not read: a file of a user's is taken for unchanged.

    Args:
        code: ``code_hash()``.
    """
    runs = first_jobs(jobs)
    found = store.read()
    finished = {run.spec.hash for run in found.finished.values() if run.code == code}
    older = {run.spec.hash for run in found.finished.values()} - finished
    others = _unfinished(store, code)
    columns: dict[str, ColumnStatus] = {}
    failures, left = [], []
    for spec_hash, job in runs.items():
        column = columns.setdefault(job.column, ColumnStatus(job.column))
        column.total += 1
        if spec_hash in finished:
            column.finished += 1
            continue
        left.append(job.spec)
        column.older += spec_hash in older
        state, key = others.get(spec_hash, ("", ""))
        if state == "failed":
            column.failed += 1
            failures.append(failed(label_of(job), store.run(key)))
        elif state == "begun":
            busy = store.run(key).is_busy()
            column.at_work += busy
            column.cut_off += not busy
    known = found.finished.values()
    seconds_left = None
    if known:
        last = max(known, key=lambda run: str(run.environment.get("started", "")))
        place = {name: last.environment.get(name) for name in PLACE}
        pace = DurationEstimate(place, known)
        expected = [pace.expected(spec) for spec in left]
        seconds = [value for value in expected if value is not None]
        if seconds or not left:
            seconds_left = sum(seconds) / max(1, len(seconds)) * len(left) / int(place["workers"] or 1)
    return Status(tuple(columns.values()), tuple(failures), seconds_left)


def _unfinished(store: Store, code: str) -> dict[str, tuple[State, str]]:
    """State and key of the runs of this code that are not finished, by the hash of the spec."""
    found: dict[str, tuple[State, str]] = {}
    for folder in store.runs():
        state = folder.state
        if state != "finished":
            try:
                spec, _, its_code = folder.asked()
            except DataError:  # killed before it had said what it is
                continue
            if its_code == code:
                found[spec.hash] = state, folder.key
    return found
