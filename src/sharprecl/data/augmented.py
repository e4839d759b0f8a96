"""Rows that ``sharprecl augment`` made: a copy must never judge what learned its original."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sharprecl.data.checks import plain
from sharprecl.data.messages import rows_phrase
from sharprecl.data.raw_table import RawTable
from sharprecl.data.splits import stratified_split, text_groups
from sharprecl.errors import DataError

SOURCE_COLUMN = "augmented_from"
"""The column with the number of the row, from 1, that a row is a copy of; empty in the rows that are no copies."""

MARK_COLUMN = "augmented_from_text"
"""The column with the mark (see ``text_mark``) of the text that a row is a copy of; empty in those that are none.

It stays true when rows are deleted, sorted or put together with others, as the number does not.
"""

_MARK = re.compile("[0-9a-f]{16}")


@dataclass(frozen=True, eq=False)
class CopyRows:
    """Which rows of a table are copies, and of which text.

    Attributes:
        is_copy: bool ``[N]``.
        groups: int64 ``[N]``, one number for a text and all its copies.
    """

    is_copy: np.ndarray
    groups: np.ndarray

    def select(self, rows: np.ndarray) -> "CopyRows":
        """Those of the rows with these numbers, in that order."""
        return CopyRows(self.is_copy[rows], self.groups[rows])


def text_mark(text: str) -> str:
    """What tells a text from others: the first 16 hex digits of the SHA-256 of its UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def copies_in(raw: RawTable, texts: Sequence[str], label_ids: np.ndarray) -> CopyRows | None:
    """The copies that the column ``augmented_from_text`` tells of, or without it ``augmented_from``.

    By their marks, copies may stand anywhere, also without their originals.

    Args:
        raw: the table as it was read.
        texts: its N texts.
        label_ids: their classes, int64 ``[N]``.

    Returns:
        None without such a column or without a copy.

    Raises:
        DataError: marks that are none, or missing where there is a number; without the column of marks, numbers of rows
            that are not there, that are copies themselves, or that have another label.
    """
    numbers: list[int | None] = [None] * len(texts)
    if SOURCE_COLUMN in raw.names:
        numbers = [_number(value) for value in plain(raw.column(SOURCE_COLUMN))]
    if MARK_COLUMN in raw.names:
        marks = _marks(raw, numbers)
    else:
        _check_numbers(raw, numbers, label_ids)
        marks = [None if number is None else text_mark(texts[number - 1]) for number in numbers]
    is_copy = np.array([mark is not None for mark in marks])
    if not is_copy.any():
        return None
    return CopyRows(is_copy, text_groups(mark or text_mark(text) for text, mark in zip(texts, marks, strict=True)))


def _number(value: Any) -> int | None:
    text = "" if value is None else str(value).strip().removesuffix(".0")
    return None if not text else int(text) if text.isdecimal() and len(text) < 19 else -1


def _marks(raw: RawTable, numbers: Sequence[int | None]) -> list[str | None]:
    marks = ["" if value is None else str(value).strip() for value in plain(raw.column(MARK_COLUMN))]
    needed = [mark != "" or number is not None for mark, number in zip(marks, numbers, strict=True)]
    if wrong := [row for row, mark in enumerate(marks) if needed[row] and not _MARK.fullmatch(mark)]:
        raise DataError(
            f"{raw.origin}: column {MARK_COLUMN!r} of {rows_phrase(wrong, raw.lines)} does not hold the 16 "
            "hexadecimal digits that sharprecl augment wrote, perhaps after a spreadsheet took them for numbers; "
            "augment the original file again"
        )
    return [mark or None for mark in marks]


def _check_numbers(raw: RawTable, numbers: Sequence[int | None], label_ids: np.ndarray) -> None:
    """Refuse numbers of rows, from 1, that cannot be those of originals, as far as numbers alone tell."""
    copies = [(row, number - 1) for row, number in enumerate(numbers) if number is not None]
    if wrong := [row for row, of in copies if not (0 <= of < len(numbers) and numbers[of] is None)]:
        raise DataError(
            f"{raw.origin}: column {SOURCE_COLUMN!r} of {rows_phrase(wrong, raw.lines)} names no original row; "
            "keep the rows of an augmented file in their order, originals and copies, or augment the originals again"
        )
    if wrong := [row for row, of in copies if label_ids[row] != label_ids[of]]:
        raise DataError(
            f"{raw.origin}: column {SOURCE_COLUMN!r} of {rows_phrase(wrong, raw.lines)} names a row with another "
            "label, probably because rows were deleted or sorted; augment the originals again"
        )


def split_originals(
    label_ids: np.ndarray, fraction: float, seed: int, texts: Sequence[str], copies: CopyRows | None
) -> tuple[np.ndarray, np.ndarray]:
    """``stratified_split`` of the originals; copies go where they do no harm: into training, unless their text was
    held out. Then they are left out altogether.

    Where there are copies alone, those of one text stand for that text: all are held out, or none.
    """
    if copies is None:
        return stratified_split(label_ids, fraction, seed, text_groups(texts))
    if copies.is_copy.all():
        fit, held = stratified_split(label_ids, fraction, seed, copies.groups)
        # Of a class whose rows are all made from one text, the split holds one out beside its siblings.
        whole = ~np.isin(copies.groups[held], copies.groups[fit])
        return np.sort(np.concatenate([fit, held[~whole]])), held[whole]
    real = np.flatnonzero(~copies.is_copy)
    fit, held = (real[part] for part in stratified_split(label_ids[real], fraction, seed, copies.groups[real]))
    usable = np.flatnonzero(copies.is_copy & ~np.isin(copies.groups, copies.groups[held]))
    return np.sort(np.concatenate([fit, usable])), held
