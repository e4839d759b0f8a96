"""The bytes of a data file, judged before they are parsed: is it there, is it text, is it what its ending says?"""

import codecs
from pathlib import Path

from sharprecl.data.messages import closest, shorten
from sharprecl.errors import DataError

ENDINGS = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet")
"""The file name endings that can be read."""

_MAGIC: tuple[tuple[bytes, str, str], ...] = (
    (b"PAR1", "a Parquet file", "rename it to end in .parquet"),
    (b"PK\x03\x04", "a zip archive or an Excel workbook", "unpack it, or save the sheet as CSV UTF-8"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook", "save the sheet as CSV UTF-8"),
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
_BOMS = (  # UTF-32 first: its little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF8, "utf-8"),
)


def read_checked(path: Path) -> bytes:
    """The whole file, once nothing about it says that it cannot be what its ending says.

    Raises:
        DataError: the file is missing, a folder, unreadable, empty, of another kind or of an unknown ending.
    """
    try:
        data = path.read_bytes()
    except IsADirectoryError as error:
        raise DataError(f"{path} is a folder; name one file in it ({', '.join(ENDINGS)})") from error
    except FileNotFoundError as error:
        near = closest(path.name, [other.name for other in path.parent.iterdir()] if path.parent.is_dir() else [])
        raise DataError(f"{path} does not exist{near}; check the path and the folder you are in") from error
    except (OSError, ValueError) as error:  # the latter: a NUL character in the path
        raise DataError(f"{shorten(str(path))} cannot be read ({getattr(error, 'strerror', None) or error})") from error
    if not data.removeprefix(codecs.BOM_UTF8).strip():
        raise DataError(f"{path} is empty; was it written to the end?")
    ending = path.suffix.lower()
    for magic, kind, cure in _MAGIC:
        if data.startswith(magic) and (magic, ending) != (b"PAR1", ".parquet"):
            claim = f", whatever its ending {ending!r} says" if ending in ENDINGS else ""
            raise DataError(f"{path} is {kind}{claim}; {cure}")
    if ending not in ENDINGS:
        raise DataError(f"{path} has the unknown ending {ending!r}; the known ones are {', '.join(ENDINGS)}")
    return data


def decode(data: bytes, encoding: str, origin: str) -> str:
    """Decode a text file; a byte order mark at its start is taken off.

    Raises:
        DataError: unknown encoding, bytes that are not valid in it, NUL characters, or nothing but space.
    """
    try:
        codec = codecs.lookup(encoding).name
        marked = next((name for mark, name in _BOMS if data.startswith(mark)), codec)
        text = data.decode(codec).removeprefix("\ufeff") if codec.startswith(marked) else None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        guess = _guess(data, codec)
        raise DataError(
            f"{origin} is not valid {codec}: byte 0x{data[error.start]:02x} at offset {error.start} (line {line}); "
            f"it was probably saved as {guess}: {_cure(guess)}"
        ) from error
    except (LookupError, ValueError) as error:
        raise DataError(f"there is no text encoding {encoding!r}; usual ones are utf-8, cp1252, utf-16") from error
    if text is None:
        raise DataError(f"{origin} is in {marked.upper()}, its byte order mark says; {_cure(marked)}")
    if not text.strip():
        raise DataError(f"{origin} is empty; was it written to the end?")
    if (nul := text.find("\0")) >= 0:
        if guess := _utf16_without_mark(data):
            raise DataError(f"{origin} has a NUL in every second byte, as {guess} has; {_cure(guess)}")
        line = text.count("\n", 0, nul) + 1
        raise DataError(f"{origin} has a NUL character in line {line}; the file is damaged or no text: write it anew")
    return text


def _cure(encoding: str) -> str:
    return f"give --encoding {encoding} (in Python: encoding={encoding!r}) or save the file as UTF-8"


def _guess(data: bytes, tried: str) -> str:
    """The likeliest encoding of bytes that ``tried`` cannot read."""
    for candidate in ("utf-8", "cp1252"):
        try:
            data.decode(candidate)
        except UnicodeDecodeError:
            continue
        if candidate != tried:
            return candidate
    return "latin-1"


def _utf16_without_mark(data: bytes) -> str:
    sample = data[:2000]
    odd, even = sample[1::2].count(0), sample[::2].count(0)
    if max(odd, even) < 0.4 * len(sample) / 2:
        return ""
    return "utf-16-le" if odd > even else "utf-16-be"
