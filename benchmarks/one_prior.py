"""Every method told the same prior: answers for classes all alike, or as frequent as in the test set.

Methods answer for different priors: cross-entropy for the training texts' shares, balanced softmax for classes all
alike, SharpReCL for something between. A store of runs keeps scores, so each run's are turned here to the same prior by
Bayes' rule, which separates what a method learnt from what it was told. The shares of a test set are labels: only a
user who knows how frequent the classes are can tell them. Methods that answer for no known prior are left out.

    python benchmarks/one_prior.py main --results results    # reads a store of runs, adds to results/one_prior.jsonl
    python benchmarks/one_prior.py main --show               # the tables, of the cells that all rows have
"""

import argparse
import json
from datetime import UTC, datetime
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import softmax
from sklearn.metrics import average_precision_score, log_loss

from recipe_report import table
from sharprecl.config import resolve
from sharprecl.decision import prior_shift
from sharprecl.evaluation.metrics import accuracy, confusion_matrix, counts_of, macro_f1
from sharprecl.evaluation.ranks import rank_methods
from sharprecl.experiments.plan import Plan
from sharprecl.experiments.plan_file import load_plan
from sharprecl.experiments.store import Store, load_records
from sharprecl.methods.registry import method_class

HERE = Path(__file__).parent
LOG = HERE / "results" / "one_prior.jsonl"
OF_ANSWERS = {"macro_f1": macro_f1, "accuracy": accuracy}
METRICS = (*OF_ANSWERS, "average_precision", "log_loss")
TOLD = {
    "as trained": "what the method answers for",
    "uniform": "all classes alike",
    "true": "as frequent as in the test set",
}


def figures(
    s_NC: np.ndarray, y_N: np.ndarray, counts_C: np.ndarray, answered_C: np.ndarray
) -> dict[str, dict[str, float]]:
    """Metrics by what was told, all but log-loss in percent. Told the test set, a class without texts has half of one.

    Average precision is each class's own, of all texts ranked by its probability, and then the mean over the classes
    that have test texts: what a method knows of rare classes, whatever it answers.
    """
    C = len(counts_C)
    true_C = np.maximum(np.bincount(y_N, minlength=C), 0.5)
    shifts = {
        "as trained": np.zeros(C),
        "uniform": prior_shift(answered_C, np.full(C, 1 / C)),
        "true": prior_shift(answered_C, true_C / true_C.sum()),
    }
    found = {}
    for told, shift_C in shifts.items():
        p_NC = softmax(s_NC + shift_C, axis=1)
        counts = counts_of(confusion_matrix(y_N, p_NC.argmax(1), C))
        there_C = np.unique(y_N)
        precision = average_precision_score(y_N[:, None] == there_C, p_NC[:, there_C], average="macro")
        found[told] = {name: round(100 * float(metric(counts)), 2) for name, metric in OF_ANSWERS.items()} | {
            "average_precision": round(100 * float(precision), 2),
            "log_loss": round(float(log_loss(y_N, p_NC, labels=range(C))), 4),
        }
    return found


def measure(plan: str, results: Path) -> list[dict[str, Any]]:
    """One line a finished run of the plan that kept its scores and whose method answers for a known prior."""
    records, store, lines = load_records(results), Store(results), []
    for job in load_plan(plan).jobs("small"):
        run = records.find(job.spec)
        if run is None:
            continue
        data, s_NC = records.data[run.data], store.run(run.key).scores()
        counts_C = np.asarray(data.train_counts)
        config = resolve(run.spec.settings, counts_C)
        answered_C = method_class(config.method.name).answered_prior(counts_C, config.method)
        if s_NC is None or answered_C is None:
            continue
        lines.append(
            {
                "date": datetime.now(UTC).date().isoformat(),
                "plan": Path(plan).name,
                "row": job.row,
                "column": job.column,
                "seed": job.seed,
                **figures(s_NC.astype(np.float64), np.asarray(data.gold), counts_C, answered_C),
            }
        )
    return lines


def told_table(plan: Plan, lines: list[dict[str, Any]], told: str, metric: str) -> str:
    """Means over the seeds that all rows have in all columns, and average ranks by data set, Markdown.

    Lines of before a metric was measured lack it.
    """
    lines = [line for line in lines if metric in line[told]]
    rows, columns = (
        [name for name in known if any(line[key] == name for line in lines)]
        for key, known in (("row", plan.rows), ("column", plan.columns))
    )
    by_cell = {(line["row"], line["column"], line["seed"]): line[told][metric] for line in lines}
    seeds = [
        seed
        for seed in sorted({line["seed"] for line in lines})
        if all((row, column, seed) in by_cell for row in rows for column in columns)
    ]
    if not seeds or len(rows) < 2:
        return f"{metric}, told {TOLD[told]}: no two rows have a seed in all columns; choose other --rows"
    digits, better = (3, -1) if metric == "log_loss" else (1, 1)
    scores_RK = np.array([[np.mean([by_cell[r, c, seed] for seed in seeds]) for c in columns] for r in rows])
    ranking = rank_methods(rows, better * scores_RK.round(digits), [plan.columns[column].data for column in columns])
    rank_of = dict(zip(ranking.methods, ranking.average_ranks, strict=True))
    shown = [
        [row, *(f"{cell:.{digits}f}" for cell in [*cells_K, np.mean(cells_K)]), f"{rank_of[row]:.2f}"]
        for row, cells_K in zip(rows, scores_RK, strict=True)
    ]
    title = f"{metric}, told {TOLD[told]}, seeds {', '.join(map(str, seeds))}"
    return table([title, *columns, "mean", "rank"], shown)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plan", help="a built-in plan or a file")
    parser.add_argument("--results", type=Path, default=Path("results"))
    parser.add_argument("--show", action="store_true", help="the tables of what is logged")
    parser.add_argument("--rows", default="", help="of the tables, separated by commas")
    arguments = parser.parse_args()
    logged = [json.loads(line) for line in LOG.read_text(encoding="utf-8").splitlines()]
    if not arguments.show:
        measured = measure(arguments.plan, arguments.results)
        cell = itemgetter("plan", "row", "column", "seed")
        new = {cell(line) for line in measured}
        logged = [line for line in logged if cell(line) not in new] + measured
        LOG.write_text("".join(json.dumps(line) + "\n" for line in logged), encoding="utf-8")
        print(f"{LOG}: {len(measured)} runs of {arguments.plan}")
    lines = [line for line in logged if line["plan"] == Path(arguments.plan).name]
    if arguments.rows:
        lines = [line for line in lines if line["row"] in arguments.rows.split(",")]
    plan = load_plan(arguments.plan)
    for metric in METRICS:
        for told in TOLD:
            print(f"{told_table(plan, lines, told, metric)}\n")


if __name__ == "__main__":
    main()
