"""The judged runs with one decision for every method: answers for classes all alike, or as frequent as in the test set.

Methods answer for different priors: cross-entropy for the training texts' shares, balanced softmax for classes all
alike, SharpReCL for something between. Scores were kept, so each run's are turned here to the same prior by Bayes'
rule, which separates what a method learnt from what it was told. The shares of a test set are labels: only a
user who knows how frequent the classes are can tell them.

    python benchmarks/judged_priors.py --results results     # reads a store of runs, writes results/judged_priors.jsonl
    python benchmarks/judged_priors.py --show                # the table
"""

import argparse
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from recipe_report import table
from sharprecl.config import resolve
from sharprecl.decision import prior_shift
from sharprecl.evaluation.metrics import accuracy, confusion_matrix, counts_of, macro_f1
from sharprecl.experiments.plan_file import load_plan
from sharprecl.experiments.store import Store, load_records
from sharprecl.methods.registry import method_class

HERE = Path(__file__).parent
LOG = HERE / "results" / "judged_priors.jsonl"
METRICS = {"macro_f1": macro_f1, "accuracy": accuracy}
TOLD = {
    "as trained": "what the method answers for",
    "uniform": "all classes alike",
    "true": "as frequent as in the test set",
}


def figures(
    s_NC: np.ndarray, y_N: np.ndarray, counts_C: np.ndarray, answered_C: np.ndarray
) -> dict[str, dict[str, float]]:
    """Macro-F1 and accuracy in percent by what was told; a class without test texts counts as half a text there."""
    C = len(counts_C)
    true_C = np.maximum(np.bincount(y_N, minlength=C), 0.5)
    shifts = {
        "as trained": np.zeros(C),
        "uniform": prior_shift(answered_C, np.full(C, 1 / C)),
        "true": prior_shift(answered_C, true_C / true_C.sum()),
    }
    found = {}
    for told, shift_C in shifts.items():
        counts = counts_of(confusion_matrix(y_N, (s_NC + shift_C).argmax(1), C))
        found[told] = {name: round(100 * float(metric(counts)), 2) for name, metric in METRICS.items()}
    return found


def measure(results: Path) -> list[dict[str, Any]]:
    """One line a finished run of the plan whose method answers for a known prior."""
    records, store, lines = load_records(results), Store(results), []
    for job in load_plan(str(HERE / "judged.yaml")).jobs("small"):
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
                "row": job.row,
                "column": job.column,
                "seed": job.seed,
                **figures(s_NC.astype(np.float64), np.asarray(data.gold), counts_C, answered_C),
            }
        )
    return lines


def told_table(lines: list[dict[str, Any]], told: str, metric: str) -> str:
    """Means over seeds, Markdown."""
    rows, columns = (list(dict.fromkeys(line[name] for line in lines)) for name in ("row", "column"))
    shown = []
    for row in rows:
        cells = [
            np.mean([line[told][metric] for line in lines if (line["row"], line["column"]) == (row, column)])
            for column in columns
        ]
        shown.append([row, *(f"{cell:.1f}" for cell in [*cells, np.mean(cells)])])
    return table([f"{metric}, told {TOLD[told]}", *columns, "mean"], shown)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=Path("results"))
    parser.add_argument("--show", action="store_true", help="the table of what is logged")
    arguments = parser.parse_args()
    if not arguments.show:
        lines = measure(arguments.results)
        LOG.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        print(f"{LOG}: {len(lines)} runs")
    lines = [json.loads(line) for line in LOG.read_text(encoding="utf-8").splitlines()]
    for metric in METRICS:
        for told in TOLD:
            print(f"{told_table(lines, told, metric)}\n")


if __name__ == "__main__":
    main()
