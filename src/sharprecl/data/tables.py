"""Labelled texts and rows to predict, checked once, at the door: everything behind it may rely on them."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from sharprecl.data.augmented import CopyRows, copies_in
from sharprecl.data.checks import check_classes, checked_labels, checked_texts, known_ids, training_notes
from sharprecl.data.dialect import Dialect
from sharprecl.data.raw_table import RawTable
from sharprecl.data.set_aside import SetAside, check_set_aside, find_set_aside, set_aside_note
from sharprecl.data.sources import open_table, open_texts


@dataclass(frozen=True, eq=False)
class TextTable:
    """Texts with one class each. Two tables are equal in content when their ``content_hash`` is.

    Attributes:
        texts: N strings. None is blank in training; where texts are judged, one without a text is empty, and every
            answer to it counts as wrong.
        label_ids: int64 ``[N]``, each below ``num_classes``.
        label_names: C different names, in the order of the ids.
        origin: how sentences call the source.
        notes: sentences about what is legal and yet worth knowing, for people.
        copies: where some rows are augmented copies of others, which and of what; None where there are none.
        set_aside: rows of the source that lack a text or a label, also those that are judged without a text.
        source_notes: those of ``notes`` that tell how the source was read.
        rows: where each text stands in the source, from 0, int64 ``[N]``; None: row n in row n.
        weights: how much each text counts, float64 ``[N]``, above 0 (``weights.py``); None: all alike.
    """

    texts: tuple[str, ...]
    label_ids: np.ndarray
    label_names: tuple[str, ...]
    origin: str
    notes: tuple[str, ...] = ()
    copies: CopyRows | None = None
    set_aside: tuple[SetAside, ...] = ()
    source_notes: tuple[str, ...] = ()
    rows: np.ndarray | None = None
    weights: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.texts)

    def in_source(self, indices: Sequence[int] | np.ndarray) -> np.ndarray:
        """The rows of the source, from 0, in which these texts stand, int64."""
        chosen = np.asarray(indices, dtype=np.int64)
        return chosen if self.rows is None else self.rows[chosen]

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
    def weighted_counts(self) -> np.ndarray:
        """Texts of each class by their weights, ``[C]``: how many an epoch draws in the mean. Without weights
        ``class_counts``.
        """
        return self._counts(np.arange(len(self)))

    @property
    def natural_counts(self) -> np.ndarray:
        """Texts of each class by their weights, without augmented copies, ``[C]``: how frequent the classes are.
        ``weighted_counts`` where a class has copies alone.
        """
        if self.copies is None:
            return self.weighted_counts
        counts_C = self._counts(np.flatnonzero(~self.copies.is_copy))
        return counts_C if counts_C.all() else self.weighted_counts

    def _counts(self, rows: np.ndarray) -> np.ndarray:
        if self.weights is None:
            return np.bincount(self.label_ids[rows], minlength=self.num_classes).astype(np.int64)
        scaled_N = self.weights[rows] / self.weights.mean()
        return np.bincount(self.label_ids[rows], weights=scaled_N, minlength=self.num_classes)

    @cached_property
    def content_hash(self) -> str:
        """Hex SHA-256 over texts, labels, names, copies and weights in their order; origin and notes do not count."""
        digest = hashlib.sha256(f"{len(self)} {self.num_classes}".encode())
        for part in (self.texts, self.label_names):
            for text in part:
                data = text.encode()
                digest.update(len(data).to_bytes(8, "little") + data)
        digest.update(self.label_ids.astype("<i8").tobytes())
        if self.copies is not None:
            # They decide what is held out.
            digest.update(np.where(self.copies.is_copy, self.copies.groups, -1).astype("<i8").tobytes())
        if self.weights is not None:
            digest.update(self.weights.astype("<f8").tobytes())
        return digest.hexdigest()

    def select(self, indices: Sequence[int] | np.ndarray) -> "TextTable":
        """The rows of ``indices``, in that order, under the same label names; without notes on rows."""
        chosen = np.asarray(indices, dtype=np.int64)
        texts = tuple(self.texts[row] for row in chosen)
        copies = None if self.copies is None else self.copies.select(chosen)
        weights = None if self.weights is None else self.weights[chosen]
        ids, rows = self.label_ids[chosen], self.in_source(chosen)
        return replace(self, texts=texts, label_ids=ids, notes=(), copies=copies, rows=rows, weights=weights)


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows to predict: texts without labels, with every column that stood beside them.

    Attributes:
        records: one dictionary a row, in the order of the source. Rows of JSON keep the keys that they have.
        texts: the column of texts, checked: N strings, empty where there is none.
        names: all columns in order.
        origin: how sentences call the source.
        notes: sentences about what the reader passed over.
        set_aside: the rows without a text.
        delimiter: between the fields of a .csv or .tsv file; None for all else.
    """

    records: list[dict[str, Any]]
    texts: tuple[str, ...]
    names: tuple[str, ...]
    origin: str
    notes: tuple[str, ...] = ()
    set_aside: tuple[SetAside, ...] = ()
    delimiter: str | None = None

    def __len__(self) -> int:
        return len(self.texts)


