"""Fewer layers to run and fewer to train, on every architecture that the tests can make."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForSequenceClassification

from sharprecl import TextClassifier
from sharprecl.config import EncoderConfig
from sharprecl.errors import ConfigError
from sharprecl.models import stock
from sharprecl.models.backbone import Backbone, open_backbone
from tiny import CONFIGS, skewed_texts, tiny_encoder

NAMES = ("a", "b", "c")


@pytest.fixture(scope="module", params=sorted(CONFIGS))
def encoder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    return tiny_encoder(tmp_path_factory.mktemp(request.param), request.param)


def opened(encoder: str, **settings: Any) -> Backbone:
    return open_backbone(encoder, NAMES, "mean", encoder=EncoderConfig(**settings))


def test_the_first_layers_are_kept_and_saved(encoder: str, tmp_path: Path) -> None:
    whole, part = opened(encoder), opened(encoder, layers=1)
    assert len(stock.layers(whole.model)) > len(stock.layers(part.model)) == 1
    kept = stock.layers(whole.model)[0].state_dict()
    assert all(torch.equal(weight, kept[name]) for name, weight in stock.layers(part.model)[0].state_dict().items())
    part.model.save_pretrained(tmp_path)
    again = AutoModelForSequenceClassification.from_pretrained(tmp_path).eval()
    ids = torch.tensor([[2, 5, 6, 3]])
    with torch.no_grad():
        torch.testing.assert_close(again(input_ids=ids).logits, part.model.eval()(input_ids=ids).logits)


def test_what_lies_below_is_neither_trained_nor_dropped(encoder: str) -> None:
    backbone = opened(encoder, trainable_layers=1).train()
    layers = stock.layers(backbone.model)
    assert not any(weight.requires_grad for weight in layers[0].parameters())
    assert all(weight.requires_grad for weight in layers[-1].parameters())
    assert not backbone.model.get_input_embeddings().weight.requires_grad
    assert backbone.classifier.weight.requires_grad
    assert not any(module.training for module in layers[0].modules())
    assert layers[-1].training
    frozen = opened(encoder, trainable_layers=0)
    assert not any(weight.requires_grad for weight in stock.layers(frozen.model).parameters())


def test_without_attention_dropout_the_fast_kernel_trains(encoder: str) -> None:
    backbone = opened(encoder, attention_dropout=0.0).train()
    if getattr(backbone.model, "_supports_sdpa", False):
        assert backbone.model.config._attn_implementation == "sdpa"
        backbone.bf16 = True
        assert backbone.train().model.config._attn_implementation == "eager"
        assert backbone.eval().model.config._attn_implementation == "sdpa"
    again = opened(encoder, attention_dropout=0.5).train()
    if backbone.model.config.model_type == "bert":
        assert again.model.config._attn_implementation == "eager"
        assert again.model.bert.encoder.layer[0].attention.self.dropout.p == 0.5


def test_what_frozen_layers_share_with_the_others_is_frozen(encoder: str) -> None:
    backbone = opened(encoder, trainable_layers=1).eval()
    ids, seen = torch.tensor([[2, 5, 6, 3]]), []
    hook = stock.layers(backbone.model)[-2].register_forward_hook(lambda *call: seen.append(call[2]))
    backbone.model.base_model(input_ids=ids)
    hook.remove()
    below = seen[0][0] if isinstance(seen[0], tuple) else seen[0]
    assert not below.requires_grad
    assert any(weight.requires_grad for weight in backbone.parameters())


def test_too_many_are_refused(encoder: str) -> None:
    with pytest.raises(ConfigError, match=r"encoder.layers is 99, but this encoder has \d layers"):
        opened(encoder, layers=99)
    with pytest.raises(ConfigError, match=r"encoder.trainable_layers is 99"):
        opened(encoder, trainable_layers=99)


def test_a_training_leaves_the_lower_layers_as_they_were(tmp_path: Path) -> None:
    encoder = tiny_encoder(tmp_path / "encoder", mean_pooling=True)
    settings = {"encoder": {"layers": 2, "trainable_layers": 1}, "training": {"max_epochs": 1, "batch_size": 16}}
    fitted = TextClassifier(encoder=encoder, max_length=32, config=settings).fit(*skewed_texts())
    fitted.save(tmp_path / "run")
    before = opened(encoder)
    after = AutoModelForSequenceClassification.from_pretrained(tmp_path / "run" / "model")
    same, other = (
        [
            torch.equal(weight, stock.layers(before.model)[number].state_dict()[name])
            for name, weight in after.bert.encoder.layer[number].state_dict().items()
        ]
        for number in (0, 1)
    )
    assert all(same)
    assert not any(other)
    # The third holds the mean pooling.
    assert json.loads((tmp_path / "run" / "model" / "config.json").read_text())["num_hidden_layers"] == 3
