"""Choosing the default recipe on training texts alone: many skewed tables, one recipe a row, every trial logged.

Each column is cut from a benchmark's training file: a stratified part is held out to judge on, the rest is thinned by a
rule. Recipes differ in settings only. A trial is one training; its figures are appended to `results/recipe.jsonl` at
once, and trials that stand there are not made again, so any number of workers may run and be stopped. Beside the
figures of the bare answers stand those after a shift of the scores by multiples of log P(class), which tells what
another prior or compensation at the answer would have given. Test files are never opened.

    SHARPRECL_MIRROR=... python benchmarks/recipe.py --seeds 3 [--columns r52~,cr@50]
    python benchmarks/recipe_report.py
"""

import argparse
import json
import os
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from recipe_settings import RECIPES
from sharprecl.data.benchmarks import load_benchmark
from sharprecl.data.imbalance import imbalanced_subset, keep_caps
from sharprecl.data.splits import stratified_split, text_groups
from sharprecl.data.tables import TextTable
from sharprecl.evaluation.metrics import balanced_accuracy, confusion_matrix, counts_of, macro_f1

LOG = Path(__file__).parent / "results" / "recipe.jsonl"
SHIFTS = tuple(float(x) for x in np.round(np.arange(-1.5, 1.51, 0.25), 2))
JUDGED, HELD_OUT = 800, 0.3


@dataclass(frozen=True)
class Column:
    """How a table is cut: the first ``classes`` by size, then caps by rank of size, a share, or a ratio.

    The ratio thins the training texts alone or, ``natural``, those to judge on as well.
    """

    data: str
    caps: tuple[int, ...] = ()
    ratio: float | None = None
    classes: int | None = None
    share: float | None = None
    natural: bool = False


COLUMNS = {
    # As skewed in judging as in training, which is what most users have ...
    "r52~": Column("r52", share=0.2),
    "ohsumed~": Column("ohsumed", share=0.4),
    "trec~": Column("trec", ratio=20, share=0.4, natural=True),
    "cr~": Column("cr", ratio=10, share=0.4, natural=True),
    "dblp~": Column("dblp", ratio=20, share=0.04, natural=True),
    "biomedical~": Column("biomedical", ratio=20, share=0.2, natural=True),
    # ... and thinned for training alone.
    "r52@60": Column("r52", caps=(60,)),
    "r52@6": Column("r52", caps=(6,)),
    "r52/20@100": Column("r52", caps=(100,) * 5 + (20,) * 5 + (5,) * 5 + (1,) * 5, classes=20),
    "ohsumed@40/2": Column("ohsumed", caps=(40,) * 12 + (2,) * 11),
    "trec@50": Column("trec", caps=(600,), ratio=50),
    "trec@200/5": Column("trec", caps=(200, 200, 200, 5, 5, 5)),
    "cr@50": Column("cr", caps=(1000,), ratio=50),
    "cr@300/5": Column("cr", caps=(300, 5)),
    "dblp@50": Column("dblp", caps=(400,), ratio=50),
    "biomedical@40/1": Column("biomedical", caps=(40,) * 10 + (1,) * 10),
}


def cut(name: str, seed: int) -> tuple[TextTable, TextTable]:
    """The texts to train on and those to judge on."""
    column = COLUMNS[name]
    table = load_benchmark(column.data).train
    rng = np.random.default_rng(seed)
    if column.classes is not None:
        largest = np.argsort(-table.class_counts, kind="stable")[: column.classes]
        table = table.select(np.flatnonzero(np.isin(table.label_ids, largest)))
        kept = tuple(table.label_names[c] for c in sorted(largest))
        new = np.full(table.num_classes, -1)
        new[sorted(largest)] = np.arange(len(kept))
        table = TextTable(table.texts, new[table.label_ids], kept, origin=table.origin)
    if column.natural:
        assert column.ratio is not None
        table = imbalanced_subset(table, column.ratio, seed=seed)
    fit, held_out = stratified_split(table.label_ids, HELD_OUT, seed, text_groups(table.texts))
    train, judged = table.select(fit), table.select(np.sort(rng.permutation(held_out)[:JUDGED]))
    if column.caps:
        order = np.argsort(-train.class_counts, kind="stable")
        caps = np.empty(train.num_classes, dtype=np.int64)
        caps[order] = np.resize(column.caps, train.num_classes)
        train = keep_caps(train, caps, seed)
    if column.share is not None:
        chosen = rng.permutation(len(train))[: round(column.share * len(train))]
        first = np.unique(train.label_ids, return_index=True)[1]  # no class may vanish
        train = train.select(np.union1d(chosen, first))
    if column.ratio is not None and not column.natural:
        train = imbalanced_subset(train, column.ratio, seed=seed)
    return train, judged


