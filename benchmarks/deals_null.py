"""How often the interval of repeated trainings lies above zero where both ways of training are equal; 2.5 % is right.

A world of two classes, 43 texts and 400, weighted as CR's held-out reviews are. Every training leans to a class by
chance, and errs on texts by chance; texts are easy or hard for all. The gain of one way over the other is then luck.
Appends a dated line a world to results/deals_null.jsonl.

    python benchmarks/deals_null.py --worlds 400
"""

import argparse
import json
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from recipe_report import table
from sharprecl.evaluation.differences import repeated_difference
from sharprecl.evaluation.judge import Evaluation, evaluate

LOG = Path(__file__).parent / "results" / "deals_null.jsonl"
GOLD = np.array([1] * 43 + [0] * 400)
COUNTS, NAMES, WEIGHTS = np.array([400, 43]), ("often", "rare"), np.array([0.7, 8.0])
LEANS = (0.0, 0.3), (0.3, 0.3), (0.3, 0.1), (0.6, 0.1)
"""Standard deviations of what a training leans by, and of what it errs by on a text; those of texts are 1."""


def trained(ease: np.ndarray, lean: float, errs: float, rng: np.random.Generator) -> Evaluation:
    answers = ease + 2.0 * GOLD - 1 + rng.normal(0, lean) + rng.normal(0, errs, len(GOLD)) > 0
    return evaluate(GOLD, answers.astype(int), COUNTS, NAMES, 20)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=400)
    worlds = parser.parse_args().worlds
    rows = []
    for lean, errs in LEANS:
        rng, alarms = np.random.default_rng(0), {1: 0, 3: 0}
        for _ in range(worlds):
            ease = rng.normal(0, 1, len(GOLD))
            pairs = [(trained(ease, lean, errs, rng), trained(ease, lean, errs, rng)) for _ in range(3)]
            for number in alarms:
                alarms[number] += repeated_difference(pairs[:number], WEIGHTS).interval[0] > 0
        shares = {number: count / worlds for number, count in alarms.items()}
        record = {"leans_by": lean, "errs_by": errs, "worlds": worlds, "above_zero_by_pairs": shares}
        with LOG.open("a", encoding="utf-8") as log:
            log.write(json.dumps({"date": datetime.now(UTC).isoformat(timespec="seconds"), **record}) + "\n")
        rows.append([str(lean), str(errs), *(f"{100 * share:.1f} %" for share in shares.values())])
    print(table(["leans by", "errs by", "above zero, 1 pair", "3 pairs"], rows))


if __name__ == "__main__":
    main()
