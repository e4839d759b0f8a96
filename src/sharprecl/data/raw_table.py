"""A table as it came: columns of raw values, before anything is known about texts and labels."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sharprecl.data.messages import closest, names_phrase
from sharprecl.errors import DataError


@dataclass(frozen=True)
class RawTable:
    """Columns of equal length, read on demand.

    Attributes:
        origin: how sentences call the source.
        names: the columns, in order, all different.
        size: how many rows there are.
        column: gives the raw values of a column.
        lines: where every row starts in its file, counted from 1; None for what has no lines.
        notes: sentences about what the reader passed over.
        objects: the rows as they are in sources whose rows need not have the same keys (JSON).
    """

    origin: str
    names: tuple[str, ...]
    size: int
    column: Callable[[str], list[Any]]
    lines: Sequence[int] | None = None
    notes: tuple[str, ...] = ()
    objects: Sequence[Mapping[str, Any]] | None = None

    def require(self, name: str, role: str) -> None:
        """Refuse a sheet without the column that holds the texts or the labels (``role``: text or label).

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


def check_different(names: Sequence[str], origin: str) -> None:
    """Refuse two columns of one name: nobody can say which is meant."""
    if len(set(names)) == len(names):
        return
    first = next(name for name in names if names.count(name) > 1)
    places = [str(place) for place, name in enumerate(names, start=1) if name == first]
    what = f"the name {first!r}" if first.strip() else "no name"
    raise DataError(f"{origin}: columns {' and '.join(places)} have {what}; give every column a name of its own")
