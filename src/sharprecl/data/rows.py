"""Rows to predict: the texts for the model, and all that came with them for the answer."""

from dataclasses import dataclass
from typing import Any

from sharprecl.data.checks import checked_texts
from sharprecl.data.sources import open_texts


@dataclass(frozen=True, eq=False)
class Rows:
    """Texts without labels, with every column that stood beside them.

    Attributes:
        records: one dictionary a row, in the order of the source. Rows of JSON keep the keys that they have.
        texts: the column of texts, checked: N strings, none blank.
        names: all columns in order.
        origin: how sentences call the source.
        notes: sentences about what the reader passed over.
    """

    records: list[dict[str, Any]]
    texts: tuple[str, ...]
    names: tuple[str, ...]
    origin: str
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.texts)


def read_rows(source: Any, text: str = "text", *, encoding: str = "utf-8") -> Rows:
    """Read texts to predict.

    Args:
        source: a file, frame or data set as for ``read_table``, or one list of texts.
        text: the column of texts.
        encoding: of text files.

    Raises:
        DataError: whatever is wrong, in one sentence with row numbers.
    """
    sheet = open_texts(source, text, encoding)
    sheet.require(text, "text")
    texts = checked_texts(sheet, text)
    return Rows(sheet.records(), texts, sheet.names, sheet.origin, sheet.notes)
