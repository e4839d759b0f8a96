"""A data file, judged by its first bytes before it is parsed: is it there, is it what its ending says?"""

import codecs
from pathlib import Path

from sharprecl.data.messages import closest, shorten
from sharprecl.errors import DataError

ENDINGS = (".csv", ".tsv", ".xlsx", ".jsonl", ".ndjson", ".json", ".parquet")
"""The file name endings that can be read."""

_MAGIC: tuple[tuple[bytes, str, str], ...] = (
    (b"PAR1", "a Parquet file", "rename it to end in .parquet"),
    (b"PK\x03\x04", "a zip archive or an Excel workbook", "unpack it, or rename a workbook to end in .xlsx"),
    (b"\xd0\xcf\x11\xe0", "an old or an encrypted Excel workbook", "save it as .xlsx without a password"),
    (b"\x1f\x8b", "compressed with gzip", "unpack it with gunzip"),
    (b"BZh", "compressed with bzip2", "unpack it with bunzip2"),
    (b"\xfd7zXZ", "compressed with xz", "unpack it with unxz"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd", "unpack it with unzstd"),
    (b"ARROW1", "an Arrow file", "save it as Parquet"),
    (b"SQLite format 3", "an SQLite database", "export the table as CSV"),
    (b"%PDF-", "a PDF document", "export the table as CSV"),
    (b"version https://git-lfs", "a Git LFS pointer, not the data", "run: git lfs pull"),
    (b"<!DOCTYPE", "a web page", "download the data file itself"),
    (b"<html", "a web page", "download the data file itself"),
)
_OWN = ((b"PAR1", ".parquet"), (b"PK\x03\x04", ".xlsx"))
_HEAD = 4096


def check_file(path: Path) -> None:
    """Refuse a file whose beginning says that it cannot be what its ending says.

    Raises:
        DataError: the file is missing, a folder, unreadable, empty, of another kind or of an unknown ending.
    """
    try:
        with path.open("rb") as stream:
            head, more = stream.read(_HEAD), stream.read(1)
    except IsADirectoryError as error:
        raise DataError(f"{path} is a folder; name one file in it ({', '.join(ENDINGS)})") from error
    except FileNotFoundError as error:
        near = closest(path.name, [other.name for other in path.parent.iterdir()] if path.parent.is_dir() else [])
        raise DataError(f"{path} does not exist{near}; check the path and the folder you are in") from error
    except (OSError, ValueError) as error:  # the latter: a NUL character in the path
        raise DataError(f"{shorten(str(path))} cannot be read ({getattr(error, 'strerror', None) or error})") from error
    check_beginning(head + more, str(path))


def check_beginning(head: bytes, name: str) -> None:
    """Refuse what by its first bytes cannot be what the ending of its name says.

    Raises:
        DataError: it is empty, of another kind or of an unknown ending.
    """
    if len(head) <= _HEAD and not head.removeprefix(codecs.BOM_UTF8).strip():
        raise DataError(f"{name} is empty; was it written to the end?")
    ending = Path(name).suffix.lower()
    check_kind(head, name, ending)
    if ending not in ENDINGS:
        raise DataError(f"{name} has the unknown ending {ending!r}; the known ones are {', '.join(ENDINGS)}")


def check_kind(head: bytes, origin: str, ending: str = "") -> None:
    """Refuse what by its first bytes is of another kind than the ending of its name says.

    Raises:
        DataError: it is.
    """
    for magic, kind, cure in _MAGIC:
        if head.startswith(magic) and (magic, ending) not in _OWN:
            claim = f", whatever its ending {ending!r} says" if ending in ENDINGS else ""
            raise DataError(f"{origin} is {kind}{claim}; {cure}")
