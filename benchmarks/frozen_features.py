"""Which C, and whether to standardise: what do training texts choose for the method ``frozen``?

From training files alone: a fifth of the training texts, in their natural distribution, judges; the rest trains,
thinned as in ``default_settings.py`` (TREC and CR to imbalance ratio 50, R52 to at most 60 texts a class; Ohsumed as
it is).
Another seed is another split. Test files are never opened. The features are MiniLM's, mean pooling, 64 tokens.

- scaled: divided by their root mean square, one number for all of them;
- standardised: each feature less its mean and divided by its deviation;
- uniform: scaled, without balanced class weights.

    SHARPRECL_MIRROR=.../originals python benchmarks/frozen_features.py
"""

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from default_settings import load
from sharprecl import TextClassifier
from sharprecl.data.benchmarks import load_benchmark
from sharprecl.data.splits import stratified_split, text_groups
from sharprecl.data.tables import TextTable
from sharprecl.evaluation.metrics import accuracy, confusion_matrix, counts_of, macro_f1

RESULTS = Path(__file__).parent / "results" / "frozen_features.jsonl"
DATA = ["trec", "cr", "ohsumed", "r52"]
GRID = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)


def _scaled(train_NH: np.ndarray, judging_NH: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    size = np.sqrt(np.square(train_NH).mean())
    return train_NH / size, judging_NH / size


def _standardised(train_NH: np.ndarray, judging_NH: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    mean_H, deviation_H = train_NH.mean(0), train_NH.std(0)
    return (train_NH - mean_H) / deviation_H, (judging_NH - mean_H) / deviation_H


FEATURES: dict[str, tuple[Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]], str | None]] = {
    "scaled": (_scaled, "balanced"),
    "standardised": (_standardised, "balanced"),
    "uniform": (_scaled, None),
}


def parts(name: str, seed: int) -> tuple[TextTable, TextTable]:
    """The texts that train and those that judge."""
    if name != "ohsumed":
        return load(name, 50.0, seed)
    table = load_benchmark("ohsumed").train
    rest, judging = stratified_split(table.label_ids, 0.2, seed, text_groups(table.texts))
    return table.select(rest), table.select(judging)


class Encoder:
    """MiniLM as it is; every text is read once."""

    def __init__(self) -> None:
        settings = {"max_epochs": 1, "learning_rate": 1e-30, "head_learning_rate": 1e-30, "precision": "fp32"}
        self._classifier = TextClassifier(method="cross_entropy", max_length=64, config={"training": settings})
        self._classifier.fit(["yes", "no", "yes", "no"], [0, 1, 0, 1])
        self._known: dict[str, np.ndarray] = {}

    def __call__(self, table: TextTable) -> np.ndarray:
        new = sorted(set(table.texts) - self._known.keys())
        if new:
            self._known.update(zip(new, self._classifier.embed(new), strict=True))
        return np.stack([self._known[text] for text in table.texts]).astype(np.float64)


def main() -> None:
    """Fit every candidate, keep its figures, and print the means over the seeds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", default=DATA, choices=DATA)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2, 3, 4])
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    encoder = Encoder()
    for data in options.data:
        found: dict[tuple[str, float], list[tuple[float, float]]] = defaultdict(list)
        for seed in options.seeds:
            train, judging = parts(data, seed)
            x_train, x_judging = encoder(train), encoder(judging)
            for name, (scale, weights) in FEATURES.items():
                x, other = scale(x_train, x_judging)
                for c in GRID:
                    fitted = LogisticRegression(C=c, class_weight=weights, max_iter=1000).fit(x, train.label_ids)
                    counts = counts_of(confusion_matrix(judging.label_ids, fitted.predict(other), train.num_classes))
                    found[name, c].append((float(macro_f1(counts)), float(accuracy(counts))))
        with options.output.open("a", encoding="utf-8") as stream:
            for (name, c), figures in found.items():
                mean, deviation = np.mean(figures, axis=0), np.std(figures, axis=0, ddof=1)
                line = {
                    "date": time.strftime("%Y-%m-%d"),
                    "data": data,
                    "features": name,
                    "C": c,
                    "seeds": len(figures),
                    "macro_f1": round(mean[0], 4),
                    "deviation": round(deviation[0], 4),
                    "accuracy": round(mean[1], 4),
                }
                stream.write(json.dumps(line) + "\n")
                print(f"{data:8} {name:13} C {c:<7} macro-F1 {100 * mean[0]:5.1f} ± {100 * deviation[0]:4.1f}  "
                      f"accuracy {100 * mean[1]:5.1f}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
