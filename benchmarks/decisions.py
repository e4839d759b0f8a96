"""What each decision is worth: learnt on out-of-fold scores of the training texts, judged on the test texts.

python benchmarks/decisions.py --train --to results/decisions    # models and scores
"""

import argparse
from pathlib import Path

from sharprecl import TextClassifier
from sharprecl.experiments.plan_file import load_plan
from sharprecl.runs.data import prepare
from sharprecl.runs.folder import write_arrays

HERE = Path(__file__).parent
COLUMNS = ("cr@50", "trec@50", "r52/60", "ohsumed")
SEEDS = (0, 1, 2)
SETTINGS = {"encoder": {"max_length": 64}, "training": {"max_epochs": 4, "batch_size": 32, "folds": 3}}


def train(to: Path) -> None:
    """Train what is not there yet, and keep its scores before any decision."""
    specs = {job.column: job.spec for job in load_plan(str(HERE / "judged.yaml")).jobs("small")}
    for seed in SEEDS:
        for column in COLUMNS:
            folder = to / f"{column.replace('/', '-')}-{seed}"
            if (folder / "decision_scores.npz").exists():
                continue
            data = prepare(specs[column])
            fitted = TextClassifier(config=SETTINGS, random_state=seed).fit(data.train)
            held = fitted.out_of_fold_
            fitted.save(folder)
            write_arrays(
                folder / "decision_scores.npz",
                held=held.s_MC,
                held_ids=data.train.label_ids[held.rows],
                test=fitted.scores(data.test.texts),
                test_ids=data.test.label_ids,
                counts=data.train.class_counts,
                prior=fitted.prior_,
            )
            print(folder, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", action="store_true")
    parser.add_argument("--to", type=Path, default=Path("results/decisions"))
    given = parser.parse_args()
    if given.train:
        train(given.to)
