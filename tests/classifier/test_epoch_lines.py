"""What ``verbose`` prints."""

from pathlib import Path

import numpy as np
import pytest

from sharprecl import TextClassifier
from tiny import skewed_texts, tiny_encoder


def test_verbose_prints_a_line_an_epoch_and_changes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    encoder = tiny_encoder(tmp_path, mean_pooling=True)
    texts, labels = skewed_texts({"billing": 8, "access": 6})
    settings = {"encoder": encoder, "method": "cross_entropy", "max_epochs": 2, "batch_size": 4, "max_length": 32}
    capsys.readouterr()
    silent = TextClassifier(**settings).fit(texts, labels)
    assert capsys.readouterr().out == ""
    loud = TextClassifier(**settings, verbose=1).fit(texts, labels)
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(" loss ")[0] for line in lines] == ["epoch 1:", "epoch 2:"]
    assert "step 4 of 8" in lines[0]
    assert "step 8 of 8" in lines[1]
    np.testing.assert_array_equal(loud.scores(texts), silent.scores(texts))


def test_folds_and_validation_have_lines_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    encoder = tiny_encoder(tmp_path, mean_pooling=True)
    texts, labels = skewed_texts({"billing": 8, "access": 6})
    settings = {"encoder": encoder, "method": "cross_entropy", "max_epochs": 1, "max_length": 32, "verbose": 1}
    TextClassifier(**settings, config={"training": {"folds": 2}}).fit(texts, labels)
    lines = [line for line in capsys.readouterr().out.splitlines() if "loss" in line]
    assert [line.partition(": loss")[0] for line in lines] == [
        "fold 1 of 2: epoch 1",
        "fold 2 of 2: epoch 1",
        "epoch 1",
    ]
    TextClassifier(**settings, select_on="validation").fit(texts, labels)
    assert "validation macro-F1" in capsys.readouterr().out
