"""Runs as lines of JSON, to be committed or carried to another machine. A name that ends in ``.gz`` is compressed.

{"kind": "data", ...}       a ``DataRecord``
{"kind": "run", ...}        a finished run, a ``RunRecord``
{"kind": "features", ...}   the test texts' features of a run, float16 in base64
{"kind": "history", ...}    the text of a run's ``history.jsonl``
{"kind": "failure", ...}    a run that failed, with its traceback
"""

import base64
import gzip
import json
import re
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sharprecl.errors import DataError
from sharprecl.files import atomic_path
from sharprecl.runs.record import DataRecord, Failure, RunRecord


@dataclass
class Exported:
    """What a file holds: data by hash, everything else by the run's key."""

    data: dict[str, DataRecord] = field(default_factory=dict)
    runs: dict[str, RunRecord] = field(default_factory=dict)
    features: dict[str, np.ndarray] = field(default_factory=dict)
    histories: dict[str, str] = field(default_factory=dict)
    failures: dict[str, Failure] = field(default_factory=dict)


def write_exported(path: Path, exported: Exported) -> None:
    """Write a file, atomically. Equal contents give equal bytes.

    Raises:
        DataError: a run's data are missing.
    """
    for run in exported.runs.values():
        if run.data not in exported.data:
            raise DataError(f"the data of the run {run.key} are gone (data/{run.data}.json); run its plan again")
    text = "".join(json.dumps(line, sort_keys=True, separators=(",", ":")) + "\n" for line in _lines(exported))
    content = text.encode()
    with atomic_path(path) as temporary:
        # Without a time inside, so that equal contents give equal bytes here too.
        temporary.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)


def read_exported(path: Path) -> Exported:
    """Read a file.

    Raises:
        DataError: it cannot be read; the sentence names the line.
    """
    exported = Exported()
    try:
        content = path.read_bytes()
        text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise DataError(f"{path} cannot be read ({error}); export it again") from error
    for number, line in enumerate(text.splitlines(), 1):
        try:
            values = json.loads(line)
            _READERS[values.pop("kind")](exported, values)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise DataError(
                f"{path}, line {number}: not what 'sharprecl experiment export' writes ({error!r}); export it again"
            ) from error
    return exported


def _lines(exported: Exported) -> Iterator[dict[str, Any]]:
    yield from _of_kind("data", ((key, record.to_json()) for key, record in exported.data.items()))
    yield from _of_kind("run", ((key, record.to_json()) for key, record in exported.runs.items()))
    yield from _of_kind("features", ((key, _packed(x_NH)) for key, x_NH in exported.features.items()))
    yield from _of_kind("history", ((key, {"text": text}) for key, text in exported.histories.items()))
    yield from _of_kind("failure", ((key, failure.to_json()) for key, failure in exported.failures.items()))


def _of_kind(kind: str, values: Iterable[tuple[str, dict[str, Any]]]) -> Iterator[dict[str, Any]]:
    name = "hash" if kind == "data" else "key"
    for key, fields in sorted(values, key=lambda pair: pair[0]):
        yield {"kind": kind, **fields, name: key}


def _packed(x_NH: np.ndarray) -> dict[str, Any]:
    content = np.ascontiguousarray(x_NH, dtype="<f2").tobytes()
    return {"shape": list(x_NH.shape), "float16": base64.b64encode(content).decode()}


def _read_data(exported: Exported, values: dict[str, Any]) -> None:
    exported.data[_new(values["hash"], exported.data)] = DataRecord.from_json(values)


def _read_run(exported: Exported, values: dict[str, Any]) -> None:
    exported.runs[_new(values["key"], exported.runs)] = RunRecord.from_json(values)


def _new(name: str, known: Collection[str]) -> str:
    """A name that becomes one of a file, and stands for one thing."""
    if name in known:
        raise ValueError(f"{name} stands twice")
    if not re.fullmatch(r"\w[\w@.-]*", name):
        raise ValueError(f"{name!r} is no name of a run or of data")
    return name


def _read_features(exported: Exported, values: dict[str, Any]) -> None:
    content = np.frombuffer(base64.b64decode(values["float16"]), dtype="<f2")
    exported.features[values["key"]] = content.reshape(values["shape"]).astype(np.float16)


def _read_history(exported: Exported, values: dict[str, Any]) -> None:
    exported.histories[values["key"]] = str(values["text"])


def _read_failure(exported: Exported, values: dict[str, Any]) -> None:
    key = values.pop("key")
    exported.failures[_new(key, exported.failures)] = Failure.from_json(values)


_READERS: dict[str, Callable[[Exported, dict[str, Any]], None]] = {
    "data": _read_data,
    "run": _read_run,
    "features": _read_features,
    "history": _read_history,
    "failure": _read_failure,
}
