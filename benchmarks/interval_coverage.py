"""Do the 95 % intervals hold the truth 95 % of the time where classes are rare?

Test sets with the class sizes of R52's (1,083 texts down to 1, 52 classes, 2,568 texts) are drawn from classifiers
whose true error rates are known, and each way to make an interval is tried on them. The truth is the figure that the
classifier would have on endless texts with the same class shares. Run: python benchmarks/interval_coverage.py
"""

import argparse
import datetime
import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np

from sharprecl.evaluation.bands import band_masks
from sharprecl.evaluation.intervals import Z_95, headline, logit_interval, resample
from sharprecl.evaluation.metrics import Counts, Floats, counts_of

# Training and test texts of R52's classes.
SIZES = """
2840/1083 1596/696 253/121 206/87 190/81 251/75 108/36 123/28 97/25 90/22 70/20 31/19 54/17
58/15 46/15 31/13 37/12 37/12 26/12 24/12 33/11 19/11 41/10 17/10 31/9 22/9 15/9 14/9 13/9 10/8
4/7 13/6 9/6 13/5 8/5 6/5 7/4 7/4 6/4 4/4 11/3 3/3 2/3 2/3 15/2 1/2 19/1 6/1 5/1 3/1 3/1 2/1
"""
TRAIN, TEST = np.array([[int(size) for size in pair.split("/")] for pair in SIZES.split()]).T
MASKS = band_masks(TRAIN)
EVERY = np.ones(len(TEST), dtype=bool)
# Beta parameters of the recall of tail classes, and the share of tail classes that are never found.
CLASSIFIERS = {"fair tail": (2, 1.5, 0.0), "good tail": (6, 1.5, 0.0), "collapsed tail": (2, 2, 0.5)}
Draws = dict[str, Floats]
Make = Callable[[Floats, float], tuple[float, float]]


def percentile(values: Floats, estimate: float) -> tuple[float, float]:
    del estimate
    return float(np.quantile(values, 0.025)), float(np.quantile(values, 0.975))


def normal(values: Floats, estimate: float) -> tuple[float, float]:
    return estimate - Z_95 * values.std(), estimate + Z_95 * values.std()


def logit(values: Floats, estimate: float) -> tuple[float, float]:
    return logit_interval(estimate, float(values.std()))


def weighted(confusion: np.ndarray, weights: Floats) -> Counts:
    """Counts [R, C] of the non-zero cells (row-major) under the weights [R, cells]."""
    stack = np.zeros((len(weights), *confusion.shape))
    stack[:, *np.nonzero(confusion)] = weights
    return counts_of(stack)


def within_classes(confusion: np.ndarray, n_resamples: int, generator: np.random.Generator) -> Counts:
    rows = [generator.multinomial(row.sum(), row / row.sum(), size=n_resamples) for row in confusion]
    return counts_of(np.stack(rows, axis=1))


def candidates(confusion: np.ndarray, n_resamples: int, seed: int) -> dict[str, tuple[Draws, Make]]:
    generator = np.random.Generator(np.random.PCG64(seed))
    plain = resample(confusion, n_resamples, seed)
    zero = headline(plain, MASKS, EVERY)
    left_out = headline(plain, MASKS, plain.tp + plain.fn > 0)
    stratified = headline(within_classes(confusion, n_resamples, generator), MASKS, EVERY)
    texts = confusion[np.nonzero(confusion)]
    bayesian = weighted(confusion, generator.standard_gamma(texts, size=(n_resamples, len(texts))))
    return {
        "plain, lost classes count 0, percentile": (zero, percentile),
        "plain, lost classes left out, percentile": (left_out, percentile),
        "plain, lost classes left out, normal": (left_out, normal),
        "plain, lost classes left out, logit (chosen)": (left_out, logit),
        "within classes, percentile": (stratified, percentile),
        "Bayesian bootstrap, percentile": (headline(bayesian, MASKS, EVERY), percentile),
    }


def classifier(kind: str, generator: np.random.Generator) -> Floats:
    """True probabilities of the predicted class (columns) by class (rows): good on head, worse on rare classes."""
    alpha, beta, lost = CLASSIFIERS[kind]
    recall = np.where(MASKS["head"], generator.beta(30, 1.5, len(TEST)), generator.beta(8, 2, len(TEST)))
    tail = np.where(generator.random(len(TEST)) < lost, 0.0, generator.beta(alpha, beta, len(TEST)))
    recall = np.where(MASKS["tail"], tail, recall)
    # Errors go to few classes, more often to big ones.
    attraction = 0.1 + 0.04 * len(TEST) * np.sqrt(TEST) / np.sqrt(TEST).sum()
    errors = generator.dirichlet(attraction, size=len(TEST))
    np.fill_diagonal(errors, 0.0)
    rates = (1 - recall)[:, None] * errors / errors.sum(axis=1, keepdims=True)
    np.fill_diagonal(rates, recall)
    return rates


def measure(kind: str, n_classifiers: int, n_sets: int, n_resamples: int, seed: int) -> dict[str, dict[str, float]]:
    """Coverage in percent, and mean width in points, of every candidate and figure."""
    generator = np.random.Generator(np.random.PCG64(seed))
    hits: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    widths: dict[str, list[float]] = defaultdict(list)
    for _ in range(n_classifiers):
        rates = classifier(kind, generator)
        truth = headline(counts_of(TEST[:, None] * rates), MASKS, EVERY)
        for _ in range(n_sets):
            drawn = zip(TEST, rates, strict=True)
            confusion = np.stack([generator.multinomial(size, row) for size, row in drawn])
            estimate = headline(counts_of(confusion), MASKS, EVERY)
            tried = candidates(confusion, n_resamples, int(generator.integers(2**31)))
            for name, (draws, make) in tried.items():
                for figure, value in truth.items():
                    low, high = make(draws[figure], float(estimate[figure]))
                    hits[name][figure].append(bool(low <= value <= high))
                widths[name].append(high - low)
    return {
        name: {figure: round(100 * float(np.mean(hit)), 1) for figure, hit in by_figure.items()}
        | {"tail_width": round(100 * float(np.mean(widths[name])), 1)}
        for name, by_figure in hits.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--classifiers", type=int, default=20)
    parser.add_argument("--sets", type=int, default=40, help="test sets a classifier")
    parser.add_argument("--resamples", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    results = Path(__file__).parent / "results" / "interval_coverage.jsonl"
    results.parent.mkdir(exist_ok=True)
    for kind in CLASSIFIERS:
        table = measure(kind, options.classifiers, options.sets, options.resamples, options.seed)
        print(f"\n{kind}: {options.classifiers * options.sets} test sets; coverage in %, width in points")
        print(f"{'':46s}" + "".join(f"{figure[:12]:>13s}" for figure in next(iter(table.values()))))
        for name, row in table.items():
            print(f"{name:46s}" + "".join(f"{value:13.1f}" for value in row.values()), flush=True)
        today = datetime.datetime.now(datetime.UTC).date().isoformat()
        record = {"date": today, "classifier": kind, **vars(options), "coverage": table}
        with results.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    main()
