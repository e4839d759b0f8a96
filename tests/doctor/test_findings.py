"""Sentences about labels: each appears at its threshold and not before."""

import pytest

from diagnoses import COUNTS, distribution
from sharprecl.doctor.batch_forecast import forecast_batches
from sharprecl.doctor.diagnosis import Finding
from sharprecl.doctor.findings import SHIFTED, SKEWED, of_batches, of_distribution, ordered, percent


def told(found):
    return [(one.severity, one.sentence) for one in found]


def test_a_skewed_distribution() -> None:
    assert told(of_distribution(distribution())) == [
        ("warning", "the largest class ('billing') has 400.0 times the texts of the smallest ('other')"),
        ("warning", "1 class has a single text: 'other'"),
        ("warning", "2 further classes have under 10 texts (of 5)"),
    ]


def test_an_even_one_is_a_note_and_nothing_else() -> None:
    found = of_distribution(distribution({"a": 30, "b": 30, "c": 10}))
    assert told(found) == [
        ("note", "the classes are even: the largest class ('a') has 3.0 times the texts of the smallest ('c')")
    ]
    assert told(of_distribution(distribution({"a": 31, "b": 10})))[0][1].startswith("the largest class")


@pytest.mark.parametrize(("largest", "severity"), [(10 * SKEWED, "warning"), (10 * SKEWED - 1, "note")])
def test_skew_is_a_warning_from_ten_on(largest: float, severity: str) -> None:
    (found,) = of_distribution(distribution({"a": int(largest), "b": 10}))
    assert found.severity == severity


def test_small_classes_without_single_ones() -> None:
    found = of_distribution(distribution({"a": 20, "b": 9}))
    assert told(found)[1:] == [("warning", "1 class has under 10 texts (of 2)")]


def test_what_the_test_file_cannot_judge() -> None:
    tests = {"billing": 400, "access": 60, "shipping": 4, "hardware": 1}
    found = [one for one in of_distribution(distribution(COUNTS, tests)) if one.about == "test"]
    assert told(found) == [
        ("warning", "1 class has no test text: 'other'"),
        ("note", "2 classes have under 5 test texts: read their figures as rough"),
    ]


def test_a_shift_between_training_and_test_is_told_from_its_threshold_on() -> None:
    train = {"a": 50, "b": 50}
    more = {"a": 50 + round(100 * SHIFTED) + 1, "b": 50 - round(100 * SHIFTED) - 1}
    (found,) = [one for one in of_distribution(distribution(train, more)) if one.about == "test"]
    assert "21.0 % of the texts would have to change class" in found.sentence
    less = {"a": more["a"] - 2, "b": more["b"] + 2}
    assert [one for one in of_distribution(distribution(train, less)) if one.about == "test"] == []


def test_batches_in_which_classes_are_alone() -> None:
    (found,) = of_batches(forecast_batches(COUNTS, 32))
    assert found.severity == "warning"
    assert "in batches of 32, a text of 3 of 5 classes mostly meets no other of its class" in found.sentence
    assert "2.7 classes on average" in found.sentence
    assert of_batches(forecast_batches(COUNTS, 472))[0].sentence.startswith("in batches of 472, a text of 1 of 5")
    assert of_batches(forecast_batches(COUNTS, 472))[0].severity == "note"
    assert of_batches(forecast_batches({"a": 30, "b": 30}, 16)) == []


def test_order_and_percent() -> None:
    every = [
        Finding(severity, "x", str(place)) for place, severity in enumerate(("note", "problem", "warning", "problem"))
    ]
    assert [one.sentence for one in ordered(every)] == ["1", "3", "2", "0"]
    assert [percent(share) for share in (0, 1e-6, 0.0005, 0.123, 1)] == [
        "0.0 %",
        "under 0.1 %",
        "0.1 %",
        "12.3 %",
        "100.0 %",
    ]
