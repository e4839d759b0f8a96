"""Which words carry an answer, by occlusion: each is left out in turn, and the log-odds of the answer are compared.

It needs nothing but answers, so it holds for every method and backend. Two words that say the same hide each other:
with one left out, the other still carries the answer.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sharprecl.augment.words import words_of
from sharprecl.decision.policy import Answers

MOST_FORWARDS = 64
MOST_WORDS_READ = 6000
"""All the forwards together; longer texts are left out in longer pieces."""

# Scripts without spaces between words, a character at a time: Thai to Khmer, kana, Chinese, Hangul.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")

Answer = Callable[[Sequence[str]], Awaitable[Answers]]


@dataclass(frozen=True)
class Piece:
    """A stretch of a text; one that was left out in turn says what for.

    Attributes:
        effect: log-odds of the answer with it, less those without it; above 0 it speaks for the answer. None where it
            was not left out, or where nothing would be left.
        without: probability of the answer without it.
    """

    text: str
    effect: float | None = None
    without: float | None = None


async def words_that_carry(text: str, answer: Answer, max_words: int, most: int = MOST_FORWARDS) -> list[Piece]:
    """Cut a text into pieces that put together are the text, with the effect of each that holds words.

    Args:
        text: any.
        answer: answers texts, in their order.
        max_words: how many words a model reads at most; those behind have no effect and are not tried.
        most: how often something is left out.

    Returns:
        The pieces; all without effects if the text has fewer than two words or no answer.
    """
    spans, reach = _stretches(text, max_words, most)
    if len(spans) < 2:
        return [Piece(text)]
    answers = await answer([text[:reach], *(text[:start] + text[end:reach] for start, end in spans)])
    given = int(answers.class_ids_N[0])
    if given < 0:
        return [Piece(text)]
    odds_M = log_odds(answers.probabilities_NC, given)
    pieces, here = [], 0
    for row, (start, end) in enumerate(spans, start=1):
        if start > here:
            pieces.append(Piece(text[here:start]))
        known = answers.class_ids_N[row] >= 0
        effect = float(odds_M[0] - odds_M[row]) if known else None
        pieces.append(Piece(text[start:end], effect, float(answers.probabilities_NC[row, given]) if known else None))
        here = end
    return [*pieces, Piece(text[here:])] if here < len(text) else pieces


def log_odds(p_NC: NDArray[np.float64], label: int) -> NDArray[np.float64]:
    """log p / (1 - p) of a class, [N]; 1 - p is the sum of the others, which is exact where p rounds to 1."""
    tiny = np.finfo(np.float64).tiny
    others_N = np.delete(p_NC, label, axis=1).sum(1)
    odds_N: NDArray[np.float64] = np.log(np.maximum(p_NC[:, label], tiny)) - np.log(np.maximum(others_N, tiny))
    return odds_N


def _stretches(text: str, max_words: int, most: int) -> tuple[list[tuple[int, int]], int]:
    """Where the pieces to leave out begin and end: words, or as many together as keeps the forwards within bounds.

    Also where the text ends as far as it is read, even with one of them left out.
    """
    words = []
    for word in words_of(text):
        inner = [word.start() + found.start() for found in _UNSPACED.finditer(word[0])]
        starts = sorted({word.start(), *inner, *(place + 1 for place in inner)} - {word.end()})
        words += list(zip(starts, [*starts[1:], word.end()], strict=True))
    tried = words[:max_words]
    if not tried or most < 2:
        return [], len(text)
    together = -(-len(tried) // min(most, max(8, MOST_WORDS_READ // len(tried))))
    groups = [tried[place : place + together] for place in range(0, len(tried), together)]
    read = len(tried) + together
    return [(group[0][0], group[-1][1]) for group in groups], words[read][0] if read < len(words) else len(text)
