"""The comparison with Table 1, and what stands twice, as Markdown tables."""

from collections.abc import Iterable, Mapping, Sequence

from sharprecl.data.benchmark_sources import SOURCES
from sharprecl.data.comparison import ComparedFigure, compare
from sharprecl.data.statistics import Statistics

HEADINGS = ("train", "test", "vocabulary", "mean words", "classes", "ir")
"""What stands above the figures of ``Comparison.rows``."""

REPEATED: Mapping[str, str] = {
    "repeated in train": "dup_rows_in_train",
    "repeated in test": "dup_rows_in_test",
    "with two labels": "conflicting_label_texts_train",
    "test in train": "test_rows_in_train_normalised",
    "letter for letter": "test_rows_in_train_exact",
    "same label": "test_rows_in_train_same_label",
}
"""Headings of the second table, and the attributes of ``Statistics`` below them."""

REPEATED_LEGEND = (
    "Repeated: rows whose text stood earlier in the same part. With two labels: different training texts with more "
    "than one label. Test in train: test rows whose text, but for case, punctuation and spacing, also stands in "
    "training; letter for letter: those where not even these differ; same label: of the latter, those that have a "
    "label of the training text."
)


def comparison_markdown(statistics: Mapping[str, Statistics]) -> str:
    """Both tables with their footnotes, for benchmarks by name."""
    comparison = compare(statistics)
    lines = _head(["data set", "", *HEADINGS])
    for name, row in comparison.rows.items():
        lines.append(_line([SOURCES[name].title, "paper", *(cell.printed for cell in row.values())]))
        lines.append(_line(["", "files", *map(_found, row.values())]))
    lines.append("")
    lines += [f"{number}. {SOURCES[name].title}: {cause}." for number, (name, cause) in enumerate(comparison.notes, 1)]
    lines += ["", *_head(["data set", *REPEATED])]
    for name, found in statistics.items():
        lines.append(_line([SOURCES[name].title, *(str(getattr(found, key)) for key in REPEATED.values())]))
    return "\n".join([*lines, "", REPEATED_LEGEND, ""])


def _found(cell: ComparedFigure) -> str:
    return cell.found if cell.note is None else f"**{cell.found}** ({cell.note})"


def _head(headings: Sequence[str]) -> list[str]:
    return [_line(headings), "|" + "---|" * len(headings)]


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
