"""Which script a text is written in: that of most of its letters, by Unicode's names of them."""

import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sharprecl.doctor.texts import READ, Progress, chunks, silent

NONE = -1
"""The script of a text without letters: of digits, signs or emoji alone."""

# Japanese writes three scripts in one sentence, and a title may hold one of them alone.
_FAMILIES = dict.fromkeys(("HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "BOPOMOFO", "IDEOGRAPHIC"), "CJK")
_FAMILIES["MODIFIER"] = ""  # raised letters and apostrophes, of use in several scripts


class Scripts(NamedTuple):
    """The scripts of N texts.

    Attributes:
        names: S scripts, the one of most texts first.
        of_texts: index into ``names``, or ``NONE``, int64 ``[N]``.
    """

    names: tuple[str, ...]
    of_texts: NDArray[np.int64]


class _Letters(dict[int, str | None]):
    """For ``str.translate``: each letter becomes one sign for its script, everything else goes."""

    def __init__(self) -> None:
        self.signs: dict[str, str] = {}

    def __missing__(self, code: int) -> str | None:
        name = _script(chr(code))
        self[code] = self.signs.setdefault(name, chr(len(self.signs))) if name else None
        return self[code]


def scripts(texts: Sequence[str], progress: Progress = silent) -> Scripts:
    """Find the script of most letters of each text; of two with as many, the one that most texts have.

    So a Latin name in a Cyrillic text does not count, nor do digits, signs and emoji. Letters in fancy dress (full
    width, mathematical bold) count as what they stand for. Only the first ``READ`` characters of a text count.
    """
    letters = _Letters()
    best: list[str] = []
    for part in chunks(texts, "looking at scripts", progress):
        best += [_most_common(text[:READ].translate(letters)) for text in texts[part]]
    totals = Counter(best)
    names = sorted(letters.signs, key=lambda name: (-totals[letters.signs[name]], name))
    rank = {letters.signs[name]: place for place, name in enumerate(names)}
    return Scripts(tuple(names), np.array([min(map(rank.__getitem__, signs), default=NONE) for signs in best]))


def _most_common(signs: str) -> str:
    """The most common sign, or all that are as common."""
    if not signs or signs.count(signs[0]) == len(signs):
        return signs[:1]
    counts = Counter(signs)
    most = max(counts.values())
    return "".join(sign for sign, count in counts.items() if count == most)


def _script(character: str) -> str:
    """The first word of a letter's name, such as ``LATIN``; empty for what is no letter."""
    if not unicodedata.category(character).startswith("L"):
        return ""
    word = unicodedata.name(unicodedata.normalize("NFKC", character)[:1], "").partition(" ")[0]
    return _FAMILIES.get(word, word)
