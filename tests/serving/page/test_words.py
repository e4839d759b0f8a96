"""Occlusion against answers whose log-odds are the sum of known weights, so that a word's effect is its weight."""

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.decision.policy import NEUTRAL, Answers
from sharprecl.serving.page.words import MOST_FORWARDS, Piece, log_odds, words_that_carry

WEIGHTS = {"refund": 3.0, "late": -1.5, "the": 0.0, "invoice": 0.75, "退": 2.0, "款": -0.5}


class Weighing:
    """Two classes; the second one's log-odds are the weights of the words (or characters) that are there."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def __call__(self, texts: Sequence[str]) -> Answers:
        self.asked += texts
        odds_N = [1.0 + sum(weight * text.count(word) for word, weight in WEIGHTS.items()) for text in texts]
        scores_NC = np.stack([np.zeros(len(texts)), odds_N], 1)
        scores_NC[[not text.strip() for text in texts]] = np.nan
        return NEUTRAL.answers(scores_NC)


def carried(text: str, max_words: int = 256, most: int = MOST_FORWARDS) -> tuple[list[Piece], list[str]]:
    weighing = Weighing()
    return asyncio.run(words_that_carry(text, weighing, max_words, most)), weighing.asked


def test_the_effect_of_a_word_is_its_weight() -> None:
    pieces, asked = carried("The refund, late: the invoice!")
    effects = {piece.text: piece.effect for piece in pieces if piece.effect is not None}
    assert effects == pytest.approx({"The": 0.0, "refund": 3.0, "late": -1.5, "the": 0.0, "invoice": 0.75}, abs=1e-9)
    assert asked[2] == "The , late: the invoice!"
    without = next(piece.without for piece in pieces if piece.text == "refund")
    assert without == pytest.approx(1 / (1 + np.exp(-0.25)))


def test_scripts_without_spaces_go_by_characters() -> None:
    pieces, _ = carried("退款abc")
    assert [(piece.text, piece.effect) for piece in pieces] == [
        ("退", pytest.approx(2.0)),
        ("款", pytest.approx(-0.5)),
        ("abc", pytest.approx(0.0)),
    ]


def test_effects_are_exact_where_probabilities_round_to_one() -> None:
    odds = log_odds(np.array([[1e-40, 1.0], [1e-42, 1.0]]), 1)
    assert odds.tolist() == pytest.approx([40 * np.log(10), 42 * np.log(10)])


def test_long_texts_are_left_out_in_pieces_and_only_as_far_as_they_are_read() -> None:
    words = [f"w{number}" for number in range(3000)]
    words[5], words[2500] = "refund", "refund"
    pieces, asked = carried(" ".join(words), max_words=500)
    assert len(asked) <= MOST_FORWARDS + 1
    assert max(len(text.split()) for text in asked) < 545
    assert min(len(text.split()) for text in asked) >= 500
    found = [piece for piece in pieces if piece.effect is not None]
    assert found[0].effect == pytest.approx(3.0)
    assert found[0].text.split() == words[: len(found[0].text.split())]
    assert found[-1].text.endswith("w499")
    assert pieces[-1].text.endswith("w2999")


@pytest.mark.parametrize("text", ["", "  ", "refund", "!!", "."])
def test_nothing_to_leave_out(text: str) -> None:
    assert carried(text) == ([Piece(text)], [])


def test_a_word_without_which_nothing_is_left_has_no_effect() -> None:
    pieces, _ = carried("late refund", most=2)
    assert [piece.effect for piece in pieces if piece.text.strip()] == pytest.approx([-1.5, 3.0])
    assert carried("late refund", most=1) == ([Piece("late refund")], [])


@given(st.text(max_size=200), st.integers(2, 70), st.integers(1, 30))
def test_pieces_are_the_text_and_forwards_are_bounded(text: str, most: int, max_words: int) -> None:
    pieces, asked = carried(text, max_words, most)
    assert "".join(piece.text for piece in pieces) == text
    assert len(asked) <= most + 1
