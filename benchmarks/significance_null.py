"""How often do the significance tests cry wolf? Every test on simulated methods that do not differ.

Models are simulated item by item: each item has a difficulty and one wrong answer that tempts, each trained model a
shift in skill, part of it for all items, part for each class. The "spread" is the standard deviation of the shifts
(in logits): how much trainings of one method differ. Sections, any of which can be asked for:

best      A table of k equal systems: how often the comparison with the best rules out the first, or any.
ranks     Friedman and Nemenyi over 12 methods and 18 columns: independent, or in six data sets as the paper's.

Run: python benchmarks/significance_null.py; appends dated lines to results/significance_null.jsonl.
"""

import argparse
import datetime
import itertools
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from sharprecl.evaluation.best import compare_with_best
from sharprecl.evaluation.metrics import Floats
from sharprecl.evaluation.ranks import rank_methods

Rates = dict[str, float]
TREC = np.array([138, 113, 94, 81, 65, 9])
DATA_SETS = [0, 1, *np.repeat([2, 3, 4, 5], 4)]  # two with one column, four at four imbalance ratios
ALPHA = 0.05


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


def percent(alarms: dict[str, list[bool]]) -> Rates:
    return {name: round(100 * float(np.mean(found)), 1) for name, found in alarms.items()}


def best(sets: int, resamples: int, generator: np.random.Generator) -> Iterator[tuple[str, Rates]]:
    """Half of the sets, as each is a table. In a mixed one the first and each fourth after it are wild, others tame."""
    for n_systems, n_seeds, spread in itertools.product((2, 6, 17), (1, 2, 3, 10), (0.15, 0.3, 0.6, "mixed")):
        if n_seeds == 1 and spread != "mixed":
            continue  # of one seed nothing is claimed but about the models themselves, which here are equally skilled
        alarms = defaultdict(list)
        for _ in range(max(1, sets // 2)):
            world = World(TREC, generator)
            mixed = [0.15 if index % 4 else 0.6 for index in range(n_systems)]
            spreads = mixed if spread == "mixed" else [spread] * n_systems
            of_one = world.shifts(1, 0.3)
            shifts = [of_one if n_seeds == 1 else world.shifts(n_seeds, each) for each in spreads]
            draw = int(generator.integers(2**31))
            answers = [world.answers(each) for each in shifts]
            p = compare_with_best(world.gold, answers, world.n_classes, n_resamples=resamples, seed=draw).p
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


SECTIONS = {"best": best, "ranks": ranks}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", default="all", choices=[*SECTIONS, "all"])
    parser.add_argument("--sets", type=int, default=1000, help="simulated comparisons a line")
    parser.add_argument("--resamples", type=int, default=499)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    asked = SECTIONS if "all" in options.sections else options.sections
    results = Path(__file__).parent / "results" / "significance_null.jsonl"
    for section in asked:
        print(f"\n{section}: false alarms at 5 %, in %", flush=True)
        resamples = options.resamples
        for line, rates in SECTIONS[section](options.sets, resamples, np.random.default_rng(options.seed)):
            print(f"{line:62s}" + "  ".join(f"{name} {value}" for name, value in rates.items()), flush=True)
            today = datetime.datetime.now(datetime.UTC).date().isoformat()
            run = {"sets": options.sets, "resamples": resamples, "seed": options.seed}
            record = {"date": today, "section": section, "line": line, **run, "alarms_percent": rates}
            with results.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    main()
