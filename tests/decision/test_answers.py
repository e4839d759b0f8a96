"""A decision is the same in Python, on disk, in the stock model and on the command line."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from transformers import pipeline
from typer.testing import CliRunner

from sharprecl import TextClassifier
from sharprecl.cli.main import app
from sharprecl.config import METHODS
from sharprecl.data.tables import read_table
from sharprecl.errors import ConfigError
from sharprecl.methods.base import Method
from sharprecl.methods.registry import method_class
from tiny import skewed_texts, tiny_encoder

PRIOR = {"billing": 0.1, "access": 0.2, "shipping": 0.3, "hardware": 0.4}
TEXTS, LABELS = skewed_texts(seed=1)
METHODS = [name for name in METHODS if issubclass(method_class(name), Method)]


@pytest.fixture(scope="module")
def encoders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("encoders")
    made = {kind: tiny_encoder(folder / kind, kind) for kind in ("bert", "llama")}
    return {**made, "mean": tiny_encoder(folder / "mean", mean_pooling=True)}


def fit(
    encoder: str,
    method: str = "cross_entropy",
    counts: dict[str, int] | None = None,
    select_on: str = "last",
    **decision: Any,
) -> Any:
    section = {"n_pos": 3, "n_neg": 9} if method == "sharprecl" else {}
    training = {"max_epochs": 4, "batch_size": 8, "learning_rate": 2e-3, "precision": "fp32", "select_on": select_on}
    return TextClassifier(
        encoder=encoder,
        max_length=32,
        view="dropout",
        config={"method": {"name": method, **section}, "training": training, "decision": decision},
    ).fit(*skewed_texts(counts))


@pytest.mark.parametrize("encoder", ["bert", "mean"])
def test_python_disk_and_pipeline_answer_alike(encoders: dict[str, str], encoder: str, tmp_path: Path) -> None:
    plain, turned = fit(encoders[encoder]), fit(encoders[encoder], prior=PRIOR)
    shift_C = np.log([PRIOR[name] for name in plain.classes_]) - np.log(plain.class_counts_ / 65)
    expected = plain.scores(TEXTS) + shift_C - shift_C.mean()
    np.testing.assert_allclose(turned.scores(TEXTS), expected, atol=1e-5)
    assert (turned.predict(TEXTS) != plain.predict(TEXTS)).any()
    card = turned.save(tmp_path)
    assert card.not_stock_because == ""
    assert card.shift == []
    loaded = TextClassifier.load(tmp_path)
    np.testing.assert_allclose(loaded.scores(TEXTS), expected, atol=1e-4)
    piped = pipeline("text-classification", str(tmp_path / "model"), top_k=None)(TEXTS, truncation=True)
    chances = [[{row["label"]: row["score"] for row in rows}[name] for name in turned.classes_] for rows in piped]
    np.testing.assert_allclose(chances, turned.predict_proba(TEXTS), atol=1e-4)


def test_one_prior_after_another_ends_at_the_last(encoders: dict[str, str], tmp_path: Path) -> None:
    turned = fit(encoders["mean"], prior="uniform")
    direct = turned.scores(TEXTS)
    turned.save(tmp_path)
    loaded = TextClassifier.load(tmp_path).for_prior(PRIOR).for_prior("train").for_prior("uniform")
    np.testing.assert_allclose(loaded.scores(TEXTS), direct, atol=1e-4)
    np.testing.assert_allclose(loaded.prior_, 0.25)
    assert loaded.config_.decision.prior == "uniform"
    with pytest.raises(ConfigError, match="no share for"):
        loaded.for_prior({"billing": 1})


def test_copies_do_not_say_how_frequent_a_class_is(encoders: dict[str, str], tmp_path: Path) -> None:
    texts, labels = skewed_texts()
    rare = [row for row, label in enumerate(labels) if label == "hardware"]
    made = [(f"{texts[row]} {copy}", labels[row], row + 1) for row in rare for copy in ("the", "a", "of")]
    rows = [*((text, label, None) for text, label in zip(texts, labels, strict=True)), *made]
    frame = pl.DataFrame(rows, schema=["text", "label", "augmented_from"], orient="row")
    table = read_table(frame)
    config = {"method": {"name": "cross_entropy"}, "training": {"max_epochs": 1}, "decision": {"prior": "train"}}
    turned = TextClassifier(encoder=encoders["mean"], max_length=32, view="dropout", config=config).fit(table)
    natural = np.array([16, 40, 2, 7]) / 65
    assert turned.class_counts_.tolist() == [16, 40, 8, 7]
    np.testing.assert_allclose(turned.prior_, natural)
    np.testing.assert_allclose(np.diff(turned.decision_.decision.shift_C)[1], np.log(1 / 4))
    turned.save(tmp_path)
    loaded = TextClassifier.load(tmp_path).for_prior("uniform").for_prior("train")
    np.testing.assert_allclose(loaded.prior_, natural)
    np.testing.assert_allclose(loaded.scores(TEXTS), turned.scores(TEXTS), atol=1e-4)


@pytest.mark.parametrize(("method", "encoder"), [("dualcl", "mean"), ("cross_entropy", "llama")])
def test_what_no_layer_takes_in_stands_in_the_card(
    encoders: dict[str, str], method: str, encoder: str, tmp_path: Path
) -> None:
    plain, turned = fit(encoders[encoder], method), fit(encoders[encoder], method, prior=PRIOR)
    shift_C = np.log([PRIOR[name] for name in plain.classes_]) - np.log(plain.class_counts_ / 65)
    expected = plain.scores(TEXTS) + shift_C - shift_C.mean()
    np.testing.assert_allclose(turned.scores(TEXTS), expected, atol=1e-5)
    card = turned.save(tmp_path)
    assert card.not_stock_because
    assert not (tmp_path / "model").exists(), "its answers would be those without the decision"
    loaded = TextClassifier.load(tmp_path)
    np.testing.assert_allclose(loaded.scores(TEXTS), expected, atol=1e-4)
    loaded.save(tmp_path / "again")
    again = TextClassifier.load(tmp_path / "again").for_prior("train")
    np.testing.assert_allclose(again.scores(TEXTS), plain.scores(TEXTS), atol=1e-4)


def test_calibration_is_fitted_on_held_out_texts_and_folded_in(encoders: dict[str, str], tmp_path: Path) -> None:
    counts = {"billing": 200, "access": 80, "shipping": 40, "hardware": 20}
    plain = fit(encoders["mean"], counts=counts, select_on="validation")
    calibrated = fit(encoders["mean"], counts=counts, select_on="validation", calibrate=True)
    fitted = calibrated.decision_.calibration
    assert fitted.fitted
    assert fitted.n_texts == len(plain.trained_.validation) == 34
    assert fitted.sentence in calibrated.notes_
    np.testing.assert_allclose(calibrated.scores(TEXTS), fitted.decision.apply(plain.scores(TEXTS)), atol=1e-5)
    calibrated.save(tmp_path)
    np.testing.assert_allclose(
        TextClassifier.load(tmp_path).predict_proba(TEXTS), calibrated.predict_proba(TEXTS), atol=1e-4
    )


@pytest.mark.parametrize("method", METHODS)
def test_every_method_says_what_its_scores_are_for(method: str) -> None:
    kind = method_class(method)
    counts = np.array([60, 30, 10])
    prior_C = kind.answered_prior(counts, kind.Config())
    known = {
        **dict.fromkeys(("focal", "dice", "ldam_drw", "spcl")),
        **dict.fromkeys(("cross_entropy", "simcse", "scl_ce", "dualcl"), counts / 100),
        "sharprecl": (counts / 100) ** (1 - kind.Config().compensation) if method == "sharprecl" else None,
    }
    expected = known.get(method, np.ones(3))
    if expected is None:
        assert prior_C is None
    else:
        tolerance = 5e-3 if method == "weighted_cross_entropy" else 1e-12
        np.testing.assert_allclose(prior_C, expected / expected.sum(), atol=tolerance)


@pytest.mark.parametrize("method", ["balanced_softmax", "logit_adjustment"])
def test_half_the_compensation_leaves_half_the_prior(method: str) -> None:
    kind = method_class(method)
    found = kind.answered_prior(np.array([16, 4]), kind.Config(tau=0.5))
    np.testing.assert_allclose(found, [2 / 3, 1 / 3])


def test_a_prior_that_cannot_be_worked_out_is_refused_before_training(encoders: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match="scores of focal are for no known class prior"):
        fit(encoders["mean"], "focal", prior="train")
    with pytest.raises(ConfigError, match="gives no share for"):
        fit(encoders["mean"], prior={"billing": 1.0})


def test_the_command_line_answers_alike(encoders: dict[str, str], tmp_path: Path) -> None:
    texts, labels = skewed_texts()
    pl.DataFrame({"text": texts, "label": labels}).write_csv(tmp_path / "data.csv")
    pl.DataFrame({"text": TEXTS, "label": LABELS}).write_csv(tmp_path / "new.csv")
    (tmp_path / "prior.csv").write_text("label,share\n" + "".join(f"{name},{p}\n" for name, p in PRIOR.items()))
    common = ["--encoder", encoders["mean"], "--method", "cross_entropy", "--max-epochs", "4", "--batch-size", "8"]
    common += ["--max-length", "32", "--learning-rate", "2e-3", "--set", "training.precision=fp32"]

    def command(*words: object) -> None:
        found = CliRunner().invoke(app, [str(word) for word in words])
        assert found.exit_code == 0, found.output

    def chances(run: str, *more: object) -> np.ndarray:
        out = tmp_path / f"{run}-{len(more)}.csv"
        command("predict", tmp_path / run, tmp_path / "new.csv", "-o", out, "--probabilities", *more)
        table = pl.read_csv(out)
        return table.select(f"probability {name}" for name in sorted(PRIOR)).to_numpy()

    prior = "--prior", tmp_path / "prior.csv"
    for run, more in (("plain", ()), ("turned", prior)):
        test = "--test", tmp_path / "new.csv"
        command("train", tmp_path / "data.csv", "-o", tmp_path / run, *test, *common, *more)
    expected = fit(encoders["mean"], prior=PRIOR).predict_proba(TEXTS)
    np.testing.assert_allclose(chances("turned"), expected, atol=1e-4)
    np.testing.assert_allclose(chances("plain", *prior), expected, atol=1e-4)
    command("evaluate", tmp_path / "plain", tmp_path / "new.csv", *prior)
    figures = json.loads((tmp_path / "plain/evaluations/new.csv-prior-prior.csv/metrics.json").read_text())
    trained = json.loads((tmp_path / "turned/metrics.json").read_text())
    assert figures["evaluation"]["confusion"] == trained["evaluation"]["confusion"]
    assert trained["decision"]["prior"] == pytest.approx([PRIOR[name] for name in sorted(PRIOR)])
