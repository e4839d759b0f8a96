"""From whatever a user calls a table to a ``RawTable``: a file, a frame, a data set, plain sequences."""

import io
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from sharprecl.data.delimited import read_delimited
from sharprecl.data.dialect import DELIMITERS, Dialect
from sharprecl.data.json_rows import read_json, read_jsonl
from sharprecl.data.messages import empty_lines_note, names_phrase, shorten
from sharprecl.data.plain_lines import read_plain
from sharprecl.data.raw_table import RawTable
from sharprecl.data.rawfile import check_beginning, check_file
from sharprecl.data.text_lines import TextLines
from sharprecl.data.workbook import read_workbook
from sharprecl.errors import DataError


@dataclass(frozen=True)
class FileInMemory:
    """A file that never was on a disk: its name, whose ending says what it is, and its bytes."""

    name: str
    data: bytes


def open_table(source: Any, text: str, label: str, dialect: Dialect) -> RawTable:
    """Read a labelled table: a file, a frame, or a pair of sequences, which get the names ``text`` and ``label``.

    Raises:
        DataError: whatever is wrong with the source, in one sentence.
    """
    if isinstance(source, tuple | list):
        if len(source) != 2:
            raise DataError(f"a table in lists is a pair (texts, labels), but {len(source)} things were given")
        return _from_sequences({text: source[0], label: source[1]}, "the given lists")
    return _open(source, dialect)


def open_texts(source: Any, text: str, dialect: Dialect) -> RawTable:
    """Read a table without labels: a file, a frame, or one sequence of texts, which gets the name ``text``.

    Raises:
        DataError: whatever is wrong with the source, in one sentence.
    """
    if isinstance(source, tuple | list) or type(source).__name__ in ("ndarray", "Series"):
        return _from_sequences({text: source}, "the given list")
    return _open(source, dialect)


def tables_of(source: Any, dialect: Dialect, rows: int | None = None) -> Iterator[RawTable]:
    """Read a source table by table, each of at most so many rows (None: one of all).

    A .json file, a workbook, a frame and a data set come whole, for they are in memory as a whole in any case.

    Raises:
        DataError: whatever is wrong with the source, in one sentence.
    """
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        check_file(path)
        yield from _read_file(path, str(path), dialect, rows)
    elif isinstance(source, FileInMemory):
        check_beginning(source.data, source.name)
        yield from _read_file(source.data, source.name, dialect, rows)
    else:
        yield _from_frame(source)


def _open(source: Any, dialect: Dialect) -> RawTable:
    (table,) = tables_of(source, dialect)
    return replace(table, notes=table.notes + empty_lines_note(table.origin, table.empty_lines))


def _from_frame(source: Any) -> RawTable:
    """Frames are recognised by their class or by Arrow's interface: no library is imported for them."""
    library, kind = type(source).__module__.partition(".")[0], type(source).__name__
    match library, kind:
        case "polars", "LazyFrame":
            return _from_polars(source.collect(), "the polars frame")
        case "polars", "DataFrame":
            return _from_polars(source, "the polars frame")
        case "pandas", "DataFrame":
            return _from_pandas(source)
        case "datasets", "Dataset":
            return _from_hub(source)
        case "datasets", ("DatasetDict" | "IterableDatasetDict"):
            raise DataError(f"this data set has the splits {names_phrase(source)}; choose one, as in data['train']")
        case "datasets", "IterableDataset":
            raise DataError("a streamed data set cannot be read whole; load it with streaming=False")
        case _ if hasattr(source, "__arrow_c_stream__") and hasattr(source, "schema"):
            import polars as pl

            return _from_polars(pl.DataFrame(source), f"the {library} table")
    raise DataError(
        f"a table cannot be read from {shorten(source)} ({library}.{kind}); give a file name, a polars or pandas "
        "frame, an Arrow table, a data set of the datasets library, or a pair (texts, labels)"
    )


def _read_file(file: Path | bytes, origin: str, dialect: Dialect, rows: int | None) -> Iterator[RawTable]:
    """The one place that knows what a file's ending means."""
    ending = Path(origin).suffix.lower()
    if ending == ".parquet":
        yield from _read_parquet(file, origin, rows)
        return
    if ending == ".xlsx":
        yield read_workbook(file if isinstance(file, bytes) else file.read_bytes(), dialect.sheet, origin)
        return
    lines = TextLines(file, dialect.encoding, origin, "" if ending in DELIMITERS else "\n")
    if ending in DELIMITERS:
        tables = read_delimited(lines, dialect.delimiter, DELIMITERS[ending], rows)
    else:
        tables = iter([read_json("".join(lines), origin)]) if ending == ".json" else read_jsonl(lines, rows)
    yield from _with_notes(tables, lines.notes)


