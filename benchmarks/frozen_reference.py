"""What do the two floors reach on the test texts: TF-IDF, and the frozen MiniLM, each with logistic regression?

The samples of R52 that the demo takes (64 tokens); TREC and CR at ratio 50 and Ohsumed as the comparisons take them
(128 tokens). The references are fitted on all training texts; ``frozen, held out`` is the method in a comparison,
without the tenth that other methods choose their epoch on, another one for every seed. Nothing is chosen here.

    SHARPRECL_MIRROR=.../originals python benchmarks/frozen_reference.py
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from sharprecl import TextClassifier
from sharprecl.config import RunConfig, resolve
from sharprecl.data.benchmarks import load_benchmark
from sharprecl.data.imbalance import cap_per_class, imbalanced_subset
from sharprecl.data.tables import TextTable
from sharprecl.evaluation.judge import Evaluation, evaluate
from sharprecl.runs.judge import frozen_reference, tfidf_reference
from sharprecl.training.inference import answers

RESULTS = Path(__file__).parent / "results" / "frozen_reference.jsonl"
RATIOS = {"trec": 50.0, "cr": 50.0, "ohsumed": None}


def held_out(train: TextTable, test: TextTable, config: RunConfig) -> Evaluation:
    """The method ``frozen`` as a comparison runs it."""
    settings = {"seed": config.seed, "encoder": config.encoder.model_dump(), "method": {"name": "frozen"}}
    scores = TextClassifier(config=settings).fit(train).scores(test.texts)
    return evaluate(test.label_ids, answers(scores), train.class_counts, train.label_names)


ROWS: dict[str, Callable[[TextTable, TextTable, RunConfig], Evaluation]] = {
    "TF-IDF": lambda train, test, config: tfidf_reference(train, test, config.seed),
    "frozen": frozen_reference,
    "frozen, held out": held_out,
}


def tables(data: str, seeds: list[int]) -> Iterator[tuple[int, TextTable, TextTable, list[str]]]:
    """Seed, training and test texts, and the rows that the seed changes."""
    for seed in seeds:
        if data == "demo":
            benchmark = load_benchmark("r52")
            yield seed, cap_per_class(benchmark.train, 60, seed), benchmark.test, ["TF-IDF", "frozen"]
        else:
            benchmark, ratio = load_benchmark(data), RATIOS[data]
            train = benchmark.train if ratio is None else imbalanced_subset(benchmark.train, ratio)
            yield seed, train, benchmark.test, list(ROWS) if seed == seeds[0] else ["frozen, held out"]


def main() -> None:
    """Print and keep a line a row and seed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", default=["demo", *RATIOS], choices=["demo", *RATIOS])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    for data in options.data:
        for seed, train, test, rows in tables(data, options.seeds):
            encoder = {"max_length": 64 if data == "demo" else 128}
            config = resolve({"seed": seed, "encoder": encoder})
            for row in rows:
                began = time.monotonic()
                found = ROWS[row](train, test, config)
                seconds = time.monotonic() - began
                figures = {name: getattr(found, name) for name in ("accuracy", "macro_f1", "balanced_accuracy")}
                bands = {name: band["macro_f1"] for name, band in found.to_dict()["bands"].items()}
                line = {"date": time.strftime("%Y-%m-%d"), "data": data, "row": row, "seed": seed, **figures}
                with options.output.open("a", encoding="utf-8") as stream:
                    stream.write(json.dumps({**line, "bands": bands, "seconds": round(seconds, 1)}) + "\n")
                words = "  ".join(f"{name} {100 * value:5.1f}" for name, value in figures.items())
                print(f"{data:8} {row:17} seed {seed}  {words}  {seconds:5.1f} s", flush=True)


if __name__ == "__main__":
    main()
