"""The whole examination: rows admitted, figures taken, findings told, a command recommended."""

import os
import time
from typing import Any

from sharprecl.config import EncoderConfig
from sharprecl.doctor.anomalies import label_anomalies, text_anomalies
from sharprecl.doctor.batch_forecast import forecast_batches
from sharprecl.doctor.diagnosis import Diagnosis, Finding
from sharprecl.doctor.distribution import distribution
from sharprecl.doctor.duplicates import duplicates
from sharprecl.doctor.findings import of_batches, of_distribution, ordered
from sharprecl.doctor.findings_texts import of_duplicates, of_label_errors, of_texts
from sharprecl.doctor.label_errors import label_errors
from sharprecl.doctor.loading import LoadedTable, load_for_diagnosis
from sharprecl.doctor.numbering import in_file_duplicates, in_file_errors, in_file_texts
from sharprecl.doctor.recommend import recommend, usual_batch_size
from sharprecl.doctor.slices import Progress, silent
from sharprecl.doctor.texts import texts
from sharprecl.doctor.token_counter import TokenCounter, open_reader

_ENCODER = EncoderConfig()


def examine(
    data: Any,
    text: str = "text",
    label: str = "label",
    *,
    test: Any = None,
    encoder: str | None = None,
    max_length: int = _ENCODER.max_length,
    batch_size: int | None = None,
    seed: int = 0,
    encoding: str = "utf-8",
    name: str | None = None,
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
        encoding: of text files.
        name: of a benchmark whose tables ``data`` and ``test`` are.
        progress: is told what is being done, how much of it is done, and of how much.

    Raises:
        DataError: the data cannot be read at all, or has no two classes.
        AssetError: the named encoder cannot be had.
        ConfigError: a batch size below 1, or a length without room for a text.
    """
    started = time.monotonic()
    progress("reading", 0, 1)
    train = load_for_diagnosis(data, text, label, encoding)
    held_out = None if test is None else load_for_diagnosis(test, text, label, encoding, train.table.label_names)
    table = train.table
    tested = held_out.table if held_out is not None and len(held_out.table) else None
    reader = open_reader(encoder, lambda sentence: progress(sentence, 0, 1))
    batch = usual_batch_size(len(table)) if batch_size is None else batch_size
    own = train.originals()

    sizes = distribution(table, tested)
    batches = forecast_batches(sizes.counts, batch)
    test_rows = None if held_out is None else held_out.rows
    same = in_file_duplicates(duplicates(own.table, tested, progress=progress), own.rows, test_rows)
    facts = texts(table, tested, reader.tokenizer, reader.name, max_length, progress=progress)
    facts = in_file_texts(facts, train.rows)
    errors = in_file_errors(label_errors(own.table, tested, seed, progress=progress), own.rows)

    found = _oddities(train, held_out, text, label) + of_distribution(sizes) + of_batches(batches)
    found += of_duplicates(same, len(own.table), 0 if tested is None else len(tested))
    found += _unread(reader) + of_texts(facts) + of_label_errors(errors)
    # Without leaks nothing would be left to judge on, and training would refuse.
    all_leak = tested is not None and same.leaks == len(tested)
    recommendation = recommend(
        name or _path(data) or "data.csv",
        tuple(sizes.counts.values()),
        facts,
        batch,
        text=None if name else text,
        label=None if name else label,
        test=None if name or test is None or all_leak else _path(test) or "test.csv",
        leaks=same.leaks > 0 and not all_leak,
        encoder=encoder or _ENCODER.name,
        longest=reader.longest,
        encoding=encoding,
        seed=seed,
        chosen_batch=batch_size is not None,
    )
    return Diagnosis(
        name=name or _path(data) or table.origin,
        rows=train.size,
        usable=len(table),
        findings=ordered(found),
        distribution=sizes,
        batches=batches,
        duplicates=same,
        texts=facts,
        label_errors=errors,
        recommendation=recommendation,
        seconds=time.monotonic() - started,
    )


def _oddities(train: LoadedTable, held_out: LoadedTable | None, text: str, label: str) -> list[Finding]:
    found = [*train.findings, *label_anomalies(train.table, label), *text_anomalies(train.table, train.rows, text)]
    if held_out is None:
        return found
    found += held_out.findings
    if not len(held_out.table):
        sentence = "test file: no row can be used, so it was left out"
        return [*found, Finding("problem", "test", sentence, "see what is wrong with its rows")]
    return found + text_anomalies(held_out.table, held_out.rows, text, "test file: ")


def _unread(reader: TokenCounter) -> list[Finding]:
    if reader.tokenizer is not None:
        return []
    sentence = f"lengths were not examined, for the default encoder could not be had: {reader.why_not}"
    return [Finding("note", "texts", sentence, "name another with --encoder")]


def _path(source: Any) -> str:
    """The name of a file, empty for what is none; it may hold bytes that UTF-8 cannot express."""
    if not isinstance(source, str | os.PathLike):
        return ""
    return os.fspath(source).encode("utf-8", "replace").decode("utf-8")
