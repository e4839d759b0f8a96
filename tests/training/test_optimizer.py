"""Groups, rates and the plan."""

import itertools

import numpy as np
import pytest
import torch
import transformers as tf

from sharprecl.config import TrainingConfig
from sharprecl.config.sharprecl import SharpReCLConfig
from sharprecl.methods.sharprecl import SharpReCL
from sharprecl.models.backbone import Backbone
from sharprecl.training.optimizer import (
    learning_rate_factor,
    parameter_groups,
    resolve_batch_size,
    resolve_schedule,
)
from tiny import tiny_config


@pytest.mark.parametrize(("texts", "size"), [(10, 16), (1000, 16), (1024, 32), (2048, 64), (5000, 128), (10**6, 128)])
def test_auto_batch_size_leaves_32_steps(texts: int, size: int) -> None:
    assert resolve_batch_size(TrainingConfig(), texts) == size
    assert resolve_batch_size(TrainingConfig(batch_size=7), texts) == 7


@pytest.mark.parametrize(("hidden", "rate"), [(384, 2e-4), (768, 5e-5), (1024, 2e-5)])
def test_the_learning_rate_follows_the_encoders_size(hidden: int, rate: float) -> None:
    plan = resolve_schedule(TrainingConfig(max_epochs=3), 128, 10, hidden)
    assert (plan.learning_rate, plan.head_learning_rate, plan.total_steps) == (rate, 1e-3, 30)
    given = resolve_schedule(TrainingConfig(learning_rate=1e-5, head_learning_rate=1e-4), 128, 10, hidden)
    assert (given.learning_rate, given.head_learning_rate) == (1e-5, 1e-4)


def test_every_parameter_is_in_one_group_with_the_right_rate_and_decay() -> None:
    model = tf.AutoModelForSequenceClassification.from_config(tiny_config(num_labels=3))
    backbone = Backbone(model, "native")
    method = SharpReCL.build(backbone, np.array([5, 3, 1]), SharpReCLConfig(), 0)
    config = TrainingConfig(weight_decay=0.1)
    plan = resolve_schedule(config, 16, 10, 32)
    groups = parameter_groups(backbone, method, config, plan)
    found = {id(p): group for group in groups for p in group["params"]}
    assert len(found) == sum(len(group["params"]) for group in groups)
    assert set(found) == {id(p) for p in [*backbone.parameters(), *method.parameters()]}
    embedding = found[id(model.bert.embeddings.word_embeddings.weight)]
    norm = found[id(model.bert.embeddings.LayerNorm.weight)]
    head, bias = found[id(model.classifier.weight)], found[id(model.classifier.bias)]
    side = found[id(next(method.feature_head.parameters()))]
    assert (embedding["lr"], embedding["weight_decay"]) == (2e-4, 0.1)
    assert (norm["lr"], norm["weight_decay"]) == (2e-4, 0.0)
    assert (head["lr"], head["weight_decay"]) == (side["lr"], side["weight_decay"]) == (1e-3, 0.1)
    assert (bias["lr"], bias["weight_decay"]) == (1e-3, 0.0)
    all_decayed = parameter_groups(backbone, method, TrainingConfig(weight_decay=0.1, decay_all=True), plan)
    assert {group["weight_decay"] for group in all_decayed} == {0.1}


def test_the_rate_rises_and_falls() -> None:
    linear = TrainingConfig(warmup=0.1)
    factors = [learning_rate_factor(step, 100, linear) for step in range(100)]
    assert factors[0] == pytest.approx(1 / 11)
    assert factors[10] == 1.0
    assert all(a < b for a, b in itertools.pairwise(factors[:11]))
    assert all(a > b > 0 for a, b in itertools.pairwise(factors[10:]))
    constant = TrainingConfig(schedule="constant", warmup=0.0)
    assert {learning_rate_factor(step, 100, constant) for step in range(100)} == {1.0}
    assert learning_rate_factor(0, 1, TrainingConfig(warmup=1.0)) > 0


def test_torch_accepts_the_groups() -> None:
    model = tf.AutoModelForSequenceClassification.from_config(tiny_config(num_labels=3))
    backbone = Backbone(model, "mean")
    config = TrainingConfig()
    groups = parameter_groups(backbone, torch.nn.Identity(), config, resolve_schedule(config, 16, 10, 32))
    assert len(torch.optim.AdamW(groups).param_groups) == 4
