import pytest
import torch

import oracles
from known import CASES, expected
from sharprecl.errors import ConfigError
from sharprecl.losses.anchor_weights import anchor_weights

KINDS = ["none", "effective_number", "code_scalar", "neg_log_prior", "log_prior"]


def test_effective_number_known_answer():
    counts_C = torch.tensor(CASES["effective_number_weights"]["inputs"]["class_counts"])
    w_C = anchor_weights("effective_number", counts_C, beta=0.9999)
    assert w_C.tolist() == pytest.approx(expected("effective_number_weights", "weights"), abs=1e-9)


@pytest.mark.parametrize("data", ["ohsumed", "trec"])
def test_code_scalar_known_answer(data):
    case = "code_scalar_instance_weight"
    counts_C = torch.tensor(CASES[case]["inputs"][f"{data}_counts_in_label_id_order"])
    w_C = anchor_weights("code_scalar", counts_C)
    assert w_C.tolist() == pytest.approx([expected(case, data)] * len(counts_C), abs=1e-8)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("counts", [[50, 10, 5], [1, 1], [1, 4000, 7, 300]])
def test_equals_the_oracle(kind, counts):
    w_C = anchor_weights(kind, torch.tensor(counts), beta=0.999)
    assert w_C.tolist() == pytest.approx(oracles.anchor_weights(kind, counts, 0.999), abs=1e-10)


def test_only_the_printed_sign_is_negative():
    counts_C = torch.tensor([50, 10, 5])
    signs = {kind: anchor_weights(kind, counts_C).sign().unique().tolist() for kind in KINDS}
    assert signs == {kind: [-1.0 if kind == "log_prior" else 1.0] for kind in KINDS}


@pytest.mark.parametrize("kind", ["effective_number", "neg_log_prior"])
def test_rarer_classes_weigh_more(kind):
    w_C = anchor_weights(kind, torch.tensor([1000, 100, 10, 1]))
    assert (w_C.diff() > 0).all()


@pytest.mark.parametrize("kind", ["effective_number", "code_scalar", "neg_log_prior"])
def test_a_class_without_texts_is_refused(kind):
    with pytest.raises(ConfigError, match=r"class ids \[0\]"):
        anchor_weights(kind, torch.tensor([0, 5]))
