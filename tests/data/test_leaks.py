"""Test texts that stand in training."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirror import EVERY, EXPECTED, benchmark
from sharprecl.data.leaks import find_leaks, normalised, without_leaks
from sharprecl.data.tables import TextTable, read_table
from sharprecl.errors import DataError


def table(texts: list[str], labels: list[str], names: tuple[str, ...] = ("a", "b")) -> TextTable:
    return read_table((texts, labels), label_names=names)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Cats sleep.", "cats  sleep"),
        ("do n't buy", "do n ' t buy"),
        ("state-of-the-art", "State of the art!"),
        ("“quoted”", "``quoted''"),
        ("Straße", "STRASSE"),
        ("\uff21\uff22\uff23", "abc"),
        ("e\u0301te\u0301", "\u00e9t\u00e9"),
        ("5 \u3392", "5 mhz"),
        ("soft\u00adhyphen", "softhyphen"),
        ("snake_case", "snake case"),
    ],
)
def test_the_same_text(one: str, other: str) -> None:
    assert normalised(one) == normalised(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("C++", "C"),
        ("1.5", "15"),
        ("together", "to get her"),
        ("great 😀", "great 😡"),
        ("?!", "!!"),
        ("कि", "क"),
        ("ação", "acao"),
    ],
)
def test_other_texts(one: str, other: str) -> None:
    assert normalised(one) != normalised(other)


@given(st.text(max_size=30))
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    assert normalised(normalised(text)) == normalised(text)
    assert bool(normalised(text)) == bool(text.split())


@given(st.text(st.characters(categories=["L", "Nd"]), min_size=1, max_size=20), st.sampled_from(".,;!?-'\"()"))
def test_punctuation_and_spaces_around_do_not_count(text: str, mark: str) -> None:
    assert normalised(f"  {mark}{text}\t{mark} ") == normalised(text)
    assert not any(unicodedata.category(letter).startswith("P") for letter in normalised(text))


def test_rows_by_kind() -> None:
    train = table(["one", "two", "two", "three"], ["a", "a", "b", "b"])
    test = table(["ONE!", "two", "four", "three", "one"], ["a", "b", "a", "a", "b"])
    leaks = find_leaks(train, test)
    assert (leaks.exact_rows, leaks.rows, leaks.same_label, leaks.tested) == ((1, 3, 4), (0, 1, 3, 4), 1, 5)
    assert leaks.note == (
        "4 of 5 test texts also stand in training (3 letter for letter, 1 of these with the same label), which may "
        "flatter the result"
    )


def test_labels_are_compared_by_name() -> None:
    leaks = find_leaks(table(["x"], ["a"], ("a", "b")), table(["x", "y"], ["a", "b"], ("b", "a")))
    assert leaks.same_label == 1


def test_leaving_them_out() -> None:
    train, test = table(["one", "two"], ["a", "b"]), table(["three", "One", "four", "two"], ["a", "a", "b", "b"])
    kept = without_leaks(test, find_leaks(train, test))
    assert kept.texts == ("three", "four")
    assert [kept.label_names[label] for label in kept.labels] == ["a", "b"]
    assert kept.notes == ("2 test texts that also stand in training left out",)
    assert find_leaks(train, kept).note is None
    assert without_leaks(kept, find_leaks(train, kept)) is kept


def test_nothing_would_be_left() -> None:
    train = table(["one", "two"], ["a", "b"])
    with pytest.raises(DataError, match="nothing is left to judge on; is it the same file"):
        without_leaks(train, find_leaks(train, train))


def test_leaks_of_another_table() -> None:
    train = table(["one", "two"], ["a", "b"])
    with pytest.raises(DataError, match="found among 2 test rows, but the given lists has 1"):
        without_leaks(train.select([0]), find_leaks(train, train))


@pytest.mark.parametrize("name", EVERY)
def test_benchmarks_without_their_leaks(name: str) -> None:
    found, expected = benchmark(name), EXPECTED[name]
    leaks = find_leaks(found.train, found.test)
    assert len(leaks.rows) == expected["test_rows_in_train_normalised"]
    kept = without_leaks(found.test, leaks)
    assert len(kept) == expected["test"] - expected["test_rows_in_train_normalised"]
    assert not {normalised(text) for text in kept.texts} & {normalised(text) for text in found.train.texts}
