"""How often do the significance tests cry wolf? Every test on simulated methods that do not differ.

Models are simulated item by item: each item has a difficulty and one wrong answer that tempts, each trained model a
shift in skill, part of it for all items, part for each class. The "spread" is the standard deviation of the shifts
(in logits): how much trainings of one method differ. Sections, any of which can be asked for:

models    The null of seeds="fixed": two systems of equally skilled models; then two unlike models that reach the same
          expected metric, one better on large classes and one even.
methods   The null that readers have in mind: two methods whose trainings are drawn from one distribution.
family    A table of 18 columns: a compared method against the best of 11 others, chosen on the test set as tables do.
best      A table of k equal systems: how often multiple comparisons with the best rule out the first, or any.
ranks     Friedman and Nemenyi over 12 methods and 18 columns: independent, or in six data sets as the paper's.

Run: python benchmarks/significance_null.py; appends dated lines to results/significance_null.jsonl.
"""

import argparse
import datetime
import itertools
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from scipy.optimize import brentq

from interval_coverage import TEST as R52
from sharprecl.evaluation.best import compare_with_best
from sharprecl.evaluation.metrics import Counts, Floats, accuracy, counts_of, f1, macro_f1
from sharprecl.evaluation.ranks import rank_methods
from sharprecl.evaluation.significance import holm, paired_bootstrap

Rates = dict[str, float]
TESTS = {"trec": np.array([138, 113, 94, 81, 65, 9]), "cr": np.array([240, 136]), "r52": R52}
DATA_SETS = [0, 1, *np.repeat([2, 3, 4, 5], 4)]  # two with one column, four at four imbalance ratios
ALPHA = 0.05


def smallest_f1(counts: Counts) -> Floats:
    """F1 of the last, smallest class alone: on TREC it has 9 items."""
    return np.asarray(f1(counts)[..., -1])


METRICS: dict[str, Callable[[Counts], Floats]] = {"accuracy": accuracy, "macro_f1": macro_f1, "smallest": smallest_f1}


class World:
    """A test set: items with a true class, a difficulty and a tempting wrong answer."""

    def __init__(self, sizes: np.ndarray, generator: np.random.Generator) -> None:
        self.sizes, self.n_classes, self.generator = sizes, len(sizes), generator
        self.gold = np.repeat(np.arange(len(sizes)), sizes)
        self.ease = generator.normal(2.2, 1.5, len(self.gold))
        other = generator.choice(len(sizes), size=(8, len(self.gold)), p=np.sqrt(sizes) / np.sqrt(sizes).sum())
        first = np.argmax(other != self.gold, axis=0)
        tempting = other[first, np.arange(len(self.gold))]
        self.wrong = np.where(tempting == self.gold, (self.gold + 1) % len(sizes), tempting)

    def shifts(self, n_seeds: int, spread: float) -> Floats:
        """Skill of each trained model by class, [S, C]."""
        common = self.generator.normal(0, spread, (n_seeds, 1))
        return np.sqrt(0.5) * (common + self.generator.normal(0, spread, (n_seeds, self.n_classes)))

    def answers(self, shifts: Floats) -> np.ndarray:
        chance = 1 / (1 + np.exp(-(self.ease + shifts[:, self.gold])))
        return np.where(self.generator.random(chance.shape) < chance, self.gold, self.wrong)

    def p(self, first: np.ndarray, second: np.ndarray, metric: str, seeds: str, resamples: int) -> float:
        draw = int(self.generator.integers(2**31))
        found = paired_bootstrap(
            self.gold, first, second, self.n_classes, METRICS[metric], seeds=seeds, n_resamples=resamples, seed=draw
        )
        return found.p

    def scores(self, answers: np.ndarray, metric: str) -> Floats:
        confusion = np.zeros((len(answers), self.n_classes, self.n_classes))
        for seed, row in enumerate(answers):
            np.add.at(confusion[seed], (self.gold, row), 1)
        return METRICS[metric](counts_of(confusion))


def percent(alarms: dict[str, list[bool]]) -> Rates:
    return {name: round(100 * float(np.mean(found)), 1) for name, found in alarms.items()}


