"""A file cleaned of what can be mended by rule, and the rest of it set aside for a person to decide about."""

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sharprecl.data.augmented import MARK_COLUMN, SOURCE_COLUMN
from sharprecl.data.checks import blank_rows, plain
from sharprecl.data.dialect import RECOGNISED, Dialect
from sharprecl.data.messages import rows_phrase
from sharprecl.data.raw_table import RawTable
from sharprecl.data.sources import open_table
from sharprecl.data.tables import Rows
from sharprecl.data.writers import check_output, write_rows
from sharprecl.doctor.cleaning import ASIDE, GONE, Cleaning
from sharprecl.doctor.fixed import Fixed
from sharprecl.doctor.review import COLUMNS, decisions_on, read_review, review_rows, writable
from sharprecl.doctor.texts import Progress, silent
from sharprecl.errors import ConfigError, DataError
from sharprecl.files import check_outputs, sync

CHANGE_COLUMNS = ("row", "line", "what", "before", "after", "why")


def paths_of(output: Path) -> tuple[Path, Path, Path]:
    """The cleaned file, the list of changes and the review file: ``cleaned.csv``, ``cleaned.changes.csv``,
    ``cleaned.review.csv``; of a workbook all three are one.
    """
    ending = ".xlsx" if output.suffix.lower() == ".xlsx" else ".csv"
    return output, output.with_suffix(f".changes{ending}"), output.with_suffix(f".review{ending}")


def check_paths(inputs: Sequence[Path], output: Path, review: Path | None, overwrite: bool) -> None:
    """Refuse early what ``fix`` would refuse after minutes of work; ``inputs`` are never written over.

    Raises:
        ConfigError: an output is an input, a folder, or there already and not to be replaced, or is a review file with
            decisions in it.
        DataError: the ending is none that can be written, nothing can be written there, or ``review`` is no such file.
    """
    cleaned, changes, fresh = paths_of(output)
    given = review is not None and review.resolve() == fresh.resolve()
    check_output(Rows([], (), (), str(output)), (), output)
    inputs = [*inputs, *([review] if review else [])]
    check_outputs([cleaned, changes, *([] if given else [fresh])], inputs, overwrite)
    if review is not None:
        read_review(review)
    if not given and fresh.exists() and _decided(fresh):
        raise ConfigError(
            f"{fresh} holds decisions, which would be lost; give it with --review, or move it to another place"
        )


def fix(
    data: Any,
    output: Path | str,
    text: str = "text",
    label: str = "label",
    *,
    review: Path | str | None = None,
    seed: int = 0,
    dialect: Dialect = RECOGNISED,
    overwrite: bool = False,
    progress: Progress = silent,
) -> Fixed:
    """Write a cleaned copy of a table, a list of every change, and a file of the rows that a person should decide
    about. Equal input, seed and decisions give equal files.

    - Rows without a usable text or label are taken out.
    - Labels that differ by case, spaces or look-alike characters get the most frequent spelling, of equally frequent
      ones the first sorted.
    - Of rows with one label whose texts are equal but for outer white space and Unicode form (NFC) the first stays.
    - Texts with several labels, equal but for case, punctuation and spacing, and labels that look wrong are set aside
      for review. Doubtful labels of classes under ten texts are listed there too, but stay.
    - All else is as it was, other columns too.

    Args:
        data: what ``read_table`` reads.
        output: the cleaned file; its ending is its format. The list of changes and the review file stand beside it, see
            ``paths_of``.
        text: the column of texts.
        label: the column of labels.
        review: a review file with decisions, which are carried out: ``keep``, ``drop`` or the name of a class. It is
            never written over; rows without a decision stay set aside.
        seed: of the folds by which wrong labels are found.
        dialect: how the file is written, where that is not to be recognised. What is written is UTF-8, with the
            separator of the file.
        overwrite: replace the files.
        progress: is told what is being done, how much of it is done, and of how much.

    Raises:
        ConfigError: see ``check_paths``.
        DataError: the data or the review file cannot be read, do not belong together, or hold augmented copies.
    """
    output, review = Path(output), None if review is None else Path(review)
    check_paths([Path(data)] if isinstance(data, str | os.PathLike) else [], output, review, overwrite)
    progress("reading", 0, 1)
    raw = open_table(data, text, label, dialect)
    raw.require(text, "text")
    raw.require(label, "label")
    _refuse_copies(raw)
    records = raw.records()
    check_output(Rows(records, (), raw.names, raw.origin), (), output)
    texts, labels = plain(raw.column(text)), plain(raw.column(label))
    decisions = {} if review is None else decisions_on(review, raw, text, label)
    cleaning = Cleaning(texts, labels, text, label)
    cleaning.merge_labels()
    cleaning.take_out_repeats()
    cleaning.doubt(raw.origin, seed, progress)
    cleaning.decide(decisions, str(review))
    if review is not None and review.resolve() == paths_of(output)[2].resolve():
        _check_listed(cleaning, review)
    progress("writing", 0, 1)
    return _write(raw, records, cleaning, paths_of(output), review, (text, label), dialect)


