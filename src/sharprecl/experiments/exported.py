"""Runs as lines of JSON, to be committed or carried to another machine. A name that ends in ``.gz`` is compressed.

{"kind": "data", ...}       a ``DataRecord``
{"kind": "run", ...}        a finished run, a ``RunRecord``
{"kind": "features", ...}   the test texts' features of a run, float16 in base64
{"kind": "scores", ...}     their scores, float32 in base64
{"kind": "history", ...}    the text of a run's ``history.jsonl``
{"kind": "failure", ...}    a run that failed, with its traceback
"""

import base64
import gzip
import json
import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
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
    scores: dict[str, np.ndarray] = field(default_factory=dict)
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
    lines = []
    for kind, (part, to_json, _) in _KINDS.items():
        for name, value in sorted(getattr(exported, part).items(), key=lambda pair: str(pair[0])):
            values = {"kind": kind, **to_json(value), _name_of(kind): name}
            lines.append(json.dumps(values, sort_keys=True, separators=(",", ":")) + "\n")
    content = "".join(lines).encode()
    with atomic_path(path) as temporary:
        # Without a time inside, so that equal contents give equal bytes here too.
        temporary.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)


def read_exported(path: Path) -> Exported:
    """Read a file.

    Raises:
        DataError: it cannot be read; the sentence names the line.
    """
    if path.is_dir():
        raise DataError(
            f"{path} is a folder; write its runs to a file: 'sharprecl experiment export --output {path} --to FILE'"
        )
    exported = Exported()
    try:
        content = path.read_bytes()
        text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise DataError(f"{path} cannot be read ({error}); export it again") from error
    for number, line in enumerate(text.splitlines(), 1):
        try:
            values = json.loads(line)
            kind = values.pop("kind")
            part, _, from_json = _KINDS[kind]
            known, name = getattr(exported, part), values[_name_of(kind)]
            if name in known:
                raise ValueError(f"{name} stands twice")
            # It becomes the name of a folder or file.
            if not re.fullmatch(r"\w[\w@.-]*", name):
                raise ValueError(f"{name!r} is no name of a run or of data")
            known[name] = from_json(values)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise DataError(
                f"{path}, line {number}: not what 'sharprecl experiment export' writes ({error!r}); export it again"
            ) from error
    return exported


def _name_of(kind: str) -> str:
    return "hash" if kind == "data" else "key"


def _packed(dtype: str, values: np.ndarray) -> dict[str, Any]:
    content = np.ascontiguousarray(values, dtype=np.dtype(dtype).newbyteorder("<")).tobytes()
    return {"shape": list(values.shape), dtype: base64.b64encode(content).decode()}


def _unpacked(dtype: str, line: dict[str, Any]) -> np.ndarray:
    content = np.frombuffer(base64.b64decode(line[dtype]), dtype=np.dtype(dtype).newbyteorder("<"))
    return content.reshape(line["shape"]).astype(dtype)


def _failure(values: dict[str, Any]) -> Failure:
    return Failure.from_json({name: value for name, value in values.items() if name != "key"})


_KINDS: Mapping[str, tuple[str, Callable[[Any], dict[str, Any]], Callable[[dict[str, Any]], Any]]] = {
    "data": ("data", DataRecord.to_json, DataRecord.from_json),
    "run": ("runs", RunRecord.to_json, RunRecord.from_json),
    "features": ("features", partial(_packed, "float16"), partial(_unpacked, "float16")),
    "scores": ("scores", partial(_packed, "float32"), partial(_unpacked, "float32")),
    "history": ("histories", lambda text: {"text": text}, lambda values: str(values["text"])),
    "failure": ("failures", Failure.to_json, _failure),
}
"""By kind of line, in the order of the file: the part of ``Exported``, and the way to JSON and back."""
