"""In which precision a classifier answers."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from sharprecl import TextClassifier
from sharprecl.cli.main import app
from sharprecl.errors import ConfigError
from tiny import skewed_texts, tiny_encoder

TEXTS, LABELS = skewed_texts({"billing": 9, "access": 6})
BF16 = {"encoder": {"answer_precision": "bf16"}}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("saved")
    encoder = tiny_encoder(folder / "encoder", mean_pooling=True)
    TextClassifier(encoder=encoder, method="frozen", max_length=32).fit(TEXTS, LABELS).save(folder)
    return folder


def test_bf16_moves_scores_a_little(saved: Path) -> None:
    exact, rough = (TextClassifier.load(saved, "cpu", precision).scores(TEXTS) for precision in (None, "bf16"))
    assert rough.dtype == np.float32
    assert 0 < np.abs(rough - exact).max() < 0.02 * np.abs(exact).max()
    np.testing.assert_array_equal(TextClassifier.load(saved, "cpu", "fp32").scores(TEXTS), exact)


@pytest.mark.parametrize("method", ["frozen", "cross_entropy"])
def test_what_is_saved_answers_as_it_was_trained_to(method: str, saved: Path, tmp_path: Path) -> None:
    encoder = str(saved / "encoder")
    fitted = TextClassifier(encoder, method, max_length=32, config=BF16, device="cpu").fit(TEXTS, LABELS)
    fitted.save(tmp_path)
    scores = TextClassifier.load(tmp_path, "cpu").scores(TEXTS)
    np.testing.assert_array_equal(scores, fitted.scores(TEXTS))
    assert (scores != TextClassifier.load(tmp_path, "cpu", "fp32").scores(TEXTS)).any()


def test_folds_answer_in_it_too(saved: Path) -> None:
    def out_of_fold(precision: str) -> np.ndarray:
        settings = {
            "encoder": {"answer_precision": precision},
            "training": {"max_epochs": 1, "folds": 2, "precision": "fp32"},
        }
        classifier = TextClassifier(
            str(saved / "encoder"), "cross_entropy", max_length=32, config=settings, device="cpu"
        ).fit(TEXTS, LABELS)
        assert classifier.out_of_fold_ is not None
        return classifier.out_of_fold_.s_MC

    exact, rough = out_of_fold("fp32"), out_of_fold("bf16")
    assert 0 < np.abs(rough - exact).max() < 0.02 * np.abs(exact).max()


def test_on_the_command_line(saved: Path, tmp_path: Path) -> None:
    given, answers = tmp_path / "new.csv", tmp_path / "answers.csv"
    given.write_text("text\n" + "\n".join(TEXTS) + "\n")

    def run(*arguments: str) -> str:
        done = CliRunner().invoke(app, [*map(str, arguments)])
        return f"{done.output}{done.exception or ''}"

    for precision in ("fp32", "bf16"):
        run("predict", saved, given, "-o", answers, "--probabilities", "--precision", precision, "--overwrite")
        assert answers.exists()
        answers.rename(tmp_path / precision)
    assert (tmp_path / "fp32").read_text() != (tmp_path / "bf16").read_text()
    assert "'auto', 'bf16' or 'fp32'" in run("predict", saved, given, "-o", answers, "--precision", "int4")


def test_an_export_computes_as_it_was_exported(saved: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["export", str(saved), "--onnx", "--to", str(tmp_path / "onnx")])
    assert done.exit_code == 0, done.output
    with pytest.raises(ConfigError, match="ONNX export, which computes as it was exported; leave the precision out"):
        TextClassifier.load(tmp_path / "onnx", precision="bf16")
