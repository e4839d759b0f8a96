"""What each decision is worth: learnt on out-of-fold scores of the training texts, judged on the test texts.

python benchmarks/decisions.py --train --to results/decisions    # models and scores, what is not there yet
python benchmarks/decisions.py --judge --to results/decisions    # writes results/decisions.jsonl
python benchmarks/decisions.py --show                            # the tables of docs/decision.md
"""

import argparse
import json
from collections import defaultdict
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from sharprecl import TextClassifier
from sharprecl.config import DecisionConfig
from sharprecl.data.messages import plural
from sharprecl.decision import HeldOut, Learned, learn
from sharprecl.decision.shift import estimate_prior
from sharprecl.errors import ConfigError
from sharprecl.evaluation.metrics import balanced_accuracy, confusion_matrix, counts_of, macro_f1
from sharprecl.evaluation.reliability import certainty
from sharprecl.experiments.plan_file import load_plan
from sharprecl.runs.data import prepare
from sharprecl.runs.folder import write_arrays

HERE = Path(__file__).parent
LOG = HERE / "results" / "decisions.jsonl"
COLUMNS = {"r52/60": "R52 at 60", "ohsumed": "Ohsumed", "trec@50": "TREC at 50", "cr@50": "CR at 50"}
SEEDS = (0, 1, 2)
SETTINGS = {"encoder": {"max_length": 64}, "training": {"max_epochs": 4, "batch_size": 32, "folds": 3}}
SCORES = "decision_scores.npz"
DECISIONS: dict[str, dict[str, Any]] = {
    "bare scores": {},
    "prior uniform, told": {"prior": "uniform"},
    "calibrated": {"calibrate": True},
    "calibrated, prior uniform": {"calibrate": True, "prior": "uniform"},
    "optimise macro_f1": {"optimise": "macro_f1"},
    "optimise balanced_accuracy": {"optimise": "balanced_accuracy"},
    "coverage 0.9": {"coverage": 0.9},
    "precision 0.95": {"precision": 0.95},
    "sets 0.9": {"sets": 0.9},
    "sets 0.9, prior uniform": {"sets": 0.9, "prior": "uniform"},
}


def train(to: Path) -> None:
    """Train what is not there yet, and keep its scores before any decision."""
    specs = {job.column: job.spec for job in load_plan(str(HERE / "judged.yaml")).jobs("small")}
    # The quick ones first.
    for column in reversed(COLUMNS):
        for seed in SEEDS:
            folder = to / f"{column.replace('/', '-')}-{seed}"
            if (folder / SCORES).exists():
                continue
            data = prepare(specs[column])
            fitted = TextClassifier(config=SETTINGS, random_state=seed).fit(data.train)
            held = fitted.out_of_fold_
            assert held is not None
            fitted.save(folder)
            write_arrays(
                folder / SCORES,
                held=held.s_MC,
                held_ids=data.train.label_ids[held.rows],
                test=fitted.scores(data.test.texts),
                test_ids=data.test.label_ids,
                counts=data.train.class_counts,
                prior=fitted.known_prior_,
            )
            print(folder, flush=True)


def judge(to: Path) -> list[dict[str, Any]]:
    """One line a data set, seed and decision."""
    lines = []
    for column in COLUMNS:
        for seed in SEEDS:
            path = to / f"{column.replace('/', '-')}-{seed}" / SCORES
            if not path.exists():
                continue
            with np.load(path) as saved:
                arrays = dict(saved)
            for name, settings in [*DECISIONS.items(), *_told(arrays)]:
                lines.append({"column": column, "seed": seed, "decision": name, **figures(arrays, settings)})
    return [{"date": datetime.now(UTC).date().isoformat(), **line} for line in lines]


