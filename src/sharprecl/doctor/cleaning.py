"""What becomes of each row of a file that is fixed: it stays, perhaps under another label, is taken out, or is set
aside for a person to decide.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from sharprecl.data.messages import closest, excerpt, joined, plural, shorten
from sharprecl.data.tables import TextTable
from sharprecl.doctor.issues.base import LoadedTable
from sharprecl.doctor.issues.label_errors import all_suspects
from sharprecl.doctor.issues.unusable_rows import faults
from sharprecl.doctor.review import Doubt
from sharprecl.doctor.spellings import look, merged, quoted
from sharprecl.doctor.texts import LONGEST, Progress, bare, text_hashes
from sharprecl.errors import DataError

KEEP, DROP, CLASS = "keep", "drop", "class:"
"""Decisions: a row stays as it is, goes, or gets the class that is named, which may follow ``class:`` (so that a class
can be called ``drop``)."""

MERGED, SPELLED, DECIDED = "label merged", "label written as text", "label decided"
UNUSABLE, REPEAT, DROPPED = "taken out: unusable", "taken out: repeat", "taken out: decided"
CONTRADICTION, SUSPECT = "for review: contradiction", "for review: label"
GONE = (UNUSABLE, REPEAT, DROPPED)
ASIDE = (CONTRADICTION, SUSPECT)

_SHOWN = 4


class Change(NamedTuple):
    """Something that was done to a row (from 0), and why; ``what`` is one of the constants above."""

    row: int
    what: str
    before: str
    after: str
    why: str


class Cleaning:
    """The rows of a file while they are decided about.

    Attributes:
        texts: of all rows, as they were read; ``names``: their labels as strings, empty where a row cannot be used.
        stays: whether each row stays.
        as_text: whether all labels must be written as strings, for some are numbers that others spell.
        changes: what was done, in the order of the rows.
        doubts: what a person should decide about, contradictions first, then the worst labels.
        examined, unexamined: rows whose labels were, and were not examined.
    """

    def __init__(self, texts: Sequence[Any], labels: Sequence[Any], text: str, label: str) -> None:
        """Take out the rows that cannot be used; arguments as those of ``unusable_rows.faults``."""
        self.texts = texts
        self.stays = [True] * len(texts)
        self.names = ["" if value is None else str(value) for value in labels]
        self.changes: list[Change] = []
        self.doubts: list[Doubt] = []
        self.examined = self.unexamined = 0
        self._copies: Counter[int] = Counter()
        self._classes: dict[str, str] = {}
        unclear = None
        for fault in faults(texts, labels, text, label, None):
            if fault.rows and not fault.aside:
                unclear = fault.one
            for row in fault.rows if fault.aside else ():
                self._take_out(row, UNUSABLE, fault.one)
        self.as_text = unclear is not None
        for row, value in enumerate(labels) if unclear is not None else ():
            if self.stays[row] and not isinstance(value, str):
                self.changes.append(Change(row, SPELLED, shorten(value), shorten(self.names[row]), f"some {unclear}"))

    @property
    def kept(self) -> list[int]:
        """The rows that stay."""
        return [row for row, stays in enumerate(self.stays) if stays]

    def merge_labels(self) -> None:
        """Give each class the most frequent of its spellings."""
        counts = Counter(self.names[row] for row in self.kept)
        best = merged(counts)
        self._classes = {look(name): name for name in best.values()}
        if len(self._classes) == len(best):
            return
        for row in self.kept:
            if (name := best[self.names[row]]) != self.names[row]:
                why = f"{quoted(self.names[row])} is {quoted(name)} in {plural(counts[name], 'row', 'rows')}"
                self._relabel(row, MERGED, name, why)

    def take_out_repeats(self) -> None:
        """Keep the first of rows with one label whose texts are equal but for outer white space and Unicode form."""
        first: dict[str, dict[str, int]] = {}
        for row in self.kept:
            earlier = first.setdefault(self.names[row], {}).setdefault(bare(self.texts[row]), row)
            if earlier != row:
                self._copies[earlier] += 1
                self._take_out(row, REPEAT, f"has the text and the label of row {earlier + 1}")

    def doubt(self, origin: str, seed: int, progress: Progress) -> None:
        """Find contradictions by the doctor's equality, and in what remains the labels that look wrong."""
        kept = np.array(self.kept, dtype=np.int64)
        known = sorted({self.names[row] for row in kept})
        ids = {name: place for place, name in enumerate(known)}
        label_ids = np.array([ids[self.names[row]] for row in kept], dtype=np.int64)
        texts = [self.texts[row][:LONGEST] for row in kept]
        hashes = text_hashes(texts, progress, "looking for equal texts")
        rows = pl.DataFrame({"row": kept, "label": label_ids, "hash": hashes})
        rows = rows.with_columns(torn=pl.col("label").n_unique().over("hash") > 1)
        for _, group in rows.filter("torn").group_by("hash", maintain_order=True):
            self._contradiction(group["row"].to_list())
        torn = rows["torn"].to_numpy()
        whole = np.flatnonzero(~torn)
        if len(whole):
            table = TextTable(tuple(texts[place] for place in whole), label_ids[whole], tuple(known), origin)
            self.examined, suspects = all_suspects(LoadedTable(table, kept[whole], len(self.texts)), seed, progress)
            self.unexamined = len(whole) - self.examined
            for suspect in suspects:
                odds = f"{suspect.confidence:.0%} against {suspect.self_confidence:.0%}"
                why = f"looks like {quoted(suspect.suggested)} ({odds})"
                if suspect.rare:
                    why += "; rare or mislabelled? It stays in the cleaned file unless you decide otherwise"
                self.doubts.append(Doubt(suspect.row, SUSPECT, why, suspect.suggested, suspect.rare))

    def decide(self, decisions: Mapping[int, str], source: str) -> None:
        """Do what a person decided, by row, and set aside what nobody has decided yet.

        Raises:
            DataError: a decision that is none, or on a row that is not there any more.
        """
        relabelled = False
        for row, decision in decisions.items():
            if not self.stays[row]:
                raise DataError(
                    f"{source} decides on row {row + 1}, which is taken out anyway; write the review file anew"
                )
            if decision.casefold() == DROP:
                self._take_out(row, DROPPED, f"dropped in {source}")
            elif decision.casefold() != KEEP:
                name = self._class_named(decision, row, source)
                relabelled = relabelled or name != self.names[row]
                self._relabel(row, DECIDED, name, f"decided in {source}")
        self.doubts = [doubt for doubt in self.doubts if doubt.row not in decisions]
        for doubt in self.doubts:
            if not doubt.kept:
                self.changes.append(Change(doubt.row, doubt.what, self.names[doubt.row], doubt.suggested, doubt.why))
                self.stays[doubt.row] = False
        if relabelled:
            self.take_out_repeats()
        self.changes.sort(key=lambda change: change.row)

    def _class_named(self, decision: str, row: int, source: str) -> str:
        name = decision[len(CLASS) :].strip() if decision.casefold().startswith(CLASS) else decision
        if (known := self._classes.get(look(name))) is None:
            raise DataError(
                f"{source}: the decision on row {row + 1} is {shorten(decision)}, which is no class of the file"
                f"{closest(name, self._classes.values())}; write keep, drop or the name of a class"
            )
        return known

    def _contradiction(self, rows: Sequence[int]) -> None:
        weights: Counter[str] = Counter()
        for row in rows:
            weights[self.names[row]] += 1 + self._copies[row]
        (best, most), (_, second) = weights.most_common(2)
        shown = [f"row {row + 1} {quoted(self.names[row])}" for row in rows[:_SHOWN]]
        why = f"equal texts have several labels: {joined(shown, len(rows))}"
        for row in rows:
            self.doubts.append(Doubt(row, CONTRADICTION, why, best if most > second else "", False))

    def _take_out(self, row: int, what: str, why: str) -> None:
        if self.stays[row]:
            text = self.texts[row]
            shown = excerpt(text) if isinstance(text, str) else "" if text is None else shorten(text)
            self.changes.append(Change(row, what, shown, "", why))
            self.stays[row] = False

    def _relabel(self, row: int, what: str, name: str, why: str) -> None:
        if name != self.names[row]:
            self.changes.append(Change(row, what, self.names[row], name, why))
            self.names[row] = name
