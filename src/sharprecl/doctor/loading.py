"""The rows that can be examined, and every reason why the others cannot: a doctor does not stop at the first fault."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sharprecl.data.checks import plain
from sharprecl.data.messages import SHOWN, names_phrase, rows_phrase
from sharprecl.data.sources import open_table
from sharprecl.data.tables import TextTable
from sharprecl.doctor.copies import find_copies, originals
from sharprecl.doctor.copies import told as copies_told
from sharprecl.doctor.diagnosis import Finding
from sharprecl.doctor.faults import faults
from sharprecl.errors import DataError

LONGEST = 100_000
"""Characters of a text that are examined: encoders read some 2,000, and a line of 100 MB must not stop all others."""


@dataclass(frozen=True, eq=False)
class LoadedTable:
    """The usable rows of a file.

    Attributes:
        table: their texts, each cut to ``LONGEST`` characters, and their labels; a test file may have none. Those of
            training texts that ``sharprecl augment`` made are marked in ``copies``.
        rows: where each of them stands in the file, counted from 1, int64 ``[N]``.
        size: rows of the file, usable or not.
        findings: what is wrong with the others, a kind of fault each.
    """

    table: TextTable
    rows: NDArray[np.int64]
    size: int
    findings: tuple[Finding, ...] = ()

    def originals(self) -> "LoadedTable":
        """What stands for itself, see ``copies.originals``: what is wrong with a copy is wrong with its original."""
        if self.table.copies is None:
            return self
        kept = originals(self.table.copies)
        return replace(self, table=self.table.select(kept), rows=self.rows[kept])


def load_for_diagnosis(
    source: Any, text: str = "text", label: str = "label", encoding: str = "utf-8", known: Sequence[str] | None = None
) -> LoadedTable:
    """Set aside the rows that cannot be used and say why, a finding a kind of fault.

    Args:
        source: what ``read_table`` reads, or a ``TextTable``.
        text: the column of texts.
        label: the column of labels.
        encoding: of text files.
        known: the label names of the training file, where this is the test file: other labels are set aside.

    Raises:
        DataError: the file cannot be read at all, or fewer than two classes of training texts are left.
    """
    origin, copies = "", None
    if isinstance(source, TextTable):
        origin, copies = source.origin, source.copies
        source = (source.texts, [source.label_names[place] for place in source.label_ids.tolist()])
    sheet = open_table(source, text, label, encoding)
    sheet.require(text, "text")
    sheet.require(label, "label")
    texts, labels = plain(sheet.column(text)), plain(sheet.column(label))
    usable = np.ones(sheet.size, dtype=bool)
    findings = []
    for fault in faults(texts, labels, text, label, known):
        if fault.rows:
            findings.append(fault.finding(sheet.lines, "" if known is None else "test file: "))
            usable[fault.rows] &= not fault.aside
    rows = np.flatnonzero(usable)
    spelled = [str(labels[row]) for row in rows]
    names = tuple(sorted(set(spelled)) if known is None else known)
    if known is None and len(names) < 2:
        raise DataError(f"{origin or sheet.origin}: {_nothing_to_learn(names, len(rows), findings, label)}")
    if long := [int(row) for row in rows if len(texts[row]) > LONGEST]:
        findings.append(_too_long(long, max(len(texts[row]) for row in long), sheet.lines))
    findings += [Finding("note", "rows", note) for note in sheet.notes]
    if known is None:
        if copies is None:
            copies, told = find_copies(sheet, texts, labels)
            findings += told
        if copies is not None:
            copies = copies.select(rows)
            copies = copies if copies.is_copy.any() else None
        if copies is not None:
            findings.append(copies_told(copies))
    ids = {name: place for place, name in enumerate(names)}
    table = TextTable(
        tuple(texts[row][:LONGEST] for row in rows),
        np.fromiter(map(ids.__getitem__, spelled), dtype=np.int64, count=len(rows)),
        names,
        origin or sheet.origin,
        copies=copies,
    )
    return LoadedTable(table, rows + 1, sheet.size, tuple(findings))


def _too_long(rows: Sequence[int], most: int, lines: Sequence[int] | None) -> Finding:
    return Finding(
        "warning",
        "rows",
        f"texts of up to {most:,} characters, examined by their first {LONGEST:,}: {rows_phrase(rows, lines)}",
        "look at them: has a missing quote or line end run several texts together?",
        tuple(row + 1 for row in rows[:SHOWN]),
    )


def _nothing_to_learn(names: Sequence[str], usable: int, findings: Sequence[Finding], label: str) -> str:
    told = "; ".join(f"{finding.sentence} ({finding.cure})" for finding in findings)
    if not names:
        return f"no row can be used: {told}"
    return (
        f"all {usable:,} usable rows have the label {names_phrase(names)}; training needs at least two classes: is "
        f"{label!r} the column of labels?{f' Beside that: {told}' if told else ''}"
    )