def unlike(sizes: np.ndarray, metric: str, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gold and answers of two models with one expected metric: recall that falls with class size, and even recall."""

    def expected(recall_C: Floats) -> Floats:
        errors = np.sqrt(sizes) * (1 - np.eye(len(sizes)))
        rates = (1 - recall_C)[:, None] * errors / errors.sum(axis=1, keepdims=True)
        return rates + np.diag(recall_C)

    def value(recall_C: Floats) -> float:
        return float(METRICS[metric](counts_of(sizes[:, None] * expected(recall_C))))

    falling = np.linspace(0.95, 0.6, len(sizes))
    even = brentq(lambda recall: value(np.full(len(sizes), recall)) - value(falling), 0.05, 0.999)
    gold = np.repeat(np.arange(len(sizes)), sizes)
    answers = []
    for recall_C in (falling, np.full(len(sizes), even)):
        steps = expected(recall_C).cumsum(axis=1)[gold]
        drawn = (generator.random((len(gold), 1)) > steps).sum(axis=1)
        answers.append(np.minimum(drawn, len(sizes) - 1))
    return gold, answers[0], answers[1]


def models(sets: int, resamples: int, generator: np.random.Generator) -> Iterator[tuple[str, Rates]]:
    for name, sizes in TESTS.items():
        for n_seeds, spread in ((1, 0.3), (3, 0.3)):
            alarms = defaultdict(list)
            for _ in range(sets):
                world = World(sizes, generator)
                shifts = world.shifts(n_seeds, spread)
                first, second = world.answers(shifts), world.answers(shifts)
                for metric in METRICS:
                    alarms[metric].append(world.p(first, second, metric, "fixed", resamples) <= ALPHA)
            yield f"{name}, {n_seeds} seed(s), equally skilled models", percent(alarms)
        alarms = defaultdict(list)
        for metric in ("accuracy", "macro_f1"):
            for _ in range(sets):
                gold, first, second = unlike(sizes, metric, generator)
                draw = int(generator.integers(2**31))
                found = paired_bootstrap(
                    gold, first, second, len(sizes), METRICS[metric], n_resamples=resamples, seed=draw
                )
                alarms[metric].append(found.p <= ALPHA)
        yield f"{name}, 1 seed, unlike models of equal expected metric", percent(alarms)


def methods(sets: int, resamples: int, generator: np.random.Generator) -> Iterator[tuple[str, Rates]]:
    for n_seeds in (3, 5, 10):
        for spread in (0.0, 0.15, 0.3, 0.6):
            alarms, deviations = defaultdict(list), []
            for _ in range(sets):
                world = World(TESTS["trec"], generator)
                first, second = (world.answers(world.shifts(n_seeds, spread)) for _ in range(2))
                for metric in ("accuracy", "macro_f1"):
                    for seeds in ("fixed", "drawn"):
                        p = world.p(first, second, metric, seeds, resamples)
                        alarms[f"{metric}, seeds {seeds}"].append(p <= ALPHA)
                one, other = world.scores(first, "macro_f1"), world.scores(second, "macro_f1")
                deviations += [one.std(ddof=1), other.std(ddof=1)]
            points = 100 * float(np.mean(deviations))
            yield f"{n_seeds} seeds, spread {spread} (macro-F1 sd {points:.1f} points)", percent(alarms)


def family(sets: int, resamples: int, generator: np.random.Generator) -> Iterator[tuple[str, Rates]]:
    """One in ten of the sets, as each is 18 columns of 12 methods."""
    for n_seeds, spread, seeds in ((3, 0.0, "fixed"), (3, 0.3, "fixed"), (3, 0.3, "drawn"), (10, 0.3, "drawn")):
        alarms = defaultdict(list)
        for _ in range(max(1, sets // 10)):
            p_values, better = [], []
            for _ in range(18):
                world = World(TESTS["trec"], generator)
                answers = [world.answers(world.shifts(n_seeds, spread)) for _ in range(12)]
                means = [float(world.scores(rows, "macro_f1").mean()) for rows in answers]
                rival = 1 + int(np.argmax(means[1:]))
                p_values.append(world.p(answers[0], answers[rival], "macro_f1", seeds, resamples))
                better.append(means[0] > means[rival])
            raw, wins = np.array(p_values), np.array(better)
            # The rival is the luckiest of 11, so where it leads, its p counts 11 times, as tables do.
            counted = holm(np.where(wins, raw, np.minimum(1, 11 * raw))) <= ALPHA
            alarms["a cell better"] += (wins & (raw <= ALPHA)).tolist()
            alarms["a cell worse"] += (~wins & (raw <= ALPHA)).tolist()
            alarms["any cell worse, Holm"].append(bool((~wins & (holm(raw) <= ALPHA)).any()))
            alarms["any cell better, 11 rivals counted, Holm"].append(bool((wins & counted).any()))
            alarms["any cell worse, 11 rivals counted, Holm"].append(bool((~wins & counted).any()))
        yield f"18 columns, {n_seeds} seeds, spread {spread}, seeds {seeds}", percent(alarms)


def best(sets: int, resamples: int, generator: np.random.Generator) -> Iterator[tuple[str, Rates]]:
    """Half of the sets, as each is a table. In a mixed one the first and each fourth after it are wild, others tame."""
    for n_systems, n_seeds, spread in itertools.product((6, 17), (1, 3, 10), (0.15, 0.3, 0.6, "mixed")):
        if n_seeds == 1 and spread != "mixed":
            continue  # of one seed nothing is claimed but about the models themselves, which here are equally skilled
        alarms = defaultdict(list)
        for _ in range(max(1, sets // 2)):
            world = World(TESTS["trec"], generator)
            mixed = [0.15 if index % 4 else 0.6 for index in range(n_systems)]
            spreads = mixed if spread == "mixed" else [spread] * n_systems
            of_one = world.shifts(1, 0.3)
            shifts = [of_one if n_seeds == 1 else world.shifts(n_seeds, each) for each in spreads]
            draw = int(generator.integers(2**31))
            p = compare_with_best(
                world.gold, [world.answers(each) for each in shifts], world.n_classes, n_resamples=resamples, seed=draw
            )
            alarms["the first"].append(p[0] <= ALPHA)
            alarms["any"].append(p.min() <= ALPHA)
        how = "equally skilled models" if n_seeds == 1 else f"spread {spread}"
        yield f"{n_systems} systems, {n_seeds} seed(s), {how}", percent(alarms)


def ranks(sets: int, resamples: int, generator: np.random.Generator) -> Iterator[tuple[str, Rates]]:
    del resamples
    names = [str(index) for index in range(12)]
    for shared in (0.0, 0.5, 0.9):
        alarms = defaultdict(list)
        for _ in range(sets):
            common = generator.normal(size=(12, 6))[:, DATA_SETS]
            scores = np.sqrt(shared) * common + np.sqrt(1 - shared) * generator.normal(size=(12, 18))
            for words, blocks in (("18 columns", None), ("6 blocks", DATA_SETS)):
                found = rank_methods(names, scores, blocks)
                alarms[f"Friedman, {words}"].append(found.p <= ALPHA)
                gap = found.average_ranks[-1] - found.average_ranks[0]
                alarms[f"Nemenyi, any pair, {words}"].append(gap >= found.critical_difference)
        yield f"correlation {shared} between columns of one data set", percent(alarms)


SECTIONS = {"models": models, "methods": methods, "family": family, "best": best, "ranks": ranks}
# 18 columns times 11 rivals times the least p must stay under 5 %, or nothing could be called.
RESAMPLES = {"family": 4_999}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", default="all", choices=[*SECTIONS, "all"])
    parser.add_argument("--sets", type=int, default=1000, help="simulated comparisons a line")
    parser.add_argument("--resamples", type=int, help="499 by default, 4,999 for the family")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    asked = SECTIONS if "all" in options.sections else options.sections
    results = Path(__file__).parent / "results" / "significance_null.jsonl"
    for section in asked:
        print(f"\n{section}: false alarms at 5 %, in %", flush=True)
        resamples = options.resamples or RESAMPLES.get(section, 499)
        for line, rates in SECTIONS[section](options.sets, resamples, np.random.default_rng(options.seed)):
            print(f"{line:62s}" + "  ".join(f"{name} {value}" for name, value in rates.items()), flush=True)
            today = datetime.datetime.now(datetime.UTC).date().isoformat()
            run = {"sets": options.sets, "resamples": resamples, "seed": options.seed}
            record = {"date": today, "section": section, "line": line, **run, "alarms_percent": rates}
            with results.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    main()
