"""CSV in long form: one number a line, unrounded, with everything that places it."""

import csv
import io

from sharprecl.experiments.sheets import Document, LongFormValue

HEADER = ("plan", "scale", "part", "metric", "row", "column", "seed", "quantity", "value")


def as_csv(document: Document) -> str:
    """Write a document. The first two lines say how it was made."""
    recipe = document.provenance.recipe
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(HEADER)
    made = [
        LongFormValue("table", "command", document.command),
        LongFormValue("table", "made_from", document.provenance.mark()),
    ]
    for figure in [*made, *document.figures]:
        place = (figure.part, figure.metric, figure.row, figure.column, "" if figure.seed is None else figure.seed)
        writer.writerow([recipe.plan, recipe.scale, *place, figure.quantity, _value(figure.value)])
    return stream.getvalue()


def _value(value: float | str) -> str:
    # Twelve digits are more than anything here knows, and fewer than machines differ in.
    return value if isinstance(value, str) else f"{value:.12g}"
