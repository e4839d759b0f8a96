"""From whatever a user calls a table to a ``RawTable``: a file, a frame, a data set, plain sequences."""

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from sharprecl.data.delimited import read_delimited
from sharprecl.data.dialect import DELIMITERS, Dialect
from sharprecl.data.json_rows import read_json, read_jsonl
from sharprecl.data.messages import names_phrase, shorten
from sharprecl.data.raw_table import RawTable
from sharprecl.data.rawfile import decode, read_checked
from sharprecl.data.workbook import read_workbook
from sharprecl.errors import DataError


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


def _open(source: Any, dialect: Dialect) -> RawTable:
    """Frames are recognised by their class or by Arrow's interface: no library is imported for them."""
    library, kind = type(source).__module__.partition(".")[0], type(source).__name__
    match library, kind:
        case _ if isinstance(source, str | os.PathLike):
            return _read_file(Path(source), dialect)
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


def _read_file(path: Path, dialect: Dialect) -> RawTable:
    """The one place that knows what a file's ending means."""
    data, origin, ending = read_checked(path), str(path), path.suffix.lower()
    if ending == ".parquet":
        return _read_parquet(data, origin)
    if ending == ".xlsx":
        return read_workbook(data, dialect.sheet, origin)
    text, notes = decode(data, dialect.encoding, origin)
    if ending in DELIMITERS:
        table = read_delimited(text, dialect.delimiter, DELIMITERS[ending], origin)
    else:
        table = read_json(text, origin) if ending == ".json" else read_jsonl(text, origin)
    return replace(table, notes=notes + table.notes)


def _read_parquet(data: bytes, origin: str) -> RawTable:
    import polars as pl

    if not data.startswith(b"PAR1"):
        raise DataError(
            f"{origin} is not Parquet, whatever its ending says (it begins with {shorten(data[:16])}); "
            "rename a text file to end in .csv, .tsv or .jsonl"
        )
    if not data.endswith(b"PAR1"):
        raise DataError(f"{origin} is a Parquet file without its end; it was cut off: copy or write it anew")
    try:
        frame = pl.read_parquet(data)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        reason = (str(error).splitlines() or ["no reason given"])[0]
        raise DataError(f"{origin} is a damaged Parquet file ({reason}); copy or write it anew") from error
    return _from_polars(frame, origin)


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