def _check_listed(cleaning: Cleaning, review: Path) -> None:
    """Refuse a review file that lacks rows, where it is not written anew: nobody could decide about those."""
    listed = {row for row, _, _ in read_review(review)}
    if lacking := [doubt.row for doubt in cleaning.doubts if doubt.row not in listed]:
        raise DataError(
            f"{review} lacks {rows_phrase(sorted(lacking))} of the rows for review; put back what was deleted, or fix "
            "into another file, whose review file lists what is left"
        )


def _write(
    raw: RawTable,
    records: list[dict[str, Any]],
    cleaning: Cleaning,
    paths: tuple[Path, Path, Path],
    given: Path | None,
    columns: tuple[str, str],
    dialect: Dialect,
) -> Fixed:
    """All files or none: they are made in a folder of their own, and take their names when all are whole."""
    output, changes, review = paths
    kept, ending = cleaning.kept, output.suffix.lower()
    # That of the user's country; Excel does not open .csv files with tabs.
    usual = raw.delimiter if raw.delimiter != "\t" else None
    own = dialect.delimiter or (usual if ending == ".csv" else None)
    # The given one is a person's work: it stays as it is, and holds the rows that are left.
    fresh = given is None or given.resolve() != review.resolve()
    output.parent.mkdir(parents=True, exist_ok=True)
    place = Path(tempfile.mkdtemp(prefix=f".{output.name}.", suffix=".tmp", dir=output.parent))
    try:
        rows = list(_cleaned(raw, records, cleaning, columns[1], ending))
        write_rows(rows, raw.names, place / output.name, own)
        write_rows(list(_changes(raw, cleaning)), CHANGE_COLUMNS, place / changes.name, usual, for_excel=True)
        if fresh and cleaning.doubts:
            lines = list(review_rows(cleaning.doubts, raw, *columns))
            write_rows(lines, COLUMNS, place / review.name, usual, for_excel=True)
            (place / review.name).replace(review)
        elif fresh:
            review.unlink(missing_ok=True)  # of an earlier fix, which found something
        for path in (changes, output):
            (place / path.name).replace(path)
        sync(output.parent)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    counts = Counter(change.what for change in cleaning.changes)
    return Fixed(
        output=str(output),
        changes=str(changes),
        review=str(review) if cleaning.doubts else "",
        rows=raw.size,
        cleaned=len(kept),
        taken_out=sum(counts[what] for what in GONE),
        for_review=sum(counts[what] for what in ASIDE),
        doubtful=sum(doubt.kept for doubt in cleaning.doubts),
        examined=cleaning.examined,
        unexamined=cleaning.unexamined,
        counts=dict(sorted(counts.items())),
    )


def _cleaned(
    raw: RawTable, records: list[dict[str, Any]], cleaning: Cleaning, label: str, ending: str
) -> Iterator[dict[str, Any]]:
    """The rows that stay, with all columns; labels keep their type."""
    values = plain(raw.column(label))
    # A workbook would make 1 of the number 1.0, which is another class.
    as_text = cleaning.as_text or ending == ".xlsx"
    spelled = {} if as_text else {str(value): value for value in values}
    for row, record in enumerate(records):
        if cleaning.stays[row]:
            name = cleaning.names[row]
            if as_text or name != str(values[row]):
                record[label] = spelled.get(name, name)
            yield record


def _changes(raw: RawTable, cleaning: Cleaning) -> Iterator[dict[str, Any]]:
    for change in cleaning.changes:
        line = None if raw.lines is None else raw.lines[change.row]
        told = (change.what, change.before, change.after, change.why)
        cells = (change.row + 1, line, *map(writable, told))
        yield dict(zip(CHANGE_COLUMNS, cells, strict=True))


def _refuse_copies(raw: RawTable) -> None:
    for name in (SOURCE_COLUMN, MARK_COLUMN):
        if name in raw.names and len(blank_rows(plain(raw.column(name)))) < raw.size:
            raise DataError(
                f"{raw.origin} holds copies that sharprecl augment made (column {name!r}), which must go with their "
                "originals; fix the file that was augmented, and augment the cleaned one"
            )


def _decided(path: Path) -> bool:
    """Whether a person has worked on a file, or it is none that a fix wrote."""
    try:
        return any(decision for _, _, decision in read_review(path))
    except DataError:
        return True
