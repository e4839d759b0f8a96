"""How rows become a file, block by block.

Blocks become bytes that are appended to a part, and the whole part becomes the file. So a part can be continued, and no
more than a block is in memory.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Records = Sequence[Mapping[str, Any]]
Columns = Mapping[str, Sequence[Any]]


class RowFormat(ABC):
    """How rows are written.

    Args:
        origin: how sentences call the source of the rows.
    """

    typed = False
    """Whether lists and truth values stay what they are."""
    any_keys = False
    """Whether rows may have other keys than those before them."""

    def __init__(self, origin: str) -> None:
        self.origin, self.names = origin, tuple[str, ...]()

    def examine(self, records: Records, first: int) -> None:
        """Refuse values that such a file cannot hold, of rows behind ``first`` others.

        Raises:
            DataError: there is one.
        """
        del records, first

    def start(self, names: Sequence[str], delimiter: str | None = None) -> bytes:
        """What stands before rows with these columns.

        Args:
            names: of the columns, in order.
            delimiter: between the fields of .csv and .tsv; None takes that of the ending.

        Raises:
            DataError: such a file cannot hold these columns.
        """
        del delimiter
        self.names = tuple(names)
        return b""

    @abstractmethod
    def rows(self, records: Records, columns: Columns | None = None) -> bytes:
        """The bytes of rows; ``columns`` holds new ones, a value a row."""

    def finish(self, part: Path) -> Path:
        """The file that the part is, or another one beside it that was made of it."""
        return part


def beside(part: Path) -> Path:
    """Where what is made of a part lies before it has its name."""
    return part.with_name(f"{part.name}.made")
