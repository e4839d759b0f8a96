"""The rows that can be examined, and every reason why the others cannot: a doctor does not stop at the first fault."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sharprecl.data.checks import plain
from sharprecl.data.dialect import RECOGNISED, Dialect
from sharprecl.data.messages import names_phrase
from sharprecl.data.sources import open_table
from sharprecl.data.tables import TextTable
from sharprecl.doctor.issues.augmented_copies import read_copies
from sharprecl.doctor.issues.base import Finding, LoadedTable
from sharprecl.doctor.issues.unusable_rows import faults, too_long
from sharprecl.doctor.texts import LONGEST
from sharprecl.errors import DataError


def load(
    source: Any,
    text: str = "text",
    label: str = "label",
    dialect: Dialect = RECOGNISED,
    known: Sequence[str] | None = None,
) -> LoadedTable:
    """Set aside the rows that cannot be used and say why, a finding a kind of fault.

    Args:
        source: what ``read_table`` reads, or a ``TextTable``.
        text: the column of texts.
        label: the column of labels.
        dialect: how a file is written, where that is not to be recognised.
        known: the label names of the training file, where this is the test file: other labels are set aside.

    Raises:
        DataError: the file cannot be read at all, or fewer than two classes of training texts are left.
    """
    origin, copies = "", None
    if isinstance(source, TextTable):
        origin, copies = source.origin, source.copies
        source = (source.texts, [source.label_names[place] for place in source.label_ids.tolist()])
    raw = open_table(source, text, label, dialect)
    raw.require(text, "text")
    raw.require(label, "label")
    texts, labels = plain(raw.column(text)), plain(raw.column(label))
    prefix = "" if known is None else "test file: "
    usable = np.ones(raw.size, dtype=bool)
    findings = []
    for fault in faults(texts, labels, text, label, known):
        if fault.rows:
            findings.append(fault.finding(raw.lines, prefix))
            usable[fault.rows] &= not fault.aside
    rows = np.flatnonzero(usable)
    spelled = [str(labels[row]) for row in rows]
    names = tuple(sorted(set(spelled)) if known is None else known)
    if known is None and len(names) < 2:
        raise DataError(f"{origin or raw.origin}: {_nothing_to_learn(names, len(rows), findings, label)}")
    if long := [int(row) for row in rows if len(texts[row]) > LONGEST]:
        findings.append(too_long(long, max(len(texts[row]) for row in long), LONGEST, raw.lines, prefix))
    findings += [Finding("note", "rows", prefix + note) for note in raw.notes]
    if known is not None:
        copies = None
    elif copies is None:
        copies, wrong = read_copies(raw, texts, labels)
        findings += wrong
    copies = None if copies is None else copies.select(rows)
    ids = {name: place for place, name in enumerate(names)}
    table = TextTable(
        tuple(texts[row][:LONGEST] for row in rows),
        np.fromiter(map(ids.__getitem__, spelled), dtype=np.int64, count=len(rows)),
        names,
        origin or raw.origin,
        copies=copies if copies is not None and copies.is_copy.any() else None,
    )
    return LoadedTable(table, rows + 1, raw.size, tuple(findings))


def _nothing_to_learn(names: Sequence[str], usable: int, findings: Sequence[Finding], label: str) -> str:
    told = "; ".join(f"{finding.sentence} ({finding.cure})" for finding in findings)
    if not names:
        return f"no row can be used: {told}"
    return (
        f"all {usable:,} usable rows have the label {names_phrase(names)}; training needs more than one class: is "
        f"{label!r} the column of labels?{f' Beside that: {told}' if told else ''}"
    )
