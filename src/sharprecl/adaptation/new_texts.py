"""The labelled file that names new classes, checked before any model is loaded."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sharprecl.data.checks import checked_labels
from sharprecl.data.dialect import Dialect
from sharprecl.data.leaks import normalised
from sharprecl.data.messages import names_phrase, rows_phrase
from sharprecl.data.sources import open_table
from sharprecl.data.tables import TextTable, read_table
from sharprecl.errors import DataError


@dataclass(frozen=True, eq=False)
class NewTexts:
    """What a file holds.

    Attributes:
        names: of the new classes.
        new: their texts, each once; label ids from the number of known classes on.
        known: texts of known classes.
        notes: sentences about the file.
    """

    names: tuple[str, ...]
    new: TextTable
    known: TextTable
    notes: tuple[str, ...]


def read_new(path: Path, text: str, label: str, dialect: Dialect, known: Sequence[str], *, strict: bool) -> NewTexts:
    """Read a file whose labels are new and, if some are, known ones.

    Raises:
        DataError: whatever is wrong with the file; no label is new; a new one is a known one spelt otherwise; a text
            has several labels.
    """
    raw = open_table(path, text, label, dialect)
    raw.require(text, "text")
    raw.require(label, "label")
    names = tuple(sorted({*checked_labels(raw, label)} - {"", *known}))
    if not names:
        raise DataError(
            f"{path} has no label that the classifier does not know, and a class that it knows is not made better by a "
            f"row more; train again on these texts and the old ones together"
        )
    folded = {normalised(name): name for name in known}
    if alike := [name for name in names if normalised(name) in folded]:
        other = folded[normalised(alike[0])]
        raise DataError(f"{path} has the label {alike[0]!r}, which the classifier knows as {other!r}; write it so")
    every = (*known, *names)
    table = read_table(path, text, label, **dialect._asdict(), label_names=every, strict=strict)
    # One without a text or a label is among those that are set aside, of which a note tells.
    notes, table = table.notes, table.select([row for row, text in enumerate(table.texts) if text])
    keys = np.unique([normalised(text) for text in table.texts], return_inverse=True)[1]
    first = {key: row for row, key in reversed([*enumerate(keys.tolist())])}
    clashes = [row for row, key in enumerate(keys) if table.label_ids[row] != table.label_ids[first[key]]]
    if clashes:
        both = [first[keys[clashes[0]]], clashes[0]]
        labels = names_phrase(every[table.label_ids[row]] for row in both)
        raise DataError(
            f"{path}: {rows_phrase(table.in_source(both).tolist())} have the same text with the labels {labels}; "
            f"correct or delete one"
        )
    once = np.array(sorted(first.values()))
    is_new = table.label_ids[once] >= len(known)
    if lost := [name for place, name in enumerate(names) if not (table.label_ids == len(known) + place).any()]:
        raise DataError(f"{path} has no text of {names_phrase(lost)}; fill in its rows, or delete them")
    return NewTexts(names, table.select(once[is_new]), table.select(once[~is_new]), notes)
