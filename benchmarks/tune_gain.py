"""What a search promises, what fresh folds confirm, and what test texts say, which no search has seen.

Columns of benchmarks/judged.yaml, by its settings but for two trainable layers, which take half of the time. Every seed
is a search of its own, with its own folds and draws; the defaults and the best settings are then trained on all texts.
The first lines of the log are of searches that judged held-out texts as they are mixed, and the very first of a space
that still had ``method.compensation``. Lines without ``deals`` dealt the fresh folds once and took what was ahead
there; the table asks of all lines what their first deal would have had taken. A search that was cut off goes on.
Appends a dated line a seed to results/tune_gain.jsonl.

    SHARPRECL_MIRROR=... nice python benchmarks/tune_gain.py --columns cr@50 r52/60 --seeds 0 1 2 3 4 --to results/tune
    python benchmarks/tune_gain.py --show
"""

import argparse
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import torch

from recipe_report import table
from sharprecl import TextClassifier
from sharprecl.config import RunConfig, Settings, merge, resolve
from sharprecl.config.space import Choice
from sharprecl.data.tables import TextTable
from sharprecl.evaluation.judge import evaluate
from sharprecl.experiments.plan_file import load_plan
from sharprecl.runs.data import Prepared, prepare
from sharprecl.scale.asked import Search
from sharprecl.scale.search import search
from sharprecl.scale.space import settings_of, shipped_space
from sharprecl.training.history import Callback

HERE = Path(__file__).parent
LOG = HERE / "results" / "tune_gain.jsonl"
SETTINGS: dict[str, Any] = {
    "encoder": {"max_length": 64, "trainable_layers": 2},
    "training": {"max_epochs": 4, "batch_size": 32, "folds": 3},
    "method": {"name": "sharprecl"},
}


class Said(Callback):
    def on_message(self, sentence: str) -> None:
        if sentence.startswith("trial "):
            print(sentence, flush=True)


def on_test(train: TextTable, test: TextTable, config: RunConfig) -> float:
    fitted = TextClassifier(config=config).fit(train)
    return evaluate(test.label_ids, fitted.scores(test.texts).argmax(1), train.class_counts, train.label_names).macro_f1


def data_of(column: str) -> Prepared:
    """Training and test texts of a column."""
    job = load_plan(HERE / "judged.yaml").jobs("small", columns=[column], rows=["sharprecl"], seeds=[0])[0]
    return prepare(job.spec)


def config_of(wanted: Settings, values: Mapping[str, Choice], train: TextTable) -> RunConfig:
    """What trains once, with found values in their places."""
    return resolve(merge(wanted, settings_of(values), {"training": {"folds": 0}}), train.class_counts)


def run(column: str, seed: int, trials: int, to: Path) -> None:
    data = data_of(column)
    wanted = merge(SETTINGS, {"seed": seed})
    space = shipped_space(resolve(wanted, data.train.class_counts))
    folder = to / column.replace("/", "-") / str(seed)
    folder.mkdir(parents=True, exist_ok=True)
    asked = Search(data.train, wanted, space, folder, trials)
    found = search(asked, Said())
    # What the best trial gives on test texts counts, whether or not fresh folds would have let it be taken.
    default, best = (
        on_test(data.train, data.test, config_of(wanted, values, data.train))
        for values in ({}, found.best.values if found.confirmed else {})
    )
    record = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "column": column,
        "seed": seed,
        "weighted": asked.weights_C is not None,
        "trials": len(found.tried),
        "stopped": sum(one.macro_f1 is None for one in found.tried),
        "promised": round(100 * found.promised, 2),
        "confirmed": round(100 * found.confirmed.difference.difference, 2) if found.confirmed else 0.0,
        "deals": [round(100 * gain, 2) for gain in found.confirmed.gains] if found.confirmed else [],
        "taken": bool(found.confirmed and found.confirmed.sure),
        "test_default": round(100 * default, 2),
        "test_best": round(100 * best, 2),
        "values": dict(found.best.values),
    }
    with LOG.open("a", encoding="utf-8") as log:
        log.write(json.dumps(record) + "\n")
    print(record, flush=True)


def logged(path: Path = LOG) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def spread(points: list[float]) -> str:
    """Mean and standard deviation."""
    return f"{mean(points):+.1f}" + (f" ± {stdev(points):.1f}" if len(points) > 1 else "")


def key(record: dict[str, Any]) -> tuple[str, str]:
    """A column, and what was done otherwise than today."""
    if "method.compensation" in record["values"]:
        return record["column"], ", texts as they are mixed, compensation searched"
    return record["column"], "" if record.get("weighted") else ", texts as they are mixed"


def show() -> None:
    """A markdown table over the seeds, in points of macro-F1."""
    rows = []
    for column, old in dict.fromkeys(map(key, logged())):
        of = [record for record in logged() if key(record) == (column, old)]
        first = [(record.get("deals") or [record["confirmed"]])[0] for record in of]
        gains = [record["test_best"] - record["test_default"] for record in of]
        taken = [gain if fresh > 0 else 0.0 for gain, fresh in zip(gains, first, strict=True)]
        cells = [[record["promised"] for record in of], first, gains, taken]
        rows.append([column + old, str(len(of)), *map(spread, cells)])
    titles = ["", "seeds", "promised", "fresh folds, one deal", "test, best trial", "test, what one deal takes"]
    print(table(titles, rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--columns", nargs="+", default=["cr@50", "r52/60"])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2, 3, 4])
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--to", type=Path, default=Path("results/tune"), help="folder of the searches")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    if options.show:
        show()
        return
    torch.set_num_threads(options.threads)
    for seed in options.seeds:
        for column in options.columns:
            if not any((*key(record), record["seed"]) == (column, "", seed) for record in logged()):
                run(column, seed, options.trials, options.to)


if __name__ == "__main__":
    main()
