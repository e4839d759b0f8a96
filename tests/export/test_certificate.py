"""What an int8 file may cost, and who is told."""

import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score, precision_score, recall_score

from sharprecl.export.certificate import Budget, Certificate, ClassCost, certify

NAMES = ["a", "b", "c", "d"]


def judged(gold: list[int], float32: list[int], int8: list[int], budget: Budget = Budget()) -> Certificate:  # noqa: B008
    scores = np.eye(len(NAMES)) * 5
    return certify(np.array(gold), scores[float32], scores[int8], NAMES, budget, evaluated_on="texts")


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=40))
def test_its_figures_are_scikit_learns(rows: list[tuple[int, int, int]]) -> None:
    gold, float32, int8 = map(list, zip(*rows, strict=True))
    found = judged(gold, float32, int8)
    there = sorted(set(gold))
    for kind, answers in (("float32", float32), ("int8", int8)):
        given_to = {"labels": there, "average": None, "zero_division": 0}
        assert getattr(found, f"macro_f1_{kind}") == pytest.approx(np.mean(f1_score(gold, answers, **given_to)))
        recalls, precisions = (score(gold, answers, **given_to) for score in (recall_score, precision_score))
        for row, recall, precision in zip(found.classes, recalls, precisions, strict=True):
            assert getattr(row, f"recall_{kind}") == pytest.approx(recall)
            assert getattr(row, f"precision_{kind}") == pytest.approx(precision)
    assert [row.name for row in found.classes] == [NAMES[c] for c in there]
    assert found.without_texts == tuple(NAMES[c] for c in range(4) if c not in there)
    assert found.agreement == np.mean(np.array(float32) == np.array(int8))


@pytest.mark.parametrize(
    ("texts", "before", "after", "breaks"),
    [
        (5, 5, 4, False),  # one text of five is 20 points, and within the budget
        (5, 5, 3, True),
        (1, 1, 0, True),  # its last
        (300, 1, 0, True),
        (5, 0, 0, False),
        (200, 180, 176, False),  # 2 points
        (200, 180, 175, True),
        (200, 175, 180, False),
    ],
)
def test_what_a_class_may_lose(texts: int, before: int, after: int, breaks: bool) -> None:
    row = ClassCost("a", texts, before, after, before / texts, after / texts, 1.0, 1.0, 1.0)
    assert row.breaks(Budget()) == breaks


def test_the_budget_is_a_bound_and_what_breaks_it_is_told() -> None:
    gold = [0] * 100 + [1] * 100
    same = judged(gold, gold, gold)
    assert same.passed
    assert same.agreement == 1
    assert same.largest_difference == 0
    worse = [1] * 3 + gold[3:]
    found = judged(gold, gold, worse, Budget(macro_f1=0.3, recall=3.0))
    assert found.broken == ("macro-F1 loses 1.50 points",)
    assert judged(gold, gold, worse, Budget(macro_f1=1.6, recall=2.0)).broken == (
        "'a' goes from 100 to 97 of its 100 texts",
    )
    assert judged(gold, gold, worse, Budget(macro_f1=1.6, recall=3.0)).passed


def test_it_says_what_it_does_not_know() -> None:
    found = judged([0] * 10 + [1] * 9, [0] * 10 + [1] * 9, [0] * 10 + [1] * 9)
    assert "1 of the classes have fewer than 10 texts there, 2 have none" in found.sentence
    kept = dataclasses.replace(found, float32_layers=("layer.1",))
    assert "left in float32: layer.1" in kept.sentence
    written = json.loads(json.dumps(kept.to_dict()))
    assert written["passed"] is True
    assert written["classes"][1]["found_int8"] == 9
