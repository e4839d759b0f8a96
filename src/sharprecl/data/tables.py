"""Labelled texts and rows to predict, checked once, at the door: everything behind it may rely on them."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sharprecl.data.augmented import CopyRows, copies_in
from sharprecl.data.checks import checked_labels, checked_texts, known_ids, training_notes
from sharprecl.data.messages import names_phrase
from sharprecl.data.sources import open_table, open_texts
from sharprecl.errors import DataError


@dataclass(frozen=True, eq=False)
class TextTable:
    """Texts with one class each. Two tables are equal in content when their ``content_hash`` is.

    Attributes:
        texts: N strings, none blank.
        label_ids: int64 ``[N]``, each below ``num_classes``.
        label_names: C different names, in the order of the ids.
        origin: how sentences call the source.
        notes: sentences about what is legal and yet worth knowing, for people.
        copies: where some rows are augmented copies of others, which and of what; None where there are none.
    """

    texts: tuple[str, ...]
    label_ids: np.ndarray
    label_names: tuple[str, ...]
    origin: str
    notes: tuple[str, ...] = ()
    copies: CopyRows | None = None

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def num_classes(self) -> int:
        """C: the number of names, also of those without a text."""
        return len(self.label_names)

    @property
    def labels(self) -> np.ndarray:
        """The label ids, int64 ``[N]``: ``label_ids`` by its common name."""
        return self.label_ids

    @property
    def class_counts(self) -> np.ndarray:
        """Texts of each class, int64 ``[C]``."""
        return np.bincount(self.label_ids, minlength=self.num_classes).astype(np.int64)

    @property
    def natural_counts(self) -> np.ndarray:
        """Texts of each class without augmented copies, int64 ``[C]``: how frequent the classes are. ``class_counts``
        where a class has copies alone.
        """
        if self.copies is None:
            return self.class_counts
        counts_C = np.bincount(self.label_ids[~self.copies.is_copy], minlength=self.num_classes).astype(np.int64)
        return counts_C if counts_C.all() else self.class_counts

    @cached_property
    def content_hash(self) -> str:
        """Hex SHA-256 over texts, labels, names and copies in their order; the origin and the notes do not count."""
        digest = hashlib.sha256(f"{len(self)} {self.num_classes}".encode())
        for part in (self.texts, self.label_names):
            for text in part:
                data = text.encode()
                digest.update(len(data).to_bytes(8, "little") + data)
        digest.update(self.label_ids.astype("<i8").tobytes())
        if self.copies is not None:
            # They decide what is held out.
            digest.update(np.where(self.copies.is_copy, self.copies.groups, -1).astype("<i8").tobytes())
        return digest.hexdigest()

    def select(self, indices: Sequence[int] | np.ndarray) -> "TextTable":
        """The rows of ``indices``, in that order, under the same label names; without notes, which told of all rows."""
        chosen = np.asarray(indices, dtype=np.int64)
        texts = tuple(self.texts[row] for row in chosen)
        copies = None if self.copies is None else self.copies.select(chosen)
        return TextTable(texts, self.label_ids[chosen], self.label_names, self.origin, copies=copies)


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows to predict: texts without labels, with every column that stood beside them.

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


def read_table(
    source: Any,
    text: str = "text",
    label: str = "label",
    *,
    encoding: str = "utf-8",
    label_names: Sequence[str] | None = None,
) -> TextTable:
    """Read and check labelled texts. Nothing is dropped, changed or guessed silently.

    Labels are strings exactly as written (``007``, ``1.0``); numbers and booleans of typed sources become
    ``str(value)``. Names are sorted as strings, so their ids do not depend on the order of the rows.

    Args:
        source: a file (.csv, .tsv, .jsonl, .ndjson, .json, .parquet), a polars or pandas frame, an Arrow table, a data
            set of the ``datasets`` library (its ``ClassLabel`` ids become their names), or a pair (texts, labels).
        text: the column of texts; not used for a pair.
        label: the column of labels; not used for a pair.
        encoding: of text files. A byte order mark of UTF-8 is taken off.
        label_names: fixes names and ids, for evaluation data: classes without a text, or one class only, are then
            fine, and another label is an error. None reads training data, which need two classes.

    Raises:
        DataError: whatever is wrong, in one sentence with row numbers (counted from 1, without the header) and
            the lines of the file where the rows start.
    """
    raw = open_table(source, text, label, encoding)
    raw.require(text, "text")
    raw.require(label, "label")
    texts = checked_texts(raw, text)
    labels = checked_labels(raw, label)
    if label_names is not None:
        return TextTable(texts, known_ids(labels, label_names, raw), tuple(label_names), raw.origin, raw.notes)
    names = sorted(set(labels))
    if len(names) == 1:
        raise DataError(
            f"{raw.origin}: {len(labels)} of {len(labels)} rows have the label {names_phrase(names)}; training needs "
            f"at least two classes: is {label!r} the column of labels?"
        )
    ids = known_ids(labels, names, raw)
    notes = raw.notes + training_notes(texts, ids, names, lines=raw.lines)
    return TextTable(texts, ids, tuple(names), raw.origin, notes, copies_in(raw, texts, ids))


def read_rows(source: Any, text: str = "text", *, encoding: str = "utf-8") -> Rows:
    """Read texts to predict.

    Args:
        source: a file, frame or data set as for ``read_table``, or one list of texts.
        text: the column of texts.
        encoding: of text files.

    Raises:
        DataError: whatever is wrong, in one sentence with row numbers.
    """
    raw = open_texts(source, text, encoding)
    raw.require(text, "text")
    return Rows(raw.records(), checked_texts(raw, text), raw.names, raw.origin, raw.notes)
