"""The export changes the form of the model, not its answers."""

from pathlib import Path

import numpy as np
import pytest
import torch
import transformers as tf

from sharprecl.errors import ConfigError, ExportError
from sharprecl.export import stock
from sharprecl.export.stock import stock_model, unfolded
from sharprecl.models.backbone import Backbone, open_backbone
from sharprecl.models.stock import load_classifier
from tiny import tiny_config


def make(kind: str, pooling: str, **changes: object) -> Backbone:
    torch.manual_seed(0)
    model = tf.AutoModelForSequenceClassification.from_config(tiny_config(kind, num_labels=5, **changes))
    torch.nn.init.normal_(model.get_input_embeddings().weight)
    backbone = Backbone(model, pooling)
    torch.nn.init.normal_(backbone.classifier.weight)
    if backbone.classifier.bias is not None:
        torch.nn.init.normal_(backbone.classifier.bias)
    return backbone.eval()


def tokens() -> dict[str, torch.Tensor]:
    ids = torch.randint(5, 40, (16, 24), generator=torch.Generator().manual_seed(1))
    lengths = torch.arange(2, 18).clamp_max(24)[:, None]
    mask = (torch.arange(24)[None] < lengths).long()
    return {"input_ids": ids * mask, "attention_mask": mask}


@pytest.mark.parametrize("kind", ["bert", "roberta"])
@pytest.mark.parametrize("pooling", ["native", "mean", "cls"])
@pytest.mark.parametrize("attention", ["sdpa", "eager"])
def test_the_stock_class_gives_the_same_answers(kind: str, pooling: str, attention: str, tmp_path: Path) -> None:
    backbone = make(kind, pooling)
    stock_model(backbone).save_pretrained(tmp_path)
    loaded = tf.AutoModelForSequenceClassification.from_pretrained(tmp_path, attn_implementation=attention).eval()
    with torch.no_grad():
        expected, found = backbone(**tokens()).s_NC, loaded(**tokens()).logits
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=2e-5)
    assert (found.softmax(1) - expected.softmax(1)).abs().max() < 1e-5
    assert torch.equal(found.argmax(1), expected.argmax(1))


@pytest.mark.parametrize("kind", ["bert", "roberta"])
@pytest.mark.parametrize("pooling", ["native", "mean", "cls"])
def test_in_float16_it_answers_alike(kind: str, pooling: str) -> None:
    backbone = make(kind, pooling)
    with torch.no_grad():
        # Token vectors as long as those of trained encoders, whose largest entries are near 30.
        list(backbone.model.base_model.encoder.layer)[-1].output.LayerNorm.weight.mul_(10.0)
        expected = backbone(**tokens()).s_NC
        found = stock_model(backbone).half()(**tokens()).logits.float()
    scale = expected.abs().max()
    assert scale > 5, "a test of tiny logits would prove nothing"
    assert (found - expected).abs().max() < 1e-2 * scale


@pytest.mark.parametrize("pooling", ["native", "mean", "cls"])
@pytest.mark.parametrize("earlier", [False, True])
def test_what_was_folded_is_taken_back_exactly(
    pooling: str, earlier: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if earlier:  # the numbers of the first saved models, whose mean overflowed float16
        monkeypatch.setattr(stock, "DROWNING", 2.0**20)
        monkeypatch.setattr(stock, "DIMMED", 1.0)
    backbone = make("bert", pooling)
    stock_model(backbone).save_pretrained(tmp_path)
    model = load_classifier(str(tmp_path))
    assert unfolded(model) == pooling
    read = Backbone(model, pooling).eval()
    with torch.no_grad():
        found, expected = read(**tokens()), backbone(**tokens())
    assert torch.equal(found.s_NC, expected.s_NC)
    assert torch.equal(found.x_NH, expected.x_NH)
    assert not hasattr(model.config, "sharprecl_pooling")
    assert len(model.base_model.encoder.layer) == model.config.num_hidden_layers == 2


@pytest.mark.parametrize("kind", ["mpnet", "distilbert", "modernbert", "llama"])
def test_an_architecture_without_room_for_the_mean_says_so(kind: str) -> None:
    with pytest.raises(ExportError, match=r"cannot express 'mean' pooling .* train with pooling 'native'"):
        stock_model(make(kind, "mean"))


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_folded_layers_are_not_trained_further(pooling: str, tmp_path: Path) -> None:
    backbone = make("bert", pooling)
    stock_model(backbone).save_pretrained(tmp_path)
    with pytest.raises(ConfigError, match=rf"exported, with its {pooling} pooling folded .* the encoder that it was"):
        load_classifier(str(tmp_path), tuple("abcde"))
    assert load_classifier(str(tmp_path)).config.num_labels == 5
    # What is native is trained further like any other checkpoint.
    stock_model(make("bert", "native")).save_pretrained(tmp_path / "native")
    assert load_classifier(str(tmp_path / "native"), tuple("abcde")).config.num_labels == 5


def test_the_backbone_itself_is_left_as_it_was() -> None:
    backbone = make("bert", "mean")
    before = {name: tensor.clone() for name, tensor in backbone.state_dict().items()}
    stock_model(backbone)
    assert all(torch.equal(before[name], tensor) for name, tensor in backbone.state_dict().items())
    assert backbone.model.config.num_hidden_layers == 2


@pytest.mark.asset
def test_minilm_with_mean_pooling_on_2000_texts() -> None:
    """The parity that the README promises: probabilities within 1e-5, every answer equal."""
    from sharprecl.assets import resolve_encoder
    from sharprecl.data.batches import collate
    from sharprecl.data.benchmarks import load_benchmark
    from sharprecl.data.tokens import tokenize
    from sharprecl.models.stock import load_tokenizer

    source = resolve_encoder("minilm")
    benchmark = load_benchmark("r52")
    with torch.random.fork_rng():
        torch.manual_seed(0)
        backbone = open_backbone(source, benchmark.train.label_names, "mean").eval()
        # As far apart as the logits of a well-trained model.
        torch.nn.init.normal_(backbone.classifier.weight, std=0.25)
    exported = stock_model(backbone)
    tokenizer = load_tokenizer(source)
    tokens_ = tokenize(benchmark.test.texts[:2000], tokenizer, 24)
    largest, equal, scale = 0.0, 0, 0.0
    for index in np.array_split(np.argsort(tokens_.lengths, kind="stable"), 32):
        inputs = collate(tokens_, index, tokenizer.pad_token_id)
        with torch.no_grad():
            expected, found = backbone(**inputs).s_NC, exported(**inputs).logits
        largest = max(largest, float((expected.softmax(1) - found.softmax(1)).abs().max()))
        equal += int((expected.argmax(1) == found.argmax(1)).sum())
        scale = max(scale, float(expected.abs().max()))
    assert scale > 10, "a test of tiny logits would prove nothing"
    assert largest < 1e-5
    assert equal == 2000
