"""Logistic regression on frozen features: scikit-learn's probabilities, in the backbone and in what is exported."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.utils.class_weight import compute_class_weight
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from one_view import START, WIDTH, build, of_logits
from sharprecl import TextClassifier
from sharprecl.config.methods import FrozenConfig
from sharprecl.decision import softmax
from sharprecl.errors import DataError
from sharprecl.methods.base import Batch
from sharprecl.methods.frozen import Frozen, fit_logistic
from tiny import skewed_texts, tiny_encoder

COUNTS = [50, 10, 5]


def problem(counts: list[int], size: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y_N = np.repeat(np.arange(len(counts)), counts)
    x_NH = rng.normal(size=(len(y_N), WIDTH)) + 0.7 * y_N[:, None] * rng.normal(size=WIDTH)
    return size * x_NH / np.sqrt(np.square(x_NH).mean()), y_N


@pytest.mark.parametrize("with_bias", [True, False])
@pytest.mark.parametrize("balanced", [True, False])
@pytest.mark.parametrize("counts", [COUNTS, [40, 4], [40, 1]], ids=str)
def test_the_rows_give_scikit_learns_probabilities(counts: list[int], balanced: bool, with_bias: bool) -> None:
    x_NH, y_N = problem(counts)
    theirs = LogisticRegression(
        C=0.5, class_weight="balanced" if balanced else None, fit_intercept=with_bias, max_iter=1000
    ).fit(x_NH, y_N)
    w_CH, b_C = fit_logistic(x_NH, y_N, balanced=balanced, inverse_penalty=0.5, with_bias=with_bias)
    assert (w_CH.shape, b_C.shape) == ((len(counts), WIDTH), (len(counts),))
    np.testing.assert_allclose(softmax(x_NH @ w_CH.T + b_C), theirs.predict_proba(x_NH), atol=1e-6)
    assert with_bias or not b_C.any()


def test_the_size_of_the_features_changes_nothing() -> None:
    probabilities = []
    for size in (1.0, 300.0):
        x_NH, y_N = problem(COUNTS, size)
        w_CH, b_C = fit_logistic(x_NH, y_N, balanced=True, inverse_penalty=0.1, with_bias=True)
        probabilities.append(softmax(x_NH @ w_CH.T + b_C))
    np.testing.assert_allclose(*probabilities, atol=1e-9)


def test_features_that_are_all_zero_give_the_prior() -> None:
    w_CH, b_C = fit_logistic(
        np.zeros((4, 2)), np.array([0, 0, 0, 1]), balanced=False, inverse_penalty=1, with_bias=True
    )
    assert not w_CH.any()
    np.testing.assert_allclose(softmax(b_C[None]), [[0.75, 0.25]], atol=1e-4)


@pytest.mark.parametrize("balanced", [True, False])
def test_the_loss_weighs_texts_as_scikit_learn_does(balanced: bool) -> None:
    y_N = np.repeat(np.arange(3), COUNTS)
    weight_C = compute_class_weight("balanced" if balanced else None, classes=np.arange(3), y=y_N)
    s_NC = torch.randn(len(y_N), 3, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    lost_N = -np.log(softmax(s_NC.numpy())[np.arange(len(y_N)), y_N])
    # Their weights sum to the number of texts.
    expected = (weight_C[y_N] * lost_N).sum() / len(y_N)
    terms = build(Frozen, COUNTS, balanced=balanced).loss(Batch(torch.from_numpy(y_N), 1), of_logits(s_NC), START)
    assert terms["total"].item() == pytest.approx(expected, rel=1e-6)


def test_settling_makes_the_layer_answer_as_the_method_did() -> None:
    x_NH, y_N = problem(COUNTS)
    features = of_logits(torch.zeros(len(y_N), 3, dtype=torch.float64))
    features = type(features)(torch.from_numpy(x_NH), features.s_NC, features.w_CH)
    for bias in (True, False):
        layer = torch.nn.Linear(WIDTH, 3, bias=bias).double()
        backbone = SimpleNamespace(feature_dim=WIDTH, num_classes=3, classifier=layer)
        method = Frozen.build(backbone, np.array(COUNTS), FrozenConfig(C=1.0), 0).double()
        method.on_features(torch.from_numpy(x_NH), torch.from_numpy(y_N), 0, 1)
        method.finalize(layer)
        torch.testing.assert_close(layer(features.x_NH), method.logits(features))
        assert len(set(layer(features.x_NH).argmax(1).tolist())) == 3


@pytest.fixture(scope="module")
def encoders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("encoders")
    return {
        "bert": tiny_encoder(folder / "bert"),
        "sentence": tiny_encoder(folder / "sentence", mean_pooling=True),
        "llama": tiny_encoder(folder / "llama", "llama"),
    }


def make(encoder: str, **method: Any) -> TextClassifier:
    config = {"method": {"name": "frozen", **method}, "training": {"select_on": "last"}}
    return TextClassifier(encoder=encoder, max_length=32, config=config)


@pytest.mark.parametrize("counts", [None, {"billing": 30, "access": 6}, {"billing": 9, "access": 1}], ids=str)
@pytest.mark.parametrize("encoder", ["bert", "sentence"])
def test_the_stock_model_has_scikit_learns_probabilities(
    encoders: dict[str, str], encoder: str, counts: dict[str, int] | None, tmp_path: Path
) -> None:
    texts, labels = skewed_texts(counts)
    classifier = make(encoders[encoder], C=0.5).fit(texts, labels)
    x_NH = classifier.embed(texts).astype(np.float64)
    x_NH /= np.sqrt(np.square(x_NH).mean())
    theirs = LogisticRegression(C=0.5, class_weight="balanced", max_iter=1000).fit(x_NH, labels)
    assert theirs.classes_.tolist() == classifier.classes_.tolist()
    assert classifier.save(tmp_path).not_stock_because == ""
    stock = AutoModelForSequenceClassification.from_pretrained(tmp_path / "model").eval()
    inputs = AutoTokenizer.from_pretrained(tmp_path / "model")(texts, padding=True, return_tensors="pt")
    inputs.pop("token_type_ids", None)
    with torch.no_grad():
        probabilities = stock(**inputs).logits.softmax(1).numpy()
    np.testing.assert_allclose(probabilities, theirs.predict_proba(x_NH), atol=1e-5)
    np.testing.assert_allclose(TextClassifier.load(tmp_path).predict_proba(texts), probabilities, atol=1e-5)


def test_a_classifier_without_bias_is_fitted_without(encoders: dict[str, str]) -> None:
    texts, labels = skewed_texts()
    classifier = make(encoders["llama"]).fit(texts, labels)
    assert classifier.trained_ is not None
    assert classifier.trained_.predictor.backbone.classifier.bias is None
    assert np.isfinite(classifier.scores(texts)).all()


def test_balanced_weights_find_more_of_the_rare_classes(encoders: dict[str, str]) -> None:
    texts, labels = skewed_texts()
    recall = {}
    for balanced in (True, False):
        answers = make(encoders["sentence"], balanced=balanced).fit(texts, labels).predict(texts)
        rare = np.asarray(labels) != "billing"
        recall[balanced] = np.mean(answers[rare] == np.asarray(labels)[rare])
    assert recall[True] > recall[False]


def test_one_class_is_refused_at_the_door_as_for_every_method(encoders: dict[str, str]) -> None:
    sentences = []
    for method in ("frozen", "cross_entropy"):
        with pytest.raises(DataError, match="more than one class") as caught:
            TextClassifier(encoder=encoders["bert"], method=method).fit(["a", "b"], ["same", "same"])
        sentences.append(str(caught.value))
    assert sentences[0] == sentences[1]
