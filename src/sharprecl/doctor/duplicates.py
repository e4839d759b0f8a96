"""Equal and nearly equal texts, within a file and across files, and what labels they carry."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sharprecl.data.tables import TextTable
from sharprecl.doctor.diagnosis import DuplicateGroup, Duplicates
from sharprecl.doctor.keys import distinct, text_keys
from sharprecl.doctor.near import find_alike
from sharprecl.doctor.slices import Progress, excerpt, silent

MOST_COMPARED = 2_000_000
"""Different texts that are compared for near duplicates: their sketches take 640 MB."""
SHOWN_GROUPS = 50


@dataclass(frozen=True, eq=False)
class _Rows:
    """All rows, those of training first, and which different text each holds.

    Attributes:
        texts: N texts; ``labels``: their class names as numbers, ``[N]``; ``names``: of the numbers.
        training: how many of the rows are training's.
        nodes: a number for each row's text, in the order of the texts' hashes, ``[N]``.
        first: the first row of each of the D texts, ``[D]``.
    """

    texts: tuple[str, ...]
    labels: NDArray[np.int64]
    names: tuple[str, ...]
    training: int
    nodes: NDArray[np.int64]
    first: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def size(self) -> int:
        """D: different texts."""
        return len(self.first)


def duplicates(
    table: TextTable,
    test: TextTable | None = None,
    *,
    most_compared: int = MOST_COMPARED,
    progress: Progress = silent,
) -> Duplicates:
    """Count equal and nearly equal texts. What is found does not depend on the order of the rows.

    Equal means: by ``data.leaks.normalised``. Nearly equal means: by ``near.NEARLY``, each pair verified. Labels count
    as different when their names are.

    Args:
        table: training texts.
        test: test texts, or None.
        most_compared: different texts that are compared for near duplicates; of more, a random sample, the same one
            each time.
        progress: is told what is being done.
    """
    rows = _numbered(table, test, progress)
    in_train, in_test = np.zeros((2, rows.size), dtype=bool)
    in_train[rows.nodes[: rows.training]] = True
    in_test[rows.nodes[rows.training :]] = True
    # The texts stand in the order of their hashes, so the first of them are a random sample.
    compared = slice(0, most_compared)
    texts = [rows.texts[row] for row in rows.first[compared]]
    alike = find_alike(texts, in_train[compared], in_test[compared], progress)
    leaks = (in_train & in_test)[rows.nodes[rows.training :]]
    leaking = np.concatenate([alike.leaking, np.zeros(rows.size - len(texts), dtype=bool)])
    near_leaks = leaking[rows.nodes[rows.training :]] & ~leaks
    several = _labels_each(rows.nodes, rows.labels, rows.size) > 1
    groups = np.concatenate([alike.groups, np.arange(len(texts), rows.size)])
    return Duplicates(
        exact_train=rows.training - int(in_train.sum()),
        exact_test=len(rows) - rows.training - int(in_test.sum()),
        near_train=_surplus(alike.train_groups, alike.in_train),
        near_test=_surplus(alike.test_groups, alike.in_test),
        leaks=int(leaks.sum()),
        near_leaks=int(near_leaks.sum()),
        conflicts=int(several.sum()),
        groups=_telling(rows, groups, several, in_train & in_test, leaking),
        compared=int((rows.nodes < len(texts)).sum()),
    )


def _numbered(table: TextTable, test: TextTable | None, progress: Progress) -> _Rows:
    texts = table.texts + (() if test is None else test.texts)
    names = tuple(dict.fromkeys(table.label_names + (() if test is None else test.label_names)))
    number = {name: place for place, name in enumerate(names)}
    labels = table.label_ids
    if test is not None:
        places = np.array([number[name] for name in test.label_names], dtype=np.int64)
        labels = np.concatenate([labels, places[test.label_ids]])
    keys = text_keys(texts, progress, "looking for equal texts")
    order = np.argsort(keys, kind="stable")
    fresh = np.ones(len(keys), dtype=bool)
    fresh[1:] = keys[order[1:]] != keys[order[:-1]]
    nodes = np.empty(len(keys), dtype=np.int64)
    nodes[order] = np.cumsum(fresh) - 1
    return _Rows(texts, labels, names, len(table), nodes, order[fresh])


def _labels_each(groups: NDArray[np.int64], labels: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Different labels in each group of rows, ``[size]``."""
    classes = int(labels.max(initial=0)) + 1
    pairs = distinct((groups * classes + labels).astype(np.uint64)) // np.uint64(classes)
    return np.bincount(pairs.astype(np.int64), minlength=size)


def _surplus(groups: NDArray[np.int64], inside: NDArray[np.bool_]) -> int:
    """Texts of one file that would go if one of each group stayed."""
    return int(inside.sum()) - len(distinct(groups[inside].astype(np.uint64)))


def _telling(
    rows: _Rows,
    groups: NDArray[np.int64],
    several: NDArray[np.bool_],
    leaks: NDArray[np.bool_],
    leaking: NDArray[np.bool_],
) -> tuple[DuplicateGroup, ...]:
    """Groups of two rows or more: texts with two labels first, then leaks, then the same nearly, then the largest."""
    of_row = groups[rows.nodes]
    size = int(groups.max(initial=0)) + 1
    sizes = np.bincount(of_row, minlength=size)
    marks = [np.bincount(groups[marked], minlength=size) > 0 for marked in (several, leaks, leaking)]
    marks.insert(2, _labels_each(of_row, rows.labels, size) > 1)
    # The least hash in a group parts equal ones: it does not depend on the order of the rows.
    least = np.full(size, rows.size)
    np.minimum.at(least, groups, np.arange(rows.size))
    order = np.lexsort((least, -sizes, *(~mark for mark in reversed(marks))))
    best = order[sizes[order] > 1][:SHOWN_GROUPS]
    rank = np.full(size, -1)
    rank[best] = np.arange(len(best))
    members = np.flatnonzero(rank[of_row] >= 0)
    members = members[np.argsort(rank[of_row[members]], kind="stable")]
    parts = np.split(members, np.flatnonzero(np.diff(rank[of_row[members]])) + 1) if len(members) else []
    return tuple(_group(rows, part) for part in parts)


def _group(rows: _Rows, members: NDArray[np.int64]) -> DuplicateGroup:
    """A group of the rows ``members``, which rise."""
    inside = members < rows.training
    return DuplicateGroup(
        rows=tuple((members[inside] + 1).tolist()),
        test_rows=tuple((members[~inside] - rows.training + 1).tolist()),
        labels=tuple(sorted({rows.names[label] for label in rows.labels[members].tolist()})),
        text=excerpt(rows.texts[members[0]]),
    )
