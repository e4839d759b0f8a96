"""Training texts with corrections: labels that people gave to answers of a classifier."""

from dataclasses import replace

import numpy as np

from sharprecl.data.augmented import CopyRows
from sharprecl.data.messages import names_phrase, plural
from sharprecl.data.tables import TextTable
from sharprecl.errors import DataError


def corrected(table: TextTable, corrections: TextTable) -> TextTable:
    """Give texts their corrected labels, also where they stand several times or have copies, and add the others.

    Args:
        table: training texts, without weights.
        corrections: texts with one label each, of the same classes.

    Returns:
        The rows of ``table``, then texts that it did not have; a note counts both.

    Raises:
        DataError: a class is left without texts.
    """
    labels = zip(corrections.texts, corrections.label_ids.tolist(), strict=True)
    right = {text: label for text, label in labels if text}
    ids = np.array([right.get(text, old) for text, old in zip(table.texts, table.label_ids, strict=True)])
    copies = table.copies
    if copies is not None:  # a copy has the label of its original
        right_of = {copies.groups[row]: ids[row] for row, text in enumerate(table.texts) if text in right}
        ids = np.array([right_of.get(group, old) for group, old in zip(copies.groups, ids, strict=True)])
    known = {*table.texts}
    new = [text for text in right if text not in known]
    every = np.append(ids, [right[text] for text in new]).astype(np.int64)
    if gone := sorted({*table.label_ids.tolist()} - {*every.tolist()}):
        raise DataError(
            f"{corrections.origin} leaves no text to {names_phrase(table.label_names[label] for label in gone)}; give "
            f"other texts of that class, or take it out of {table.origin}"
        )
    if copies is not None:
        groups = copies.groups.max() + 1 + np.arange(len(new))
        copies = CopyRows(np.append(copies.is_copy, np.zeros(len(new), dtype=bool)), np.append(copies.groups, groups))
    first = int(table.in_source(np.arange(len(table))).max()) + 1
    rows = np.append(table.in_source(np.arange(len(table))), first + np.arange(len(new)))
    changed = plural(int((ids != table.label_ids).sum()), "label", "labels")
    note = f"{corrections.origin}: {changed} corrected, {plural(len(new), 'text', 'texts')} new"
    return replace(
        table,
        texts=(*table.texts, *new),
        label_ids=every,
        origin=f"{table.origin} with {corrections.origin}",
        notes=(*table.notes, note),
        copies=copies,
        rows=None if table.rows is None else rows,
    )
