"""The page beside the weights: read by the Hub and by people, the same for equal runs."""

from pathlib import Path

import numpy as np
import yaml

from sharprecl.evaluation.judge import Evaluation, evaluate
from sharprecl.evaluation.reliability import Certainty
from sharprecl.export.card import Card
from sharprecl.export.model_card import model_card, write_model_card

NAMES = ["head", "rare | odd", "unseen"]
CARD = Card(NAMES, "str", [200, 5, 30], 64, "mean", {"method": {"name": "sharprecl"}}, natural_counts=[200, 5, 30])
CERTAINTY = Certainty(0.042, (0.031, 0.055), 1.0, 0.9)


def judged() -> Evaluation:
    gold = np.array([0] * 40 + [1] * 10)
    return evaluate(gold, np.where(np.arange(50) % 10 == 0, 1 - gold, gold), np.array(CARD.class_counts), NAMES)


def page(**changes: object) -> str:
    return model_card(Card(**{**vars(CARD), **changes}), judged(), "test.csv, 50 texts", CERTAINTY, stock=True)


def test_figures_by_band_and_class_with_intervals() -> None:
    found, told = judged(), page()
    _, front, body = told.split("---\n", 2)
    assert yaml.safe_load(front)["pipeline_tag"] == "text-classification"
    assert "235 training texts in 3 classes, from 200 down to 5" in body
    assert "Judged on test.csv, 50 texts." in body
    low, high = found.intervals["macro_f1"]
    assert f"| macro-F1 | {100 * found.macro_f1:.1f} | {100 * low:.1f} to {100 * high:.1f} |" in body
    assert "macro-F1 of rare classes (under 20)" in body
    assert "macro-F1 of classes between" not in body, "it has no judged texts"
    rows = [line for line in body.splitlines() if line.startswith(("| head", "| rare \\| odd", "| unseen"))]
    assert [row.replace("\\|", "").count("|") for row in rows] == [7, 7, 7]
    assert "1 of the classes had fewer than 20 training texts" in body
    assert told == page()


def test_how_a_score_is_to_be_read() -> None:
    assert "assume no known class shares" in page()
    assert "all classes are equally frequent" in page(prior=[1 / 3] * 3)
    assert "as frequent as among the training texts" in page(prior=[200 / 235, 5 / 235, 30 / 235])
    assert "head 0.7, rare \\| odd 0.2, unseen 0.1" in page(prior=[0.7, 0.2, 0.1])
    assert "off by 4.2 points on average (95 % interval 3.1 to 5.5)" in page()
    assert "are not calibrated" in page()
    assert "were calibrated on held-out texts" in page(decided={"temperature": 1.3, "shift": [0.0] * 3})


def test_it_lies_beside_the_weights_and_says_what_loads_them(tmp_path: Path) -> None:
    for name, loader in (("model", "from transformers import pipeline"), ("opened", "TextClassifier.load")):
        (tmp_path / name).mkdir()
        write_model_card(tmp_path, CARD, judged(), "test.csv", CERTAINTY)
        assert loader in (tmp_path / name / "README.md").read_text()
    assert not (tmp_path / "adapter").exists()
