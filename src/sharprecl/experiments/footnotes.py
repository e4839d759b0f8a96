"""The sentences around a table: what it was made with, what is missing, what its marks mean."""

from collections import Counter
from collections.abc import Iterable, Iterator

from sharprecl.data.messages import joined, plural
from sharprecl.evaluation.best import LEVEL
from sharprecl.experiments.comparisons import TESTED, Comparisons
from sharprecl.experiments.document import DASH
from sharprecl.experiments.results import METRICS, Table

BEHIND, ON_TEST = "<", "t"
"""Raised signs."""

_CHOSEN_ON = {
    "validation": "the epoch was chosen on validation texts",
    "last": "the last epoch was taken",
    "test": "the epoch was chosen on the test texts, as the published protocol has it",
}


def caption(table: Table) -> tuple[str, ...]:
    """What holds for all of a table's sheets: the scale and the models first."""
    if not table.runs:
        return (f"Scale {table.scale}: no run is finished yet.",)
    models = list(dict.fromkeys(run.model for run in table.runs if run.model))
    seeds = sorted({seed for cell in table.cells.values() for seed in cell.wanted})
    over = f"over the seeds {_every(map(str, seeds))}" if len(seeds) > 1 else f"seed {seeds[0]} alone"
    selection = "; in some runs, ".join(_CHOSEN_ON[name] for name in sorted({run.selected_on for run in table.runs}))
    what = "mean and standard deviation (n - 1)" if len(seeds) > 1 else "figures"
    return (
        f"Scale {table.scale}{f', {_every(models)}' if models else ''}: {what} in percent, {over}; {selection}.",
        *_other_seeds(table),
        *_missing(table),
        *_unasked(table),
    )


def notes(table: Table, comparisons: Comparisons, ranked_over: str) -> Iterator[str]:
    """What bold, underlines and raised signs mean, those that occur, and what averages are of.

    Args:
        ranked_over: what averages and ranks in macro-F1 rest on, in words.
    """
    cells = table.cells.values()
    yield "Bold: the best of the complete cells. Underlined: the runner-up. Cells that look equal tie."
    if any(comparisons.behind(*place) for place in comparisons.p):
        yield f"{BEHIND}: significantly behind the best row of its column (p at most {LEVEL:g})."
    yield from _tested(table, comparisons)
    if any(0 < len(cell.runs) < len(cell.wanted) for cell in cells):
        yield "2/3: two of three seeds are finished; the cell is not compared."
    if any(not cell.complete for cell in cells):
        yield f"{DASH}: not run, or not complete."
    if any(run.selected_on == "test" for run in table.runs):
        yield f"{ON_TEST}: the epoch was chosen on the test texts, so the figure is too high."
    yield from _mixed(table)
    beyond = [line.title for line in table.lines if line.beyond]
    if beyond and table.plan.paper:
        yield f"Not in the paper's table: {_every(beyond)}."
    tokens = "Tokens: read by the encoder in training steps, mean per run"
    if len(table.columns) > 1:
        yield f"Average and rank: over {ranked_over}. The columns of one data set count as one in the rank."
        tokens += ", over the same columns"
    yield f"{tokens}."


def _tested(table: Table, comparisons: Comparisons) -> Iterator[str]:
    """What p is, and where there is none."""
    if comparisons.p:
        tested = _every(METRICS[metric].lower().replace("f1", "F1") for metric in TESTED)
        over = "the number of rows, not of columns" if len(table.columns) > 1 else "the number of rows"
        chance = "other test texts and other seeds" if comparisons.seeds > 1 else "other test texts"
        alone = "" if comparisons.seeds > 1 else " A single seed says nothing about other trainings."
        yield (
            f"p: each row against the best one of its column, in {tested}; two-sided, allowing for {chance}, corrected "
            f"for {over} (multiple comparisons with the best, Hsu 1984).{alone}"
        )
    for column, why in comparisons.untested.items():
        yield f"Not tested{f' on {column}' if len(table.columns) > 1 else ''}: {why}."


def _every(names: Iterable[str]) -> str:
    found = list(names)
    return joined(found, len(found))


def _other_seeds(table: Table) -> Iterator[str]:
    """So that nobody can show only the seeds that flatter."""
    if table.other_seeds:
        parts = (f"seed {seed} ({plural(number, 'run', 'runs')})" for seed, number in sorted(table.other_seeds.items()))
        yield f"Finished but not shown: {_every(parts)}."


def _missing(table: Table) -> Iterator[str]:
    if table.empty_lines:
        yield f"Rows without any finished run: {_every(table.empty_lines)}."
    if table.empty_columns:
        yield f"Columns without any finished run: {_every(table.empty_columns)}."
    lacking: dict[int, list[str]] = {}
    for column in table.columns:
        lacking.setdefault(sum(not table.cells[line, column].runs for line in table.lines), []).append(column)
    for number, columns in lacking.items():
        if number:
            yield f"Not run on {_every(columns)}: {number} of {len(table.lines)} rows."


def _unasked(table: Table) -> Iterator[str]:
    """Columns in which nobody can have a full macro-F1."""
    for column in table.columns:
        data = table.data_of(column)
        names = [] if data is None else [name for id_, name in enumerate(data.label_names) if id_ not in set(data.gold)]
        verb = "counts" if len(names) == 1 else "count"
        if names:
            yield (
                f"{column}: {plural(len(names), 'class has', 'classes have')} no test texts and {verb} 0 in macro-F1, "
                f"for all rows alike: {joined(names[:5], len(names))}."
            )


def _mixed(table: Table) -> Iterator[str]:
    if shares := _shares(run.code[:8] for run in table.runs):
        yield f"The runs are of different versions of the code: {shares}."
    for name in dict.fromkeys(run.spec.settings["method"]["name"] for run in table.runs):
        own = (run.code.partition("+")[2] for run in table.runs if run.spec.settings["method"]["name"] == name)
        if shares := _shares(code[:8] for code in own):
            yield f"The runs of {name} are of different versions of its code: {shares}."
    if shares := _shares(str(run.environment.get("precision", "unknown")) for run in table.runs if run.model):
        yield f"The runs were computed in different precisions, as their machines and methods have them: {shares}."
    for name in dict.fromkeys(run.model for run in table.runs if run.model):
        weights = (str(run.environment.get("weights", "unknown"))[:12] for run in table.runs if run.model == name)
        if shares := _shares(weights):
            yield f"The runs began with different weights of {name}: {shares}."
    if mixed := [column for column in table.columns if table.data_of(column) is None]:
        yield f"{_every(mixed)}: the data changed between runs, so nothing is compared there."


def _shares(names: Iterable[str]) -> str:
    """How many runs have each name; empty where all have the same."""
    counts = Counter(names)
    return _every(f"{name} ({number})" for name, number in sorted(counts.items())) if len(counts) > 1 else ""
