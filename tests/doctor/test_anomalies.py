"""Hints at wrong columns and damaged texts: found where they are, silent where not."""

import time

import numpy as np
import pytest

from sharprecl.data.tables import TextTable, read_table
from sharprecl.doctor.anomalies import label_anomalies, text_anomalies


def table_of(texts, labels=None) -> TextTable:
    return read_table((texts, labels or [f"label {number % 2}" for number in range(len(texts))]))


def said(texts, labels=None):
    table = table_of(texts, labels)
    return text_anomalies(table, np.arange(1, len(table) + 1), "text") + label_anomalies(table, "label")


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


def test_labels_that_look_alike_are_named_with_their_counts() -> None:
    labels = ["Billing", "billing ", "BILLING", "billing", "other", "other", "С1", "C1"]  # noqa: RUF001
    (found,) = said([f"text {number} here" for number in range(8)], labels)
    assert found.severity == "warning"
    assert "'BILLING', 'Billing', 'billing' and 'billing ' (1, 1, 1, 1 texts)" in found.sentence
    assert "'C1' and 'С1' (1, 1 texts)" in found.sentence  # noqa: RUF001
    assert not said(["one text", "two text"], ["C", "C++"])
    assert said(["one text", "two text"], ["\uff21\uff22", "A\u200bB"]), "wide letters, and a space without width"


def test_a_column_of_sentences_or_identifiers_is_no_column_of_classes() -> None:
    texts = [f"text number {number} of all" for number in range(40)]
    (found,) = said(texts, [f"id {number % 20}" for number in range(40)])
    assert (found.severity, found.sentence) == (
        "problem",
        "20 different labels in 40 rows: column 'label' hardly holds classes",
    )
    assert "swapped" not in found.cure
    assert said(texts, [f"id {number % 19}" for number in range(40)]) == []
    (found,) = said([f"queue {number % 3} it is" for number in range(40)], texts)
    assert found.cure.endswith("are --text and --label swapped?")
    assert said(texts[:19], [f"id {number}" for number in range(19)]) == [], "the start of a file"
    (found,) = said(texts, [f"{'a long sentence ' * 5}{number % 3}" for number in range(40)])
    assert (found.severity, "over 60 characters" in found.sentence) == ("warning", True)


def test_hostile_texts_take_no_time() -> None:
    texts = ["<" * 100_000, "&" * 100_000, "<a " * 33_000, "1" * 100_000, "." * 100_000, "\u00c3" * 100_000]
    start = time.process_time()
    said([*texts, "fine", "fine"])
    assert time.process_time() - start < 2
