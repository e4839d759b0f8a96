import pytest
import torch

import oracles
import oracles_one_view
from known import CASES, expected, tensor
from one_view import START, build, of_logits, problem
from sharprecl.errors import ConfigError
from sharprecl.methods.base import Batch
from sharprecl.methods.weighted_cross_entropy import WeightedCrossEntropy

COUNTS = [50, 10, 5]


def test_known_weights_are_the_default():
    method = build(WeightedCrossEntropy, CASES["effective_number_weights"]["inputs"]["class_counts"])
    known = expected("effective_number_weights", "cui_normalised_sum_to_C")
    assert method.weight_C.tolist() == pytest.approx(known, rel=1e-6)


@pytest.mark.parametrize("kind", ["inverse_frequency", "effective_number"])
@pytest.mark.parametrize("beta", [0.9, 0.9999])
def test_equals_the_oracles(kind, beta):
    batch, features = problem(WeightedCrossEntropy, [0, 1, 0, 2, 1], 3)
    method = build(WeightedCrossEntropy, COUNTS, weights=kind, beta=beta)
    w_C = oracles_one_view.class_weights(kind, COUNTS, beta)
    l_N = oracles.cross_entropy(features.s_NC, batch.y_B)
    theirs = sum(w_C[y] * loss.item() for y, loss in zip(batch.y_B.tolist(), l_N, strict=True)) / 5
    # The weights are kept in float32, hence 1e-6.
    assert method.loss(batch, features, START)["total"].item() == pytest.approx(theirs, rel=1e-6)


def test_balanced_classes_give_the_known_cross_entropy():
    inputs = CASES["ce"]["inputs"]
    batch = Batch(torch.tensor(inputs["labels"]), 1)
    total = build(WeightedCrossEntropy, [7, 7, 7]).loss(batch, of_logits(tensor(inputs["logits"])), START)["total"]
    assert total.item() == pytest.approx(expected("ce", "loss_mean"), rel=1e-6)


def test_a_text_counts_the_same_in_whatever_company():
    batch, features = problem(WeightedCrossEntropy, [0, 2], 3)
    method = build(WeightedCrossEntropy, COUNTS)
    both = method.loss(batch, features, START)["total"].item()
    alone = [method.loss(Batch(batch.y_B[[k]], 1), of_logits(features.s_NC[[k]]), START)["total"] for k in (0, 1)]
    assert both == pytest.approx(sum(loss.item() for loss in alone) / 2)


def test_a_class_without_texts_is_refused():
    with pytest.raises(ConfigError, match=r"class ids \[1\]"):
        build(WeightedCrossEntropy, [5, 0])
