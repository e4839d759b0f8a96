"""From whatever a user calls a table to a ``RawTable``: the one switch over kinds of sources."""

import os
from pathlib import Path
from typing import Any

from sharprecl.data.delimited import read_delimited
from sharprecl.data.frames import from_frame, from_sequences, read_parquet
from sharprecl.data.json_rows import read_json, read_jsonl
from sharprecl.data.raw_table import RawTable
from sharprecl.data.rawfile import decode, read_checked
from sharprecl.errors import DataError


def open_file(path: Path, encoding: str = "utf-8") -> RawTable:
    """Read a file by its ending.

    Raises:
        DataError: whatever is wrong with the file, in one sentence.
    """
    data = read_checked(path)
    ending = path.suffix.lower()
    if ending == ".parquet":
        sheet = read_parquet(path, data)
    else:
        origin = str(path)
        text = decode(data, encoding, origin)
        if not text.strip():
            raise DataError(f"{origin} is empty; was it written to the end?")
        if ending in (".jsonl", ".ndjson"):
            sheet = read_jsonl(text, origin)
        elif ending == ".json":
            sheet = read_json(text, origin)
        else:
            sheet = read_delimited(text, "," if ending == ".csv" else "\t", origin)
    return _with_rows(sheet)


def open_table(source: Any, text: str, label: str, encoding: str) -> RawTable:
    """Read a labelled table: a file, a frame, or a pair of sequences, which get the names ``text`` and ``label``."""
    if isinstance(source, str | os.PathLike):
        return open_file(Path(source), encoding)
    if isinstance(source, tuple | list):
        if len(source) != 2:
            raise DataError(f"a table in lists is a pair (texts, labels), but {len(source)} things were given")
        return _with_rows(from_sequences({text: source[0], label: source[1]}, "the given lists"))
    return _with_rows(from_frame(source))


def open_texts(source: Any, text: str, encoding: str) -> RawTable:
    """Read a table without labels: a file, a frame, or one sequence of texts, which gets the name ``text``."""
    if isinstance(source, str | os.PathLike):
        return open_file(Path(source), encoding)
    if isinstance(source, tuple | list) or type(source).__name__ in ("ndarray", "Series"):
        return _with_rows(from_sequences({text: source}, "the given list"))
    return _with_rows(from_frame(source))


def _with_rows(sheet: RawTable) -> RawTable:
    if not sheet.size:
        columns = f" but only the columns {', '.join(sheet.names)}" if sheet.lines is not None else ""
        raise DataError(f"{sheet.origin} has no rows{columns}; give at least one")
    return sheet
