"""The bytes of a data file, judged before they are parsed: is it there, is it text, is it what its ending says?"""

import codecs
import string
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
_BOMS = (  # UTF-32 first: its little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF8, "utf-8"),
)


_WINDOWS = "cp1252"
_NOT_ASCII, _ASCII_LETTERS = bytes(range(0x80, 0x100)), string.ascii_letters.encode()
_MOST_ACCENTS = 0.3
"""Of all letters: more are another alphabet's."""


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
        if data.startswith(magic) and (magic, ending) not in _OWN:
            claim = f", whatever its ending {ending!r} says" if ending in ENDINGS else ""
            raise DataError(f"{path} is {kind}{claim}; {cure}")
    if ending not in ENDINGS:
        raise DataError(f"{path} has the unknown ending {ending!r}; the known ones are {', '.join(ENDINGS)}")
    return data


def decode(data: bytes, encoding: str | None, origin: str) -> tuple[str, tuple[str, ...]]:
    """Decode a text file; a byte order mark at its start is taken off.

    A mark, or bytes that only UTF-8 can explain, say more than ``encoding``: see ``Dialect``.

    Returns:
        The text, and a sentence where it was read otherwise than the user said, or than UTF-8.

    Raises:
        DataError: unknown encoding, bytes that are not valid in it, NUL characters, or nothing but space.
    """
    wanted = None if encoding is None else _codec(encoding)
    codec = next((name for mark, name in _BOMS if data.startswith(mark)), None) or _recognised(data, wanted, origin)
    try:
        text = data.decode(codec).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{origin} is not valid {codec}: byte 0x{data[error.start]:02x} at offset {error.start} (line {line}); "
            f"it was probably saved as {_guess(data, codec)}: {_cure(_guess(data, codec))}"
        ) from error
    if not text.strip():
        raise DataError(f"{origin} is empty; was it written to the end?")
    if (nul := text.find("\0")) >= 0:
        if guess := _utf16_without_mark(data):
            raise DataError(f"{origin} has a NUL in every second byte, as {guess} has; {_cure(guess)}")
        line = text.count("\n", 0, nul) + 1
        raise DataError(f"{origin} has a NUL character in line {line}; the file is damaged or no text: write it anew")
    if wanted not in (None, codec):
        return text, (f"{origin} is {codec.upper()}, whatever --encoding says, and was read as that",)
    if wanted is None and codec == _WINDOWS:
        return text, (f"{origin} is not UTF-8 and was read as {codec} (Western Europe); are its accents right?",)
    return text, ()


def _codec(encoding: str) -> str:
    try:
        name = codecs.lookup(encoding).name
        "".encode(name)  # base64 and others are codecs too, but not of texts
    except (LookupError, ValueError) as error:
        raise DataError(f"there is no text encoding {encoding!r}; usual ones are utf-8, cp1252, utf-16") from error
    return name.removesuffix("-sig")


def _recognised(data: bytes, wanted: str | None, origin: str) -> str:
    """The encoding of a file without a mark."""
    if wanted == "utf-8" or (wanted is not None and data.isascii()):
        return wanted
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        if wanted is not None:
            return wanted
    else:
        return "utf-8"
    # Western European texts have an accent in ten or twenty letters; other alphabets have hardly a letter of ASCII.
    accents = len(data) - len(data.translate(None, _NOT_ASCII))
    letters = len(data) - len(data.translate(None, _ASCII_LETTERS))
    if _guess(data, "utf-8") != _WINDOWS or accents > _MOST_ACCENTS * (accents + letters):
        raise DataError(
            f"{origin} is not UTF-8, and its bytes do not look like Western European text; say with --encoding (in "
            "Python: encoding=) how it was saved, as in cp1250 (Central Europe), cp1251 (Cyrillic), shift_jis or "
            "gb18030, or save it as UTF-8"
        )
    return _WINDOWS


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
