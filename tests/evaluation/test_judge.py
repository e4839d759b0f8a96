"""evaluate: values, JSON bytes, and one clear sentence for each way to misuse it."""

import json
import pickle

import numpy as np
import pytest

from sharprecl.errors import DataError
from sharprecl.evaluation.judge import evaluate

TRUE, PREDICTED = [0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 0]
NAMES = ["big", "middle", "rare"]
TRAIN = [200, 50, 2]


def test_values():
    result = evaluate(TRUE, PREDICTED, TRAIN, NAMES)
    assert result.accuracy == pytest.approx(2 / 3)
    assert result.macro_f1 == pytest.approx(0.4888888889)
    assert result.balanced_accuracy == pytest.approx((2 / 3 + 1) / 3)
    assert result.n_texts == 6
    assert [row.name for row in result.classes] == NAMES
    assert (result.classes[1].train_count, result.classes[1].test_count) == (50, 2)
    assert result.classes[1].precision == pytest.approx(2 / 3)
    assert result.score("tail") == 0.0
    assert result.score("macro_f1") == result.macro_f1
    assert result.confusion.tolist() == [[2, 1, 0], [0, 2, 0], [1, 0, 0]]


def test_no_answer_is_wrong_and_nobodys_false_positive():
    result = evaluate([*TRUE, 2, 2], [*PREDICTED, -1, -1], TRAIN, NAMES)
    assert (result.n_texts, result.unanswered) == (8, 2)
    assert result.accuracy == 4 / 8
    plain = evaluate(TRUE, PREDICTED, TRAIN, NAMES)
    assert [row.precision for row in result.classes] == [row.precision for row in plain.classes]
    assert result.classes[2].test_count == 3
    # One text more of a class that is never found, once answered wrongly and once not at all.
    silent, wrong = (evaluate([0, 0, 1, 1], [0, 0, 1, answer], TRAIN, NAMES) for answer in (-1, 2))
    assert silent.accuracy == wrong.accuracy
    assert silent.classes[1].recall == wrong.classes[1].recall == 0.5
    assert silent.intervals["accuracy"] == pytest.approx(wrong.intervals["accuracy"], abs=0.05)
    assert silent.intervals["accuracy"][0] < 0.75 < silent.intervals["accuracy"][1]


def test_band_without_texts_has_neither_score_nor_interval():
    result = evaluate([0, 1], [0, 1], TRAIN, NAMES)
    assert result.score("tail") is None
    assert "tail" not in result.intervals
    assert result.to_dict()["bands"]["tail"] == {"macro_f1": None, "n_classes": 1, "n_texts": 0}


def test_json_is_plain_unrounded_and_equal_between_equal_runs():
    first, second = (json.dumps(evaluate(TRUE, PREDICTED, TRAIN, NAMES, 100, 7).to_dict()) for _ in range(2))
    assert first == second
    parsed = json.loads(first)
    assert parsed["macro_f1"] == evaluate(TRUE, PREDICTED, TRAIN, NAMES).macro_f1
    assert parsed["bootstrap"] == {"resamples": 100, "seed": 7, "level": 0.95}
    assert parsed["classes"][0]["name"] == "big"


def test_evaluation_is_frozen_and_pickles():
    result = evaluate(TRUE, PREDICTED, TRAIN, NAMES)
    with pytest.raises(ValueError, match="read-only"):
        result.confusion[0, 0] = 5
    assert pickle.loads(pickle.dumps(result)).to_dict() == result.to_dict()


@pytest.mark.parametrize(
    ("true", "predicted", "train", "sentence"),
    [
        ([], [], TRAIN, "no test texts"),
        ([0, 1], [0], TRAIN, "one prediction for each test text"),
        ([0, 3], [0, 1], TRAIN, "true labels hold the id 3"),
        ([0, 1], [0, -2], TRAIN, "predictions hold the id -2"),
        ([0, 1], [0, 1], [5, 5], "one count for each label name"),
        (["big", "rare"], ["big", "rare"], TRAIN, "not label names"),
        ([0.0, 1.0], [0, 1], TRAIN, "not integers"),
    ],
)
def test_misuse_gets_one_sentence(true, predicted, train, sentence):
    with pytest.raises(DataError, match=sentence):
        evaluate(np.array(true), np.array(predicted), train, NAMES)
