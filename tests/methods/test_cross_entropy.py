from types import SimpleNamespace

import numpy as np
import pytest
import torch

from known import CASES, tensor
from sharprecl.config.methods import CrossEntropyConfig
from sharprecl.methods.base import Batch, Progress
from sharprecl.methods.cross_entropy import CrossEntropy
from sharprecl.models.features import Features

METHOD = CrossEntropy.build(SimpleNamespace(feature_dim=4, num_classes=3), np.array([3, 2, 1]), CrossEntropyConfig(), 0)
PROGRESS = Progress(0, 1, 0, 1)


def features(s_NC):
    return Features(torch.zeros(len(s_NC), 4, dtype=s_NC.dtype), s_NC, torch.zeros(3, 4, dtype=s_NC.dtype))


def test_known_answer():
    case = CASES["ce"]
    batch = Batch(torch.tensor(case["inputs"]["labels"]), 1)
    terms = METHOD.loss(batch, features(tensor(case["inputs"]["logits"])), PROGRESS)
    assert terms["total"].item() == pytest.approx(case["expected"]["loss_mean"], abs=1e-9)
    assert terms["classification"] is terms["total"]


def test_has_one_view_and_nothing_to_save():
    assert CrossEntropy.Config.views == "one"
    assert CrossEntropy.not_exportable_because == ""
    assert METHOD.state_dict() == {}


def test_answers_with_the_bare_logits():
    s_NC = torch.randn(2, 3, generator=torch.Generator().manual_seed(0))
    assert METHOD.logits(features(s_NC)) is s_NC


def test_half_precision_logits_are_scored_in_float32():
    s_NC = torch.tensor([[3.0, 1.0, 0.1]], dtype=torch.bfloat16)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        terms = METHOD(Batch(torch.tensor([1]), 1), features(s_NC), PROGRESS)
    assert terms["total"].dtype == torch.float32
    exact = torch.nn.functional.cross_entropy(s_NC.float(), torch.tensor([1]))
    assert terms["total"].item() == exact.item()
