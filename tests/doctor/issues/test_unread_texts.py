"""Tokens and scripts of tables that are known."""

import numpy as np
import pytest

from diagnoses import data, loaded, text_report
from sharprecl.data.tables import TextTable
from sharprecl.doctor.encoder import Encoder
from sharprecl.doctor.issues import unread_texts as module
from sharprecl.doctor.issues.base import Data
from sharprecl.doctor.issues.unread_texts import SHOWN_ROWS, TextReport, UnreadTexts
from sharprecl.doctor.texts import LONGEST
from tiny import tiny_tokenizer


def table(some) -> TextTable:
    return TextTable(tuple(some), np.zeros(len(some), dtype=np.int64), ("a",), "test")


def texts(train: TextTable, test: TextTable | None, tokenizer, max_length: int) -> TextReport:
    encoder = Encoder("tiny", tokenizer) if tokenizer else Encoder()
    return UnreadTexts.find(Data(loaded(train), test and loaded(test), encoder=encoder, max_length=max_length))


def test_lengths_with_special_tokens() -> None:
    train = table(["the cable", "the the the", "the " * 8, "the " * 4])
    found = texts(train, table(["the", "the " * 9]), tiny_tokenizer(), 6)
    assert found.token_quantiles == (6, 10, 10, 10)
    assert (found.truncated, found.truncated_test) == (0.25, 0.5)
    assert (found.encoder, found.max_length, found.examined) == ("tiny", 6, 4)
    assert texts(train, None, tiny_tokenizer(), 5).truncated == 0.5
    assert texts(train, None, tiny_tokenizer(), 5).truncated_test is None


def test_texts_of_nothing_but_unknown_tokens() -> None:
    some = ["the ☃", "☃ ☃", "[SEP]", "\u200b", "unknown words", "alpha"]
    found = texts(table(some), None, tiny_tokenizer(), 9)
    assert (found.empty, found.empty_count) == ((2, 3, 4, 5), 4)


def test_foreign_rows() -> None:
    some = ["the cable", "Привет Bob", "42", "alpha", "שלום", "beta"]
    found = texts(table(some), None, None, 9)
    assert (found.foreign, found.foreign_count) == ((2, 5), 2)
    assert found.scripts == {"LATIN": 3 / 6, "CYRILLIC": 1 / 6, "HEBREW": 1 / 6}
    assert next(iter(found.scripts)) == "LATIN"


def test_without_a_tokenizer() -> None:
    found = texts(table(["☃"]), table(["☃"]), None, 9)
    assert (found.encoder, found.truncated, found.truncated_test, found.examined) == ("", None, None, 0)
    assert (found.token_quantiles, found.empty, found.empty_count, found.scripts) == ((), (), 0, {})


def test_long_lists_are_cut_and_counted() -> None:
    found = texts(table(["☃"] * 70 + ["ж"] * 70 + ["the"] * 100), None, tiny_tokenizer(), 9)
    assert found.empty == tuple(range(1, SHOWN_ROWS + 1))
    assert found.foreign == tuple(range(71, 71 + SHOWN_ROWS))
    assert (found.empty_count, found.foreign_count) == (140, 70)


def test_a_sample_does_not_depend_on_the_order(monkeypatch) -> None:
    monkeypatch.setattr(module, "MOST_READ", 500)
    some = ["the " * (1 + n % 40) + f"row{n}" for n in range(2000)]
    found = texts(table(some), None, tiny_tokenizer(), 22)
    assert found.examined == 500
    assert found.truncated == pytest.approx(0.5, abs=0.08)
    other = texts(table(some[::-1]), None, tiny_tokenizer(), 22)
    assert (other.truncated, other.token_quantiles) == (found.truncated, found.token_quantiles)


def test_a_text_that_was_cut_is_not_said_to_be_unknown() -> None:
    found = texts(table(["x" * LONGEST, "x" * (LONGEST - 1), "the"]), None, tiny_tokenizer(), 9)
    assert (found.token_quantiles, found.empty, found.empty_count) == ((3, 3, 3, 3), (2,), 1)


def issue(given=None, **changes) -> UnreadTexts:
    return UnreadTexts(given or data(), text_report(**changes))


def findings(**changes):
    return list(issue(**changes).findings())


def test_what_the_encoder_loses() -> None:
    found = findings(truncated=0.05, truncated_test=0.049)
    assert [(one.severity, one.sentence) for one in found] == [
        ("warning", "1 of 472 texts is nothing but unknown tokens to the encoder: row 12"),
        (
            "warning",
            "5.0 % of the training texts and 4.9 % of the test texts have over 256 tokens and are cut there",
        ),
        ("note", "2 texts are not in Latin script (Cyrillic 1.0 %): rows 13 and 14"),
    ]
    assert findings(truncated=0.0, truncated_test=0.049)[1].severity == "note"
    assert findings(truncated=0.0, empty=(), empty_count=0, foreign=(), foreign_count=0) == []


def test_many_texts_in_another_script_are_a_warning() -> None:
    quiet = {"truncated": None, "empty": (), "empty_count": 0, "examined": 0}
    for greek, severity in ((0.05, "warning"), (0.049, "note")):
        scripts = {"LATIN": 1 - greek, "GREEK": greek}
        (found,) = findings(**quiet, scripts=scripts, foreign=(1, 2), foreign_count=2)
        assert found.severity == severity
    many = findings(**quiet, foreign=tuple(range(1, 51)), foreign_count=70)[0].sentence
    assert many.endswith("rows 1, 2, 3, 4, 5, 6, 7, 8, 9 and 10 and 60 more")


def test_an_english_encoder_for_another_script() -> None:
    facts = {
        "scripts": {"GREEK": 1.0},
        "truncated": None,
        "empty": (),
        "empty_count": 0,
        "foreign": (),
        "foreign_count": 0,
    }
    (found,) = findings(**facts)
    assert "most texts are in Greek script, and the encoder minilm was trained on English" in found.sentence
    assert findings(**facts, encoder="org/multilingual") == []
    assert findings(**{**facts, "scripts": {}}) == []


def test_why_there_is_no_tokenizer() -> None:
    given = data(encoder=Encoder(why_not="minilm cannot be fetched"))
    assert next(iter(issue(given).findings())).sentence == (
        "lengths were not examined, for the default encoder could not be had: minilm cannot be fetched"
    )


def test_figures_with_and_without_a_tokenizer() -> None:
    section = issue(truncated_test=0.5).section()
    assert section.title == "Texts, as minilm reads them"
    assert dict(section.figures) == {
        "tokens: median, 90 %, 99 %, longest": "31, 270, 402, 911",
        "cut at 256 tokens": "12.0 %",
        "test texts cut at 256 tokens": "50.0 %",
        "nothing but unknown tokens": "1 text",
        "scripts": "Latin 99.0 %, Cyrillic 1.0 %",
    }
    section = issue(encoder="", truncated=None, token_quantiles=(), scripts={}).section()
    assert (section.title, dict(section.figures)) == ("Texts", {"scripts": "no letters"})
    many = issue(scripts={"CJK": 0.2} | dict.fromkeys("ABCD", 0.2)).section()
    assert dict(many.figures)["scripts"] == "CJK 20.0 %, A 20.0 %, B 20.0 % and 2 more"
