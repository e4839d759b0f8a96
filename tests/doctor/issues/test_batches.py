"""The figures of ``batch_statistics`` under the names of the classes, and the sentence about them."""

import math

import pytest

from diagnoses import COUNTS, data
from sharprecl.doctor.issues.batches import Batches
from sharprecl.doctor.issues.display import DRAWN
from sharprecl.errors import ConfigError
from sharprecl.evaluation.table import DASH
from sharprecl.report.svg import INK


def issue(counts, batch_size: int) -> Batches:
    given = data(counts, batch_size=batch_size)
    return Batches(given, Batches.find(given))


def test_small_batches_by_hand() -> None:
    found = issue({"a": 3, "b": 2, "c": 1}, 2).figures
    # A pair of 6 texts is one of 15; two of one class are 3 + 1 of them.
    assert found.expected_classes == pytest.approx(2 - 4 / 15)
    assert list(found.alone) == ["a", "b", "c"]
    assert [found.alone[name] for name in "abc"] == pytest.approx([3 / 5, 4 / 5, 1.0])
    assert found.pair_ratio == pytest.approx(3.0), "3 * 2 over 2 * 1; c has no pair"
    # Two views: 4 pairs for two texts of a class in the batch, and two for each text with itself.
    pairs = {"a": 4 * 2 * 3 / 15 + 2 * 3 / 3, "c": 2 * 1 / 3}
    assert found.two_view_pair_ratio == pytest.approx(pairs["a"] / pairs["c"])
    # With prototypes and ten targets: 4 k (k - 1) + 2 * 3 k pairs of items, and ten of each of 2 k + 1 items.
    a, c = 8 * 3 / 15 + 6 * 1 + 10 * 3, 0 + 6 / 3 + 10 * (2 / 3 + 1)
    assert found.balanced_pair_ratio == pytest.approx(a / c)
    assert (found.rebalanced_pair_ratio, found.classes_with_prototypes, found.batch_size) == (1.0, 3, 2)


def test_a_batch_of_everything_and_no_pairs_at_all() -> None:
    assert issue({"a": 2, "b": 2}, 1000).figures.alone == {"a": 0.0, "b": 0.0}
    found = issue({"a": 1, "b": 1}, 2).figures
    assert found.pair_ratio is None
    assert found.two_view_pair_ratio == 1.0
    assert math.isclose(found.expected_classes, 2.0)
    with pytest.raises(ConfigError, match="batch size"):
        issue({"a": 1, "b": 1}, 0)


def test_batches_in_which_classes_are_alone() -> None:
    (found,) = issue(COUNTS, 32).findings()
    assert found.severity == "warning"
    assert "in batches of 32, a text of 3 of 5 classes mostly meets no other of its class" in found.sentence
    assert "2.7 classes on average" in found.sentence
    (found,) = issue(COUNTS, 472).findings()
    assert found.sentence.startswith("in batches of 472, a text of 1 of 5")
    assert found.severity == "note"
    assert list(issue({"a": 30, "b": 30}, 16).findings()) == []


def test_figures() -> None:
    found = dict(issue(COUNTS, 32).section().figures)
    assert found["a text of other meets no positive"] == "100.0 %"
    assert (found["positive pairs, largest class over smallest"], found["... of the targets, rebalanced"]) == (
        "79,800",
        "1.0, by construction",
    )
    assert found["positive pairs with prototypes and targets"] == "303"
    assert found["... with prototypes"] == "0.0 %, by construction"
    assert found["classes in a batch"] == "2.7"
    pairless = issue({"a": 1, "b": 1}, 2).section()
    assert dict(pairless.figures)["positive pairs, largest class over smallest"] == DASH


def test_classes_of_one_size_are_one_point() -> None:
    ((_, chart),) = issue(COUNTS, 32).charts()
    assert "<title>1 text: other: 100.0 %</title>" in chart.svg
    assert "<title>9 texts: shipping: 57.8 %</title>" in chart.svg
    ((_, chart),) = issue({"a": 9, "b": 5, "c": 5, "d": 5, "e": 5, "f": 5, "g": 1}, 64).charts()
    assert chart.svg.count("<title>") == 3
    assert "5 texts: b, c, d, e and 1 more:" in chart.svg


def test_any_number_of_classes_gives_a_picture_of_bounded_size() -> None:
    for number in (2, DRAWN + 1, 20_000):
        counts = {f"class {place}": max(1, 2 * number // (place + 1)) for place in range(number)}
        ((_, chart),) = issue(counts, 64).charts()
        assert INK not in chart.svg
        assert len(chart.svg) < 900_000
