"""What must hold for texts and labels, and what is worth a note. Every fault is one sentence with its rows."""

import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from types import UnionType
from typing import Any

import numpy as np

from sharprecl.data.messages import closest, names_phrase, plural, rows_phrase, shorten
from sharprecl.data.raw_table import RawTable
from sharprecl.errors import DataError

NEAR_UNIQUE = 0.5
"""From this share of different labels on, classes have two texts or fewer on average: hardly a column of classes."""
IDENTIFIER = 0.8
"""From this share on, it is refused: ids of rows, or sentences. Two texts a class may be all that there is."""
FEWEST_ROWS = 20
"""Fewer rows than this may well be the start of a file that shows each class once."""

_HAVE, _HOLD = ("has", "have"), ("holds", "hold")


def plain(values: Sequence[Any]) -> list[Any]:
    """Python values for NumPy's, None for every kind of missing value (NaN, ``pandas.NA``, NaT)."""
    kinds = set(map(type, values))
    if kinds <= {str, int, bool, type(None)}:
        return list(values)
    return [_plain_one(value) for value in values]


def _plain_one(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value):
        return None
    return value


def is_unicode(text: str) -> bool:
    """Whether a text can be written as UTF-8, as tokenizers want it: a lone surrogate cannot."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def blank_rows(values: Sequence[Any]) -> list[int]:
    """The rows (from 0) of plain values that are missing, or strings of nothing but spaces."""
    return [row for row, value in enumerate(values) if value is None or (type(value) is str and not value.strip())]


def _fill_blanks(values: list[Any]) -> None:
    for row in blank_rows(values):
        values[row] = ""


def other_rows(values: Sequence[Any], kinds: type | UnionType) -> list[int]:
    """The rows (from 0) of plain values that are there and are of none of these kinds."""
    return [row for row, value in enumerate(values) if value is not None and not isinstance(value, kinds)]


def broken_rows(values: Sequence[Any]) -> list[int]:
    """The rows (from 0) of strings with half of a surrogate pair, which no tokenizer and no file takes."""
    return [row for row, value in enumerate(values) if isinstance(value, str) and not is_unicode(value)]


def checked_texts(raw: RawTable, name: str) -> tuple[str, ...]:
    """The column of texts: strings, empty where there is none.

    Raises:
        DataError: things that are not strings, broken characters.
    """
    texts, where = plain(raw.column(name)), f"in column {name!r}"
    if other := other_rows(texts, str):
        wrong = (
            f"{shorten(texts[other[0]])} {where}, not a text; is this the column of texts, or should it be in quotes?"
        )
        raise _error(raw, other, _HOLD, wrong)
    _fill_blanks(texts)
    _check_characters(texts, raw, where)
    return tuple(texts)


def checked_labels(raw: RawTable, name: str) -> list[str]:
    """The column of labels, as strings exactly as they are written: ``007`` and ``1.0`` stay what they are, and nothing
    is the empty string.

    Raises:
        DataError: lists or other things that name no single class, different
            values that would become one class.
    """
    values, where = plain(raw.column(name)), f"in column {name!r}"
    if other := other_rows(values, str | int | float):
        wrong = f"{shorten(values[other[0]])} {where}, which names no single class; write one string or number"
        raise _error(raw, other, _HOLD, wrong)
    _fill_blanks(values)
    _check_one_spelling(values, raw)
    labels = [value if type(value) is str else str(value) for value in values]
    _check_characters(labels, raw, where)
    return labels


def check_classes(names: Sequence[str], rows: int, origin: str, label: str, different: int) -> None:
    """Refuse a column that does not divide texts into classes.

    Args:
        names: the different labels of so many ``rows``.
        origin, label: how sentences call the source and its column.
        different: how many different texts there are.

    Raises:
        DataError: one class, or nearly as many as rows.
    """
    if len(names) == 1:
        raise DataError(
            f"{origin}: {plural(rows, 'usable row has', 'usable rows have')} the one label {names_phrase(names)}; "
            f"training needs more than one class: is {label!r} the column of labels?"
        )
    found = identifier_fault(len(names), rows, label, different)
    if found is not None and len(names) >= IDENTIFIER * rows:
        raise DataError(f"{origin}: {'; '.join(found)}")


def identifier_fault(classes: int, rows: int, label: str, different: int) -> tuple[str, str] | None:
    """What is said of a column of labels that tells rows apart, not classes, and the cure; None if it does not."""
    if rows < FEWEST_ROWS or classes < NEAR_UNIQUE * rows:
        return None
    swapped = "; are --text and --label swapped?" if different < NEAR_UNIQUE * rows else ""
    sentence = f"{classes:,} different labels in {rows:,} rows: column {label!r} hardly holds classes"
    return sentence, f"name the column of classes with --label{swapped}"


def known_ids(labels: Sequence[str], names: Sequence[str], raw: RawTable) -> np.ndarray:
    """Label ids by a fixed list of names, int64 ``[N]``; -1 where there is no label.

    Raises:
        DataError: labels that are not in ``names``.
    """
    ids = {name: place for place, name in enumerate(names)}
    if unknown := [row for row, label in enumerate(labels) if label and label not in ids]:
        strange = sorted({labels[row] for row in unknown})
        raise _error(
            raw,
            unknown,
            ("has a label", "have labels"),
            f"that the model does not know: {names_phrase(strange)}{closest(strange[0], names)}; the known ones are "
            f"{names_phrase(names)}",
            (": correct or delete this row", ": correct or delete these rows"),
        )
    return np.fromiter((ids.get(label, -1) for label in labels), dtype=np.int64, count=len(labels))


def _check_one_spelling(values: Sequence[Any], raw: RawTable) -> None:
    """Refuse the number 1 beside the string '1' (one name for two values) and 1 beside 1.0 (two for one)."""
    if len({type(value) for value in values if value != ""}) <= 1:
        return
    spellings: dict[object, tuple[int, Any]] = {}
    for row, value in enumerate(values):
        for key in (("name", str(value)), ("value", value)):
            first_row, first = spellings.setdefault(key, (row, value))
            if type(first) is not type(value):
                raise DataError(
                    f"{raw.origin}: {rows_phrase([first_row, row], raw.lines)} have the labels {first!r} and "
                    f"{value!r}, which may or may not mean the same class; write all labels in one way, as strings"
                )


def _check_characters(texts: Sequence[str], raw: RawTable, where: str) -> None:
    if broken := broken_rows(texts):
        half = f"half a character (a lone surrogate such as \\ud83d) {where}; write the file anew from its source"
        raise _error(raw, broken, _HAVE, half)


def _error(
    raw: RawTable, rows: Sequence[int], verb: tuple[str, str], what: str, cure: tuple[str, str] = ("", "")
) -> DataError:
    """The sentence on some rows; of ``verb`` and ``cure`` the first for one row, the second for several."""
    several = len(rows) > 1
    where = rows_phrase(rows, raw.lines, raw.first)
    return DataError(f"{raw.origin}: {where} {verb[several]} {what}{cure[several]}")


def training_notes(
    texts: Sequence[str],
    ids: np.ndarray,
    names: Sequence[str],
    rows: Sequence[int] | None = None,
    lines: Sequence[int] | None = None,
) -> tuple[str, ...]:
    """Sentences on what is legal and yet worth knowing: single texts, look-alike labels, contradicting rows.

    Args:
        texts, ids, names: as in a ``TextTable``.
        rows: which rows of a larger table the texts were; sentences name those. None: the texts are the table.
        lines: where every row of the table starts in its file, counted from 1; None where there are no lines.
    """
    notes: list[str] = []
    counts = np.bincount(ids, minlength=len(names)).tolist()
    if single := [name for name, count in zip(names, counts, strict=True) if count == 1]:
        whose = "the class" if len(single) == 1 else "the classes"
        notes.append(
            f"{whose} {names_phrase(single)} {_HAVE[len(single) > 1]} a single text: it is trained on, and validation "
            "cannot judge it"
        )
    alike: dict[str, list[str]] = defaultdict(list)
    for name in names:
        alike[unicodedata.normalize("NFKC", name).strip().casefold()].append(name)
    for group in alike.values():
        if len(group) > 1:
            alone = "differ by case or spaces only and are kept apart; 'sharprecl doctor --fix' merges them"
            notes.append(f"the labels {names_phrase(group)} {alone}")
    first_row: dict[str, int] = {}
    if clashes := [row for row, text in enumerate(texts) if ids[first_row.setdefault(text, row)] != ids[row]]:
        pair = [first_row[texts[clashes[0]]], clashes[0]]
        where = rows_phrase(pair if rows is None else [rows[row] for row in pair], lines)
        distinct = len({texts[row] for row in clashes})
        notes.append(
            f"{distinct} {'text has' if distinct == 1 else 'texts have'} more than one label, the first in {where}"
        )
    return tuple(notes)
