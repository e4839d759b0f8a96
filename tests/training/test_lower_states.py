"""Training above frozen layers: what they give is computed once, and makes no difference."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from sharprecl.config import resolve
from sharprecl.data.tables import read_table
from sharprecl.models import stock
from sharprecl.training import encoder_task, lower_states
from sharprecl.training.history import Callback, Record, TrainingSpeed
from sharprecl.training.job import TrainingJob
from sharprecl.training.session import train
from tiny import CONFIGS, skewed_texts, tiny_encoder


class Losses(Callback):
    def __init__(self) -> None:
        self.values: list[float] = []

    def on_record(self, record: Record, speed: TrainingSpeed) -> None:
        del speed
        if record["kind"] == "step":
            self.values.append(record["loss"]["total"])


def trained(source: str, monkeypatch: pytest.MonkeyPatch, **changes: Any) -> tuple[list[float], torch.nn.Module, int]:
    """Losses, model, and how often the lowest layer ran."""
    runs = 0

    def count(*_: Any) -> None:
        nonlocal runs
        runs += 1

    move = encoder_task.Backbone.to

    def counted(self: Any, *args: Any, **kwargs: Any) -> Any:
        inside = next(each for each in stock.layers(self.model)[0].modules() if isinstance(each, torch.nn.Linear))
        inside.register_forward_hook(count)
        return move(self, *args, **kwargs)

    heard = Losses()
    wanted = {
        "encoder": {"name": source, "max_length": 24, "trainable_layers": 1},
        "training": {"max_epochs": 3, "batch_size": 16, "precision": "fp32"},
        **changes,
    }
    with monkeypatch.context() as patch:
        patch.setattr(encoder_task.Backbone, "to", counted)
        done = train(TrainingJob(read_table(skewed_texts()), resolve(wanted), heard))
    return heard.values, done.backbone.model, runs


CASES: dict[str, dict[str, Any]] = {
    "sharprecl": {},
    "two views from an augmenter": {"view": "noise"},
    "further texts behind the batch": {"method": {"name": "hybrid_sc"}},
    "micro-batches": {"training": {"max_epochs": 2, "batch_size": 16, "micro_batch": 5, "precision": "fp32"}},
    "the head of the checkpoint": {"pooling": "native"},
}


def compare(encoder: str, monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any]) -> None:
    if pooling := changes.pop("pooling", None):
        name = {"name": encoder, "max_length": 24, "trainable_layers": 1, "pooling": pooling}
        changes = {**changes, "encoder": name}
    known, model, few = trained(encoder, monkeypatch, **changes)
    monkeypatch.setattr(lower_states, "MOST_BYTES", 0)
    computed, other, many = trained(encoder, monkeypatch, **changes)
    assert few < many / 1.5
    assert len(known) > 5
    np.testing.assert_allclose(known, computed, rtol=1e-4)
    for name, weight in other.state_dict().items():
        torch.testing.assert_close(model.state_dict()[name], weight, rtol=1e-3, atol=2e-5)


@pytest.mark.parametrize("case", CASES)
def test_known_states_give_the_same_steps(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compare(tiny_encoder(tmp_path, mean_pooling=True), monkeypatch, dict(CASES[case]))


@pytest.mark.parametrize("method", ["cross_entropy", "spcl", "sharprecl"])
def test_the_lower_layers_read_every_text_once(method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the classifier starts, and what a method sees after every epoch, comes from the same states."""
    source = tiny_encoder(tmp_path, mean_pooling=True)
    *_, batches_read = trained(source, monkeypatch, method={"name": method})
    assert batches_read == 1


@pytest.mark.parametrize("architecture", sorted(CONFIGS))
def test_on_every_architecture(architecture: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compare(tiny_encoder(tmp_path, architecture), monkeypatch, {})
