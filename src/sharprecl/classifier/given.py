"""What scikit-learn calls X and y, in whatever holds them, as plain values; no library is imported for it."""

import warnings
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike
from sklearn.exceptions import DataConversionWarning

from sharprecl.data.checks import blank_rows, broken_rows, other_rows, plain
from sharprecl.data.dialect import Dialect
from sharprecl.data.messages import closest, names_phrase, rows_phrase, shorten
from sharprecl.data.sources import open_texts
from sharprecl.errors import DataError

Texts: TypeAlias = ArrayLike | Iterable[str | None]
"""N texts: a list, a tuple, an array of strings or objects, a series, any iterable; or a table with a column of them.

A table is a pandas or polars frame, an Arrow table, a data set of the ``datasets`` library or an array [N, 1].
"""

Labels: TypeAlias = ArrayLike | Iterable[Any]
"""N labels in any of these: strings, integers or booleans."""


def texts_of(X: Texts, text_column: str) -> tuple[list[str], list[int]]:
    """Take the texts out of whatever holds them.

    Args:
        X: see ``Texts``.
        text_column: which column of a table with several; the only one is the texts whatever its name.

    Returns:
        N strings, and the rows (from 0) without text: blank, None, NaN or ``pandas.NA``, all of them "" here.

    Raises:
        DataError: it holds no texts, or nobody can say which column does.
    """
    values = plain(_values(X, text_column))
    if strange := other_rows(values, str):
        raise DataError(
            f"{rows_phrase(strange)}: not a text but {shorten(values[strange[0]])}; convert the values to strings or "
            f"leave them out"
        )
    if halves := broken_rows(values):
        raise DataError(f"{rows_phrase(halves)}: half a character (a lone surrogate such as \\ud83d); take it out")
    blank = blank_rows(values)
    for row in blank:
        values[row] = ""
    return values, blank


def _values(X: Any, text_column: str) -> list[Any]:
    if isinstance(X, str | bytes):
        raise DataError("X is one text, not a list of them; put it in brackets: [text]")
    if scipy.sparse.issparse(X):
        raise DataError("X is a sparse matrix of numbers; give the texts themselves, the encoder needs no vectors")
    if isinstance(X, Mapping):
        raise DataError("X is a dictionary; give its texts alone, as in X['text']")
    if hasattr(X, "columns") or hasattr(X, "column_names"):
        table = open_texts(X, text_column, Dialect())
        return table.column(_column(table.names, text_column))
    X = _as_array(X)
    dimensions = getattr(X, "ndim", 1)
    if dimensions == 2 and X.shape[1] == 1:
        column: list[Any] = np.asarray(X)[:, 0].tolist()
        return column
    if dimensions != 1:
        raise DataError(f"X has the shape {X.shape}; give texts, [N], or one column of them, [N, 1]")
    if not isinstance(X, Iterable):
        raise DataError(f"X is {shorten(X)}, which holds no texts; give a list of them")
    return X.tolist() if isinstance(X, np.ndarray) else list(X)


def _column(names: tuple[str, ...], text_column: str) -> str:
    if text_column in names or len(names) == 1:
        return text_column if text_column in names else names[0]
    raise DataError(
        f"X is a table with the columns {names_phrase(names)}, none of them {text_column!r}"
        f"{closest(text_column, names)}; give its column of texts, X[{names[0]!r}], or name it: "
        f"TextClassifier(text_column={names[0]!r})"
    )


def _as_array(values: Any) -> Any:
    """An array for what is none and yet can be made one."""
    convertible = hasattr(values, "__array__") and not isinstance(values, Iterable)
    return np.asarray(values) if convertible else values


def labels_of(y: Labels | None) -> list[Any]:
    """Take the labels out of whatever holds them; a column [N, 1] is one with a warning, as scikit-learn has it.

    Returns:
        N labels. Floats that are whole become integers, for a column of these with a gap is one of floats.

    Raises:
        DataError: there are none.
    """
    if y is None:
        raise DataError("fit needs labels, it requires y to be passed, but the target y is None; call fit(X, y)")
    y = _as_array(y)
    shape: tuple[int, ...] = getattr(y, "shape", ())
    if len(shape) == 2 and shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected; give y.ravel()", DataConversionWarning, 3
        )
        y = np.asarray(y).ravel()
        shape = y.shape
    if isinstance(y, str | bytes) or not isinstance(y, Iterable) or len(shape) > 1:
        raise DataError(f"y should be a 1d array of labels, one for each text, but it is {shorten(y)}")
    return [int(label) if isinstance(label, float) and label.is_integer() else label for label in plain(list(y))]
