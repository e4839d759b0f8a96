"""The tables of docs/recipe.md, made from the trials that `recipe.py` logged.

Recipes count that were tried on every column; a column's figure is the mean over its seeds. Differences are of pairs
with the same texts and seed. The interval is a bootstrap over columns, since a claim about "your data" has to hold for
another column.

    python benchmarks/recipe_report.py [--write docs/recipe.md]
"""

import argparse
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import bootstrap, wilcoxon

from recipe import COLUMNS, logged
from recipe_settings import DEFAULT, LADDER, RECIPES
from sharprecl.methods.registry import method_class

FIGURES = ("macro_f1", "balanced_accuracy", "accuracy", "log_loss")
Trials = dict[tuple[str, int], dict[str, Any]]


def complete() -> dict[str, Trials]:
    """By recipe, its trials by column and seed; the best first. A recipe whose settings changed is another one."""
    found: dict[str, Trials] = {}
    for record in logged():
        if record["column"] in COLUMNS and RECIPES.get(record["recipe"]) == record["settings"]:
            found.setdefault(record["recipe"], {})[record["column"], record["seed"]] = record
    whole = {name: trials for name, trials in found.items() if {column for column, _ in trials} == set(COLUMNS)}
    return dict(sorted(whole.items(), key=lambda item: -mean(item[1], "macro_f1")))


def mean(trials: Trials, figure: str, columns: Iterable[str] = COLUMNS) -> float:
    """Over columns, of the mean over seeds."""
    return float(np.mean([np.mean([r[figure] for (c, _), r in trials.items() if c == column]) for column in columns]))


def best_shift(trials: Trials) -> float:
    """Mean macro-F1 if somebody told each trial the best multiple of log P to add: what decisions leave lying."""
    best = {place: {"best": max(f1 for f1, _ in r["by_shift"].values())} for place, r in trials.items()}
    return mean(best, "best")


def all_alike(trials: Trials) -> Trials:
    """The same trials, all answering for classes all alike: what is left between rows was learnt and not told."""
    found = {}
    for place, record in trials.items():
        kind = method_class(record["settings"]["method"]["name"])
        # Bare scores answer for a power of P; two classes of one text and of two tell which.
        rare, frequent = kind.answered_prior(np.array([1, 2]), kind.Config(**record["settings"]["method"]))
        power = round(float(np.log2(frequent / rare)), 6) + 0.0
        found[place] = {**record, "macro_f1": record["by_shift"][str(-power + 0.0)][0]}
    return found


def differences(ours: Trials, theirs: Trials) -> np.ndarray:
    """Macro-F1 of ours less theirs by column, over the seeds that both have, [columns]."""
    both = ours.keys() & theirs.keys()
    ahead = {place: {"ahead": ours[place]["macro_f1"] - theirs[place]["macro_f1"]} for place in both}
    return np.array([mean(ahead, "ahead", [c]) for c in COLUMNS])


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [list(head), *map(list, rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def by_column(found: dict[str, Trials]) -> str:
    """Macro-F1 of every recipe on every column, and how many trials that are."""
    rows = [
        [
            f"{name} ({len(trials)})",
            *(f"{mean(trials, 'macro_f1', [c]):.1f}" for c in COLUMNS),
            f"**{mean(trials, 'macro_f1'):.1f}**",
        ]
        for name, trials in found.items()
    ]
    return table(["macro-F1", *(f"`{c}`" for c in COLUMNS), "mean"], rows)


def in_the_mean(found: dict[str, Trials]) -> str:
    """All figures over the columns, and over those that are judged as they are trained."""
    natural = [c for c in COLUMNS if c.endswith("~")]
    cross_entropy = mean(found["cross_entropy"], "tokens")
    rows = [
        [
            name,
            *(f"{mean(trials, figure):.{2 if figure == 'log_loss' else 1}f}" for figure in FIGURES),
            f"{mean(trials, 'macro_f1', natural):.1f}",
            f"{mean(all_alike(trials), 'macro_f1'):.1f}",
            f"{best_shift(trials):.1f}",
            f"{mean(trials, 'tokens') / cross_entropy:.2f}",
        ]
        for name, trials in found.items()
    ]
    plain = ("", "macro-F1", "balanced accuracy", "accuracy", "log-loss")
    return table([*plain, "macro-F1, `~`", "all alike", "best shift", "tokens"], rows)


def at_one_prior(found: dict[str, Trials]) -> str:
    """The same where all answer for classes all alike."""
    return against_the_default({name: all_alike(trials) for name, trials in found.items()})


def against_the_default(found: dict[str, Trials]) -> str:
    """How far the default is ahead of every other recipe, over columns."""
    rows = []
    for name, trials in found.items():
        if name != DEFAULT:
            ahead = differences(found[DEFAULT], trials)
            low, high = bootstrap((ahead,), np.mean, rng=0, method="percentile").confidence_interval
            rows.append(
                [
                    name,
                    f"{ahead.mean():+.1f}",
                    f"{low:+.1f} to {high:+.1f}",
                    f"{(ahead > 0).sum()} of {len(ahead)}",
                    f"{wilcoxon(ahead).pvalue:.3f}",
                    f"{ahead.min():+.1f} (`{list(COLUMNS)[int(ahead.argmin())]}`)",
                ]
            )
    return table([f"{DEFAULT} less", "mean", "95 % interval", "ahead on", "p, Wilcoxon", "worst"], rows)


def ladder(found: dict[str, Trials]) -> str:
    """What each step from the printed method to the default brings."""
    rows, last = [], None
    for step, name in LADDER.items():
        if name in found:
            now = mean(found[name], "macro_f1")
            rows.append([step, f"{now:.1f}", "" if last is None else f"{now - last:+.1f}"])
            last = now
    return table(["step", "macro-F1", "change"], rows)


PARTS: dict[str, Callable[[dict[str, Trials]], str]] = {
    "columns": by_column, "means": in_the_mean, "pairs": against_the_default, "one prior": at_one_prior,
    "ladder": ladder,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=Path, help="a page with lines <!-- recipe: columns --> ... <!-- end -->")
    arguments = parser.parse_args()
    found = complete()
    page = arguments.write.read_text(encoding="utf-8") if arguments.write else ""
    for part, make in PARTS.items():
        made = make(found)
        print(f"{made}\n")
        mark = re.escape(f"<!-- recipe: {part} -->\n")
        page = re.sub(f"({mark}).*?(<!-- end -->)", lambda m, t=made: f"{m[1]}\n{t}\n\n{m[2]}", page, flags=re.DOTALL)
    if arguments.write:
        arguments.write.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
