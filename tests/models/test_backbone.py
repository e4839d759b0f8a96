"""The stock model opened at its last linear layer, for every encoder family that we name."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
import transformers as tf

from sharprecl.errors import ConfigError
from sharprecl.models import stock
from sharprecl.models.backbone import Backbone
from tiny import CONFIGS, tiny_config


def make(kind: str, pooling: str, **changes: object) -> Backbone:
    torch.manual_seed(0)
    model = tf.AutoModelForSequenceClassification.from_config(tiny_config(kind, num_labels=5, **changes))
    return Backbone(model, pooling)


def tokens() -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(1)
    ids = torch.randint(5, 40, (6, 20), generator=generator)
    mask = torch.ones_like(ids)
    mask[1, 10:] = 0
    mask[2, 3:] = 0
    return {"input_ids": ids * mask, "attention_mask": mask}


@pytest.mark.parametrize("kind", CONFIGS)
def test_native_features_and_logits_are_the_stock_models_own(kind: str) -> None:
    backbone = make(kind, "native").eval()
    with torch.no_grad():
        features = backbone(**tokens())
        stock_logits = backbone.model(**tokens()).logits
    assert features.x_NH.shape == (6, backbone.feature_dim)
    assert features.w_CH.shape == (5, backbone.feature_dim)
    torch.testing.assert_close(features.s_NC, stock_logits)
    torch.testing.assert_close(
        torch.nn.functional.linear(features.x_NH, features.w_CH, backbone.classifier.bias), stock_logits
    )


@pytest.mark.parametrize("kind", CONFIGS)
@pytest.mark.parametrize("pooling", ["native", "mean", "cls"])
def test_every_family_trains_with_every_pooling(kind: str, pooling: str) -> None:
    backbone = make(kind, pooling).train()
    features = backbone(**tokens())
    features.s_NC.logsumexp(1).sum().backward()
    assert features.w_CH.grad_fn is None, "the classifier's own weight must be handed out, not a copy"
    embeddings = backbone.model.get_input_embeddings().weight
    assert torch.isfinite(embeddings.grad).all()
    assert embeddings.grad.abs().sum() > 0


@pytest.mark.parametrize("pooling", ["native", "mean", "cls"])
def test_padding_changes_nothing(pooling: str) -> None:
    backbone = make("bert", pooling).eval()
    padded = tokens()
    short = {name: tensor[2:3, :3] for name, tensor in padded.items()}
    with torch.no_grad():
        torch.testing.assert_close(backbone(**short).s_NC, backbone(**padded).s_NC[2:3], rtol=1e-5, atol=1e-6)


def test_mean_pooling_is_the_normalised_masked_mean() -> None:
    backbone = make("bert", "mean").eval()
    inputs = tokens()
    with torch.no_grad():
        x_NH = backbone(**inputs).x_NH
        hidden = backbone.model.base_model(**inputs).last_hidden_state
    for row, length in ((0, 20), (1, 10), (2, 3)):
        mean = hidden[row, :length].double().mean(0)
        expected = (mean - mean.mean()) / mean.var(unbiased=False).sqrt()
        torch.testing.assert_close(x_NH[row].double(), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kind", CONFIGS)
@pytest.mark.parametrize("pooling", ["native", "mean", "cls"])
def test_the_cosine_reading_takes_unit_features_and_the_rows_as_they_are(kind: str, pooling: str) -> None:
    backbone = make(kind, pooling).eval()
    torch.nn.init.normal_(backbone.classifier.weight)
    if backbone.classifier.bias is not None:
        torch.nn.init.normal_(backbone.classifier.bias)
    cosine = Backbone(backbone.model, pooling, "cosine").eval()
    assert (cosine.reading, backbone.reading) == ("cosine", "linear")
    with torch.no_grad():
        features = cosine(**tokens())
        torch.testing.assert_close(features.x_NH, backbone(**tokens()).x_NH)
    assert features.w_CH is cosine.classifier.weight
    assert features.t_NCH is None
    for x_H, s_C in zip(features.x_NH, features.s_NC, strict=True):
        for w_H, s in zip(features.w_CH, s_C, strict=True):
            expected = torch.cosine_similarity(x_H.double(), w_H.double(), dim=0) * w_H.double().norm()
            assert s.item() == pytest.approx(expected.item(), rel=1e-4, abs=1e-5)


def test_the_cosine_reading_stays_in_float32_under_autocast() -> None:
    backbone = Backbone(make("bert", "mean").model, "mean", "cosine").eval()
    with torch.autocast("cpu", torch.bfloat16), torch.no_grad():
        features = backbone(**tokens())
    assert {features.x_NH.dtype, features.s_NC.dtype} == {torch.float32}
    with torch.no_grad():
        again = torch.nn.functional.normalize(features.x_NH, dim=1) @ features.w_CH.T
    torch.testing.assert_close(features.s_NC, again, rtol=1e-6, atol=1e-7)


def test_features_are_float32_under_autocast() -> None:
    backbone = make("bert", "mean")
    with torch.autocast("cpu", torch.bfloat16):
        features = backbone(**tokens())
    assert {features.x_NH.dtype, features.s_NC.dtype, features.w_CH.dtype} == {torch.float32}


def test_dropout_follows_the_mode_and_returns_after_evaluation() -> None:
    backbone = make("bert", "mean").train()
    assert not torch.equal(backbone(**tokens()).s_NC, backbone(**tokens()).s_NC)
    backbone.eval()
    assert torch.equal(backbone(**tokens()).s_NC, backbone(**tokens()).s_NC)
    backbone.train()
    assert not torch.equal(backbone(**tokens()).s_NC, backbone(**tokens()).s_NC)


def test_both_attention_kernels_answer_alike() -> None:
    backbone = make("bert", "mean", attention_probs_dropout_prob=0.0, hidden_dropout_prob=0.0)
    with torch.no_grad():
        eager = backbone.train()(**tokens()).s_NC
        fused = backbone.eval()(**tokens()).s_NC
    assert backbone.model.config._attn_implementation == "sdpa"
    torch.testing.assert_close(eager, fused, rtol=1e-5, atol=1e-6)


def test_a_model_without_a_last_linear_layer_is_refused() -> None:
    with pytest.raises(ConfigError, match="does not end in a linear layer with 7 outputs"):
        stock.last_linear(torch.nn.Sequential(torch.nn.Linear(3, 5)), 7)


def test_many_threads_may_ask_one_model() -> None:
    backbone = make("bert", "native").eval()
    batches = [{name: tensor[row : row + 1] for name, tensor in tokens().items()} for row in range(6)]
    with torch.no_grad():
        expected = [backbone(**batch).s_NC for batch in batches]

    def ask(place: int) -> bool:
        with torch.no_grad():
            return torch.equal(backbone(**batches[place % 6]).s_NC, expected[place % 6])

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(600)))


def test_a_copy_answers_like_the_original() -> None:
    backbone = make("bert", "native").eval()
    with torch.no_grad():
        expected = backbone(**tokens()).s_NC
        for copied in (copy.deepcopy(backbone), pickle.loads(pickle.dumps(backbone))):
            assert torch.equal(copied(**tokens()).s_NC, expected)


def test_the_token_that_pads_is_no_last_token() -> None:
    """Decoders pad with their end token, which may also stand behind every text."""
    backbone = make("llama", "native", pad_token_id=3).eval()
    inputs = {"input_ids": torch.tensor([[7, 9, 8, 3], [7, 9, 3, 3], [3, 3, 3, 3]]), "attention_mask": torch.ones(3, 4)}
    inputs["attention_mask"][1, 3] = 0
    inputs["attention_mask"] = inputs["attention_mask"].long()
    with torch.no_grad():
        torch.testing.assert_close(backbone(**inputs).s_NC, backbone.model(**inputs).logits)
