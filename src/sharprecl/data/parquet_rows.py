"""Rows as Parquet, by polars."""

import io
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sharprecl.data.row_format import Columns, Records, RowFormat, beside
from sharprecl.errors import DataError

if TYPE_CHECKING:
    import polars as pl


class ParquetRows(RowFormat):
    """A part is a row of frames in Arrow's form, each after its size; in the end all are of one kind."""

    typed = True

    def __init__(self, origin: str) -> None:
        super().__init__(origin)
        self._kinds: dict[str, pl.DataType] = {}

    def examine(self, records: Records, first: int) -> None:
        names = dict.fromkeys(name for record in records for name in record)
        self._unify(_series(name, [record.get(name) for record in records]) for name in names)

    def start(self, names: Sequence[str], delimiter: str | None = None) -> bytes:
        if "" in names:
            raise DataError(
                f"{self.origin} has a column without a name, which .parquet cannot hold; name it, or write .csv"
            )
        return super().start(names, delimiter)

    def rows(self, records: Records, columns: Columns | None = None) -> bytes:
        import polars as pl

        series = []
        for name in self.names:
            new = (columns or {}).get(name)
            if new is not None and getattr(new, "ndim", 1) == 2:
                series.append(pl.Series(name, new).arr.to_list())
            else:
                series.append(_series(name, [record.get(name) for record in records] if new is None else new))
        self._unify(series)
        stream = io.BytesIO()
        pl.DataFrame(series).write_ipc(stream)
        return len(stream.getbuffer()).to_bytes(8, "little") + stream.getvalue()

    def finish(self, part: Path) -> Path:
        import polars as pl
        from polars.io.plugins import register_io_source

        for frame in _frames(part):
            self._unify(frame.iter_columns())
        kinds, made = pl.Schema({name: self._kinds[name] for name in self.names}), beside(part)

        def source(names: Any, *_: Any) -> "Iterator[pl.DataFrame]":
            for frame in _frames(part):
                whole = frame.cast(kinds)
                yield whole if names is None else whole.select(names)

        # No writer of polars appends; its sink takes frames one after the other, and never holds them all.
        try:
            register_io_source(source, schema=kinds).sink_parquet(made)
        except pl.exceptions.ComputeError as error:
            made.unlink(missing_ok=True)
            if found := re.search(r"\(os error (\d+)\)", str(error)):
                raise OSError(int(found[1]), os.strerror(int(found[1]))) from error
            raise
        return made

    def _unify(self, columns: "Iterable[pl.Series]") -> None:
        for column in columns:
            kind = _common(self._kinds.get(column.name, column.dtype), column.dtype)
            if kind is None:
                raise _mixed(column.name)
            self._kinds[column.name] = kind


def _frames(part: Path) -> "Iterator[pl.DataFrame]":
    import polars as pl

    with part.open("rb") as stream:
        while size := stream.read(8):
            yield pl.read_ipc(io.BytesIO(stream.read(int.from_bytes(size, "little"))))


def _series(name: str, values: Sequence[Any]) -> "pl.Series":
    import polars as pl

    try:
        column = pl.Series(name, values, strict=True)
        # polars drops the keys that the first object of a column lacks.
        whole = not column.dtype.is_nested() or column.to_list() == list(values)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        whole = False
    if not whole:
        raise _mixed(name)
    return column


def _common(one: "pl.DataType", other: "pl.DataType") -> "pl.DataType | None":
    """The kind of values that both are; None if there is none. What is missing is of every kind."""
    import polars as pl

    if other in (one, pl.Null):
        return one
    if one == pl.Null:
        return other
    if isinstance(one, pl.List) and isinstance(other, pl.List):
        inner = _common(one.inner, other.inner)  # type: ignore[arg-type]
        return None if inner is None else pl.List(inner)
    if isinstance(one, pl.Struct) and isinstance(other, pl.Struct):
        ours, theirs = dict(one), dict(other)
        if ours.keys() == theirs.keys():
            kinds = {name: _common(ours[name], theirs[name]) for name in ours}  # type: ignore[arg-type]
            if None not in kinds.values():
                return pl.Struct(kinds)  # type: ignore[arg-type]
    return None


def _mixed(name: str) -> DataError:
    return DataError(f"Parquet cannot hold the different kinds of values in column {name!r}; write to .jsonl")
