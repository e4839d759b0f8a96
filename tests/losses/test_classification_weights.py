import pytest
import torch

import oracles_one_view as oracles
from known import CASES, expected
from sharprecl.errors import ConfigError
from sharprecl.losses.classification_weights import classification_weights

KINDS = ["inverse_frequency", "effective_number"]


def test_effective_number_known_answer():
    case = CASES["effective_number_weights"]
    w_C = classification_weights("effective_number", torch.tensor(case["inputs"]["class_counts"]), beta=0.9999)
    assert w_C.tolist() == pytest.approx(expected("effective_number_weights", "cui_normalised_sum_to_C"), rel=1e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("beta", [0.0, 0.9, 0.9999])
@pytest.mark.parametrize("counts", [[50, 10, 5], [1, 1], [1, 4000, 7, 300], [3]])
def test_equals_the_oracle(kind, beta, counts):
    w_C = classification_weights(kind, torch.tensor(counts), beta)
    assert w_C.tolist() == pytest.approx(oracles.class_weights(kind, counts, beta), rel=1e-9)
    assert w_C.sum().item() == pytest.approx(len(counts))


def test_the_effective_number_lies_between_all_alike_and_the_inverse_frequency():
    counts_C = torch.tensor([4000, 300, 7])
    weights = [classification_weights("effective_number", counts_C, beta) for beta in (0.0, 0.999, 1 - 1e-9)]
    assert weights[0].tolist() == pytest.approx([1.0] * 3)
    assert 1 < weights[1][2] < weights[2][2]
    assert weights[2].tolist() == pytest.approx(
        classification_weights("inverse_frequency", counts_C).tolist(), rel=1e-4
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_class_without_texts_is_refused(kind):
    with pytest.raises(ConfigError, match=r"class ids \[0\]"):
        classification_weights(kind, torch.tensor([0, 5]))
