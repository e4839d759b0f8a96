"""Tokens and scripts of tables that are known."""

import numpy as np
import pytest

from sharprecl.data.tables import TextTable
from sharprecl.doctor.loading import LONGEST
from sharprecl.doctor.texts import SHOWN_ROWS, texts
from tiny import tiny_tokenizer


def table(some) -> TextTable:
    return TextTable(tuple(some), np.zeros(len(some), dtype=np.int64), ("a",), "test")


def test_lengths_with_special_tokens() -> None:
    train = table(["the cable", "the the the", "the " * 8, "the " * 4])
    found = texts(train, table(["the", "the " * 9]), tiny_tokenizer(), "tiny", 6)
    assert found.token_quantiles == (6, 10, 10, 10)
    assert (found.truncated, found.truncated_test) == (0.25, 0.5)
    assert (found.encoder, found.max_length, found.examined) == ("tiny", 6, 4)
    assert texts(train, None, tiny_tokenizer(), "tiny", 5).truncated == 0.5
    assert texts(train, None, tiny_tokenizer(), "tiny", 5).truncated_test is None


def test_texts_of_nothing_but_unknown_tokens() -> None:
    some = ["the ☃", "☃ ☃", "[SEP]", "\u200b", "unknown words", "alpha"]
    found = texts(table(some), None, tiny_tokenizer(), "tiny", 9)
    assert (found.empty, found.empty_count) == ((2, 3, 4, 5), 4)


def test_foreign_rows() -> None:
    some = ["the cable", "Привет Bob", "42", "alpha", "שלום", "beta"]
    found = texts(table(some), None, None, "tiny", 9)
    assert (found.foreign, found.foreign_count) == ((2, 5), 2)
    assert found.scripts == {"LATIN": 3 / 6, "CYRILLIC": 1 / 6, "HEBREW": 1 / 6}
    assert next(iter(found.scripts)) == "LATIN"


def test_without_a_tokenizer() -> None:
    found = texts(table(["☃"]), table(["☃"]), None, "tiny", 9)
    assert (found.encoder, found.truncated, found.truncated_test, found.examined) == ("", None, None, 0)
    assert (found.token_quantiles, found.empty, found.empty_count, found.scripts) == ((), (), 0, {})


def test_long_lists_are_cut_and_counted() -> None:
    found = texts(table(["☃"] * 70 + ["ж"] * 70 + ["the"] * 100), None, tiny_tokenizer(), "tiny", 9)
    assert found.empty == tuple(range(1, SHOWN_ROWS + 1))
    assert found.foreign == tuple(range(71, 71 + SHOWN_ROWS))
    assert (found.empty_count, found.foreign_count) == (140, 70)


def test_a_sample_does_not_depend_on_the_order() -> None:
    some = ["the " * (1 + n % 40) + f"row{n}" for n in range(2000)]
    found = texts(table(some), None, tiny_tokenizer(), "tiny", 22, most_read=500)
    assert found.examined == 500
    assert found.truncated == pytest.approx(0.5, abs=0.08)
    other = texts(table(some[::-1]), None, tiny_tokenizer(), "tiny", 22, most_read=500)
    assert (other.truncated, other.token_quantiles) == (found.truncated, found.token_quantiles)


def test_a_text_that_was_cut_is_not_said_to_be_unknown() -> None:
    found = texts(table(["x" * LONGEST, "x" * (LONGEST - 1), "the"]), None, tiny_tokenizer(), "tiny", 9)
    assert (found.token_quantiles, found.empty, found.empty_count) == ((3, 3, 3, 3), (2,), 1)
