"""Decisions on a trained classifier: without training, kept on disk, the same for the stock model, and taken back."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from transformers import pipeline
from typer.testing import CliRunner

from sharprecl import TextClassifier
from sharprecl.cli.main import app, main
from sharprecl.errors import ConfigError
from tiny import skewed_texts, tiny_encoder

COUNTS = {"billing": 60, "access": 30, "shipping": 12, "hardware": 4}
TEXTS, LABELS = skewed_texts(seed=1)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with out-of-fold scores."""
    folder = tmp_path_factory.mktemp("run")
    training = {"max_epochs": 2, "batch_size": 16, "learning_rate": 2e-3, "precision": "fp32", "folds": 3}
    fitted = TextClassifier(
        encoder=tiny_encoder(folder / "encoder", mean_pooling=True),
        max_length=32,
        view="dropout",
        config={"method": {"name": "cross_entropy"}, "training": training},
    ).fit(*skewed_texts(COUNTS))
    fitted.save(folder)
    return folder


def test_everything_decided_comes_back_and_the_stock_model_answers_so_too(run: Path, tmp_path: Path) -> None:
    decided = TextClassifier.load(run).decide(optimise="balanced_accuracy", coverage=0.7, sets=0.9, prior="uniform")
    decided.save(tmp_path)
    loaded = TextClassifier.load(tmp_path)
    ours, theirs = decided.answer(TEXTS), loaded.answer(TEXTS)
    for name in ("class_ids_N", "abstained_N", "sets_NC"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    np.testing.assert_allclose(ours.probabilities_NC, theirs.probabilities_NC, atol=1e-5)
    assert ours.abstained_N.any()
    piped = pipeline("text-classification", str(tmp_path / "model"))(TEXTS, truncation=True)
    assert [row["label"] for row in piped] == loaded.predict(TEXTS).tolist()
    np.testing.assert_array_equal(loaded.predict_set(TEXTS), ours.sets_NC)
    assert loaded.config_.decision.coverage == 0.7


def test_decisions_are_taken_back_without_a_trace(run: Path, tmp_path: Path) -> None:
    bare = TextClassifier.load(run)
    decided = TextClassifier.load(run).decide(optimise="recall:access>=0.9", calibrate=True)
    assert np.abs(decided.scores(TEXTS) - bare.scores(TEXTS)).max() > 0.1
    decided.save(tmp_path)
    back = TextClassifier.load(tmp_path).decide(optimise=None, calibrate=False)
    np.testing.assert_allclose(back.scores(TEXTS), bare.scores(TEXTS), atol=1e-5)
    assert back.policy_.is_neutral
    assert back.prior_ == pytest.approx(bare.prior_)


def test_another_prior_learns_the_thresholds_anew(run: Path) -> None:
    one = TextClassifier.load(run).decide(coverage=0.8, prior="uniform")
    other = TextClassifier.load(run).decide(coverage=0.8).for_prior("uniform")
    assert one.policy_.least_confidence == pytest.approx(other.policy_.least_confidence)
    np.testing.assert_allclose(one.scores(TEXTS), other.scores(TEXTS), atol=1e-4)
    other.held_out_ = None
    with pytest.raises(ConfigError, match="thresholds were learnt for another class prior"):
        other.for_prior("train")


def test_labelled_texts_can_be_learnt_from(run: Path) -> None:
    loaded = TextClassifier.load(run).decide(prior="uniform")
    held = loaded.held_out_of([*TEXTS, "", "a text"], [*LABELS, "access", "a label that is not known"])
    assert len(held) == len(TEXTS)
    # Bare scores, whatever was decided before.
    np.testing.assert_allclose(held.s_MC, TextClassifier.load(run).scores(TEXTS), atol=1e-5)
    assert loaded.decide(held_out=held, sets=0.8).policy_.set_level == 0.8


def test_without_held_out_texts_nothing_can_be_decided_but_the_prior(run: Path, tmp_path: Path) -> None:
    loaded = TextClassifier.load(run)
    loaded.held_out_ = None
    loaded.save(tmp_path)
    again = TextClassifier.load(tmp_path)
    assert again.held_out_ is None
    again.decide(prior="uniform")
    with pytest.raises(ConfigError, match=r"nothing was held out in training.*--on FILE"):
        again.decide(sets=0.9)
    with pytest.raises(ConfigError, match="no sets were learnt"):
        again.predict_set(TEXTS)


def test_shares_of_unlabelled_texts_are_estimated_and_taken(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = TextClassifier.load(run)
    found = loaded.for_prior_of(TEXTS)
    assert found.shares_C.sum() == pytest.approx(1)
    assert found.disagreement is not None
    if not found.doubtful:
        np.testing.assert_allclose(loaded.prior_, found.shares_C, atol=1e-9)
    monkeypatch.setattr("sharprecl.decision.shift.FARTHEST", -1.0)
    fresh = TextClassifier.load(run)
    before = fresh.scores(TEXTS)
    told = fresh.for_prior_of(TEXTS)
    assert "so the prior stays as it is" in told.sentence(fresh.classes_)
    np.testing.assert_array_equal(fresh.scores(TEXTS), before)


def invoke(*words: Any) -> str:
    result = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_the_command_decides_in_place_and_forgets_on_demand(run: Path, tmp_path: Path) -> None:
    TextClassifier.load(run).save(tmp_path)
    told = invoke("decide", tmp_path, "--sets", 0.9, "--coverage", 0.8)
    assert "calibrated on" in told
    assert "sets hold the true class 90%" in told
    assert TextClassifier.load(tmp_path).policy_.set_level == 0.9
    assert "export" not in told
    (tmp_path / "int8").mkdir()
    # What is not named stays; of two bars the last one counts.
    told = invoke("decide", tmp_path, "--precision", 0.2)
    assert "int8 still answers as before" in told
    found = TextClassifier.load(tmp_path).config_.decision
    assert (found.sets, found.coverage, found.precision) == (0.9, None, 0.2)
    invoke("decide", tmp_path, "--reset")
    np.testing.assert_allclose(
        TextClassifier.load(tmp_path).scores(TEXTS), TextClassifier.load(run).scores(TEXTS), atol=1e-5
    )
    assert TextClassifier.load(tmp_path).policy_.is_neutral


def test_evaluation_estimates_the_prior_without_labels(run: Path, tmp_path: Path) -> None:
    pl.DataFrame({"text": TEXTS, "label": LABELS}).write_csv(tmp_path / "test.csv")
    told = invoke("evaluate", run, tmp_path / "test.csv", "--prior", "estimate", "-o", tmp_path / "out")
    assert "class shares" in told


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "nothing to decide"),
        (["--optimise", "recall:nobody>=0.9"], "no training text is labelled 'nobody'"),
        (["--optimise", "f1"], "none of macro_f1, balanced_accuracy, recall:LABEL>=0.9 or a .csv file"),
        (["--optimise", "recall:access>=2"], "should read like recall:LABEL>=0.9"),
        (["--coverage", "0.9", "--precision", "0.9"], "leave out one"),
        (["--sets", "1.5"], "decision.sets"),
        (["--optimise", "nowhere.csv"], "nowhere.csv cannot be read"),
    ],
)
def test_refusals_are_one_sentence(
    run: Path, words: list[str], sentence: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["sharprecl", "decide", str(run), *words])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    told = capsys.readouterr().err
    assert sentence in told
    assert told.count("\n") == 1


def test_costs_are_read_from_both_kinds_of_file(run: Path, tmp_path: Path) -> None:
    names = sorted(COUNTS)
    (tmp_path / "misses.csv").write_text("label,cost\n" + "".join(f"{name},1\n" for name in names))
    rows = [[true, *("0" if true == given else "1" for given in names)] for true in names]
    lines = [["true", *names], *rows]
    (tmp_path / "matrix.csv").write_text("".join(f"{','.join(line)}\n" for line in lines))
    one, other = (TextClassifier.load(run).decide(optimise=str(tmp_path / f)) for f in ("misses.csv", "matrix.csv"))
    assert one.notes_[1] == other.notes_[1]
    assert "mean cost of held-out texts" in one.notes_[1]
