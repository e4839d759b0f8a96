"""Micro-batches: the gradients of the whole batch, dropout and all, in less memory."""

from collections.abc import Callable, Sequence

import pytest
import torch

from sharprecl.config import METHODS, method_settings, resolve
from sharprecl.data.packing import PackedRows
from sharprecl.data.tables import read_table
from sharprecl.data.tokens import tokenize
from sharprecl.errors import ConfigError
from sharprecl.methods.base import Progress
from sharprecl.models import stock
from sharprecl.models.features import Features
from sharprecl.training import encoder_task
from sharprecl.training.encoder_task import EncoderTask, LabelledTokens
from sharprecl.training.processes import ALONE
from sharprecl.training.session import Prepared, make_task
from tiny import skewed_texts, tiny_encoder

TRAINED = [name for name in METHODS if method_settings(name).trains_encoder]


class AtOnce:
    """The same forwards, all with their graphs."""

    def __init__(self, forward: Callable[[PackedRows], Features], device: torch.device) -> None:
        del device
        self._forward = forward

    def features(self, parts: Sequence[PackedRows]) -> list[Features]:
        return [self._forward(part) for part in parts]

    def backward(self) -> None:
        """Nothing is left to do."""


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return tiny_encoder(tmp_path_factory.mktemp("encoder"), mean_pooling=True)


def task_for(encoder: str, method: str) -> EncoderTask:
    table = read_table(skewed_texts())
    wanted = {
        "encoder": {"name": encoder, "max_length": 32},
        "method": {"name": method},
        "training": {"batch_size": 32, "micro_batch": 5},
    }
    config, tokenizer = resolve(wanted), stock.load_tokenizer(encoder)
    tokens = tokenize(table.texts, tokenizer, 32)
    views = (tokens, tokens) if config.method.views == "same" else (tokens,)
    train = LabelledTokens(views, table.label_ids)
    pooling = "cls" if method == "dualcl" else "mean"
    prepared = Prepared(config, table.label_names, pooling, "fp32", table.class_counts, train, None)
    task = make_task(prepared, encoder, tokenizer, torch.device("cpu"), ALONE)
    task.begin()
    task.train_mode(0)
    return task


def gradients(task: EncoderTask) -> tuple[float, dict[str, torch.Tensor], torch.Tensor]:
    torch.manual_seed(5)
    terms = task.forward_backward(task.batches(0)[0], Progress(30, 100, 1, 4))
    named = [*task.backbone.named_parameters(), *task.method.named_parameters()]
    return terms["total"], {name: p.grad for name, p in named if p.grad is not None}, torch.rand(3)


@pytest.mark.parametrize("method", TRAINED)
def test_gradients_are_those_of_the_whole_batch(method: str, encoder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    total, cached, drawn = gradients(task_for(encoder, method))
    monkeypatch.setattr(encoder_task, "Replay", AtOnce)
    expected_total, expected, expected_drawn = gradients(task_for(encoder, method))
    assert total == pytest.approx(expected_total, abs=1e-6)
    assert cached.keys() == expected.keys()
    for name, gradient in expected.items():
        torch.testing.assert_close(cached[name], gradient, rtol=1e-4, atol=1e-6, msg=name)
    # What is drawn afterwards is what would have been drawn.
    assert torch.equal(drawn, expected_drawn)


def test_no_graph_is_kept_between_the_forwards(encoder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    held = []
    forward = EncoderTask._forward

    def watched(self: EncoderTask, part: PackedRows) -> Features:
        features = forward(self, part)
        held.append((len(part.rows), features.x_NH.requires_grad))
        return features

    monkeypatch.setattr(EncoderTask, "_forward", watched)
    gradients(task_for(encoder, "sharprecl"))
    half = len(held) // 2
    assert half >= 5
    assert {with_graph for _, with_graph in held[:half]} == {False}
    assert {with_graph for _, with_graph in held[half:]} == {True}
    assert max(texts for texts, _ in held) <= 5


def test_a_micro_batch_larger_than_the_batch_is_refused() -> None:
    with pytest.raises(ConfigError, match="micro_batch is 64, but a batch has only 32 texts"):
        resolve({"training": {"batch_size": 32, "micro_batch": 64}})
