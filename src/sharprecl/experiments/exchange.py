"""Runs from one store to another, through a file."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from sharprecl.data.messages import plural
from sharprecl.errors import DataError
from sharprecl.experiments.collection import newest
from sharprecl.experiments.exported import Exported, read_exported, write_exported
from sharprecl.experiments.store import Store
from sharprecl.runs.folder import BusyError
from sharprecl.runs.spec import RunSpec, run_key


@dataclass
class Merged:
    """How many runs were new, were there already, were there with other answers, or are being run here right now."""

    new: int = 0
    known: int = 0
    differing: int = 0
    busy: int = 0


def export(
    store: Store,
    path: Path,
    specs: Collection[RunSpec] | None = None,
    *,
    full: bool = False,
    overwrite: bool = False,
) -> Exported:
    """Write finished runs to a file: the newest one of each spec.

    Args:
        store: where they are.
        path: a name that ends in ``.jsonl``, or in ``.jsonl.gz`` to be compressed.
        specs: which runs; None takes all that there are, also older ones.
        full: also histories, scores and failed runs, as for a store that moves to another machine.
        overwrite: replace the file whatever it holds; without it, only one all of whose runs are written again.

    Returns:
        What was written.

    Raises:
        DataError: a run or its data cannot be read, there is no run to write, or the file holds something else.
    """
    found = store.read()
    if found.damaged:
        raise DataError("; ".join(found.damaged.values()))
    runs, failures = found.finished, found.failed
    if specs is not None:
        hashes = {spec.hash for spec in specs}
        runs = {run.key: run for run in newest(runs.values()).values() if run.spec.hash in hashes}
        failures = {key: failure for key, failure in failures.items() if failure.spec.hash in hashes}
    data = store.data()
    used = {run.data for run in runs.values()}
    exported = Exported(
        data={key: record for key, record in data.items() if key in used},
        runs=runs,
        features={key: x_NH for key in runs if (x_NH := store.run(key).features()) is not None},
        scores={key: s_NC for key in runs if (s_NC := store.run(key).scores()) is not None} if full else {},
        histories={key: text for key in runs if (text := store.run(key).history())} if full else {},
        failures=failures if full else {},
    )
    if not runs and not exported.failures:
        whose = "" if specs is None else "of these plans at this scale "
        raise DataError(f"{store.folder} holds no finished runs {whose}to export; --output names the folder of runs")
    if path.exists() and not overwrite:
        cure = "name another file, or replace it with --overwrite"
        try:
            held = read_exported(path)
        except DataError as error:
            raise DataError(f"{path} is there already and holds no runs; {cure}") from error
        lost = len(held.runs.keys() - runs.keys()) + len(held.failures.keys() - exported.failures.keys())
        if lost:
            raise DataError(f"{path} holds {plural(lost, 'run', 'runs')} that would be lost; {cure}")
    write_exported(path, exported)
    return exported


def merge(path: Path, store: Store) -> Merged:
    """Take the runs of a file into a store. A run that is finished there stays as it is.

    Raises:
        DataError: the file cannot be read, or a run is not what its key names.
    """
    exported = read_exported(path)
    for key, run in exported.runs.items():
        if run_key(run.spec, run.data, run.code) != key:
            raise DataError(f"{path}: the run {key} is not of the settings, data and code that it names")
    there, merged = store.read(), Merged()
    for record in exported.data.values():
        store.add_data(record)
    for key, run in exported.runs.items():
        if key in there.finished:
            merged.known += 1
            merged.differing += there.finished[key].answers != run.answers
            continue
        try:
            with store.run(key).alone():
                history, features = exported.histories.get(key, ""), exported.features.get(key)
                store.run(key).finish(run, history, features, exported.scores.get(key))
            merged.new += 1
        except BusyError:
            merged.busy += 1
    for key, failure in exported.failures.items():
        if key not in there.finished and key not in exported.runs and not store.run(key).path.exists():
            store.run(key).fail(failure)
    return merged
