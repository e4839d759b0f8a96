"""The difference to a reference: paired by text, as every draw enumerated by loops has it, and in words."""

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest

from sharprecl.errors import DataError
from sharprecl.evaluation.differences import Difference, difference_sentence, macro_f1_difference, repeated_difference
from sharprecl.evaluation.judge import Evaluation, evaluate

GOLD = [0, 0, 0, 1, 1]
MODEL = [0, 0, 0, 1, 0]
OTHER = [0, 0, 1, -1, 0]


def judged(answers: list[int], gold: list[int] = GOLD) -> Evaluation:
    return evaluate(gold, answers, [9, 3], ["many", "few"], 20)


def macro_f1(gold: list[int], answers: list[int]) -> float:
    total = 0.0
    for label in (0, 1):
        found = sum(g == a == label for g, a in zip(gold, answers, strict=True))
        both = gold.count(label) + answers.count(label)
        total += 2 * found / both if both else 0.0
    return total / 2


def test_the_interval_is_that_of_every_draw_enumerated() -> None:
    plain = macro_f1(GOLD, MODEL) - macro_f1(GOLD, OTHER)
    deviations = []
    for rows in itertools.product(range(5), repeat=5):
        gold, model, other = ([answers[row] for row in rows] for answers in (GOLD, MODEL, OTHER))
        deviations.append(abs(macro_f1(gold, model) - macro_f1(gold, other) - plain))
    # What 95 % of the draws keep to, give or take what 1,999 draws leave open.
    least, most = np.quantile(deviations, [0.94, 0.96])
    found = macro_f1_difference(judged(MODEL), judged(OTHER))
    assert found.difference == pytest.approx(plain)
    low, high = found.interval
    assert plain - low == pytest.approx(high - plain)
    assert least <= high - plain <= most
    assert most < 1.3 * least


def test_texts_and_pairs_are_both_drawn_anew() -> None:
    """Two pairs: the interval is that of every draw of five texts and of two pairs, enumerated."""
    pairs = [(MODEL, OTHER), ([0, 0, 1, 1, 1], [0, 1, 1, 0, 0])]

    def gains(rows: Sequence[int]) -> list[float]:
        gold = [GOLD[row] for row in rows]
        return [
            macro_f1(gold, [model[row] for row in rows]) - macro_f1(gold, [other[row] for row in rows])
            for model, other in pairs
        ]

    first, second = gains(range(5))
    plain, deviations = (first + second) / 2, []
    for rows in itertools.product(range(5), repeat=5):
        for drawn in (plain, plain, first, second):
            # Two of the four draws of two pairs are both of them, so all vary by half of the variance of pairs.
            deviations.append(abs(sum(gains(rows)) / 2 - plain + math.sqrt(2) * (drawn - plain)))
    least, most = np.quantile(deviations, [0.94, 0.96])
    found = repeated_difference([(judged(model), judged(other)) for model, other in pairs])
    assert found.difference == pytest.approx(plain)
    low, high = found.interval
    assert plain - low == pytest.approx(high - plain)
    assert least - 1e-9 <= high - plain <= most + 1e-9


def test_what_differs_from_training_to_training_widens_the_interval() -> None:
    gold = [0] * 100 + [1] * 100

    def with_mistakes(number: int) -> Evaluation:
        return judged([*[1] * number, *gold[number:]], gold)

    other = with_mistakes(20)
    alike = repeated_difference([(with_mistakes(10), other)] * 3)
    apart = repeated_difference([(with_mistakes(number), other) for number in (0, 10, 20)])
    assert alike.difference == pytest.approx(apart.difference, abs=0.001)
    once = macro_f1_difference(with_mistakes(10), other)
    assert alike.interval == pytest.approx(once.interval), "the same models three times tell nothing of trainings"
    assert alike.interval[0] > 0 > apart.interval[0]


def test_two_whose_intervals_overlap_can_still_be_told_apart() -> None:
    """Both fail on the same texts, and one of them on some more."""
    gold = [0] * 100 + [1] * 100
    model = [*[1] * 30, *gold[30:]]
    other = [*[1] * 45, *gold[45:]]
    first, second = judged(model, gold), judged(other, gold)
    assert first.intervals["macro_f1"][0] < second.intervals["macro_f1"][1]
    found = macro_f1_difference(first, second)
    assert found.interval[0] > 0


def test_other_texts_are_refused() -> None:
    with pytest.raises(DataError, match="judged on different texts"):
        macro_f1_difference(judged(MODEL), judged(MODEL, GOLD[::-1]))


@pytest.mark.parametrize(
    ("difference", "interval", "told"),
    [
        (0.071, (0.025, 0.1165), "is 7.1 points above it (33.3 %); 95 % interval of the difference: +2.5 to +11.7."),
        (
            -0.071,
            (-0.12, -0.02),
            "is 7.1 points below it (33.3 %); 95 % interval of the difference: \u221212.0 to \u22122.0.",
        ),
        (
            -0.03,
            (-0.07, 0.01),
            "is 3.0 points below it (33.3 %), but this test cannot tell which is better; "
            "95 % interval of the difference: \u22127.0 to +1.0.",
        ),
        (
            0.0004,
            (-0.02, 0.0208),
            "equals that of it (33.3 %); 95 % interval of the difference: \u22122.0 to +2.1.",
        ),
        (0.0, (0.0, 0.0), "equals that of it (33.3 %)."),
    ],
)
def test_in_words(difference: float, interval: tuple[float, float], told: str) -> None:
    found = Difference(difference, interval)
    assert macro_f1(GOLD, OTHER) == pytest.approx(1 / 3)
    assert difference_sentence("it", judged(OTHER), found) == f"Macro-F1 {told}"
