"""How skewed contrastive batches are: positive pairs of the largest class over those of the smallest.

Six classes of at most 1,250 texts, TREC's largest, fall exponentially to the imbalance ratio ir. Batches are drawn and
their pairs counted as the losses count them: in plain supervised contrastive batches of one and two views, and in
SharpReCL's, with prototypes and with the positives that `sharprecl.rebalance.synthetic` draws. They stand beside the
exact expectations of `sharprecl.data.batch_statistics` and beside ir^2, the approximation of the paper's Eq. 3-4.
Prints a table, appends dated JSON lines beside this file and draws the figures of docs/imbalance.md.

    SHARPRECL_MIRROR=... python benchmarks/pair_ratio.py
"""

import argparse
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray

from pair_ratio_figures import draw
from sharprecl.data.batch_statistics import (
    chance_alone,
    expected_anchors,
    expected_classes,
    expected_pairs,
    largest_over_smallest,
)
from sharprecl.data.benchmarks import BENCHMARKS, load_benchmark
from sharprecl.data.imbalance import (
    contrastive_imbalance_ratio,
    imbalance_profile,
    imbalance_ratio,
    imbalanced_subset,
    squared_imbalance_ratio,
)
from sharprecl.rebalance.synthetic import plan_synthetic

HERE = Path(__file__).parent
CLASSES, LARGEST = 6, 1250
RATIOS, BATCH_SIZES = (1, 2, 5, 10, 20, 50, 100, 200), (16, 64, 256)
N_POS, N_NEG, TOP_K, ALPHA, DIM = 10, 500, 20, 0.5, 100
# Share of hard-mixup among the synthetic samples; None for no synthetic samples at all.
SOURCES = {"prototypes alone": None, "simple-sampling": 0.0, "both, half and half": 0.5, "hard-mixup": 1.0}
Ints = NDArray[np.int64]


def drawn(counts: list[int], sizes: list[int], epochs: int, seed: int) -> Ints:
    """Texts of each class, [batches, C], in shuffled epochs cut into batches of the given sizes."""
    labels = np.repeat(np.arange(len(counts)), counts)
    generator = np.random.Generator(np.random.PCG64(seed))
    return np.concatenate([by_class(generator.permutation(labels), sizes, len(counts)) for _ in range(epochs)])


def by_class(label_N: Ints, sizes: list[int], num_classes: int) -> Ints:
    """Texts of each class, [batches, C], in consecutive batches; what the last batch leaves is not counted."""
    batch_N = np.repeat(np.arange(len(sizes)), sizes)
    cells = np.bincount(batch_N * num_classes + label_N[: len(batch_N)], minlength=len(sizes) * num_classes)
    return cells.reshape(-1, num_classes)


def first_over_last(values: NDArray[Any]) -> tuple[float, float]:
    """Sum of the largest class over that of the smallest, and the relative standard error of the latter."""
    last = values[:, -1]
    return float(values[:, 0].sum() / last.sum()), float(last.std() / last.mean() / len(last) ** 0.5)


