"""Labels as scikit-learn's users know them: strings, integers and booleans come back as what they were."""

import dataclasses
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from sharprecl.data.checks import plain
from sharprecl.data.tables import TextTable, read_table
from sharprecl.errors import DataError

LabelType = Literal["str", "int", "bool"]


def typed_table(texts: Iterable[str], labels: Iterable[Any]) -> tuple[TextTable, np.ndarray, LabelType]:
    """Read training data whose labels have a type.

    Returns:
        The table; the classes in the order of its label ids, sorted by value (2 before 10); their type.

    Raises:
        DataError: fractions, labels of several types, or what ``read_table`` finds.
    """
    known = list(labels)
    kind = _kind(known)
    table = read_table((list(texts), known))
    classes = typed_labels(table.label_names, kind)
    order = np.argsort(classes, kind="stable")
    names = tuple(table.label_names[index] for index in order)
    return (
        dataclasses.replace(table, label_ids=np.argsort(order)[table.label_ids], label_names=names),
        classes[order],
        kind,
    )


def typed_labels(names: Iterable[str], kind: str) -> np.ndarray:
    """Label names as values of their type, shape [C]."""
    if kind == "int":
        return np.asarray([int(name) for name in names])
    if kind == "bool":
        return np.asarray([name == "True" for name in names])
    return np.asarray(list(names))


def _kind(labels: list[Any]) -> LabelType:
    """The one type of all labels; what is no label at all is left to ``read_table``."""
    kinds: tuple[tuple[LabelType, type], ...] = (("bool", bool), ("int", int), ("str", str))
    found: dict[LabelType, int] = {}
    for row, label in enumerate(plain(labels)):
        if isinstance(label, float):
            raise DataError(
                f"labels must be strings, integers or booleans, but that of row {row + 1:,} is {labels[row]!r}, of a "
                "continuous target; if fractions name your classes, turn them into strings"
            )
        for kind in [name for name, known in kinds if isinstance(label, known)][:1]:
            found.setdefault(kind, row)
    if len(found) > 1:
        rows = " and ".join(f"{labels[row]!r} (row {row + 1:,})" for row in list(found.values())[:2])
        raise DataError(f"labels must all be strings, or all integers, or all booleans, but there are {rows}")
    return next(iter(found), "str")
