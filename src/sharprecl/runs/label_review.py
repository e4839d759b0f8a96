"""Training labels that the folds' models contradict, in a file in which a person decides and ``doctor --fix`` obeys."""

from pathlib import Path

import numpy as np

from sharprecl.data.messages import excerpt
from sharprecl.data.tables import TextTable
from sharprecl.data.writers import write_rows
from sharprecl.decision import softmax
from sharprecl.doctor.confident_learning import contradicted
from sharprecl.doctor.review import COLUMNS, SHOWN_TEXT, mark, writable
from sharprecl.training.out_of_fold import OutOfFold

FILE = "review.csv"


def write_label_review(table: TextTable, found: OutOfFold, path: Path) -> int:
    """Write the rows whose label looks wrong, worst first; nothing where there are none.

    Args:
        table: what was trained on.
        found: scores of its texts by models that have not seen them.
        path: of the file.

    Returns:
        How many there are.
    """
    classes, given_M = np.unique(table.label_ids[found.rows], return_inverse=True)
    if len(classes) < 2:
        return 0
    told = contradicted(softmax(found.s_MC[:, classes]), given_M)
    places = np.flatnonzero(told.doubtful)
    places = places[np.argsort(told.own[places] / told.confidence[places], kind="stable")]
    lines = []
    for place in places:
        row = int(found.rows[place])
        text, label = table.texts[row], table.label_names[table.label_ids[row]]
        other = table.label_names[classes[told.suggested[place]]]
        why = f"looks like {other!r} ({told.confidence[place]:.0%} against {told.own[place]:.0%})"
        shown = map(writable, (why, label, other, excerpt(text, SHOWN_TEXT)))
        cells = (int(table.in_source([row])[0]) + 1, *shown, None, mark(text, label))
        lines.append(dict(zip(COLUMNS, cells, strict=True)))
    if lines:
        write_rows(lines, COLUMNS, path, None, for_excel=True)
    return len(lines)