def _told(arrays: dict[str, np.ndarray]) -> list[tuple[str, dict[str, Any]]]:
    """The test texts' own shares, and what is estimated of them from their scores."""
    C = len(arrays["counts"])
    truth = np.maximum(np.bincount(arrays["test_ids"], minlength=C), 0.5)
    fitted = _learn(arrays, {"calibrate": True})
    assert fitted.prior_C is not None
    z_NC, held_MC = (fitted.decision.exactly(arrays[name]) for name in ("test", "held"))
    estimated = estimate_prior(z_NC, fitted.prior_C, (held_MC, arrays["held_ids"].astype(np.int64)))
    shares = {"calibrated, true prior told": truth}
    # As the command line does: an estimate in doubt is not used.
    shares["calibrated, prior estimated"] = fitted.prior_C if estimated.doubtful else estimated.shares_C
    found = [(name, {"calibrate": True, "prior": dict(enumerate(prior_C))}) for name, prior_C in shares.items()]
    bare = estimate_prior(arrays["test"].astype(np.float64), arrays["prior"]).shares_C
    return [*found, ("bare scores, prior estimated", {"prior": dict(enumerate(bare))})]


def _learn(arrays: dict[str, np.ndarray], settings: dict[str, Any]) -> Learned:
    held = HeldOut(arrays["held"], arrays["held_ids"].astype(np.int64), np.ones(len(arrays["held"])))
    names = [str(label) for label in range(len(arrays["counts"]))]
    return learn(DecisionConfig(**settings), names, arrays["counts"], arrays["prior"], held)


def figures(arrays: dict[str, np.ndarray], settings: dict[str, Any]) -> dict[str, Any]:
    """What a decision gives on the test texts, shares in percent; or why it could not be taken."""
    y_N, C = arrays["test_ids"].astype(np.int64), len(arrays["counts"])
    try:
        learned = _learn(arrays, settings)
    except ConfigError as error:
        return {"refused": str(error)}
    found = learned.policy.answers(learned.decision.exactly(arrays["test"]))
    counts = counts_of(confusion_matrix(y_N, found.class_ids_N, C))
    worth = asdict(certainty(y_N, found.class_ids_N, found.confidence_N, ~found.abstained_N, found.sets_NC))
    del worth["calibration_interval"]
    size = worth.pop("set_size")
    shares = {"macro_f1": float(macro_f1(counts)), "balanced_accuracy": float(balanced_accuracy(counts)), **worth}
    extra = {} if learned.optimised is None else {"taken": learned.optimised.kept}
    return {
        **{name: None if share is None else round(100 * share, 2) for name, share in shares.items()},
        "set_size": None if size is None else round(size, 3),
        **extra,
    }


FIGURES = {
    "macro_f1": "macro-F1",
    "balanced_accuracy": "balanced accuracy",
    "calibration_error": "ECE",
    "sure": "sure",
    "right_where_sure": "right where sure",
    "set_coverage": "in set",
    "mean_class_coverage": "in set, by class",
    "set_size": "set size",
}


def table(lines: list[dict[str, Any]]) -> str:
    """A table a data set, means over seeds."""
    told = []
    for column, title in COLUMNS.items():
        rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for line in lines:
            if line["column"] == column:
                rows[line["decision"]].append(line)
        if not rows:
            continue
        told += [
            "",
            f"**{title}**",
            "",
            f"| {plural(len(rows['bare scores']), 'seed', 'seeds')} | {' | '.join(FIGURES.values())} |",
        ]
        told.append("|---" * (len(FIGURES) + 1) + "|")
        for decision, found in rows.items():
            there = [line for line in found if "refused" not in line]
            cells = [_mean([line[name] for line in there], 2 if name == "set_size" else 1) for name in FIGURES]
            notes = []
            if len(there) < len(found):
                notes.append(f"refused {len(found) - len(there)} of {len(found)} times")
            if any("taken" in line for line in there):
                notes.append(f"taken {sum(line['taken'] for line in there)} of {len(there)} times")
            told.append(f"| {decision}{f' ({notes[0]})' if notes else ''} | {' | '.join(cells)} |")
    return "\n".join(told[1:])


def _mean(values: list[float | None], digits: int) -> str:
    known = [value for value in values if value is not None]
    return f"{np.mean(known):.{digits}f}" if known else ""


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("train", "judge", "show"):
        parser.add_argument(f"--{name}", action="store_true")
    parser.add_argument("--to", type=Path, default=Path("results/decisions"))
    given = parser.parse_args()
    if given.train:
        train(given.to)
    if given.judge:
        LOG.write_text("".join(json.dumps(line) + "\n" for line in judge(given.to)), encoding="utf-8")
    if given.show or given.judge:
        print(table([json.loads(line) for line in LOG.read_text(encoding="utf-8").splitlines()]))
