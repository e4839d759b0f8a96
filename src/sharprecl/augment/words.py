"""What all augmenters mean by a word: where words stand in a text, which must stay, where another could go in."""

import re
from collections.abc import Iterable, Sequence

from sharprecl.augment.inflection import add_s
from sharprecl.augment.stopwords import STOP_WORDS

# Joined pieces are one word ("x-ray", "u.s.", "don't", "me@home.org").
_WORD = re.compile(r"\w+(?:[-'\u2019.,/&@:+]\w+)*")
_LETTERS = re.compile(r"[^\W\d_]+")
_SHORTEST = 3


def words_of(text: str) -> list[re.Match[str]]:
    """The words of a text, in order; punctuation and spaces lie between them."""
    return list(_WORD.finditer(text))


def label_words(names: Iterable[str]) -> frozenset[str]:
    """The words of label names, in lower case, each also with -s: what no augmenter changes or puts in."""
    words = {part for name in names for part in _LETTERS.findall(name.lower())}
    return frozenset(words | {add_s(word) for word in words})


def must_stay(word: str, protected: frozenset[str]) -> bool:
    """Whether a word is a number, holds a digit, or has a label word in it."""
    if any(character.isdigit() for character in word):
        return True
    return bool(protected) and not protected.isdisjoint(_LETTERS.findall(word.lower()))


def carries_meaning(word: str, shouted: bool, protected: frozenset[str]) -> bool:
    """Whether a word says something that another word could say too.

    Function words, label words, short words and words with digits or inner punctuation do not, nor do acronyms (MRI)
    and brands (iPhone); where the whole text is ``shouted``, capitals say nothing.
    """
    if len(word) < _SHORTEST or not word.isalpha():
        return False
    if not (word.islower() or word.istitle() or (shouted and word.isupper())):
        return False
    lower = word.lower()
    return lower not in STOP_WORDS and lower not in protected


def gaps(text: str, words: Sequence[re.Match[str]]) -> list[int]:
    """Where a new word and a space can go in: before every word that follows a space, but for the first.

    Not before the first, for it may have the sentence's capital. A text without such a place takes the word at its end.
    """
    inner = [word.start() for word in words[1:] if text[word.start() - 1].isspace()]
    return inner or ([words[-1].end()] if words else [])


def put_in(text: str, places: Sequence[int], new: Sequence[str]) -> str:
    """The text with ``new[k]`` put in at ``places[k]`` (of ``gaps``), with a space."""
    for place, word in sorted(zip(places, new, strict=True), reverse=True):
        at_the_end = place > 0 and not text[place - 1].isspace()
        text = f"{text[:place]} {word}{text[place:]}" if at_the_end else f"{text[:place]}{word} {text[place:]}"
    return text


def in_case_of(word: str, other: str) -> str:
    """Another word, with capitals where ``word`` has them."""
    if word.islower():
        return other
    return other.capitalize() if word.istitle() else other.upper()


def wanted(share: float, words: int, most: int) -> int:
    """How many of ``words`` a share asks for: at least one, at most ``most``."""
    return min(most, max(1, round(share * words)))