def figures(scores_NC: np.ndarray, y_N: np.ndarray, train_counts: np.ndarray) -> dict[str, Any]:
    """Figures of the bare answers, and macro-F1 and balanced accuracy after shifts by multiples of log P."""
    log_prior_C = np.log(train_counts / train_counts.sum())
    z_NC = scores_NC - scores_NC.max(1, keepdims=True)
    log_p_NC = z_NC - np.log(np.exp(z_NC).sum(1, keepdims=True))
    by_shift = {}
    for shift in SHIFTS:
        counts = counts_of(confusion_matrix(y_N, (scores_NC + shift * log_prior_C).argmax(1), scores_NC.shape[1]))
        by_shift[shift] = [round(100 * float(f(counts)), 2) for f in (macro_f1, balanced_accuracy)]
    bare = by_shift[0.0]
    return {
        "macro_f1": bare[0],
        "balanced_accuracy": bare[1],
        "accuracy": round(100 * float((scores_NC.argmax(1) == y_N).mean()), 2),
        "log_loss": round(float(-log_p_NC[np.arange(len(y_N)), y_N].mean()), 4),
        "by_shift": by_shift,
    }


def trial(recipe: str, column: str, seed: int) -> dict[str, Any]:
    """Train by one recipe on one column, and judge."""
    from sharprecl import TextClassifier

    train, judged = cut(column, seed)
    config = {"encoder": {"max_length": 64}, **RECIPES[recipe], "seed": seed}
    began = time.monotonic()
    classifier = TextClassifier(config=config).fit(train)
    trained = classifier.trained_
    assert trained is not None
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "recipe": recipe,
        "column": column,
        "seed": seed,
        "settings": RECIPES[recipe],
        "train_texts": len(train),
        "judged_texts": len(judged),
        **figures(classifier.scores(judged.texts), judged.label_ids, train.class_counts),
        "tokens": trained.outcome.tokens,
        "steps": trained.outcome.steps,
        "seconds": round(time.monotonic() - began, 1),
    }


def logged() -> list[dict[str, Any]]:
    """All trials so far."""
    return [json.loads(line) for line in LOG.read_text().splitlines()] if LOG.exists() else []


def key(record: dict[str, Any]) -> tuple[str, str, int]:
    """What makes a trial; a recipe whose settings changed is another one."""
    return json.dumps(record["settings"], sort_keys=True), record["column"], record["seed"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recipe", choices=list(RECIPES), help="one alone")
    parser.add_argument("--columns", default=",".join(COLUMNS))
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--share", default="0/1", help="this worker of how many, as in 0/2")
    arguments = parser.parse_args()
    columns = arguments.columns.split(",")
    recipes = [name for name in RECIPES if arguments.recipe in (None, name)]
    worker, workers = map(int, arguments.share.split("/"))
    trials = [(r, c, s) for s in range(arguments.seeds) for r in recipes for c in columns]
    for number, (recipe, column, seed) in enumerate(trials):
        wanted = {"settings": RECIPES[recipe], "column": column, "seed": seed}
        if number % workers != worker or key(wanted) in {key(record) for record in logged()}:
            continue
        record = trial(recipe, column, seed)
        with LOG.open("a") as log:
            log.write(json.dumps(record) + "\n")
        print(f"{recipe} {column} {seed}: {record['macro_f1']} in {record['seconds']} s", flush=True)


if __name__ == "__main__":
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    main()
