"""In which encoding a text is written, and the sentences on bytes that are none of it."""

import codecs
import string
from collections.abc import Callable, Iterable

from sharprecl.errors import DataError

BOMS = (  # UTF-32 first: its little-endian mark begins with that of UTF-16
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


def recognise_encoding(
    chunks: Callable[[], Iterable[bytes]], encoding: str | None, origin: str
) -> tuple[str, tuple[str, ...]]:
    """The codec of a text, and a sentence where it is another than the user said, or than UTF-8.

    A byte order mark, or bytes that only UTF-8 can explain, say more than ``encoding``: see ``Dialect``.

    Args:
        chunks: gives the bytes, each time from the start: all, or the beginning where no more is there yet.
        encoding: what the user says.
        origin: how sentences call the text.

    Raises:
        DataError: unknown encoding, or bytes of which nobody can say what they are.
    """
    wanted = None if encoding is None else _codec(encoding)
    head = next(iter(chunks()), b"")
    marked = next((name for mark, name in BOMS if head.startswith(mark)), None)
    codec = marked or _unmarked(chunks, wanted, origin)
    if wanted not in (None, codec):
        return codec, (f"{origin} is {codec.upper()}, whatever --encoding says, and was read as that",)
    if wanted is None and codec == _WINDOWS:
        return codec, (f"{origin} is not UTF-8 and was read as {codec} (Western Europe); are its accents right?",)
    # Piece by piece these two are decoded after a mark alone.
    return f"{codec}-le" if marked is None and codec in ("utf-16", "utf-32") else codec, ()


def undecodable(data: bytes, place: int, codec: str, origin: str, offset: int, line: int) -> DataError:
    """The sentence on a byte of ``data`` that the codec cannot read; ``offset`` and ``line`` are of the whole text."""
    guess = _guess(lambda: [data], codec)
    return DataError(
        f"{origin} is not valid {codec}: byte 0x{data[place]:02x} at offset {offset} (line {line}); it was probably "
        f"saved as {guess}: {cure(guess)}"
    )


def cure(encoding: str) -> str:
    """What to do about a text in another encoding."""
    return f"give --encoding {encoding} (in Python: encoding={encoding!r}) or save the file as UTF-8"


def utf16_without_mark(data: bytes) -> str:
    """Which UTF-16 the beginning of a text is, by its NULs; empty if it is none."""
    sample = data[:2000]
    odd, even = sample[1::2].count(0), sample[::2].count(0)
    if max(odd, even) < 0.4 * len(sample) / 2:
        return ""
    return "utf-16-le" if odd > even else "utf-16-be"


def _codec(encoding: str) -> str:
    try:
        name = codecs.lookup(encoding).name
        "".encode(name)  # base64 and others are codecs too, but not of texts
        codecs.getincrementaldecoder(name)
    except (LookupError, ValueError) as error:
        raise DataError(f"there is no text encoding {encoding!r}; usual ones are utf-8, cp1252, utf-16") from error
    return name.removesuffix("-sig")


def _unmarked(chunks: Callable[[], Iterable[bytes]], wanted: str | None, origin: str) -> str:
    """The encoding of a text without a mark."""
    if wanted == "utf-8" or (wanted is not None and all(chunk.isascii() for chunk in chunks())):
        return wanted
    if _decodes(chunks(), "utf-8"):
        return "utf-8"
    if wanted is not None:
        return wanted
    # Western European texts have an accent in ten or twenty letters; other alphabets have hardly a letter of ASCII.
    accents = sum(len(data) - len(data.translate(None, _NOT_ASCII)) for data in chunks())
    letters = sum(len(data) - len(data.translate(None, _ASCII_LETTERS)) for data in chunks())
    if _guess(chunks, "utf-8") != _WINDOWS or accents > _MOST_ACCENTS * (accents + letters):
        raise DataError(
            f"{origin} is not UTF-8, and its bytes do not look like Western European text; say with --encoding (in "
            "Python: encoding=) how it was saved, as in cp1250 (Central Europe), cp1251 (Cyrillic), shift_jis or "
            "gb18030, or save it as UTF-8"
        )
    return _WINDOWS


def _guess(chunks: Callable[[], Iterable[bytes]], tried: str) -> str:
    """The likeliest encoding of bytes that ``tried`` cannot read."""
    return next((name for name in ("utf-8", _WINDOWS) if name != tried and _decodes(chunks(), name)), "latin-1")


def _decodes(chunks: Iterable[bytes], codec: str) -> bool:
    """Whether the bytes are valid; a character may be cut off at their end, for more may come."""
    decoder = codecs.getincrementaldecoder(codec)()
    try:
        for chunk in chunks:
            decoder.decode(chunk)
    except UnicodeDecodeError:
        return False
    return True
