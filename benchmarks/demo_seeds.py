"""The demo's three rows over several seeds: sample, split, weights and draws all change with the seed.

Prints mean and standard deviation, and appends a dated line a row and seed to results/demo_seeds.jsonl.

    python benchmarks/demo_seeds.py --seeds 0 1 2 --output runs/demo-seeds
"""

import argparse
import json
import statistics
import time
from pathlib import Path

from rich.console import Console

from sharprecl.cli.progress import make_progress
from sharprecl.demo import SETTINGS, run_demo

FIGURES = ("accuracy", "macro_f1", "balanced_accuracy", "medium", "tail")


def main() -> None:
    """Run the demos and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--cap", type=int, default=60)
    parser.add_argument("--output", type=Path, default=Path("runs/demo-seeds"))
    options = parser.parse_args()
    console = Console()
    lines = []
    for seed in options.seeds:
        folder = options.output / str(seed)
        found = run_demo(
            folder,
            cap=options.cap,
            seed=seed,
            resume=folder.exists(),
            make_observer=lambda: make_progress(console),
            show=lambda table: None,
            say=console.print,
        )
        for name, evaluation in found.evaluations.items():
            environment = {"SharpReCL": folder, "cross-entropy": folder / "cross_entropy"}.get(name)
            seconds = None
            if environment is not None:
                seconds = json.loads((environment / "environment.json").read_text())["training_seconds"]
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
