"""What a comparison comes to: the row to take, the cheaper ones that are as good, and the command that trains it."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from sharprecl.config import leaves
from sharprecl.data.benchmarks import BENCHMARKS
from sharprecl.data.messages import joined, plural
from sharprecl.evaluation.best import LEVEL
from sharprecl.experiments.comparisons import LEAST_TEXTS, Comparisons
from sharprecl.experiments.layout import Column
from sharprecl.experiments.results import Line, Table
from sharprecl.experiments.summary import points
from sharprecl.runs.spec import WORDS, RunSpec

_METRIC = "macro_f1"
_CHEAPER = 0.8  # of the time: less is hardly noticed
_CLOSE = 0.02  # Farther behind, a row may be as good for all that is known, but is no bargain.
_SHOWN = 3
_OPTIONS = {
    "method.name": "method",
    "profile": "profile",
    "encoder.name": "encoder",
    "encoder.max_length": "max-length",
    "training.max_epochs": "max-epochs",
    "training.batch_size": "batch-size",
    "training.learning_rate": "learning-rate",
    "view": "view",
}
"""Options of ``sharprecl train`` by setting, in the order of the command."""


@dataclass(frozen=True)
class Decision:
    """What to do now.

    Attributes:
        sentences: which row to take, and what it is worth.
        command: trains its method with the settings that were compared.
    """

    sentences: tuple[str, ...]
    command: str


def decide(table: Table, comparisons: Comparisons, output: Path) -> Decision | None:
    """Choose among the complete rows of a table of one column; None where no method has all its seeds.

    Args:
        output: the folder in which the command is to put the model's own.
    """
    (column,) = table.columns
    means = table.means(_METRIC, column)
    seconds = {line: table.cells[line, column].spent("seconds") or 0.0 for line in means}
    # Of rows that look equal the cheapest.
    best, _ = table.best(means)
    ranked = sorted(means, key=lambda line: (line not in best, seconds[line] if line in best else -means[line]))
    methods = [line for line in ranked if table.plan.rows[line.row].method != WORDS]
    if not methods:
        return None
    winner = methods[0]
    p = comparisons.p.get((_METRIC, column), {})
    spec = next(iter(table.cells[winner, column].runs.values())).spec
    sentences = [
        *_choice(means, p, seconds, ranked, winner, _basis(table, winner)),
        _how(table.plan.columns[column], spec, winner),
    ]
    command = train_command(table.plan.columns[column], spec, output / winner.row)
    return Decision(tuple(sentences), command)


def _choice(
    means: Mapping[Line, float],
    p: Mapping[Line, float],
    seconds: Mapping[Line, float],
    ranked: Sequence[Line],
    winner: Line,
    basis: str,
) -> Iterator[str]:
    first = ranked[0]
    lead = {line: f"{points(means[first] - means[line])} behind" for line in means}
    if first != winner:
        sure = f", significantly so (p at most {LEVEL:g})" if p.get(winner, 1.0) <= LEVEL else ", which is within noise"
        behind = f"{lead[winner]}{sure if p else ''}"
        yield f"Take {first.title}: it needs no encoder, and the best method, {winner.title}, is {behind}."
        return
    level = [line for line in ranked if line != winner and p.get(line, 1.0) > LEVEL]
    if not p and len(means) > 1:
        yield f"Take {winner.title} for now: with fewer than {LEAST_TEXTS} test texts nothing can be told apart."
        return
    if not level:
        why = "no other row is complete" if len(means) == 1 else "all others are significantly behind"
        yield f"Take {winner.title}: {why}."
        return
    cheaper = [
        f"{line.title} ({lead[line]}, {_share(seconds[line], seconds[winner])})"
        for line in sorted(level, key=seconds.__getitem__)
        if means[first] - means[line] <= _CLOSE and seconds[line] < _CHEAPER * seconds[winner]
    ]
    yield f"Take {winner.title}{f', or save time with {cheaper[0]}' if cheaper else ''}."
    each = [f"{line.title} ({lead[line]})" for line in level[:_SHOWN]]
    yield f"{basis} cannot tell it from {joined(each, len(level))}; more of either may."


def _basis(table: Table, winner: Line) -> str:
    """``124 test texts and 2 seeds``."""
    runs = table.cells[winner, table.columns[0]].runs
    texts = len(next(iter(runs.values())).answers)
    return f"{plural(texts, 'test text', 'test texts')} and {plural(len(runs), 'seed', 'seeds')}"


def _share(seconds: float, of: float) -> str:
    share = seconds / of
    return f"{share:.1f} of the time" if share >= 0.095 else "under a tenth of the time"


def _how(column: Column, spec: RunSpec, winner: Line) -> str:
    """What the command does otherwise than the runs."""
    held_out = spec.test is None and column.data not in BENCHMARKS
    texts = "all texts, those held out included" if held_out else "all training texts"
    capped = (
        "" if spec.train_cap is None else f"; compared were {plural(spec.train_cap, 'text', 'texts')} a class at most"
    )
    return f"This trains {winner.title} with the settings that were compared, on {texts}{capped}:"


def train_command(column: Column, spec: RunSpec, output: Path) -> str:
    """The command that trains with the settings of a run; ``--seed 0`` is the first of those that were compared."""
    usual = Column.model_fields
    words = ["sharprecl", "train", column.data]
    for name in ("text", "label", "test"):
        if (value := getattr(column, name)) != usual[name].default:
            words += [f"--{name}", value]
    words += spec.dialect.options
    if column.ir is not None:
        words += ["--ir", f"{column.ir:g}"]
    settings = [(".".join(path), value) for path, value in leaves(spec.settings)]
    for path, value in sorted(settings, key=lambda setting: (*_OPTIONS, setting[0]).index(setting[0])):
        # Options for numbers take no 'auto'.
        as_option = path in _OPTIONS and not (value == "auto" and path.startswith("training."))
        words += [f"--{_OPTIONS[path]}", str(value)] if as_option else ["--set", f"{path}={_as_yaml(value)}"]
    return shlex.join([*words, "--output", str(output)])


def _as_yaml(value: object) -> str:
    return str(yaml.safe_dump(value, default_flow_style=True, width=10**6)).removesuffix("\n").removesuffix("\n...")
