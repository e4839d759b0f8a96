"""Rows of numbers as a NumPy array."""

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sharprecl.data.row_format import Columns, Records, RowFormat


class ArrayRows(RowFormat):
    """A NumPy array of float32 alone, a row for each row; ``column`` is the new column that it is.

    Its header has a fixed size, and the shape is known in the end.
    """

    _HEADER = 128

    def __init__(self, origin: str, column: str) -> None:
        super().__init__(origin)
        self._column, self._size = column, 0

    def examine(self, records: Records, first: int) -> None:
        self._size = first + len(records)

    def start(self, names: Sequence[str], delimiter: str | None = None) -> bytes:
        return self._header(0)

    def rows(self, records: Records, columns: Columns | None = None) -> bytes:
        return np.ascontiguousarray((columns or {})[self._column], dtype="<f4").tobytes()

    def finish(self, part: Path) -> Path:
        width = (part.stat().st_size - self._HEADER) // (4 * self._size)
        with part.open("r+b") as stream:
            stream.write(self._header(width))
        return part

    def _header(self, width: int) -> bytes:
        stream = io.BytesIO()
        shape = {"descr": "<f4", "fortran_order": False, "shape": (self._size, width)}
        np.lib.format.write_array_header_1_0(stream, shape)
        assert stream.tell() == self._HEADER
        return stream.getvalue()