def read_table(
    source: Any,
    text: str = "text",
    label: str = "label",
    *,
    encoding: str | None = None,
    separator: str | None = None,
    sheet: str | None = None,
    label_names: Sequence[str] | None = None,
    strict: bool = False,
) -> TextTable:
    """Read and check labelled texts. Nothing is dropped, changed or guessed silently.

    Labels are strings exactly as written (``007``, ``1.0``); numbers and booleans of typed sources become
    ``str(value)``. Names are sorted as strings, so their ids do not depend on the order of the rows.

    Rows without a text or a label are set aside, which a note says, and listed in ``set_aside``. Where texts are judged
    (``label_names``), those with a label stay: a classifier that is given nothing to read has no answer.

    Args:
        source: a file (.csv, .tsv, .xlsx, .jsonl, .ndjson, .json, .parquet), a polars or pandas frame, an Arrow table,
            a data set of the ``datasets`` library (its ``ClassLabel`` ids become their names), or a pair
            (texts, labels).
        text: the column of texts; not used for a pair.
        label: the column of labels; not used for a pair.
        encoding, separator, sheet: of a file, where they are not to be recognised; see ``sharprecl.data.Dialect``.
        label_names: fixes names and ids, for evaluation data: classes without a text, or one class only, are then
            fine, and another label is an error. None reads training data, which need two classes.
        strict: refuse rows without a text or a label.

    Raises:
        DataError: whatever is wrong, in one sentence with row numbers (counted from 1, without the header) and
            the lines of the file where the rows start.
    """
    raw = open_table(source, text, label, Dialect(encoding, separator, sheet))
    raw.require(text, "text")
    raw.require(label, "label")
    texts, labels = checked_texts(raw, text), checked_labels(raw, label)
    aside = tuple(find_set_aside(raw, texts, labels))
    check_set_aside(aside, raw.size, strict=strict)
    notes = raw.notes + ((set_aside_note(aside),) if aside else ())
    told = {label for text, label in zip(texts, labels, strict=True) if text} if label_names is None else {*label_names}
    # A label that only rows without a text have is none of the classes.
    labels = [label if text or label in told else "" for text, label in zip(texts, labels, strict=True)]
    kept = [row for row, label in enumerate(labels) if label and (texts[row] or label_names is not None)]
    if label_names is not None:
        ids, every = known_ids(labels, label_names, raw), tuple(label_names)
        return replace(_table(raw, texts, ids, every, kept), notes=notes, set_aside=aside, source_notes=notes)
    names = sorted({labels[row] for row in kept})
    check_classes(names, len(kept), raw.origin, label, len({texts[row] for row in kept}))
    ids = known_ids(labels, names, raw)
    table = _table(raw, texts, ids, tuple(names), kept)
    if (copies := copies_in(raw, texts, ids)) is not None:
        copies = copies.select(np.asarray(kept))
    rows = table.rows if table.rows is None else table.rows.tolist()
    odd = training_notes(table.texts, table.label_ids, names, rows, raw.lines)
    return replace(table, notes=notes + odd, copies=copies, set_aside=aside, source_notes=notes)


def _table(raw: RawTable, texts: Sequence[str], ids: np.ndarray, names: tuple[str, ...], kept: list[int]) -> TextTable:
    if len(kept) == raw.size:
        return TextTable(tuple(texts), ids, names, raw.origin)
    rows = np.asarray(kept, dtype=np.int64)
    return TextTable(tuple(texts[row] for row in kept), ids[rows], names, raw.origin, rows=rows)


def read_rows(
    source: Any,
    text: str = "text",
    *,
    encoding: str | None = None,
    separator: str | None = None,
    sheet: str | None = None,
    strict: bool = False,
) -> Rows:
    """Read texts to predict. Rows without a text stay, with an empty one, and are listed in ``set_aside``.

    Args:
        source: a file, frame or data set as for ``read_table``, or one list of texts.
        text: the column of texts.
        encoding, separator, sheet: of a file, where they are not to be recognised; see ``sharprecl.data.Dialect``.
        strict: refuse rows without a text.

    Raises:
        DataError: whatever is wrong, in one sentence with row numbers.
    """
    raw = open_texts(source, text, Dialect(encoding, separator, sheet))
    raw.require(text, "text")
    texts = checked_texts(raw, text)
    aside = tuple(find_set_aside(raw, texts, None))
    check_set_aside(aside, raw.size, strict=strict)
    notes = raw.notes + ((set_aside_note(aside),) if aside else ())
    return Rows(raw.records(), texts, raw.names, raw.origin, notes, aside, raw.delimiter)
