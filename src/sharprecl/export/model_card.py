"""``README.md`` beside the weights, as the Hugging Face Hub shows it: data, figures, how a score is to be read, limits.

It quotes no text, tells of no path, and is the same for equal runs.
"""

from pathlib import Path

import numpy as np
import yaml

from sharprecl.evaluation.bands import HEAD_OVER, TAIL_UNDER
from sharprecl.evaluation.judge import Evaluation
from sharprecl.evaluation.reliability import Certainty
from sharprecl.export.card import ADAPTER, OPENED, STOCK, Card
from sharprecl.files import write_text

FILE = "README.md"

_BANDS = {
    "head": f"frequent classes (over {HEAD_OVER} training texts)",
    "medium": "classes between",
    "tail": f"rare classes (under {TAIL_UNDER})",
}


def write_model_card(run: Path, card: Card, judged: Evaluation, on: str, certainty: Certainty) -> None:
    """Write the card of the weights that lie in a run, if any do.

    Args:
        run: the run's folder.
        card: of its classifier.
        judged: its evaluation.
        on: which texts that was on.
        certainty: what its confidence was worth on them.
    """
    for name in (STOCK, OPENED, ADAPTER):
        if (run / name).is_dir():
            write_text(run / name / FILE, model_card(card, judged, on, certainty, stock=name == STOCK))


def model_card(card: Card, judged: Evaluation, on: str, certainty: Certainty, *, stock: bool) -> str:
    """The page as Markdown."""
    about = {
        "library_name": "transformers" if stock else "sharprecl",
        "pipeline_tag": "text-classification",
        "tags": ["text-classification", "class-imbalance", "sharprecl"],
    }
    parts = [
        f"---\n{yaml.safe_dump(about, sort_keys=False)}---",
        f"# Text classifier with {len(card.label_names)} classes",
        f"Trained with the method `{card.config['method']['name']}` of sharprecl {card.version}.",
        _loading(stock),
        _data(card, judged),
        _figures(judged, on),
        _reading(card, certainty),
        _limits(card, judged),
    ]
    return "\n\n".join(parts) + "\n"


def _loading(stock: bool) -> str:
    if stock:
        code = """from transformers import pipeline

classify = pipeline("text-classification", "path/of/this/folder")
classify("a text", truncation=True, top_k=None)"""
    else:
        code = """from sharprecl import TextClassifier

TextClassifier.load("path/of/the/run").predict(["a text"])"""
    return f"## How to load it\n\n```python\n{code}\n```"


def _data(card: Card, judged: Evaluation) -> str:
    rows = [
        f"| {_cell(row.name)} | {row.train_count} | {row.test_count} | "
        f"{' | '.join(_points(share) for share in (row.precision, row.recall, row.f1))} |"
        for row in judged.classes
    ]
    table = "\n".join(
        ("| class | training texts | judged texts | precision | recall | F1 |", "|---|---:|---:|---:|---:|---:|", *rows)
    )
    return (
        f"## Data\n\n{sum(card.class_counts)} training texts in {len(card.label_names)} classes, from "
        f"{max(card.class_counts)} down to {min(card.class_counts)}. Where no text was judged, zeros mean nothing."
        f"\n\n{table}"
    )


def _figures(judged: Evaluation, on: str) -> str:
    named = {"macro_f1": "macro-F1", "balanced_accuracy": "balanced accuracy", "accuracy": "accuracy"}
    rows = []
    for name, title in (named | {band: f"macro-F1 of {title}" for band, title in _BANDS.items()}).items():
        score = judged.score(name)
        if score is not None:
            low, high = judged.intervals[name]
            rows.append(f"| {title} | {_points(score)} | {_points(low)} to {_points(high)} |")
    table = "\n".join(("| | % | 95 % bootstrap interval |", "|---|---:|---:|", *rows))
    return f"## Figures\n\nJudged on {on}.\n\n{table}"


def _reading(card: Card, certainty: Certainty) -> str:
    if not card.prior:
        prior = "The scores assume no known class shares."
    elif np.allclose(card.prior, 1 / len(card.prior), atol=1e-3):
        prior = "The probabilities assume that all classes are equally frequent."
    elif np.allclose(card.prior, np.divide(card.natural_counts, sum(card.natural_counts)), atol=1e-3):
        prior = "The probabilities assume that classes are as frequent as among the training texts."
    else:
        shares = ", ".join(
            f"{_cell(name)} {share:.3g}" for name, share in zip(card.label_names, card.prior, strict=True)
        )
        prior = f"The probabilities assume these class shares: {shares}."
    calibrated = card.decided.get("temperature", 1.0) != 1.0
    low, high = certainty.calibration_interval
    return (
        f"## How a score is to be read\n\n{prior} Where they are otherwise, the score of a class is off by as much. "
        f"The scores {'were calibrated on held-out texts' if calibrated else 'are not calibrated'}: on the judged "
        f"texts the confidence is off by {_points(certainty.calibration_error)} points on average (95 % interval "
        f"{_points(low)} to {_points(high)})."
    )


def _limits(card: Card, judged: Evaluation) -> str:
    rare = [row.name for row in judged.classes if row.train_count < TAIL_UNDER]
    lines = [
        f"A text is cut after {card.max_length} tokens.",
        "It always names one of its classes, also for a text that belongs to none.",
        "The figures hold for texts like those judged: of the same source, time and language.",
    ]
    if rare:
        lines.append(
            f"{len(rare)} of the classes had fewer than {TAIL_UNDER} training texts; a single text moves their figures "
            f"by points."
        )
    return "## Limits\n\n" + "\n".join(f"- {line}" for line in lines)


def _points(share: float) -> str:
    return f"{100 * share:.1f}"


def _cell(name: str) -> str:
    """A class's name within a table's cell."""
    return " ".join(name.split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
