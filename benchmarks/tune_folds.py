"""Why folds promise what a whole training does not keep: the same settings, trained on part of the texts and on all.

Takes each search of results/tune_gain.jsonl that weighted its texts, and trains its best settings and the defaults once
a fold, on folds that the search never had. The models of these folds are judged on what was held out, as the search
judges, and on the test texts; how the same settings do there when trained on all texts, tune_gain.py has logged.
Appends a dated line a search and number of folds to results/tune_folds.jsonl.

    SHARPRECL_MIRROR=... nice python benchmarks/tune_folds.py --column cr@50 --folds 3 10 --seeds 0 1 2
    python benchmarks/tune_folds.py --show
"""

import argparse
import json
from datetime import UTC, datetime
from statistics import mean
from typing import Any

import numpy as np
import torch

import tune_gain
from recipe_report import table
from sharprecl import TextClassifier
from sharprecl.config import RunConfig, merge
from sharprecl.data.folds import deal_folds
from sharprecl.data.tables import TextTable
from sharprecl.evaluation.metrics import confusion_matrix, counts_of, macro_f1
from sharprecl.scale.mix import mix_weights

LOG = tune_gain.HERE / "results" / "tune_folds.jsonl"
FOLD_SEEDS = 100
"""Added to a search's seed, so that its folds are dealt anew."""


def judged(train: TextTable, test: TextTable, config: RunConfig, folds: int) -> tuple[float, float]:
    """Macro-F1 in percent of the models of all folds: on what they held out, together, and on the test texts, mean."""
    number, weights_C = train.num_classes, mix_weights(train, config)
    held_CC, on_test = np.zeros((number, number)), []
    for fold in deal_folds(train, folds, config.seed):
        fitted, held = TextClassifier(config=config).fit(train.select(fold.fit)), train.select(fold.held)
        held_CC += confusion_matrix(held.label_ids, fitted.scores(held.texts).argmax(1), number)
        test_CC = confusion_matrix(test.label_ids, fitted.scores(test.texts).argmax(1), number)
        on_test.append(100 * float(macro_f1(counts_of(test_CC))))
        print(f"seed {config.seed}, {folds} folds: {on_test[-1]:.1f} on test", flush=True)
    if weights_C is not None:
        held_CC *= weights_C[:, None]
    return 100 * float(macro_f1(counts_of(held_CC))), mean(on_test)


def run(searched: dict[str, Any], folds: int) -> None:
    data = tune_gain.data_of(searched["column"])
    wanted = merge(tune_gain.SETTINGS, {"seed": FOLD_SEEDS + searched["seed"]})
    (held_default, test_default), (held_best, test_best) = (
        judged(data.train, data.test, tune_gain.config_of(wanted, values, data.train), folds)
        for values in ({}, searched["values"])
    )
    record = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "column": searched["column"],
        "seed": searched["seed"],
        "folds": folds,
        "held_default": round(held_default, 2),
        "held_best": round(held_best, 2),
        "test_default": round(test_default, 2),
        "test_best": round(test_best, 2),
        "test_gain_of_all_texts": round(searched["test_best"] - searched["test_default"], 2),
    }
    with LOG.open("a", encoding="utf-8") as log:
        log.write(json.dumps(record) + "\n")
    print(record, flush=True)


def show() -> None:
    """A markdown table over the searches: what the best settings gain, in points of macro-F1."""
    rows = []
    for column, folds in sorted({(record["column"], record["folds"]) for record in tune_gain.logged(LOG)}):
        of = [record for record in tune_gain.logged(LOG) if (record["column"], record["folds"]) == (column, folds)]
        cells = [
            [record["held_best"] - record["held_default"] for record in of],
            [record["test_best"] - record["test_default"] for record in of],
            [record["test_gain_of_all_texts"] for record in of],
        ]
        rows.append(
            [column, str(folds), ", ".join(str(record["seed"]) for record in of), *map(tune_gain.spread, cells)]
        )
    print(table(["", "folds", "seeds", "held out", "test, models of folds", "test, trained on all"], rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--column", default="cr@50")
    parser.add_argument("--folds", nargs="+", type=int, default=[3, 10])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    if options.show:
        show()
        return
    torch.set_num_threads(1)
    known = {(record["column"], record["seed"], record["folds"]) for record in tune_gain.logged(LOG)}
    searches = {
        record["seed"]: record for record in tune_gain.logged() if tune_gain.key(record) == (options.column, "")
    }
    for seed in options.seeds:
        for folds in options.folds:
            if (options.column, seed, folds) not in known:
                run(searches[seed], folds)


if __name__ == "__main__":
    main()
