"""Texts cut into passages that a sentence translator can take, and checks on what comes back.

Translators are trained on single sentences: given 300 words the offline engine answers with commas, and takes the
square of the time.
"""

import re
from collections import Counter
from itertools import pairwise

from sharprecl.augment.words import words_of
from sharprecl.data.checks import is_unicode

_LONGEST = 40  # words
_MOST_CHARACTERS = 600  # a passage of 40 words that has more is no sentence
_SENTENCE_END = re.compile(r"(?<=[.?!])(?=\s+[\"'(\u201c\u2018]?[A-Z\d])|(?=\s*\n)")
_BEFORE_MARK = re.compile(r"(?<=\w)\s+(?=[,.;:?!](?:\s|$))")
_BEFORE_CLITIC = re.compile(r"\s*'\s+(?=(?:s|t|m|d|re|ve|ll)\b)")
_MARK = re.compile(r"(?<=\w)(?=[,.;:?!](?:\s|$))")


def passages(text: str) -> list[tuple[str, str]]:
    """The text as (passage, white space before it), one sentence or at most 40 words each; what is over is space.

    Joined in order the pieces are the text, and no passage begins or ends with white space.
    """
    cut = []
    for sentence in _SENTENCE_END.split(text):
        words = words_of(sentence)
        starts = [0, *(words[k].start() for k in range(_LONGEST, len(words), _LONGEST)), len(sentence)]
        cut += [sentence[a:b] for a, b in pairwise(starts)]
    pieces, space = [], ""
    for piece in cut:
        core = piece.strip()
        if core:
            before = piece[: len(piece) - len(piece.lstrip())]
            pieces.append((core, space + before))
            space = piece[len(piece.rstrip()) :]
        else:
            space += piece
    return [*pieces, ("", space)]


def is_spaced(text: str) -> bool:
    """Whether punctuation stands alone, as in ``who killed gandhi ?``, which some data sets have throughout."""
    return _BEFORE_MARK.search(text) is not None


def close_up(text: str) -> str:
    """Pull punctuation and clitics to the words before them, as a translator is used to see them."""
    return _BEFORE_CLITIC.sub("'", _BEFORE_MARK.sub("", text))


def space_out(text: str) -> str:
    """Put a space before punctuation that follows a word."""
    return _MARK.sub(" ", text)


def can_be_translated(passage: str) -> bool:
    """Whether it is worth a translator's time: some letters, and not too much of anything."""
    has_letters = any(character.isalpha() for character in passage)
    return has_letters and len(passage) <= _MOST_CHARACTERS and is_unicode(passage)


def still_says(passage: str, made: str, protected: frozenset[str]) -> bool:
    """Whether a passage came back whole: about as long, its numbers and label words, no other ones."""
    before, after = _lower_words(passage), _lower_words(made)
    if not len(before) / 3 <= len(after) <= 2 * len(before) + 3 or not after:
        return False
    if Counter(re.findall(r"\d+", passage)) != Counter(re.findall(r"\d+", made)):
        return False
    # With or without -s is the same label word.
    had, kept = ({word.rstrip("s") for word in words} for words in (before, after))
    lost = any(word in protected and word.rstrip("s") not in kept for word in before)
    return not lost and not any(word in protected and word.rstrip("s") not in had for word in after)


def _lower_words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+|\d+", text.lower())
