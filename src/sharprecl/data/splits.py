"""A stratified validation split that keeps every class in training."""

from collections.abc import Hashable, Iterable, Sequence

import numpy as np

from sharprecl.errors import ConfigError


def text_groups(texts: Iterable[Hashable]) -> np.ndarray:
    """One id for equal texts, int64 ``[N]``, numbered by first appearance: ``groups`` of ``stratified_split``."""
    ids: dict[Hashable, int] = {}
    return np.array([ids.setdefault(text, len(ids)) for text in texts], dtype=np.int64)


def stratified_split(
    label_ids: np.ndarray | Sequence[int],
    fraction: float,
    seed: int,
    groups: np.ndarray | Sequence[int] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Split rows into training and validation, class by class.

    A class of n texts gives ``round(fraction * n)`` of them to validation, but at least one and at most n - 1;
    a class with a single text gives none. Which ones depends on the seed, n and the class's own rows in their
    order, never on other classes or on the class's number.

    With ``groups``, rows of one group (equal texts) stay together, so that validation asks for nothing that
    training showed. A group whose rows carry different labels stays in training. The size of the validation
    part is then approached from below; it is exceeded only where a class has no group small enough, and a group
    is torn, by one row, only where a class of two or more texts would otherwise have nothing in validation.

    Args:
        label_ids: the class of each row, ``[N]``.
        fraction: the validation part of each class, between 0 and 1, both excluded.
        seed: any non-negative integer.
        groups: an id for each row, ``[N]``, see ``text_groups``; None takes every row for itself.

    Returns:
        Indices of the training rows and of the validation rows, int64, each sorted.

    Raises:
        ConfigError: the fraction is not between 0 and 1, the seed is negative, or the lengths differ.
    """
    if not 0.0 < fraction < 1.0:
        raise ConfigError(f"the validation fraction is {fraction}, but must lie between 0 and 1; 0.1 is usual")
    if seed < 0:
        raise ConfigError(f"the seed of the split is {seed}; seeds are whole numbers from 0")
    labels = np.asarray(label_ids)
    group_ids = np.arange(len(labels)) if groups is None else np.asarray(groups)
    if len(group_ids) != len(labels):
        raise ConfigError(f"{len(labels)} labels came with {len(group_ids)} group ids; give one for each row")
    torn = _groups_of_several_classes(labels, group_ids)
    order = np.argsort(labels, kind="stable")
    starts = np.flatnonzero(np.diff(labels[order], prepend=labels[order[:1]] - 1))
    chosen: list[int] = []
    for rows in np.split(order, starts[1:]):
        chosen += _choose(rows, group_ids[rows], torn, fraction, seed)
    validation = np.zeros(len(labels), dtype=bool)
    validation[chosen] = True
    return np.flatnonzero(~validation), np.flatnonzero(validation)


def _groups_of_several_classes(labels: np.ndarray, group_ids: np.ndarray) -> set[int]:
    pairs = np.unique(np.stack([group_ids, labels]), axis=1)
    ids, classes = np.unique(pairs[0], return_counts=True)
    return set(ids[classes > 1].tolist())


def _choose(rows: np.ndarray, group_ids: np.ndarray, torn: set[int], fraction: float, seed: int) -> list[int]:
    """The validation rows of one class."""
    n = len(rows)
    if n < 2:
        return []
    wanted = min(max(round(fraction * n), 1), n - 1)
    units: dict[int, list[int]] = {}
    for row, group in zip(rows.tolist(), group_ids.tolist(), strict=True):
        units.setdefault(group, []).append(row)
    whole = [unit for group, unit in units.items() if group not in torn]
    shuffled = [whole[place] for place in np.random.Generator(np.random.PCG64(seed)).permutation(len(whole))]
    chosen: list[int] = []
    for unit in shuffled:
        if len(chosen) + len(unit) <= wanted:
            chosen += unit
    if not chosen:
        movable = [unit for unit in shuffled if len(unit) < n]
        chosen = min(movable, key=len) if movable else [next(iter(units.values()))[-1]]
    return chosen
