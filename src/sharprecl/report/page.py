"""The report: one HTML file that needs no network, for a screen of any size, in the dark, and on paper."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sharprecl.data.messages import signed
from sharprecl.evaluation.judge import ClassRow, Evaluation
from sharprecl.evaluation.table import COLUMNS, DASH, band_words
from sharprecl.report.certainty import reliability_chart, risk_chart
from sharprecl.report.confusion import confusion_heatmap, top_confusions
from sharprecl.report.curves import learning_curves
from sharprecl.report.data import ReportData
from sharprecl.report.embedding import embedding_map
from sharprecl.report.figures import class_colours, f1_by_frequency, label_distribution
from sharprecl.report.findings import findings
from sharprecl.report.render import render
from sharprecl.report.svg import clean

N_MISTAKES = 10
SHORT_TEXT = 260


class ClassLine(NamedTuple):
    """A line of the table of classes: the class's id, its row, the ends of its F1's interval."""

    label: int
    row: ClassRow
    low: float
    high: float


class Mistake(NamedTuple):
    """A wrong answer that the model was sure of."""

    text: str
    true: str
    predicted: str
    confidence: float


def write_report(data: ReportData, path: Path) -> None:
    """Write the report to ``path``, whole or not at all; equal data give equal bytes.

    Raises:
        MissingExtraError: matplotlib, jinja2 or openTSNE is not installed.
    """
    model = data.model

    # As on the terminal: a band of classes that there are none of says nothing.
    columns = {name: title for name, title in COLUMNS.items() if model.score(name) is not None}

    def score(method: str, name: str) -> dict[str, str]:
        value = data.evaluations[method].score(name)
        if value is None:
            return {"value": DASH, "interval": ""}
        low, high = data.evaluations[method].intervals[name]
        return {"value": f"{100 * value:.1f}", "interval": f"{100 * low:.1f}{DASH}{100 * high:.1f}"}

    context = {
        "data": data,
        "model": model,
        "columns": columns,
        "bands": band_words(model),
        "score": score,
        "signed": signed,
        "findings": findings(data),
        "distribution": label_distribution(data.label_names, data.train_counts),
        "f1": f1_by_frequency(data.train_counts, data.evaluations),
        "confusion": confusion_heatmap(data.label_names, data.train_counts, model.confusion),
        "pairs": top_confusions(model),
        "classes": worst_first(model),
        "curves": learning_curves(data.history),
        "map": embedding_map(data.label_names, data.train_counts, data.embeddings, model.gold),
        "reliability": reliability_chart(data.confidence, model.gold == model.answers),
        "risk": risk_chart(data.confidence, model.gold == model.answers, data.least_confidence),
        "mistakes": confident_mistakes(data),
        "n_wrong": int((model.gold != model.answers).sum()),
        "colours": class_colours(data.train_counts),
        "settings": flat(data.settings),
        "settings_json": json.dumps(data.settings, indent=2, ensure_ascii=False),
    }
    render("sharprecl.report", context, path, "the report")


def worst_first(model: Evaluation) -> list[ClassLine]:
    """The classes by what their F1 can be at most: one missed text comes after ten, untested classes come last."""
    lines = [ClassLine(label, row, *model.f1_interval(label)) for label, row in enumerate(model.classes)]
    return sorted(lines, key=lambda line: (not line.row.test_count, line.high, line.row.f1, -line.row.test_count))


def confident_mistakes(data: ReportData) -> list[Mistake]:
    """The ten wrong answers with the highest confidence, surest first; texts shortened."""
    gold, given = data.model.gold, data.model.answers
    wrong = np.flatnonzero(gold != given)
    surest = wrong[np.argsort(-np.asarray(data.confidence)[wrong], kind="stable")][:N_MISTAKES]
    names = [*data.label_names, "no answer"]  # of which -1 is the last
    return [
        Mistake(clean(data.texts[i], SHORT_TEXT), names[gold[i]], names[given[i]], float(data.confidence[i]))
        for i in surest
    ]


def flat(settings: dict[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """Nested settings as ``a.b.c`` and value, in order."""
    rows: list[tuple[str, str]] = []
    for key, value in settings.items():
        if isinstance(value, dict) and value:
            rows += flat(value, f"{prefix}{key}.")
        else:
            rows.append((f"{prefix}{key}", value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)))
    return rows
