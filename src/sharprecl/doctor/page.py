"""The diagnosis as one HTML file that needs no network, in the style of the training report."""

from pathlib import Path
from typing import Any

import numpy as np

from sharprecl.doctor.diagnosis import Diagnosis
from sharprecl.doctor.spellings import visible
from sharprecl.extras import require
from sharprecl.report.figures import class_colours
from sharprecl.report.render import render
from sharprecl.report.svg import clean

PURPOSE = "the doctor's page"
ROWS = 1000
"""Classes in the table: of more, the largest and the smallest."""
SHORT = 260
OPEN = 20
"""Examples of a list that are in sight; the others are folded away."""


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
    classes = list(zip(found.counts, class_colours(np.fromiter(found.counts.values(), dtype=np.int64)), strict=True))
    shown = [*classes[: ROWS // 2], *classes[-ROWS // 2 :]] if len(classes) > ROWS else classes
    context: dict[str, Any] = {
        "found": found,
        "tiles": [tile for section in found.sections for tile in section.tiles],
        "charts": [chart for issue in found.issues for chart in issue.charts()],
        "columns": [column for column in found.columns if column.values is not None],
        "classes": shown,
        "commands": found.recommendation.commands,
        "visible": visible,
        "open": OPEN,
        "hidden": len(classes) - len(shown),
        "clean": lambda text: clean(text, SHORT),
        # A figure and its percent sign stay on one line.
        "unbroken": lambda text: text.replace(" %", "\N{NO-BREAK SPACE}%"),
    }
    render("sharprecl.doctor", context, path, PURPOSE)
