"""A method from outside is trained, resumed and saved as ours are, and what is saved answers without it."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from outside import METHOD, Outside
from sharprecl import MethodLoss, TextClassifier
from sharprecl.cli.main import app
from sharprecl.errors import CheckpointError, ConfigError
from sharprecl.testing import Stopping, check_method
from tiny import skewed_texts, tiny_encoder


def test_it_keeps_the_contract(outside: Outside) -> None:
    check_method(outside.write(), outside.folder, factor=1.5)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (
            METHOD.replace("self.factor * super", "-self.factor * super"),
            "gives 0.* of new texts their class, little more",
        ),
        (
            METHOD.replace("return self.factor", "self.factor *= 1.01\n        return self.factor"),
            "ends elsewhere; is all",
        ),
    ],
)
def test_what_breaks_the_contract_is_told(outside: Outside, wrong: str, sentence: str) -> None:
    with pytest.raises(AssertionError, match=rf"^{outside.address}.*{sentence}"):
        check_method(outside.write(wrong), outside.folder)


@pytest.fixture
def classifier(outside: Outside) -> TextClassifier:
    encoder = tiny_encoder(outside.folder / "encoder", mean_pooling=True)
    config = {"method": {"factor": 3.0}, "training": {"max_epochs": 2, "checkpoint_seconds": 0.0}, "view": "dropout"}
    return TextClassifier(encoder, outside.write(), max_length=32, config=config, device="cpu")


def test_changed_code_is_not_resumed(outside: Outside, classifier: TextClassifier) -> None:
    texts, labels = skewed_texts()
    with pytest.raises(InterruptedError):
        classifier.fit(texts, labels, output="run", callback=Stopping(3))
    outside.write(METHOD.replace("return self.factor", "return 2 * self.factor"))
    with pytest.raises(CheckpointError, match="other settings or other data, or of other code; start anew"):
        classifier.fit(texts, labels, output="run", resume=True)
    outside.write(METHOD + "\n# a remark\n")
    classifier.fit(texts, labels, output="run", resume=True)


def test_a_saved_classifier_answers_without_the_method(outside: Outside, classifier: TextClassifier) -> None:
    texts, labels = skewed_texts()
    classifier.fit(texts, labels).save("saved")
    card = json.loads(Path("saved/sharprecl.json").read_text())
    assert card["not_stock_because"] == ""
    assert card["config"]["method"] == {"name": outside.address, "factor": 3.0, "kind": "plain"}
    Path(f"{outside.name}.py").unlink()
    outside.forget()
    loaded = TextClassifier.load("saved", device="cpu")
    assert outside.name not in sys.modules
    np.testing.assert_allclose(loaded.scores(texts), classifier.scores(texts), rtol=1e-3, atol=1e-4)
    assert loaded.config_.kept() == classifier.config_.kept()
    assert loaded.for_prior("uniform").predict(texts[:3]).shape == (3,)
    with pytest.raises(ConfigError, match=f"there is no module '{outside.name}'"):
        loaded.fit(texts, labels)


def test_it_is_a_loss_for_other_loops(outside: Outside) -> None:
    classifier = torch.nn.Linear(5, 3)
    loss = MethodLoss(outside.write(), classifier, [5, 2, 1], total_steps=2, factor=3.0)
    logits = classifier(torch.randn(4, 5))
    labels = torch.tensor([0, 1, 2, 0])
    assert loss(labels).item() == pytest.approx(3 * torch.nn.functional.cross_entropy(logits, labels).item())


def test_the_command_refuses_its_settings_before_any_model_is_loaded(outside: Outside) -> None:
    outside.write(METHOD.replace("gt=0", "gt=0, lt=9"))
    Path("data.csv").write_text("text,label\none,a\ntwo,b\nthree,a\nfour,b\n")
    words = ["train", "data.csv", "-o", "run", "--method", outside.address, "--set", "method.factor=9"]
    refused = CliRunner().invoke(app, words).exception
    assert str(refused) == "method.factor: Input should be less than 9"
    assert not Path("run").exists()


def test_installed_ones_are_listed_and_a_broken_one_says_why(outside: Outside) -> None:
    outside.write()
    outside.install("a_package", mine=outside.address, broken="nowhere:Mine")
    said = CliRunner().invoke(app, ["methods"], env={"COLUMNS": "400"}).output.splitlines()
    assert [line.partition("  ")[0] for line in said[-2:]] == ["broken", "mine"]
    assert "there is no module 'nowhere'" in said[-2]
    assert said[-1].endswith("  Twice cross-entropy.")
