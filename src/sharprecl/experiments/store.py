"""All runs of all plans in one folder: ``runs/<first two of the key>/<key>/``, ``data/<hash>.json`` and an index."""

import json
from collections.abc import Iterator
from pathlib import Path

from sharprecl.errors import DataError
from sharprecl.experiments.collection import Records
from sharprecl.experiments.exported import read_exported
from sharprecl.experiments.index import Found, read_folders, read_indexed
from sharprecl.files import write_json
from sharprecl.runs.folder import RunFolder
from sharprecl.runs.record import DataRecord, Failure, RunRecord

INDEX = "index.sqlite3"


class Store:
    """A folder of runs. Two sweeps may share it.

    Args:
        folder: need not exist yet.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, key: str) -> RunFolder:
        """The folder of a run, whether or not it is there."""
        return RunFolder(self.folder / "runs" / key[:2] / key)

    def runs(self) -> Iterator[RunFolder]:
        """The folders of all runs, in whatever state."""
        for path in sorted(self.folder.glob("runs/??/*")):
            if path.is_dir():
                yield RunFolder(path)

    def read(self) -> Found:
        """All runs that are finished or failed, by way of the index."""
        if not self.folder.is_dir():
            return Found()
        return read_indexed(self.folder / INDEX, self.runs())

    def finished(self) -> dict[str, RunRecord]:
        """Finished runs by key."""
        return self.read().finished

    def failed(self) -> dict[str, Failure]:
        """Failed runs by key."""
        return self.read().failed

    def data(self) -> dict[str, DataRecord]:
        """What the runs were trained and judged on, by hash.

        Raises:
            DataError: a file is damaged.
        """
        return {path.stem: _data_record(path) for path in sorted(self.folder.glob("data/*.json"))}

    def add_data(self, record: DataRecord) -> None:
        """Keep what runs are trained and judged on. What is there already stays: it says the same."""
        path = self.folder / "data" / f"{record.hash}.json"
        if not path.is_file():
            write_json(path, record.to_json())


def load_records(path: Path) -> Records:
    """Read everything from a store's folder, past its index, or from a file that ``experiment export`` wrote.

    Raises:
        DataError: there is no such folder or file, or something in it cannot be read.
    """
    if path.is_file():
        exported = read_exported(path)
        return Records(exported.runs, exported.data, exported.features)
    store = Store(path)
    if not (path / "runs").is_dir():
        raise DataError(f"{path} holds no runs; 'sharprecl experiment run PLAN --output {path}' makes some")
    found = read_folders(store.runs())
    if found.damaged:
        raise DataError("; ".join(found.damaged.values()))
    features = {key: x_NH for key in found.finished if (x_NH := store.run(key).features()) is not None}
    return Records(found.finished, store.data(), features)


def _data_record(path: Path) -> DataRecord:
    try:
        return DataRecord.from_json(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise DataError(f"{path} cannot be read ({error}); delete it and run the plan again") from error
