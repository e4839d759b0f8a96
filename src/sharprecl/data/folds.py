"""Folds: every text held out once, class by class, never beside a copy or an equal text in training."""

from dataclasses import dataclass

import numpy as np

from sharprecl.data.leaks import normalised
from sharprecl.data.splits import text_groups
from sharprecl.data.tables import TextTable
from sharprecl.errors import ConfigError

HELD_OUT = 5
"""Of a class one text in so many is held out where a single part is."""


@dataclass(frozen=True, eq=False)
class Fold:
    """Row numbers, sorted: those to learn from and those held out. Copies of what is held out are in neither."""

    fit: np.ndarray
    held: np.ndarray


def deal_folds(table: TextTable, number: int, seed: int) -> list[Fold]:
    """Hold out every text in one of the folds, each class spread evenly over them.

    What is equal but for case, punctuation and spacing stays together, and so do copies with their text. A class with a
    single text, and a text with several labels, are always learnt from and never held out; copies are never held out,
    unless there is nothing else. Every class is in every training.

    Args:
        table: the texts.
        number: of folds, at least 2; those that would hold out nothing are left out.
        seed: which texts come together.
    """
    if number < 2:
        raise ConfigError(f"{number} folds leave nothing to train on; take 2 or more")
    group_N, by_class = _units(table, seed)
    fold_of: dict[int, int] = {}
    for units in by_class:
        # Going on where the class before ended, so that small classes do not all meet in the first fold.
        fold_of |= {unit: (len(fold_of) + place) % number for place, unit in enumerate(units)}
    dealt_N = np.array([fold_of.get(group, -1) for group in group_N.tolist()])
    folds = [_fold(table, dealt_N == fold) for fold in range(number)]
    return [fold for fold in folds if len(fold.held)]


def hold_out_once(table: TextTable, seed: int) -> list[Fold]:
    """One fold of a fifth of each class, at least one text of those that have two; none where no class has two."""
    group_N, by_class = _units(table, seed)
    held = [unit for units in by_class for unit in units[: max(1, round(len(units) / HELD_OUT))]]
    return [_fold(table, np.isin(group_N, held))] if held else []


def _fold(table: TextTable, touched_N: np.ndarray) -> Fold:
    return Fold(np.flatnonzero(~touched_N), np.flatnonzero(touched_N & _candidates(table)))


def _candidates(table: TextTable) -> np.ndarray:
    """Which rows may be held out, bool [N]: copies only where there is nothing else."""
    if table.copies is None or table.copies.is_copy.all():
        return np.ones(len(table), dtype=bool)
    return ~table.copies.is_copy


def _units(table: TextTable, seed: int) -> tuple[np.ndarray, list[list[int]]]:
    """The group of each row, [N], and for every class its groups that may be held out, shuffled."""
    group_N, candidate_N = _kept_together(table), _candidates(table)
    pairs = np.unique(np.stack([group_N[candidate_N], table.label_ids[candidate_N]]), axis=1)
    ids, labels = np.unique(pairs[0], return_counts=True)
    torn = ids[labels > 1]
    by_class = []
    for label in range(table.num_classes):
        groups = pairs[0][pairs[1] == label]
        units = np.setdiff1d(groups, torn)
        if len(groups) < 2:
            # Without it, the class would be missing in training.
            continue
        order = np.random.Generator(np.random.PCG64(seed)).permutation(len(units))
        by_class.append(units[order].tolist())
    return group_N, [units for units in by_class if units]


def _kept_together(table: TextTable) -> np.ndarray:
    """One id for texts that are equal but for case, punctuation and spacing, and for their copies, int64 [N]."""
    if table.copies is None:
        return text_groups(map(normalised, table.texts))
    originals = np.flatnonzero(~table.copies.is_copy)
    text_of = {int(table.copies.groups[row]): normalised(table.texts[row]) for row in originals}
    return text_groups(text_of.get(group, group) for group in table.copies.groups.tolist())
