"""Tables that are no text files: Parquet, polars and pandas frames, Hugging Face data sets, plain sequences."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sharprecl.data.messages import names_phrase, shorten
from sharprecl.data.raw_table import RawTable, check_different
from sharprecl.errors import DataError


def read_parquet(path: Path, data: bytes) -> RawTable:
    """Read a Parquet file whose bytes are ``data``.

    Raises:
        DataError: not Parquet, or damaged.
    """
    import polars as pl

    if not data.startswith(b"PAR1"):
        raise DataError(
            f"{path} is not Parquet, whatever its ending says (it begins with {shorten(data[:16])}); "
            "rename a text file to end in .csv, .tsv or .jsonl"
        )
    if not data.endswith(b"PAR1"):
        raise DataError(f"{path} is a Parquet file without its end; it was cut off: copy or write it anew")
    try:
        frame = pl.read_parquet(data)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        reason = (str(error).splitlines() or ["no reason given"])[0]
        raise DataError(f"{path} is a damaged Parquet file ({reason}); copy or write it anew") from error
    return _from_polars(frame, str(path))


def from_frame(source: Any) -> RawTable:
    """Read an object of polars, pandas or datasets, recognised by its class: none of them is imported for it.

    Raises:
        DataError: an object that is no table of rows.
    """
    library, kind = type(source).__module__.partition(".")[0], type(source).__name__
    match library, kind:
        case "polars", "DataFrame":
            return _from_polars(source, "the polars frame")
        case "polars", "LazyFrame":
            return _from_polars(source.collect(), "the polars frame")
        case "pandas", "DataFrame":
            return _from_pandas(source)
        case "datasets", "Dataset":
            return _from_hub(source)
        case "datasets", ("DatasetDict" | "IterableDatasetDict"):
            raise DataError(f"this data set has the splits {names_phrase(source)}; choose one, as in data['train']")
        case "datasets", "IterableDataset":
            raise DataError("a streamed data set cannot be read whole; load it with streaming=False")
    raise DataError(
        f"a table cannot be read from {shorten(source)} ({library}.{kind}); give a file name, a polars or pandas "
        "frame, a data set of the datasets library, or a pair (texts, labels)"
    )


def from_sequences(columns: dict[str, Any], origin: str) -> RawTable:
    """Read parallel sequences: lists, tuples, NumPy arrays, series.

    Raises:
        DataError: something that is no sequence, or sequences of different lengths.
    """
    lists: dict[str, list[Any]] = {}
    for name, values in columns.items():
        if isinstance(values, str | bytes) or not isinstance(values, Iterable) or getattr(values, "ndim", 1) == 0:
            raise DataError(f"{origin}: the {name}s are {shorten(values)}, not a list; put them in a list")
        lists[name] = list(getattr(values, "tolist", lambda every=values: every)())
    sizes = {name: len(values) for name, values in lists.items()}
    if len(set(sizes.values())) > 1:
        counted = " and ".join(f"{size} {name}s" for name, size in sizes.items())
        raise DataError(f"{origin} hold {counted}; give one label for each text")
    return RawTable(origin, tuple(lists), next(iter(sizes.values())), lists.__getitem__)


def _from_polars(frame: Any, origin: str) -> RawTable:
    return RawTable(origin, tuple(frame.columns), frame.height, lambda name: frame[name].to_list())


def _from_pandas(frame: Any) -> RawTable:
    names = tuple(str(name) for name in frame.columns)
    check_different(names, "the pandas frame")

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
