"""Table 1 of the paper beside what the files give, with a footnote for every difference, and what stands twice."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sharprecl.data.benchmarks import SOURCES
from sharprecl.data.statistics import Statistics

FIGURES: Mapping[str, str] = {
    "train": "train",
    "test": "test",
    "vocabulary": "vocab_all",
    "mean_words": "avg_words_all",
    "classes": "classes",
    "ir": "ir_train",
}
"""Each column of Table 1, and the attribute of ``Statistics`` that stands beside it."""

HEADINGS = tuple(figure.replace("_", " ") for figure in FIGURES)
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


@dataclass(frozen=True)
class ComparedFigure:
    """One figure as printed in the paper and as found in the files, with as many digits as are comparable; and the
    number of its footnote from 1, None where the two agree."""

    printed: str
    found: str
    note: int | None


@dataclass(frozen=True)
class Comparison:
    """By a benchmark's name its figures in the order of ``FIGURES``; and the footnotes: each a name and a cause."""

    rows: dict[str, dict[str, ComparedFigure]]
    notes: tuple[tuple[str, str], ...]


def compare(statistics: Mapping[str, Statistics]) -> Comparison:
    """Hold the statistics of benchmarks, by name, against the paper's."""
    rows: dict[str, dict[str, ComparedFigure]] = {}
    notes: list[tuple[str, str]] = []
    for name, found in statistics.items():
        numbers: dict[str, int] = {}
        for figures, cause in causes(name, found).items():
            notes.append((name, cause))
            numbers |= dict.fromkeys(differences(name, found).keys() & set(figures), len(notes))
        rows[name] = {
            figure: _compared(SOURCES[name].table_1.get(figure), getattr(found, attribute), numbers.get(figure))
            for figure, attribute in FIGURES.items()
        }
    return Comparison(rows, tuple(notes))


def differences(name: str, found: Statistics) -> dict[str, tuple[float, float]]:
    """The figures that differ from Table 1 at its precision: each with what is printed and what was found."""
    pairs = {figure: (printed, getattr(found, FIGURES[figure])) for figure, printed in SOURCES[name].table_1.items()}
    return {figure: pair for figure, pair in pairs.items() if round(pair[1], _digits(pair[0])) != pair[0]}


def causes(name: str, found: Statistics) -> dict[tuple[str, ...], str]:
    """Why figures differ, as far as they do; by groups of figures, as in ``Source.differences``."""
    differing = differences(name, found).keys()
    return {figures: cause for figures, cause in SOURCES[name].differences.items() if differing & set(figures)}


def to_json(name: str, found: Statistics) -> dict[str, Any]:
    """The paper's row and the differences, JSON-ready."""
    told = [{"figures": list(figures), "cause": cause} for figures, cause in causes(name, found).items()]
    return {"paper": dict(SOURCES[name].table_1), "differences": told}


def comparison_markdown(statistics: Mapping[str, Statistics]) -> str:
    """Both tables in Markdown with their footnotes, for benchmarks by name."""
    comparison = compare(statistics)
    lines = _head("data set", "", *HEADINGS)
    for name, row in comparison.rows.items():
        lines.append(_line(SOURCES[name].title, "paper", *(cell.printed for cell in row.values())))
        found = (f"**{cell.found}** ({cell.note})" if cell.note else cell.found for cell in row.values())
        lines.append(_line("", "files", *found))
    lines.append("")
    lines += [f"{number}. {SOURCES[name].title}: {cause}." for number, (name, cause) in enumerate(comparison.notes, 1)]
    lines += ["", *_head("data set", *REPEATED)]
    for name, counted in statistics.items():
        lines.append(_line(SOURCES[name].title, *(str(getattr(counted, key)) for key in REPEATED.values())))
    return "\n".join([*lines, "", REPEATED_LEGEND, ""])


def _compared(printed: float | None, found: float, note: int | None) -> ComparedFigure:
    if printed is None:  # a data set that is not the paper's
        return ComparedFigure("-", _spelled(found, 0.1), note)
    return ComparedFigure(str(printed), _spelled(found, printed), note)


def _spelled(found: float, printed: float) -> str:
    return f"{found:.{_digits(printed)}f}" if isinstance(found, float) else str(found)


def _digits(printed: float) -> int:
    """Digits after the point, as printed."""
    return len(str(printed).partition(".")[2])


def _head(*headings: str) -> list[str]:
    return [_line(*headings), "|" + "---|" * len(headings)]


def _line(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"
