"""A file of texts that a browser sends, read in memory, and its answers: rows for the page and lines of a download."""

import sys
import zipfile
import zlib
from collections.abc import AsyncIterator, Sequence
from io import BytesIO
from pathlib import PurePath
from typing import Any

from sharprecl.data.dialect import Dialect
from sharprecl.data.formats import format_of
from sharprecl.data.sources import FileInMemory, open_texts
from sharprecl.data.tables import Rows, read_rows
from sharprecl.data.writers import check_new
from sharprecl.decision.columns import column_names, columns_of
from sharprecl.decision.policy import Policy
from sharprecl.errors import DataError
from sharprecl.serving.page.words import Answer

ENDINGS = (".csv", ".tsv", ".xlsx", ".jsonl", ".ndjson", ".json")
"""The file name endings that the page takes; a small Parquet file may unpack to more than the memory holds."""

FILE_ROUTE = "/page/file"
MOST_BYTES = 8 * 2**20
MOST_ROWS = 20_000
_MOST_UNPACKED = 16 * MOST_BYTES
_TEXTS_AT_ONCE = 64
_PIECE = 1 << 20
_CURE = "answer it with 'sharprecl predict'"


def read_upload(name: str, data: bytes, column: str | None, usual: str, policy: Policy) -> Rows | tuple[str, ...]:
    """Read the rows of a file.

    Args:
        name: of the file; its ending says what it is.
        data: the whole file.
        column: with the texts; None takes the ``usual`` one, or the only one that there is.
        usual: name of the column in training.
        policy: of the answers, whose columns the file must not have.

    Returns:
        The rows, or the names of the columns if it is not clear which of them holds the texts.

    Raises:
        DataError: what is wrong with the file, in one sentence.
    """
    ending = PurePath(name).suffix.lower()
    if ending not in ENDINGS:
        raise DataError(f"{name} has the ending {ending!r}; the page takes {', '.join(ENDINGS)}")
    if ending == ".xlsx":
        _check_workbook(name, data)
    source = FileInMemory(name, data)
    raw = open_texts(source, usual, Dialect())
    if raw.size > MOST_ROWS:
        raise DataError(f"{name} has {raw.size:,} rows, and the page takes {MOST_ROWS:,}; {_CURE}")
    column = column or (usual if usual in raw.names else raw.names[0] if len(raw.names) == 1 else None)
    if column is None:
        return raw.names
    check_new(name, raw.names, column_names(policy))
    rows = read_rows(source, column)
    download = format_of(".csv", name)
    download.start(rows.names)
    download.examine(rows.records, 0)
    return rows


async def answered(
    rows: Rows, answer: Answer, policy: Policy, label_names: Sequence[str], at_once: int
) -> AsyncIterator[dict[str, Any]]:
    """Answer rows, so many at once that others do not wait long.

    Yields:
        First ``total``, then for each part ``rows``, of text, label, probability and whether it is not sure, with
        nothing for what is not known; all with ``lines``, which put together are a .csv file as Excel opens it.
    """
    new, download = column_names(policy), format_of(".csv", rows.origin, for_excel=True)
    yield {"total": len(rows), "lines": download.start([*rows.names, *new], rows.delimiter).decode()}
    at_once = min(at_once, _TEXTS_AT_ONCE)
    for place in range(0, len(rows), at_once):
        part = slice(place, place + at_once)
        answers = await answer(rows.texts[part])
        columns = columns_of(answers, label_names, typed=False)
        lines = download.rows(rows.records[part], {name: columns[name] for name in new}).decode()
        labels = [label or None for label in columns["predicted"]]
        told = zip(rows.texts[part], labels, columns["confidence"], answers.abstained_N.tolist(), strict=True)
        yield {"rows": list(told), "lines": lines}


def _check_workbook(name: str, data: bytes) -> None:
    """Refuse a workbook, which is a zip archive, that takes much more memory than its size tells."""
    unpacked = 0
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            for member in archive.infolist():
                member.file_size = sys.maxsize  # what it says of itself may be a lie
                with archive.open(member) as stream:
                    while unpacked <= _MOST_UNPACKED and (part := stream.read(_PIECE)):
                        unpacked += len(part)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError) as error:
        raise DataError(f"{name} is no workbook that can be read; save it anew as .xlsx") from error
    if unpacked > _MOST_UNPACKED:
        raise DataError(f"{name} unpacks to more than {_MOST_UNPACKED // 2**20} MB; {_CURE}")
