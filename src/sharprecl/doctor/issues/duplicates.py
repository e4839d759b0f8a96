"""Equal and nearly equal texts: repeats within a file, leaks across files, and texts with more than one label."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sharprecl.data.messages import SHOWN, excerpt, plural, rows_phrase, shorten
from sharprecl.data.tables import TextTable
from sharprecl.doctor.issues.base import POINT, Data, Finding, Issue, Severity
from sharprecl.doctor.issues.display import Example, Examples, Section, percent
from sharprecl.doctor.near_duplicates import find_alike
from sharprecl.doctor.spellings import merged, quoted_names, visible
from sharprecl.doctor.texts import count_repeats, text_hashes
from sharprecl.report.svg import clean

MOST_COMPARED = 2_000_000
"""Different texts that are compared for near duplicates: their sketches take 640 MB."""
SHOWN_GROUPS, SHOWN_IN_TERMINAL, SHOWN_LABELS, EXAMPLE = 50, 5, 4, 60


@dataclass(frozen=True)
class DuplicateGroup:
    """Texts that are equal or nearly so.

    Attributes:
        rows: their rows in the training file; ``test_rows``: in the test file.
        labels: the different labels that they carry.
        text: the first of them, shortened.
    """

    rows: tuple[int, ...]
    test_rows: tuple[int, ...]
    labels: tuple[str, ...]
    text: str

    @property
    def where(self) -> str:
        """``rows 3 and 9, test row 4``."""
        parts = ((self.rows, ""), (self.test_rows, "test "))
        return ", ".join(f"{which}{rows_phrase([row - 1 for row in rows])}" for rows, which in parts if rows)


@dataclass(frozen=True)
class DuplicateReport:
    """Equal and nearly equal texts; equal means: but for case, punctuation and spacing. Copies that
    ``sharprecl augment`` made are left out.

    Attributes:
        exact_train, exact_test: surplus rows within a file: rows whose text is equal to an earlier one.
        torn_train: those of training alone, when labels that look alike are one: those that a fix sets aside.
        identical_train: those of ``exact_train`` that a fix takes out: the label is the same too, and the text but for
            outer white space and Unicode form.
        near_train, near_test: further rows that would go if of each group of nearly equal texts of their file one
            stayed.
        leaks, near_leaks: test rows whose text is equal to one of training, or nearly equal.
        conflicts: different texts that carry more than one label, in one file or between the two.
        groups: the most telling examples, conflicts and leaks first, at most 50.
        compared: rows of both files that were compared for near duplicates: all, or the sample that the limit allows.
    """

    exact_train: int
    exact_test: int
    near_train: int
    near_test: int
    leaks: int
    near_leaks: int
    conflicts: int
    torn_train: int
    identical_train: int
    groups: tuple[DuplicateGroup, ...]
    compared: int


class Duplicates(Issue):
    """Repeats, leaks and contradictions. What is found does not depend on the order of the rows.

    Equal means: by ``data.leaks.normalised``. Nearly equal means: by ``near_duplicates.NEARLY``, each pair verified.
    Above ``MOST_COMPARED`` different texts a random sample, the same one each time, is compared for near duplicates.
    """

    key = "duplicates"
    figures: DuplicateReport

    @staticmethod
    def find(data: Data) -> DuplicateReport:
        files = [data.originals] if data.test is None else [data.originals, data.test]
        texts = [text for file in files for text in file.table.texts]
        rows = pl.DataFrame(
            {
                "place": np.arange(len(texts)),
                "row": np.concatenate([file.rows for file in files]),
                "label": np.concatenate([file.table.label_ids for file in files]),
                "test": np.repeat([False, True][: len(files)], [len(file.table) for file in files]),
                "hash": text_hashes(texts, data.progress, "looking for equal texts"),
            }
        )
        # One line a different text, in the order of their hashes, so that the first of them are a random sample.
        different = (
            rows.group_by("hash")
            .agg(
                first=pl.col("place").min(),
                train=(~pl.col("test")).any(),
                test=pl.col("test").any(),
                several=pl.col("label").n_unique() > 1,
            )
            .sort("hash")
        )
        compared = different.head(MOST_COMPARED)
        in_train, in_test = compared["train"].to_numpy(), compared["test"].to_numpy()
        alike = find_alike([texts[place] for place in compared["first"]], in_train, in_test, data.progress)
        others = np.arange(len(compared), len(different))
        different = different.with_columns(
            node=np.arange(len(different)),
            group=np.concatenate([alike.groups, others]),
            near=np.concatenate([alike.leaking, np.zeros(len(others), dtype=bool)]),
            leak=pl.col("train") & pl.col("test"),
        )
        kept = ("hash", "node", "group", "several", "leak", "near")
        rows = rows.join(different.select(kept), on="hash", how="left", maintain_order="left")
        train, test = rows.filter(~pl.col("test")), rows.filter("test")
        return DuplicateReport(
            exact_train=len(train) - train["hash"].n_unique(),
            exact_test=len(test) - test["hash"].n_unique(),
            near_train=_surplus(alike.train_groups, in_train),
            near_test=_surplus(alike.test_groups, in_test),
            leaks=int(test["leak"].sum()),
            near_leaks=int((test["near"] & ~test["leak"]).sum()),
            conflicts=int(different["several"].sum()),
            **_fixable(data.originals.table, train),
            groups=tuple(_group(part, texts, data.originals.table.label_names) for part in _telling(rows)),
            compared=int((rows["node"] < len(compared)).sum()),
        )

    @property
    def all_leak(self) -> bool:
        """Whether every test text stands in training: without leaks nothing would be left to judge on."""
        return self.data.tested is not None and self.figures.leaks == len(self.data.tested)

    def findings(self) -> Iterator[Finding]:
        found, rows, test_rows = self.figures, len(self.data.originals.table), len(self.data.tested or ())
        if found.conflicts:
            clashes = [group for group in found.groups if len(group.labels) > 1]
            sentence = f"{plural(found.conflicts, 'text has', 'texts have')} more than one label"
            if clashes:
                sentence += f", such as {shorten(clashes[0].text, EXAMPLE)} ({quoted_names(clashes[0].labels)})"
            review = self.data.by_fix("sets them aside for review") if found.torn_train else ""
            cure = f"decide for one label each{review}, or allow for it: no model can be right about all of them"
            shown = tuple(row for group in clashes for row in group.rows)[:SHOWN]
            yield Finding(_problem(found.conflicts, rows), "duplicates", sentence, cure, shown)
        if leaks := found.leaks + found.near_leaks:
            near = f" and {found.near_leaks:,} nearly" if found.near_leaks else ""
            verb = "stands" if found.leaks == 1 else "stand"
            share = percent(leaks / test_rows)
            sentence = f"{found.leaks:,} of {test_rows:,} test texts {verb} in training{near} ({share})"
            cure = (
                "judge without the equal ones (sharprecl train --drop-leaks); figures are too good by up to that share"
            )
            if self.all_leak:
                sentence = f"the test file: this is the training file, or a part of it: {sentence}"
                cure = "give texts with --test that training does not have, or leave it out"
            shown = tuple(row for group in found.groups if group.rows for row in group.test_rows)[:SHOWN]
            yield Finding(_problem(found.leaks, test_rows), "duplicates", sentence, cure, shown)
        out = f"takes out {found.identical_train:,} with one label and the same letters"
        taken = self.data.by_fix(out) if found.identical_train else ""
        keep = f"keep one of each{taken}, unless it shall count more"
        for what, exact, near_rows, total, cure in (
            ("training", found.exact_train, found.near_train, rows, keep),
            ("test", found.exact_test, found.near_test, test_rows, ""),
        ):
            if surplus := exact + near_rows:
                near = f", {near_rows:,} more nearly so" if exact and near_rows else ""
                nearly = "" if exact else "nearly "
                count = plural(exact or near_rows, f"{what} text {nearly}repeats", f"{what} texts {nearly}repeat")
                sentence = f"{count} an earlier one{near} ({percent(surplus / total)})"
                yield Finding("warning" if surplus >= POINT * total else "note", "duplicates", sentence, cure)

    def section(self) -> Section:
        found = self.figures
        figures = [
            ("texts with more than one label", f"{found.conflicts:,}"),
            ("training texts that repeat an earlier one", f"{found.exact_train:,} equal, {found.near_train:,} nearly"),
        ]
        if self.data.tested:
            figures += [
                ("test texts that repeat an earlier one", f"{found.exact_test:,} equal, {found.near_test:,} nearly"),
                ("test texts that stand in training", f"{found.leaks:,} equal, {found.near_leaks:,} nearly"),
            ]
        figures.append(("compared for near repeats", plural(found.compared, "text", "texts")))
        introduction = (
            "Those with several labels and those in both files first; nearly equal texts are shown by the first of "
            "them."
        )
        items = [_example(group) for group in found.groups]
        examples = Examples("Texts that are there more than once", introduction, items, SHOWN_IN_TERMINAL)
        return Section("Duplicates", figures, examples=examples)


def _fixable(table: TextTable, rows: pl.DataFrame) -> dict[str, int]:
    """``torn_train`` and ``identical_train`` of these training texts, whose ``rows`` have hashes."""
    if rows["hash"].n_unique() == len(rows):
        return {"torn_train": 0, "identical_train": 0}
    best = merged({name: int(count) for name, count in zip(table.label_names, table.class_counts, strict=True)})
    names = [best[table.label_names[label]] for label in table.label_ids]
    several = pl.DataFrame({"hash": rows["hash"], "name": names}).group_by("hash").agg(pl.col("name").n_unique() > 1)
    return {"torn_train": int(several["name"].sum()), "identical_train": count_repeats(table.texts, names)}


def _problem(count: int, total: int) -> Severity:
    return "problem" if count >= POINT * total else "warning"


def _surplus(groups: NDArray[np.int64], inside: NDArray[np.bool_]) -> int:
    """Texts of one file that would go if one of each group stayed."""
    return int(inside.sum()) - pl.Series(groups[inside]).n_unique()


def _telling(rows: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Groups of two rows or more: texts with two labels first, then leaks, then the same nearly, then the largest."""
    order = ["several", "leak", "labels", "near", "size", "least"]
    groups = rows.group_by("group").agg(
        pl.col("several", "leak", "near").any(),
        labels=pl.col("label").n_unique() > 1,
        size=pl.len(),
        # The least hash in a group parts equal ones: it does not depend on the order of the rows.
        least=pl.col("node").min(),
    )
    best = groups.filter(pl.col("size") > 1).sort(order, descending=[True] * 5 + [False]).head(SHOWN_GROUPS)
    return (rows.filter(pl.col("group") == group) for group in best["group"])


def _group(part: pl.DataFrame, texts: Sequence[str], names: Sequence[str]) -> DuplicateGroup:
    return DuplicateGroup(
        rows=tuple(part.filter(~pl.col("test"))["row"]),
        test_rows=tuple(part.filter("test")["row"]),
        labels=tuple(sorted({names[label] for label in part["label"]})),
        text=excerpt(texts[part["place"][0]]),
    )


def _example(group: DuplicateGroup) -> Example:
    labels = ", ".join(clean(visible(label), 24) for label in group.labels[:SHOWN_LABELS])
    return Example(f"{group.where} ({labels})", group.labels, ", ", group.where, group.text)
