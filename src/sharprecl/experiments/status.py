"""How far a plan is, told from the store alone."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sharprecl.errors import DataError
from sharprecl.experiments.duration import PLACE, DurationEstimate
from sharprecl.experiments.plan import Job
from sharprecl.experiments.scheduler import Failed
from sharprecl.experiments.store import Store
from sharprecl.experiments.sweep import first_jobs
from sharprecl.runs.code import run_code
from sharprecl.runs.folder import RunFolder
from sharprecl.runs.record import RunRecord
from sharprecl.runs.spec import RunSpec

COUNTED = ("runs", "finished", "older code", "failed", "at work", "cut off")
"""What is counted. Of the runs that are not finished some were with older code; those that were begun are cut off where
the sweep that began them has ended, and else at work."""


@dataclass(frozen=True)
class Status:
    """How far a plan is.

    Attributes:
        columns: for each column, how many there are of what ``COUNTED`` names.
        seconds_left: as the newest run's sweep would take; None where nothing is known.
    """

    columns: dict[str, Counter[str]]
    failures: tuple[Failed, ...]
    seconds_left: float | None


def status_of(jobs: Iterable[Job], store: Store, code: str) -> Status:
    """Look up the runs of some jobs. Data are not read: a file of a user's is taken for unchanged.

    Args:
        code: ``code_hash()``.
    """
    wanted = first_jobs(jobs)
    codes = {spec_hash: run_code(job.spec, code) for spec_hash, job in wanted.items()}
    runs = list(store.finished().values())
    finished = {run.spec.hash for run in runs if run.code == codes.get(run.spec.hash)}
    older = {run.spec.hash for run in runs} - finished
    unfinished = _unfinished(store, codes)
    columns: dict[str, Counter[str]] = {}
    failures, left = [], []
    for spec_hash, job in wanted.items():
        column = columns.setdefault(job.column, Counter())
        column["runs"] += 1
        if spec_hash in finished:
            column["finished"] += 1
            continue
        left.append(job.spec)
        column["older code"] += spec_hash in older
        folder = unfinished.get(spec_hash)
        if folder is None:
            continue
        if folder.state == "failed":
            column["failed"] += 1
            failures.append(Failed.of(job.label, folder))
        else:
            column["at work" if folder.is_busy() else "cut off"] += 1
    return Status(columns, tuple(failures), _seconds_left(runs, left))


def _seconds_left(runs: list[RunRecord], left: list[RunSpec]) -> float | None:
    if not left:
        return 0.0
    if not runs:
        return None
    last = max(runs, key=lambda run: str(run.environment.get("started", "")))
    place = {name: last.environment.get(name) for name in PLACE}
    estimate = DurationEstimate(place, runs)
    seconds = [value for value in map(estimate.expected, left) if value is not None]
    return sum(seconds) / len(seconds) * len(left) / int(place["workers"] or 1) if seconds else None


def _unfinished(store: Store, codes: Mapping[str, str]) -> dict[str, RunFolder]:
    """The folders of runs that are not finished and of the right code, by the hash of the spec, as ``codes`` are."""
    found = {}
    for folder in store.runs():
        if folder.state != "finished":
            try:
                run = folder.identity()
            except DataError:  # killed before it had said what it is
                continue
            if run.code == codes.get(run.spec.hash):
                found[run.spec.hash] = folder
    return found
