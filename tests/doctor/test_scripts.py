"""Most letters decide, and no order of the texts changes that."""

import random

import pytest

from sharprecl.doctor.scripts import NONE, scripts


def named(texts) -> list[str | None]:
    found = scripts(texts)
    return [None if place == NONE else found.names[place] for place in found.of_texts]


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("hello", "LATIN"),
        ("Привет от Bob", "CYRILLIC"),
        ("iPhone и Samsung", "LATIN"),
        ("مرحبا 123", "ARABIC"),
        ("שלום", "HEBREW"),
        ("किताब अच्छी है", "DEVANAGARI"),
        ("今日は雨です", "CJK"),
        ("データー", "CJK"),
        ("東京", "CJK"),
        ("한국어", "HANGUL"),
        ("\uff48\uff45\uff4c\uff4c\uff4f", "LATIN"),
        ("\U0001d407\U0001d41e\U0001d425\U0001d425\U0001d428", "LATIN"),
        ("café naïve", "LATIN"),
        ("12 + 7 = 19 ™ ℃ ㎏", None),
        ("😀 👍🏽 ☃", None),
        ("\u02bb", None),
        ("\u200b\u0301", None),
    ],
)
def test_script_of_one_text(text, script) -> None:
    assert named([text]) == [script]


def test_a_tie_goes_to_the_script_of_most_texts() -> None:
    assert named(["ab вг", "где", "ёж", "abc"]) == ["CYRILLIC", "CYRILLIC", "CYRILLIC", "LATIN"]
    assert named(["ab вг", "где", "ab", "abc"]) == ["LATIN", "CYRILLIC", "LATIN", "LATIN"]


def test_neither_order_nor_slices_matter(monkeypatch) -> None:
    texts = [
        "latin one",
        "русский",
        "ab вг",
        "вг ab",
        "αβγ ab д",
        "123",
        "latin two",
        "русский два",
        "αβ вг",
        "ﷺ",
        "日本",
    ]
    expected = dict(zip(texts, named(texts), strict=True))
    monkeypatch.setattr("sharprecl.doctor.texts.CHARACTERS", 5)
    for seed in range(5):
        random.Random(seed).shuffle(texts)
        assert dict(zip(texts, named(texts), strict=True)) == expected
        assert scripts(texts).names[:2] == ("CYRILLIC", "LATIN")


def test_texts_without_a_letter() -> None:
    found = scripts(["1", "2"])
    assert (found.names, found.of_texts.tolist()) == ((), [NONE, NONE])
