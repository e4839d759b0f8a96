"""Rows that ``sharprecl augment`` made: a copy must never judge what learned its original."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sharprecl.data.checks import plain
from sharprecl.data.sheet import Sheet
from sharprecl.data.splits import stratified_split, text_groups
from sharprecl.data.wording import rows_phrase
from sharprecl.errors import DataError

SOURCE_COLUMN = "augmented_from"
"""The column with the number of the row, from 1, that a row is a copy of; empty in the rows that are no copies."""


@dataclass(frozen=True, eq=False)
class Copies:
    """Which rows of a table are copies, and of which text.

    Attributes:
        is_copy: bool ``[N]``.
        groups: int64 ``[N]``, one number for a text and all its copies.
    """

    is_copy: np.ndarray
    groups: np.ndarray

    def select(self, rows: np.ndarray) -> "Copies":
        """Those of the rows with these numbers, in that order."""
        return Copies(self.is_copy[rows], self.groups[rows])


def copies_in(sheet: Sheet, texts: Sequence[str]) -> Copies | None:
    """The copies that the column ``augmented_from`` tells of; None without such a column or without a copy.

    Raises:
        DataError: it names rows that are not there, or that are copies themselves.
    """
    if SOURCE_COLUMN not in sheet.names:
        return None
    numbers = [_number(value) for value in plain(sheet.column(SOURCE_COLUMN))]
    is_copy = np.array([number is not None for number in numbers])
    if not is_copy.any():
        return None
    if wrong := [
        row
        for row, number in enumerate(numbers)
        if number is not None and not (0 < number <= len(texts) and not is_copy[number - 1])
    ]:
        raise DataError(
            f"{sheet.origin}: column {SOURCE_COLUMN!r} of {rows_phrase(wrong, sheet.lines)} names no original row; "
            "keep the rows of an augmented file in their order, originals and copies, or delete the column"
        )
    keys = [text if number is None else texts[number - 1] for text, number in zip(texts, numbers, strict=True)]
    return Copies(is_copy, text_groups(keys))


def split_originals(
    label_ids: np.ndarray, fraction: float, seed: int, texts: Sequence[str], copies: Copies | None
) -> tuple[np.ndarray, np.ndarray]:
    """``stratified_split`` of the originals; copies go where they do no harm: into training, unless their text was
    held out. Then they are left out altogether."""
    if copies is None:
        return stratified_split(label_ids, fraction, seed, text_groups(texts))
    real = np.flatnonzero(~copies.is_copy)
    fit, held = (real[part] for part in stratified_split(label_ids[real], fraction, seed, copies.groups[real]))
    usable = np.flatnonzero(copies.is_copy & ~np.isin(copies.groups, copies.groups[held]))
    return np.sort(np.concatenate([fit, usable])), held


def _number(value: Any) -> int | None:
    text = "" if value is None else str(value).strip().removesuffix(".0")
    return None if not text else int(text) if text.isdecimal() else -1