def tables_of_pipe(
    stream: BinaryIO, kind: str | None, name: str, dialect: Dialect, rows: int
) -> tuple[str, Iterator[RawTable]]:
    """Read what comes through a pipe, table by table, each of what is there and at most so many rows.

    Args:
        stream: the pipe.
        kind: csv, tsv, jsonl, or lines, each of them a text; None is jsonl where an object comes first, otherwise csv.
        name: of the column of plain lines.
        dialect: what the user says.
        rows: most rows of a table.

    Returns:
        The kind, and the tables.

    Raises:
        DataError: whatever is wrong with it, in one sentence.
    """
    lines = TextLines(stream, dialect.encoding, "standard input")
    if kind is None:
        kind = "jsonl" if lines.beginning().lstrip().startswith("{") else "csv"
    if kind == "jsonl":
        lines.newline = "\n"
        tables = read_jsonl(lines, rows)
    elif kind == "lines":
        tables = read_plain(lines, name, rows)
    else:
        tables = read_delimited(lines, dialect.delimiter, DELIMITERS[f".{kind}"], rows)
    return kind, _with_notes(tables, lines.notes)


def _with_notes(tables: Iterator[RawTable], notes: tuple[str, ...]) -> Iterator[RawTable]:
    """The same tables, the first with these notes before its own."""
    for table in tables:
        yield table if table.first else replace(table, notes=notes + table.notes)


def _read_parquet(file: Path | bytes, origin: str, rows: int | None) -> Iterator[RawTable]:
    import polars as pl

    with io.BytesIO(file) if isinstance(file, bytes) else file.open("rb") as stream:
        head = stream.read(16)
        stream.seek(-min(4, stream.seek(0, os.SEEK_END)), os.SEEK_END)
        end = stream.read()
    if not head.startswith(b"PAR1"):
        raise DataError(
            f"{origin} is not Parquet, whatever its ending says (it begins with {shorten(head)}); "
            "rename a text file to end in .csv, .tsv or .jsonl"
        )
    if end != b"PAR1":
        raise DataError(f"{origin} is a Parquet file without its end; it was cut off: copy or write it anew")
    try:
        frame = pl.scan_parquet(io.BytesIO(file) if isinstance(file, bytes) else file, glob=False)
        size = frame.select(pl.len()).collect().item()
        # A slice decodes all of its row group, so one for every table would take four times as long.
        step, cut = (4 * rows, rows) if rows else (size, size)
        for start in range(0, max(1, size), step or 1):
            part = frame.slice(start, step).collect()
            for place in range(0, max(1, part.height), cut or 1):
                yield replace(_from_polars(part[place : place + cut], origin), first=start + place)
    except DataError:
        raise
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        reason = (str(error).splitlines() or ["no reason given"])[0]
        raise DataError(f"{origin} is a damaged Parquet file ({reason}); copy or write it anew") from error


def _from_polars(frame: Any, origin: str) -> RawTable:
    return RawTable(origin, tuple(frame.columns), frame.height, lambda name: frame[name].to_list())


def _from_pandas(frame: Any) -> RawTable:
    names = tuple(str(name) for name in frame.columns)

    def column(name: str) -> list[Any]:
        series = frame.iloc[:, names.index(name)]
        return [None if gone else value for value, gone in zip(series.tolist(), series.isna(), strict=True)]

    return RawTable("the pandas frame", names, len(frame), column)


def _from_hub(dataset: Any) -> RawTable:
    plain = dataset.with_format(None)

    def column(name: str) -> list[Any]:
        values = list(plain[name])
        classes = getattr(plain.features[name], "names", None)
        if classes is None:
            return values
        # Data sets whose labels are withheld write -1.
        return [None if value is None or value < 0 else classes[value] for value in values]

    return RawTable("the data set", tuple(plain.column_names), len(plain), column)


def _from_sequences(columns: dict[str, Any], origin: str) -> RawTable:
    """Parallel lists, tuples, NumPy arrays, series."""
    lists: dict[str, list[Any]] = {}
    for name, values in columns.items():
        if isinstance(values, str | bytes) or not isinstance(values, Iterable) or getattr(values, "ndim", 1) == 0:
            raise DataError(f"{origin}: the {name}s are {shorten(values)}, not a list; put them in a list")
        lists[name] = values.tolist() if hasattr(values, "tolist") else list(values)
    sizes = {name: len(values) for name, values in lists.items()}
    if len(set(sizes.values())) > 1:
        counted = " and ".join(f"{size} {name}s" for name, size in sizes.items())
        raise DataError(f"{origin} hold {counted}; give one label for each text")
    return RawTable(origin, tuple(lists), next(iter(sizes.values())), lists.__getitem__)
