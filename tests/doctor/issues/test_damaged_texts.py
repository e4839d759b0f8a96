"""Hints at wrong columns and damaged texts: found where they are, silent where not."""

import time

import pytest

from diagnoses import loaded
from sharprecl.data.tables import read_table
from sharprecl.doctor.issues.base import Data
from sharprecl.doctor.issues.damaged_texts import DamagedTestTexts, DamagedTexts


def said(texts):
    table = read_table((texts, [f"label {number % 2}" for number in range(len(texts))]))
    return list(DamagedTexts(Data(loaded(table))).findings())


def test_plain_texts_in_any_language_give_no_finding() -> None:
    texts = [
        "My card was charged twice, AT&T; please help!",
        "«CAFÉ» à la carte… 20 €",
        "Ça coûte 3 < 5 et x > y",
        "Доброе утро",
        "価格は2023年に上がった",
        "كيف الحال",
        "👩‍👩‍👧 ok",
        "NÃO, MAÇÃ",
        "a<b>c is math? no: <num> and <user>",
    ]
    assert [one.sentence for one in said(texts[:8])] == []
    assert "HTML" in said(texts)[0].sentence, "<b> is a tag"


@pytest.mark.parametrize(
    ("damage", "words", "shown"),
    [
        ("caf\u00c3\u00a9 au lait", "UTF-8", "'\u00c3\u00a9'"),
        ("it\u00e2\u20ac\u2122s late", "UTF-8", "'\u00e2\u20ac\u2122'"),
        (
            "\u00d0\u0178\u00d1\u20ac\u00d0\u00b8\u00d0\u00b2\u00d0\u00b5\u00d1\u201a",
            "UTF-8",
            "'\u00d0\u0178\u00d1\u20ac'",
        ),
        ("ok \u00f0\u0178\u02dc\u20ac", "UTF-8", "'\u00f0\u0178\u02dc\u20ac'"),
        ("20\u00c2\u00b0 outside", "UTF-8", "'\u00c2\u00b0'"),
        ("caf\ufffd", "replacement character", "'\ufffd'"),
        ("good &amp; cheap", "HTML", "'&amp;'"),
        ("see&#8217;s", "HTML", "'&#8217;'"),
        ('<a href="x">here</a>', "HTML", "'<a href=\"x\">'"),
        ("line<br/>break", "HTML", "'<br/>'"),
    ],
)
def test_damage_is_found_with_an_example_and_rows(damage: str, words: str, shown: str) -> None:
    (found,) = said(["all good here", "this one too", damage, "and the last"])
    assert (found.severity, found.rows) == ("warning", (3,))
    assert found.sentence == f"1 text (25.0 %) holds {found.sentence.split(' holds ')[1]}"
    assert words in found.sentence
    assert shown in found.sentence
    assert found.sentence.endswith("row 3")


def test_real_mojibake_is_recognised_whatever_the_letter() -> None:
    for word in ("naïve", "Größe", "señor", "garçon", "naïveté", "Привет", "€ 5", "“quoted”", "£5"):
        for codec in ("cp1252", "latin-1"):
            try:
                wrong = word.encode().decode(codec)
            except UnicodeDecodeError:
                continue
            assert said([wrong, "fine", "fine too", "good"]), (word, codec, wrong)


def test_little_damage_is_a_note() -> None:
    found = said([f"text number {number} is fine" for number in range(299)] + ["one &amp; only"])
    assert [(one.severity, one.rows) for one in found] == [("note", (300,))]


@pytest.mark.parametrize("texts", [["123", "45,00", "2023-05-01", "x7"], ["a9f3-11", "b8-2", "user@7.org", "#5"]])
def test_a_column_of_codes_is_no_column_of_texts(texts: list[str]) -> None:
    (found,) = said(texts)
    assert found.severity == "problem"
    assert "4 of 4 texts are numbers, dates or identifiers" in found.sentence
    assert said([*texts, "but this is a text"]) == []


def test_hostile_texts_take_no_time() -> None:
    texts = ["<" * 100_000, "&" * 100_000, "<a " * 33_000, "1" * 100_000, "." * 100_000, "\u00c3" * 100_000]
    start = time.process_time()
    said([*texts, "fine", "fine"])
    assert time.process_time() - start < 2


def test_the_test_file_is_told_of_apart() -> None:
    good, bad = (loaded(read_table((["one &amp; two", "three"][::way], ["a", "b"]))) for way in (1, -1))
    (found,) = DamagedTestTexts(Data(good, bad)).findings()
    assert found.sentence == "test file: 1 text (50.0 %) holds HTML, such as '&amp;': row 2"
    assert list(DamagedTestTexts(Data(good)).findings()) == []
