"""A table as it came: columns of raw values, before anything is known about texts and labels."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sharprecl.data.messages import closest, names_phrase
from sharprecl.errors import DataError, NoRowsError

CHARACTERS = 4_000_000
"""After so many a table that is one of several ends, even with few rows."""


@dataclass(frozen=True)
class RawTable:
    """At least one row of a source; columns of equal length, read on demand.

    Attributes:
        origin: how sentences call the source.
        names: the columns, in order, all different.
        size: how many rows there are.
        column: gives the raw values of a column.
        lines: where every row starts in its file, counted from 1; None for what has no lines.
        notes: sentences about what the reader passed over.
        objects: the rows as they are in sources whose rows need not have the same keys (JSON).
        delimiter: between the fields of a .csv or .tsv file; None for all else.
        first: how many rows of the source come before these.
        empty_lines: those that were passed over, counted from 1.

    Raises:
        DataError: two columns of one name (nobody can say which is meant), or no row, which is a ``NoRowsError``.
    """

    origin: str
    names: tuple[str, ...]
    size: int
    column: Callable[[str], list[Any]]
    lines: Sequence[int] | None = None
    notes: tuple[str, ...] = ()
    objects: Sequence[Mapping[str, Any]] | None = None
    delimiter: str | None = None
    first: int = 0
    empty_lines: Sequence[int] = ()

    def __post_init__(self) -> None:
        if len(set(self.names)) < len(self.names):
            twice = next(name for name in self.names if self.names.count(name) > 1)
            places = [str(place) for place, name in enumerate(self.names, start=1) if name == twice]
            what = f"the name {twice!r}" if twice.strip() else "no name"
            raise DataError(
                f"{self.origin}: columns {' and '.join(places)} have {what}; give every column a name of its own"
            )
        if not self.size:
            columns = f" but only the columns {names_phrase(self.names)}" if self.lines is not None else ""
            raise NoRowsError(f"{self.origin} has no rows{columns}; give at least one")

    def require(self, name: str, role: str) -> None:
        """Refuse a table without the column that holds the texts or the labels (``role``: text or label).

        Raises:
            DataError: there is no such column.
        """
        if name in self.names:
            return
        header = ", and is its first line the header?" if self.lines is not None and self.objects is None else ""
        raise DataError(
            f"{self.origin} has no column {name!r} for the {role}s{closest(name, self.names)}; its columns are "
            f"{names_phrase(self.names)}: name the right one with --{role}{header}"
        )

    def records(self) -> list[dict[str, Any]]:
        """The rows as new dictionaries, with all columns in order."""
        if self.objects is not None:
            return [dict(row) for row in self.objects]
        columns = [self.column(name) for name in self.names]
        return [dict(zip(self.names, row, strict=True)) for row in zip(*columns, strict=True)]
