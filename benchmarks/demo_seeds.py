"""The demo's three rows over several seeds: sample, split, weights and draws all change with the seed.

Beside them each encoder method with twice the steps (--twice). SharpReCL encodes two views of every text, so
cross-entropy with twice the steps is what the same computation buys without it.

Prints mean and standard deviation, and appends a dated line a row and seed to results/demo_seeds.jsonl.

    python benchmarks/demo_seeds.py --seeds 0 1 2 --output runs/demo-seeds
"""

import argparse
import json
import statistics
import time
from pathlib import Path

from rich.console import Console

from sharprecl import TextClassifier
from sharprecl.cli.progress import make_progress
from sharprecl.data.benchmarks import load_benchmark
from sharprecl.data.imbalance import cap_per_class
from sharprecl.demo import SETTINGS, run_demo
from sharprecl.evaluation.judge import Evaluation
from sharprecl.profiles import merge

NAMES = {"cross_entropy": "cross-entropy", "sharprecl": "SharpReCL"}
FIGURES = ("accuracy", "macro_f1", "balanced_accuracy", "medium", "tail")


def demo_rows(folder: Path, cap: int, seed: int, console: Console) -> dict[str, tuple[Evaluation, float | None]]:
    """The demo itself; a finished one is only judged again."""
    found = run_demo(
        folder,
        cap=cap,
        seed=seed,
        resume=folder.exists(),
        make_observer=lambda: make_progress(console),
        show=lambda table: None,
        say=console.print,
    )
    homes = {"SharpReCL": folder, "cross-entropy": folder / "cross_entropy"}
    seconds = {
        name: json.loads((home / "environment.json").read_text())["training_seconds"] for name, home in homes.items()
    }
    return {name: (evaluation, seconds.get(name)) for name, evaluation in found.evaluations.items()}


def twice_the_steps(method: str, cap: int, seed: int, console: Console) -> tuple[Evaluation, float]:
    """A method on the demo's data with twice the demo's epochs."""
    benchmark = load_benchmark("r52")
    epochs = 2 * SETTINGS["training"]["max_epochs"]
    config = merge(SETTINGS, {"method": {"name": method}, "training": {"max_epochs": epochs}})
    classifier = TextClassifier(config=config, random_state=seed)
    classifier.fit(cap_per_class(benchmark.train, cap, seed), observer=make_progress(console))
    labels = [benchmark.test.label_names[index] for index in benchmark.test.label_ids]
    assert classifier.trained_ is not None
    return classifier.evaluate(benchmark.test.texts, labels), classifier.trained_.outcome.seconds


def main() -> None:
    """Run the demos and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--cap", type=int, default=60)
    parser.add_argument("--twice", nargs="*", default=list(NAMES), choices=list(NAMES))
    parser.add_argument("--skip-demo", action="store_true", help="only the rows with twice the steps")
    parser.add_argument("--output", type=Path, default=Path("runs/demo-seeds"))
    options = parser.parse_args()
    console = Console()
    lines = []
    for seed in options.seeds:
        rows = {} if options.skip_demo else demo_rows(options.output / str(seed), options.cap, seed, console)
        for method in options.twice:
            rows[f"{NAMES[method]}, twice the steps"] = twice_the_steps(method, options.cap, seed, console)
        for name, (evaluation, seconds) in rows.items():
            lines.append(
                {
                    "date": time.strftime("%Y-%m-%d"),
                    "seed": seed,
                    "cap": options.cap,
                    "settings": SETTINGS,
                    "row": name,
                    **{figure: evaluation.score(figure) for figure in FIGURES},
                    "training_seconds": seconds,
                }
            )
    output = Path(__file__).parent / "results" / "demo_seeds.jsonl"
    with output.open("a", encoding="utf-8") as stream:
        stream.writelines(json.dumps(line) + "\n" for line in lines)
    print("| row | " + " | ".join(FIGURES) + " |\n|" + "---|" * (len(FIGURES) + 1))
    for name in dict.fromkeys(line["row"] for line in lines):
        cells = []
        for figure in FIGURES:
            values = [100 * line[figure] for line in lines if line["row"] == name]
            spread = statistics.stdev(values) if len(values) > 1 else 0.0
            cells.append(f"{statistics.mean(values):.1f} ± {spread:.1f}")
        print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
