"""The mean of the folds' weights against one more training on all texts, judged on test texts.

Five trainings on four fifths of the texts each start from the same encoder, so their weights can be averaged into one
stock model (Wortsman et al., Model soups, ICML 2022), which would save the training on all texts.

    python benchmarks/fold_average.py [--columns cr@50 trec@50] [--seeds 0 1]
"""

import argparse
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import torch

from decisions import COLUMNS, SETTINGS
from sharprecl import TextClassifier
from sharprecl.config import merge
from sharprecl.data.folds import deal_folds
from sharprecl.data.tables import TextTable
from sharprecl.decision import softmax
from sharprecl.evaluation.metrics import confusion_matrix, counts_of, macro_f1
from sharprecl.experiments.plan_file import load_plan
from sharprecl.runs.data import prepare

HERE = Path(__file__).parent
LOG = HERE / "results" / "fold_average.jsonl"
FOLDS = 5


def fit(table: TextTable, seed: int) -> Any:
    """A classifier trained on a table, without folds of its own."""
    return TextClassifier(config=merge(SETTINGS, {"training": {"folds": 0}}), random_state=seed).fit(table)


def model_of(fitted: Any) -> torch.nn.Module:
    """Its stock model, weights and all."""
    model: torch.nn.Module = fitted._predictor.backbone.model
    return model


def averaged(members: Sequence[Any]) -> Any:
    """The first member with the mean of all members' weights."""
    states = [model_of(member).state_dict() for member in members]
    mean = {
        name: torch.stack([state[name] for state in states]).mean(0) if tensor.is_floating_point() else tensor
        for name, tensor in states[0].items()
    }
    model_of(members[0]).load_state_dict(mean)
    return members[0]


def figures(s_NC: np.ndarray, y_N: np.ndarray) -> dict[str, float]:
    """Macro-F1 in percent and mean log-loss."""
    f1 = macro_f1(counts_of(confusion_matrix(y_N, s_NC.argmax(1), s_NC.shape[1])))
    chances_N = softmax(s_NC)[np.arange(len(y_N)), y_N]
    return {"macro_f1": round(100 * float(f1), 2), "log_loss": round(float(-np.log(chances_N).mean()), 4)}


def measure(column: str, seed: int) -> dict[str, Any]:
    """One line of the log."""
    specs = {job.column: job.spec for job in load_plan(str(HERE / "judged.yaml")).jobs("small")}
    data = prepare(specs[column])
    members = [fit(data.train.select(fold.fit), seed) for fold in deal_folds(data.train, FOLDS, seed)]
    scores = [member.scores(data.test.texts) for member in members]
    y_N = data.test.label_ids
    single = [figures(s_NC, y_N) for s_NC in scores]
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "column": column,
        "seed": seed,
        "all texts": figures(fit(data.train, seed).scores(data.test.texts), y_N),
        "mean of weights": figures(averaged(members).scores(data.test.texts), y_N),
        "mean of answers": figures(np.log(np.mean([softmax(s_NC) for s_NC in scores], axis=0)), y_N),
        "one fold": {name: round(float(np.mean([row[name] for row in single])), 4) for name in single[0]},
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--columns", nargs="+", default=list(COLUMNS)[::-1])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    given = parser.parse_args()
    for seed in given.seeds:
        for column in given.columns:
            line = measure(column, seed)
            print(line, flush=True)
            with LOG.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(line) + "\n")