def plain(counts: list[int], ratio: int, epochs: int) -> Iterator[dict[str, Any]]:
    """Supervised contrastive batches; an anchor's positives are the other items of its class."""
    for size in BATCH_SIZES:
        texts = drawn(counts, [size] * (sum(counts) // size), epochs, seed=size)
        for views in (1, 2):
            items = views * texts
            pair_ratio, error = first_over_last(items * (items - 1))
            yield {
                "what": "plain",
                "ir": ratio,
                "batch": size,
                "views": views,
                "batches": len(texts),
                "pair_ratio": pair_ratio,
                "relative_error": error,
                "expected": contrastive_imbalance_ratio(counts, size, views),
                "squared": squared_imbalance_ratio(counts),
                "anchor_ratio": first_over_last(items * (items > 1))[0],
                "expected_anchor_ratio": largest_over_smallest(expected_anchors(counts, size, views)),
                "alone": float((texts[:, -1] == 1).sum() / texts[:, -1].sum()),
                "expected_alone": float(chance_alone(counts, size)[-1]),
            }


def rebalanced(counts: list[int], ratio: int, batches: int, source: str, size: int) -> dict[str, Any]:
    """SharpReCL's batches: two views, prototypes, and the positives of every class as the plan draws them."""
    epochs = 1 + batches // (sum(counts) // size)
    texts = drawn(counts, [size] * (sum(counts) // size), epochs, seed=size)[:batches]
    generator = torch.Generator().manual_seed(size)
    found = np.array([synthetic_positives(text_C, SOURCES[source], generator) for text_C in texts])
    targets, different, prototypes = found.transpose(1, 0, 2)
    items = 2 * texts + 1
    pair_ratio, error = first_over_last(items * (items - 1 + targets))
    n_pos = 0 if SOURCES[source] is None else N_POS
    return {
        "what": "rebalanced",
        "ir": ratio,
        "batch": size,
        "source": source,
        "batches": batches,
        "pair_ratio": pair_ratio,
        "relative_error": error,
        "expected": largest_over_smallest(expected_pairs(counts, size, 2, True, n_pos)),
        "anchor_ratio": first_over_last(items * (items - 1 + targets > 0))[0],
        "expected_anchor_ratio": largest_over_smallest(expected_anchors(counts, size, 2, True, n_pos)),
        "fewest_and_most_targets": [int(targets.min()), int(targets.max())],
        "different_targets": different.mean(axis=0).round(3).tolist(),
        "prototype_targets": prototypes.mean(axis=0).round(3).tolist(),
    }


def synthetic_positives(text_C: Ints, share: float | None, generator: torch.Generator) -> Ints:
    """Of one batch, by class, [3, C]: positives, how many differ, how many are the prototype and nothing else.

    Positives are the samples made of items of the class alone, wherever in the plan they stand.
    """
    if share is None:
        return np.zeros((3, CLASSES), dtype=np.int64)
    y_B = torch.from_numpy(np.repeat(np.arange(CLASSES), text_C))
    y_M = torch.cat([y_B, y_B, torch.arange(CLASSES)])
    x_MD = F.normalize(torch.randn(len(y_M), DIM, generator=generator), dim=1)
    plan = plan_synthetic(x_MD @ x_MD.T, y_M, CLASSES, N_POS, N_NEG, TOP_K, share, ALPHA, generator)
    found = []
    for label in range(CLASSES):
        own_S = (y_M[plan.i_CS[label]] == label) & (y_M[plan.j_CS[label]] == label)
        i, j = plan.i_CS[label][own_S], plan.j_CS[label][own_S]
        copies = i[i == j]
        # Two true mixtures never coincide: their coefficients are drawn from a continuum.
        different = len(copies.unique()) + len(i) - len(copies)
        found.append((len(i), different, int((copies == len(y_M) - CLASSES + label).sum())))
    return np.array(found).T


def samples(name: str) -> Iterator[dict[str, Any]]:
    """What the exponential profile makes of a benchmark, and the expectations for it as it is."""
    table = load_benchmark(name).train
    for ir in (None, 50, 20, 10):
        counts = (table if ir is None else imbalanced_subset(table, ir)).class_counts
        row = {"what": "sample", "benchmark": name, "ir": ir, "texts": int(counts.sum())}
        yield row | {"batch": None, "achieved": imbalance_ratio(counts)}
    counts = table.class_counts
    for size in (*BATCH_SIZES, 128):
        alone_C = chance_alone(counts, size)
        one_view = contrastive_imbalance_ratio(counts)
        yield {
            "what": "expected",
            "benchmark": name,
            "batch": size,
            "one_view": one_view if one_view < np.inf else None,  # a class of one text, and JSON has no infinity
            "two_views": contrastive_imbalance_ratio(counts, size, 2),
            "classes": expected_classes(counts, size),
            "alone_mean_of_classes": float(alone_C.mean()),
            "alone_mean_of_texts": float(np.average(alone_C, weights=counts)),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=2000, help="shuffled epochs of plain batches")
    parser.add_argument("--batches", type=int, default=500, help="batches of SharpReCL a row")
    parser.add_argument("--output", type=Path, default=HERE / "results" / "pair_ratio.jsonl")
    parser.add_argument("--figures", type=Path, default=HERE.parent / "docs" / "figures")
    args = parser.parse_args()
    torch.set_num_threads(1)
    profiles = {ratio: imbalance_profile([LARGEST] * CLASSES, ratio) for ratio in RATIOS}
    rows = [row for ratio, counts in profiles.items() for row in plain(counts, ratio, args.epochs)]
    for ratio, counts in profiles.items():
        rows += [rebalanced(counts, ratio, args.batches, source, size) for source in SOURCES for size in BATCH_SIZES]
    rows += [row for name in BENCHMARKS for row in samples(name)]
    date = datetime.now(UTC).isoformat(timespec="seconds")
    with args.output.open("a", encoding="utf-8") as stream:
        for row in rows:
            print("  ".join(f"{value:.4g}" if isinstance(value, float) else str(value) for value in row.values()))
            stream.write(json.dumps({"date": date} | row) + "\n")
    draw(rows, profiles, args.figures)


if __name__ == "__main__":
    main()
