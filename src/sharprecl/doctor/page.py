"""The diagnosis as one HTML file that needs no network, in the style of the training report."""

from pathlib import Path
from typing import Any

import numpy as np

from sharprecl.doctor.diagnosis import Diagnosis
from sharprecl.doctor.figures import class_sizes, no_positive, words_f1
from sharprecl.doctor.findings import percent
from sharprecl.doctor.summary import group_rows, headline, sections, verdict
from sharprecl.evaluation.table import DASH
from sharprecl.extras import require
from sharprecl.report.figures import class_colours
from sharprecl.report.render import render
from sharprecl.report.svg import clean

PURPOSE = "the doctor's page"
ROWS = 1000
"""Classes in the table: of more, the largest and the smallest."""
SHORT = 260


def check_page() -> None:
    """Refuse early what ``write_page`` would refuse after minutes of work.

    Raises:
        MissingExtraError: matplotlib or jinja2 is not installed.
    """
    for module in ("matplotlib", "jinja2"):
        require(module, "report", PURPOSE)


def write_page(found: Diagnosis, path: Path) -> None:
    """Write the page to ``path``, whole or not at all; equal diagnoses give equal bytes.

    Raises:
        MissingExtraError: matplotlib or jinja2 is not installed.
    """
    render("sharprecl.doctor", _context(found), path, PURPOSE)


def _context(found: Diagnosis) -> dict[str, Any]:
    classes, errors = _classes(found), found.label_errors
    return {
        "found": found,
        "headline": headline(found),
        "verdict": verdict(found),
        "tiles": _tiles(found),
        "sections": sections(found),
        "sizes": class_sizes(found),
        "alone": no_positive(found),
        "words": words_f1(found),
        "suspects": errors.suspects if errors is not None else (),
        "confusions": errors.confusions if errors is not None else (),
        "rows": group_rows,
        "classes": classes,
        "hidden": len(found.distribution.counts) - len(classes),
        "clean": lambda text: clean(text, SHORT),
        # A figure and its percent sign stay on one line.
        "unbroken": lambda text: text.replace(" %", "\N{NO-BREAK SPACE}%"),
    }


def _tiles(found: Diagnosis) -> list[tuple[str, str, str]]:
    """Name, value and a word about it."""
    labels, errors = found.distribution, found.label_errors
    return [
        ("Classes", f"{len(labels.counts):,}", f"{labels.effective_classes:,.1f} effective"),
        ("Imbalance ratio", f"{labels.imbalance_ratio:,.1f}", f"Gini {labels.gini:.2f}"),
        ("Under 10 texts", f"{labels.under_ten:,}", "classes"),
        (
            "No positive",
            percent(next(reversed(found.batches.alone.values()))),
            f"smallest class, batch {found.batches.batch_size:,}",
        ),
        (
            "Labels look wrong",
            DASH if errors is None or errors.guesses else f"{errors.estimated:,}",
            "not examined"
            if errors is None
            else "words alone cannot tell"
            if errors.guesses
            else percent(errors.estimated / max(1, errors.examined)),
        ),
        (
            "Floor: macro-F1",
            DASH if errors is None else f"{100 * errors.macro_f1:.1f}",
            "not examined" if errors is None else "of words alone",
        ),
    ]


def _classes(found: Diagnosis) -> list[dict[str, Any]]:
    """Rows of the class table, each with the value that it is sorted by."""
    names = list(found.distribution.counts)
    colours = class_colours(np.fromiter(found.distribution.counts.values(), dtype=np.int64))
    places = range(len(names))
    shown = [*places[: ROWS // 2], *places[-ROWS // 2 :]] if len(names) > ROWS else places
    errors = found.label_errors
    return [
        {
            "name": names[place],
            "colour": colours[place],
            "texts": found.distribution.counts[names[place]],
            "test": found.distribution.test_counts.get(names[place], 0),
            "alone": found.batches.alone[names[place]],
            "f1": None if errors is None else errors.f1_by_class.get(names[place]),
            "suspects": 0 if errors is None else errors.by_class.get(names[place], 0),
        }
        for place in shown
    ]
