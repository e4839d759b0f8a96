"""Weights in training: a number of repeats, whatever the method."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from sharprecl import TextClassifier
from sharprecl.config import METHODS
from sharprecl.data.resampling import Resampling
from sharprecl.data.tables import TextTable
from sharprecl.errors import ConfigError, DataError
from sharprecl.methods.registry import method_class
from sharprecl.training.history import Callback, Record, TrainingSpeed
from tiny import skewed_texts, tiny_encoder

COUNTS = {"billing": 12, "access": 6, "shipping": 5}
TEXTS, LABELS = skewed_texts(COUNTS)
REPEATS = np.random.default_rng(3).integers(1, 5, len(TEXTS))
TRAINED = [name for name, kind in METHODS.items() if kind.trains_encoder and kind.views != "none"]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return tiny_encoder(tmp_path_factory.mktemp("encoder"), mean_pooling=True)


def make(encoder: str, method: str = "cross_entropy", **parameters: Any) -> TextClassifier:
    usual = {"max_epochs": 2, "batch_size": 8, "max_length": 32}
    return TextClassifier(encoder=encoder, method=method, **{**usual, **parameters})


class Losses(Callback):
    """Keeps the losses, and stops where it is told to."""

    def __init__(self, most: int = 10**9) -> None:
        self.losses: list[dict[str, float]] = []
        self.most = most

    def on_record(self, record: Record, speed: TrainingSpeed) -> None:
        if record["kind"] == "step":
            self.losses.append(record["loss"])
        if len(self.losses) >= self.most:
            raise KeyboardInterrupt


@pytest.mark.parametrize("method", [*TRAINED, "frozen"])
def test_equal_weights_change_nothing_and_zero_leaves_out(encoder: str, method: str) -> None:
    """Bit by bit, every step's loss and the answers."""
    steps = {} if method == "frozen" else {"max_epochs": 2, "batch_size": 8}
    plain, equal, zero = Losses(), Losses(), Losses()
    make = TextClassifier(encoder=encoder, method=method, max_length=32, **steps).fit
    expected = make(TEXTS, LABELS, callback=plain).scores(TEXTS[:4])
    # For a fit with a penalty the scale of the weights says how many texts there are.
    weight = 1.0 if method == "frozen" else 0.25
    found = make(TEXTS, LABELS, np.full(len(TEXTS), weight), callback=equal).scores(TEXTS[:4])
    left_out = [*TEXTS, "refund parcel", "login"]
    again = make(left_out, [*LABELS, "billing", "unheard"], [weight] * len(TEXTS) + [0, 0], callback=zero)
    assert plain.losses == equal.losses == zero.losses
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(again.scores(TEXTS[:4]), expected)
    assert again.classes_.tolist() == sorted(COUNTS), "a class of texts that are left out is none"


@pytest.mark.parametrize("method", [*TRAINED, "frozen"])
def test_the_prior_is_that_of_repeated_rows(encoder: str, method: str) -> None:
    steps: dict[str, Any] = {} if method == "frozen" else {"max_epochs": 1, "batch_size": 32}
    if method == "weighted_cross_entropy":
        # Its usual effective number of texts grows with their number, which weights leave as it is.
        steps["config"] = {"method": {"weights": "inverse_frequency"}}
    fit = TextClassifier(encoder=encoder, method=method, max_length=32, **steps).fit
    weighted = fit(TEXTS, LABELS, REPEATS)
    shares = weighted.natural_counts_ / weighted.natural_counts_.sum()
    prior = weighted.prior_
    repeated = fit(np.repeat(TEXTS, REPEATS), np.repeat(LABELS, REPEATS))
    np.testing.assert_allclose(shares, repeated.natural_counts_ / REPEATS.sum())
    assert (prior is None) == (repeated.prior_ is None)
    if prior is not None:
        np.testing.assert_allclose(prior, repeated.prior_)


def test_an_exact_fit_is_that_on_repeated_rows(encoder: str) -> None:
    for balanced in (True, False):
        settings = {"method": {"balanced": balanced}}
        frozen = TextClassifier(encoder=encoder, method="frozen", max_length=32, config=settings)
        weighted = frozen.fit(TEXTS, LABELS, REPEATS).scores(TEXTS)
        repeated = frozen.fit(np.repeat(TEXTS, REPEATS), np.repeat(LABELS, REPEATS)).scores(TEXTS)
        np.testing.assert_allclose(weighted, repeated, rtol=1e-4, atol=1e-4)
        assert np.abs(weighted - frozen.fit(TEXTS, LABELS).scores(TEXTS)).max() > 1e-3


class Shape:
    """All that these methods ask of a backbone."""

    feature_dim, num_classes = 8, 3


