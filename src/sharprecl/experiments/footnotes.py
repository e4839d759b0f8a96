"""The sentences around a table: what it was made with, what is missing, what its marks mean."""

from collections import Counter
from collections.abc import Iterable, Sequence

from sharprecl.data.messages import joined, plural
from sharprecl.experiments.best_candidates import BestCandidates
from sharprecl.experiments.comparisons import FEW_SEEDS, LEVEL, Comparisons
from sharprecl.experiments.sheets import DASH
from sharprecl.experiments.tables import Table

HOLDS, THESE_MODELS, RULED_OUT, ON_TEST = "*", "†", "<", "t"
"""Raised signs."""


def caption(table: Table) -> tuple[str, ...]:
    """What holds for all of a table's sheets: the scale and the models first."""
    if not table.runs:
        return (f"Scale {table.scale}: no run is finished yet.",)
    models = list(dict.fromkeys(run.model for run in table.runs))
    seeds = sorted({seed for cell in table.cells.values() for seed in cell.wanted})
    over = f"over the seeds {joined(list(map(str, seeds)), len(seeds))}" if len(seeds) > 1 else f"seed {seeds[0]} alone"
    chosen = sorted({run.selected_on for run in table.runs})
    epoch = {
        "validation": "the epoch was chosen on validation texts",
        "last": "the last epoch was taken",
        "test": "the epoch was chosen on the test texts, as the published protocol has it",
    }
    selection = "; in some runs, ".join(epoch[name] for name in chosen)
    what = "mean and standard deviation (n - 1)" if len(seeds) > 1 else "figures"
    return (
        f"Scale {table.scale}, {joined(models, len(models))}: {what} in percent, {over}; {selection}.",
        *_missing(table),
        *_unasked(table),
    )


def marks(table: Table, candidates: Sequence[BestCandidates]) -> tuple[str, ...]:
    """What bold, underlines and raised signs mean: those that occur."""
    cells = table.cells.values()
    notes = ["Bold is the best and underlined the runner-up of complete cells, as shown; what looks equal ties."]
    if any(one.ruled_out for one in candidates):
        seeds = min(one.seeds for one in candidates)
        drawn = (
            "other test texts and other seeds" if seeds > 1 else "other test texts; a single seed tells of no others"
        )
        notes.append(
            f"{RULED_OUT}: not the best row of its column, with 95 % certainty over the complete rows of that column "
            f"together (multiple comparisons with the best, Hsu 1984), for {drawn}. Accuracy and macro-F1 only; not "
            "corrected over columns."
        )
    if any(0 < len(cell.runs) < len(cell.wanted) for cell in cells):
        notes.append("2/3: two of three seeds are finished; compared with nothing.")
    if any(not cell.complete for cell in cells):
        notes.append(f"{DASH}: not run, or nothing complete to show.")
    if any(run.selected_on == "test" for run in table.runs):
        notes.append(f"{ON_TEST}: the epoch was chosen on the test texts, so the figure is too high.")
    notes += _mixed(table)
    beyond = [line.title for line in table.lines if line.beyond]
    if beyond and table.plan.paper:
        notes.append(f"Not in the paper's table: {joined(beyond, len(beyond))}.")
    return tuple(notes)


def certainty(comparisons: Comparisons) -> tuple[str, ...]:
    """How the tests were made and what they are worth; empty where there were none."""
    if not comparisons.tested:
        return _untested(comparisons)
    seeds = min(one.seeds for one in comparisons.tested)
    family = len({one.column for one in comparisons.tested})
    notes = [
        "The rival is the best other row on these test texts, so where it leads its p counts once for each row it was "
        f"chosen from. Holm's correction runs over the columns of a metric, of which {family} could be tested.",
        f"p models: other test texts, these trained models (paired bootstrap over the texts). {THESE_MODELS}: at most "
        f"{LEVEL:g}.",
    ]
    if seeds > 1:
        notes.append(
            f"p methods: other test texts and other seeds (both drawn). {HOLDS}: at most {LEVEL:g}."
            + (" With so few seeds it is too bold where they differ greatly." if seeds <= FEW_SEEDS else "")
        )
    else:
        notes.append("A single seed says nothing of other trainings: p methods needs two.")
    notes.append("The interval is of p methods, or else of p models, and is not corrected.")
    least = max(one.models.least_p * one.rivals for one in comparisons.tested) * family
    if least > LEVEL:
        notes.append(
            f"With so many rows and columns p is {least:.3f} at best where the rival leads: no such lead can show."
        )
    return (*notes, *_untested(comparisons))


def _untested(comparisons: Comparisons) -> tuple[str, ...]:
    return tuple(f"Not tested on {one.column}: {one.why}." for one in comparisons.untested)


def _missing(table: Table) -> Iterable[str]:
    if table.empty_lines:
        yield f"Rows without any finished run: {joined(table.empty_lines, len(table.empty_lines))}."
    if table.empty_columns:
        yield f"Columns without any finished run: {joined(table.empty_columns, len(table.empty_columns))}."
    for column in table.columns:
        lacking = sum(not table.cells[line, column].runs for line in table.lines)
        if lacking:
            yield f"Not run on {column}: {lacking} of {len(table.lines)} rows."


def _unasked(table: Table) -> Iterable[str]:
    """Columns in which nobody can have a full macro-F1."""
    for column in table.columns:
        data = table.data_of(column)
        asked = set() if data is None else set(data.gold)
        names = [] if data is None else [name for id_, name in enumerate(data.label_names) if id_ not in asked]
        verb = "counts" if len(names) == 1 else "count"
        if names:
            yield (
                f"{column}: {plural(len(names), 'class has', 'classes have')} no test texts and {verb} 0 in macro-F1, "
                f"for all rows alike: {joined(names[:5], len(names))}."
            )


def _mixed(table: Table) -> Iterable[str]:
    if shares := _shares(run.code[:8] for run in table.runs):
        yield f"The runs are of different versions of the code: {shares}."
    if shares := _shares(str(run.environment.get("precision", "unknown")) for run in table.runs):
        yield f"The runs were computed in different precisions, as their machines and methods have them: {shares}."
    encoders: dict[str, list[str]] = {}
    for run in table.runs:
        encoders.setdefault(run.model, []).append(str(run.environment.get("weights", "unknown"))[:12])
    for name, weights in encoders.items():
        if shares := _shares(weights):
            yield f"The runs began with different weights of {name}: {shares}."
    mixed = [column for column in table.columns if table.data_of(column) is None]
    if mixed:
        names = joined(mixed, len(mixed))
        yield f"{names}: the data changed between runs, so nothing is compared there."


def _shares(names: Iterable[str]) -> str:
    """How many runs have each name; empty where all have the same."""
    counts = Counter(names)
    shares = [f"{name} ({number})" for name, number in sorted(counts.items())]
    return joined(shares, len(shares)) if len(shares) > 1 else ""
