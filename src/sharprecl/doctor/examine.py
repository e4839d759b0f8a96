"""The whole examination: rows admitted, issues looked for, a command recommended."""

import os
import time
from typing import Any

from sharprecl.config import EncoderConfig
from sharprecl.data.dialect import RECOGNISED, Dialect
from sharprecl.data.messages import plural
from sharprecl.doctor.diagnosis import Diagnosis
from sharprecl.doctor.encoder import open_encoder
from sharprecl.doctor.issues import ISSUES
from sharprecl.doctor.issues.base import Data, Issue, LoadedTable, of_kind
from sharprecl.doctor.issues.duplicates import Duplicates
from sharprecl.doctor.issues.label_errors import NOISE, LabelErrors
from sharprecl.doctor.issues.label_names import LabelNames
from sharprecl.doctor.issues.unread_texts import UnreadTexts
from sharprecl.doctor.issues.unusable_rows import BY_FIX
from sharprecl.doctor.loading import load
from sharprecl.doctor.recommend import recommend, usual_batch_size
from sharprecl.doctor.texts import Progress, silent


def examine(
    data: Any,
    text: str = "text",
    label: str = "label",
    *,
    test: Any = None,
    encoder: str | None = None,
    max_length: int = EncoderConfig().max_length,
    batch_size: int | None = None,
    seed: int = 0,
    dialect: Dialect = RECOGNISED,
    name: str | None = None,
    fixed: bool = False,
    progress: Progress = silent,
) -> Diagnosis:
    """Say what is wrong with a table for learning its rare classes. Equal input and seed give an equal diagnosis, but
    for its ``seconds``.

    Args:
        data: the training texts: what ``read_table`` reads, or a ``TextTable``.
        text: the column of texts.
        label: the column of labels.
        test: the test texts, of the same kinds; None examines without them.
        encoder: whose tokenizer counts the tokens; None takes the default one if it can be had, and goes without it
            otherwise.
        max_length: tokens that a text may have.
        batch_size: texts a batch; None takes what training would.
        seed: of folds and samples.
        dialect: how both files are written, where that is not to be recognised.
        name: of a benchmark whose tables ``data`` and ``test`` are.
        fixed: whether the data was fixed already: training is recommended on it as it is.
        progress: is told what is being done, how much of it is done, and of how much.

    Raises:
        DataError: the data cannot be read at all, or has no two classes.
        AssetError: the named encoder cannot be had.
        ConfigError: a batch size below 1, or a length without room for a text.
    """
    started = time.monotonic()
    progress("reading", 0, 1)
    train = load(data, text, label, dialect)
    given = Data(
        train=train,
        test=None if test is None else load(test, text, label, dialect, train.table.label_names),
        text=text,
        label=label,
        encoder=open_encoder(encoder, lambda sentence: progress(sentence, 0, 1)),
        max_length=max_length,
        batch_size=usual_batch_size(len(train.table)) if batch_size is None else batch_size,
        seed=seed,
        progress=progress,
        fixable=not name and train.table.copies is None,
    )
    issues = tuple(issue(given, issue.find(given)) for issue in ISSUES)
    same, texts = of_kind(issues, Duplicates), of_kind(issues, UnreadTexts)
    fixable = _fixable(train, issues) if given.fixable and not fixed else ()
    recommendation = recommend(
        name or _path(data) or "data.csv",
        given,
        texts.figures,
        benchmark=bool(name),
        # Without leaks nothing would be left to judge on, and training would refuse.
        test=None if name or test is None or same.all_leak else _path(test) or "test.csv",
        leaks=same.figures.leaks > 0 and not same.all_leak,
        encoder=encoder,
        dialect=dialect,
        chosen_batch=batch_size is not None,
        fixable=fixable,
    )
    return Diagnosis(
        name=name or _path(data) or train.table.origin,
        rows=train.size,
        usable=len(train.table),
        counts=given.counts,
        issues=issues,
        recommendation=recommendation,
        seconds=time.monotonic() - started,
    )


def _fixable(train: LoadedTable, issues: tuple[Issue, ...]) -> tuple[str, ...]:
    """What a fix would mend, in a few words each."""
    names = of_kind(issues, LabelNames).figures.variants
    same, errors = of_kind(issues, Duplicates).figures, of_kind(issues, LabelErrors).figures
    wrong = errors.estimated if errors is not None and errors.estimated >= NOISE * errors.examined else 0
    counts = (
        (train.size - len(train.table), "row cannot be used", "rows cannot be used"),
        (len(names), "class is spelled in several ways", "classes are spelled in several ways"),
        (same.identical_train, "row repeats another one", "rows repeat others"),
        (same.torn_train, "text has several labels, for review", "texts have several labels, for review"),
        (wrong, "label looks wrong, for review", "labels look wrong, for review"),
    )
    told = [f"--fix: {plural(count, one, many)}" for count, one, many in counts if count]
    if not told and any(BY_FIX in finding.cure for finding in train.findings):
        told.append("--fix: labels are numbers and texts")
    return tuple(told)


def _path(source: Any) -> str:
    """The name of a file, empty for what is none; it may hold bytes that UTF-8 cannot express."""
    if not isinstance(source, str | os.PathLike):
        return ""
    return os.fspath(source).encode("utf-8", "replace").decode("utf-8")
