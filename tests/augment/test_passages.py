"""Texts cut into sentences for a translator, and what is believed of its answers."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sharprecl.augment.passages import can_be_translated, close_up, is_spaced, passages, space_out, still_says


@given(st.text(st.sampled_from("ab A.?!'\"(7\n\t \u00a0é"), max_size=60))
@example("one. Two\r\n\r\nthree!  Four... five")
@example(" ".join(["word"] * 200) + " ")
def test_the_pieces_are_the_text(text):
    pieces = passages(text)
    assert "".join(space + passage for passage, space in pieces) == text
    assert all(passage == passage.strip() and not space.strip() for passage, space in pieces)


def test_sentences_and_lines_stand_alone():
    text = 'One mr. x is here.  "Two" is? Three\nfour! 5 e.g. six'
    assert [passage for passage, _ in passages(text) if passage] == [
        "One mr. x is here.",
        '"Two" is?',
        "Three",
        "four!",
        "5 e.g. six",
    ]


def test_long_sentences_are_cut_between_words():
    words = [f"w{number}" for number in range(95)]
    lengths = [len(passage.split()) for passage, _ in passages(", ".join(words)) if passage]
    assert lengths == [40, 40, 15]


def test_spaced_punctuation_is_pulled_up_and_put_back():
    text = "what ' s the motto , in 1 . 5 words ? (or so)"
    assert close_up(text) == "what's the motto, in 1. 5 words? (or so)"
    assert is_spaced(text)
    assert not is_spaced("what's the motto, in 1.5 words?")
    assert space_out("the motto, in 1.5 words?") == "the motto , in 1.5 words ?"
    assert space_out("e.g.x ...") == "e.g.x ..."


@pytest.mark.parametrize(
    ("made", "believed"),
    [
        ("the 3 eyes of 12 cats", True),
        ("an eye, 3 cats and 12 more", True),  # another word order, the label word without -s
        ("the three eyes of 12 cats", False),
        ("the 3 eyes of 12 cats 12", False),
        ("the 3 glances of 12 cats", False),
        ("", False),
        ("- - -", False),
        ("3 eyes 12" + " cats" * 13, False),
    ],
)
def test_what_still_says_the_same(made, believed):
    assert still_says("the 3 eyes of 12 cats", made, frozenset(["eye", "eyes"])) is believed


def test_a_label_word_that_is_new_is_not_believed():
    assert not still_says("a red car", "a red eye", frozenset(["eye", "eyes"]))
    assert not still_says("a red car", "red Eyes", frozenset(["eye", "eyes"]))
    assert still_says("a red car", "a red auto", frozenset(["eye", "eyes"]))


def test_what_is_worth_translating():
    assert can_be_translated("a bird")
    assert not any(map(can_be_translated, ["", "42 !", "x" * 601, "a\ud800b"]))