@pytest.mark.parametrize(
    ("method", "settings", "uniform"),
    [
        ("class_balanced_sampling", {}, True),
        ("hybrid_sc", {}, False),
        ("spcl", {"curriculum": False}, False),
        ("spcl", {"curriculum": True}, False),
    ],
)
def test_methods_that_draw_by_themselves_heed_weights(method: str, settings: dict[str, Any], uniform: bool) -> None:
    label_ids, weight_N = np.repeat([0, 1, 2], [12, 6, 4]), np.tile([3.0, 1.0], 11)
    share_N = weight_N / weight_N.sum()
    count_C = 22 * np.bincount(label_ids, share_N)
    made = method_class(method).build(Shape(), count_C, METHODS[method](**settings), 5)
    made.resampling = Resampling(weight_N, 5)
    made.on_features(torch.ones(22, 8), torch.from_numpy(label_ids), 0, 400)
    draws = [made.draw(label_ids, epoch) for epoch in range(400)]
    class_N = share_N / np.bincount(label_ids, share_N)[label_ids] / 3
    for kind, expected_N in (("rows", class_N if uniform else share_N), ("extra", class_N)):
        drawn = [getattr(draw, kind) for draw in draws if getattr(draw, kind) is not None]
        if drawn:
            found_N = np.bincount(np.concatenate(drawn), minlength=22)
            expected_N = found_N.sum() * expected_N
            assert (np.abs(found_N - expected_N) < 5 * np.sqrt(expected_N)).all(), "five standard deviations at most"


@pytest.mark.parametrize("method", ["sharprecl", "hybrid_sc", "spcl", "class_balanced_sampling", "tsc"])
def test_a_weighted_training_is_resumed_to_the_bit(encoder: str, method: str, tmp_path: Path) -> None:
    classifier = make(encoder, method, config={"training": {"checkpoint_seconds": 0}})
    whole = classifier.fit(TEXTS, LABELS, REPEATS).scores(TEXTS)
    with pytest.raises(KeyboardInterrupt):
        classifier.fit(TEXTS, LABELS, REPEATS, output=tmp_path, callback=Losses(most=4))
    with pytest.raises(OSError, match="other settings or other data"):
        classifier.fit(TEXTS, LABELS, REPEATS[::-1], output=tmp_path, resume=True)
    resumed = classifier.fit(TEXTS, LABELS, REPEATS, output=tmp_path, resume=True).scores(TEXTS)
    np.testing.assert_array_equal(resumed, whole)


def test_class_weights_multiply_those_of_texts(encoder: str) -> None:
    balanced = make(encoder, class_weight="balanced", max_epochs=1).fit(TEXTS, LABELS, REPEATS)
    np.testing.assert_allclose(balanced.prior_, 1 / 3)
    np.testing.assert_allclose(balanced.natural_counts_, len(TEXTS) / 3)
    assert balanced.class_counts_.tolist() == [6, 12, 5]
    twice = make(encoder, class_weight={"access": 2}, max_epochs=1).fit(TEXTS, LABELS)
    np.testing.assert_allclose(twice.prior_, np.array([12, 12, 5]) / 29)


def test_folds_and_calibration_weigh_too(encoder: str) -> None:
    settings = {"training": {"folds": 2}, "decision": {"calibrate": True, "prior": "train"}}
    texts, labels = skewed_texts({"billing": 30, "access": 20})
    weight_N = np.where(np.asarray(labels) == "access", 3.0, 1.0)
    classifier = make(encoder, config=settings, max_epochs=1).fit(texts, labels, weight_N)
    np.testing.assert_allclose(classifier.prior_, [60 / 90, 30 / 90])
    repeated = make(encoder, config=settings, max_epochs=1).fit(texts, labels)
    assert classifier.decision_.calibration.strength != repeated.decision_.calibration.strength


def test_a_table_takes_weights(encoder: str) -> None:
    table = TextTable(("refund", "login", "card"), np.array([1, 0, 1]), ("access", "billing"), "test")
    classifier = make(encoder, max_epochs=1).fit(table, sample_weight=[1, 2, 0])
    np.testing.assert_allclose(classifier.prior_, [2 / 3, 1 / 3])


def test_mistakes_are_sentences(encoder: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="every sample_weight is zero"):
        make(encoder).fit(TEXTS, LABELS, np.zeros(len(TEXTS)))
    with pytest.raises(DataError, match="more than one class"):
        make(encoder).fit(["a", "b", "c"], ["x", "y", "y"], [0, 1, 1])
    with pytest.raises(ConfigError, match="no training text is labelled with"):
        make(encoder, class_weight={"unheard": 2}).fit(TEXTS, LABELS)
    with pytest.raises(ConfigError, match="openai_finetune takes no weights, for the provider takes each text once"):
        TextClassifier(method="openai_finetune").fit(TEXTS, LABELS, REPEATS, output=tmp_path)
