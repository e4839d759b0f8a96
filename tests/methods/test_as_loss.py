"""A method as a loss: equal to the method itself, in step with its schedule, and plain about what cannot be one."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from sharprecl import MethodLoss
from sharprecl.config import METHODS
from sharprecl.errors import ConfigError
from sharprecl.methods.base import Batch, Method, Progress
from sharprecl.methods.registry import method_class
from sharprecl.models.features import Features

COUNTS = [40, 12, 3, 1]
LABELS = torch.tensor([0, 1, 2, 0, 0, 3, 1])
LOSSES = {
    "balanced_softmax", "bcl", "cross_entropy", "dice", "focal", "ldam_drw", "logit_adjustment", "scl_ce", "sharprecl",
    "simcse", "weighted_cross_entropy",
}  # fmt: skip


def _classifier(num_classes: int = 4) -> nn.Linear:
    torch.manual_seed(3)
    return nn.Linear(8, num_classes)


def _make(name: str = "sharprecl", **changes: Any) -> tuple[nn.Linear, MethodLoss]:
    classifier = changes.pop("classifier", None) or _classifier()
    return classifier, MethodLoss(name, classifier, COUNTS, **{"total_steps": 10, **changes})


def _rows(views: int = 2) -> torch.Tensor:
    return torch.randn(views * len(LABELS), 8, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("name", sorted(LOSSES))
def test_it_is_the_method(name: str) -> None:
    classifier, loss = _make(name, seed=5)
    kind = method_class(name)
    shape = type("Shape", (), {"feature_dim": 8, "num_classes": 4})()
    method = kind.build(shape, np.array(COUNTS), kind.Config(), 5)
    x_NH = _rows(1 if kind.Config.views == "one" else 2)
    features = Features(x_NH, classifier(x_NH), classifier.weight, b_C=classifier.bias)
    views = len(x_NH) // len(LABELS)
    for step in range(3):
        wanted = method.loss(Batch(LABELS, views), features, Progress(step, 10, step, 10))
        classifier(x_NH)
        torch.testing.assert_close(loss(LABELS), wanted["total"], rtol=0, atol=0)
        assert loss.terms.keys() == wanted.keys()


def test_what_needs_more_than_a_loss_says_what() -> None:
    refused = {}
    for name in set(METHODS) - LOSSES:
        with pytest.raises(ConfigError, match=r"is more than a loss: .*; train it with TextClassifier") as error:
            _make(name)
        refused[name] = str(error.value)
    assert "draws its own batches" in refused["hybrid_sc"]
    assert "trains in stages" in refused["tsc"]


def test_the_classifier_stays_the_model_s() -> None:
    classifier, loss = _make()
    assert not {id(p) for p in loss.parameters()} & {id(p) for p in classifier.parameters()}
    classifier(_rows())
    loss(LABELS).backward()
    assert all(p.grad is not None for p in (*classifier.parameters(), *loss.parameters()))


def test_the_schedule_follows_the_losses_with_gradients() -> None:
    classifier, loss = _make(total_steps=2)
    with torch.no_grad():
        classifier(_rows())
        loss(LABELS)
    assert loss.step == 0
    for _ in range(4):
        classifier(_rows())
        assert loss(LABELS).isfinite()
    assert loss.step == 4


def test_its_state_goes_on_where_it_stopped() -> None:
    classifier, loss = _make()
    classifier(_rows())
    loss(LABELS)
    _, again = _make(classifier=classifier)
    again.load_state_dict(copy.deepcopy(loss.state_dict()))
    losses = []
    for one in (loss, again):
        classifier(_rows())
        losses.append(one(LABELS))
    torch.testing.assert_close(*losses, rtol=0, atol=0)


def test_it_copies_and_pickles_with_its_model() -> None:
    classifier, loss = _make()
    model = nn.ModuleDict({"classifier": classifier, "loss": loss})
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        other["classifier"](_rows())
        classifier(_rows())
        torch.testing.assert_close(other["loss"](LABELS), _again(classifier, loss), rtol=0, atol=0)


def _again(classifier: nn.Linear, loss: MethodLoss) -> torch.Tensor:
    before = copy.deepcopy(loss.state_dict())
    value = loss(LABELS)
    loss.load_state_dict(before)
    return value


def test_wrong_calls_say_what_to_do() -> None:
    classifier, loss = _make()
    with pytest.raises(ConfigError, match="call the model first"):
        loss(LABELS)
    classifier(_rows()[:-1])
    with pytest.raises(ConfigError, match="13 rows for 7 labels"):
        loss(LABELS)
    with pytest.raises(ConfigError, match="call the model first"):
        loss(LABELS)
    with pytest.raises(ConfigError, match="3 classes and class_counts 4"):
        _make(classifier=_classifier(3))
    with pytest.raises(ConfigError, match="total_steps is 0"):
        _make(total_steps=0)
    with pytest.raises(ConfigError, match="temprature: there is no such setting"):
        _make(temprature=0.3)
    with pytest.raises(ConfigError, match="these settings make sharprecl more than a loss"):
        _make(without="CLS")


def test_what_the_method_answers_with_is_written_into_the_classifier() -> None:
    classifier, loss = _make("logit_adjustment")
    before = classifier(_rows())
    loss.finalize()
    method = loss.method
    wanted = method.logits(Features(_rows(), before, classifier.weight, b_C=classifier.bias))
    assert not torch.equal(classifier(_rows()), before)
    torch.testing.assert_close(classifier(_rows()).argmax(1), wanted.argmax(1))


def test_who_draws_or_trains_in_stages_says_so() -> None:
    for name, settings in METHODS.items():
        kind = method_class(name)
        plain = issubclass(kind, Method) and (kind.draw, kind.begins_stage) == (Method.draw, Method.begins_stage)
        assert not settings.more_than_a_loss or not plain or kind.reading != "linear" or not settings.trains_encoder
        assert settings.more_than_a_loss or (plain and kind.reading == "linear" and settings.trains_encoder), name
