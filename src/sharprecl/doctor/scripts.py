"""Which script a text is written in: that of most of its letters, by Unicode's names of them."""

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sharprecl.doctor.slices import READ, Progress, silent, slices

NONE = -1
"""The script of a text without letters: of digits, signs or emoji alone."""

# Japanese writes three scripts in one sentence, and a title may hold one of them alone.
_FAMILIES = dict.fromkeys(("HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "BOPOMOFO", "IDEOGRAPHIC"), "CJK")
_FAMILIES["MODIFIER"] = ""  # raised letters and apostrophes, of use in several scripts
_UNSEEN = -2


class Scripts(NamedTuple):
    """The scripts of N texts.

    Attributes:
        names: S scripts, the one of most texts first.
        of_texts: index into ``names``, or ``NONE``, int64 ``[N]``.
    """

    names: tuple[str, ...]
    of_texts: NDArray[np.int64]


def scripts(texts: Sequence[str], progress: Progress = silent) -> Scripts:
    """Find the script of most letters of each text; of two with as many, the one that most texts have.

    So a Latin name in a Cyrillic text does not count, nor do digits, signs and emoji. Letters in fancy dress (full
    width, mathematical bold) count as what they stand for. Only the first ``READ`` characters of a text count.
    """
    names: list[str] = []
    numbers = np.full(0x110000, _UNSEEN, dtype=np.int16)
    tops, ties = [np.empty(0, dtype=np.int64)], [np.empty((0, 2), dtype=np.int64)]
    for part in slices(texts, "looking at scripts", progress):
        counts = _letters(texts[part], numbers, names)
        most = counts.max(axis=1)
        best = (counts == most[:, None]) & (most[:, None] > 0)
        clear = best.sum(axis=1) == 1
        tops.append(np.where(clear, best.argmax(axis=1), NONE))
        row, script = np.nonzero(best & ~clear[:, None])
        ties.append(np.stack([row + part.start, script], axis=1))
    of_texts, tie = np.concatenate(tops), np.concatenate(ties)
    totals = np.bincount(of_texts[of_texts >= 0], minlength=len(names))
    order = np.lexsort((np.array(names, dtype=str), -totals))
    rank = np.empty(len(names) + 1, dtype=np.int64)
    rank[order], rank[NONE] = np.arange(len(names)), NONE
    ranked = rank[of_texts]
    ranked[tie[:, 0]] = len(names)
    np.minimum.at(ranked, tie[:, 0], rank[tie[:, 1]])
    return Scripts(tuple(names[place] for place in order), ranked)


def _letters(texts: Sequence[str], numbers: NDArray[np.int16], names: list[str]) -> NDArray[np.int64]:
    """Letters of each text by script, ``[N, S]``; new characters are entered in ``numbers`` and ``names``."""
    cut = [text[:READ] for text in texts]
    letters = np.frombuffer("".join(cut).encode("utf-32-le"), dtype="<u4")
    found = numbers[letters]
    new = set(letters[found == _UNSEEN].tolist())
    for code in new:
        name = _script(chr(code))
        if name and name not in names:
            names.append(name)
        numbers[code] = names.index(name) if name else NONE
    if new:
        found = numbers[letters]
    owner = np.repeat(np.arange(len(cut)), [len(text) for text in cut])
    kept = found >= 0
    width = max(1, len(names))
    cells = owner[kept] * width + found[kept]
    return np.bincount(cells, minlength=len(cut) * width).reshape(len(cut), width).astype(np.int64)


def _script(character: str) -> str:
    """The first word of a letter's name, such as ``LATIN``; empty for what is no letter."""
    if not unicodedata.category(character).startswith("L"):
        return ""
    word = unicodedata.name(unicodedata.normalize("NFKC", character)[:1], "").partition(" ")[0]
    return _FAMILIES.get(word, word)
