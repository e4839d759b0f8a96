"""What does every method give, and what does it cost? TREC thinned to imbalance ratio 50, the full test set.

Every row is a call of ``sharprecl train``: what is measured is what a user gets. All methods have the same texts,
validation split, batch size and steps (profile ``matched``); the epoch is chosen on validation texts. Nothing was tuned
on test texts. Results are appended, one line a run; what is there already is not run again.

    SHARPRECL_MIRROR=.../originals python benchmarks/methods.py --seeds 0 1 2
    python benchmarks/methods.py --table
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import numpy as np

from sharprecl.data.imbalance import imbalanced_subset
from sharprecl.data.tables import read_table
from sharprecl.methods.registry import method_names
from sharprecl.methods.sharprecl_settings import ABLATIONS

DATA = "KEAML-JLU/SharpReCL/363d557fe7fa3cd9c395dfb995d74a626b26387a/data"
FILES = {"train": f"{DATA}/TREC_Train_aug.json", "test": f"{DATA}/TREC_Test.json"}
RESULTS = Path(__file__).parent / "results" / "methods.jsonl"
LANGUAGE_MODELS = ("llm_lora", "openai_finetune")
ROWS = {name: [f"method.name={name}"] for name in method_names() if name not in LANGUAGE_MODELS}
ROWS |= {f"sharprecl without {part}": ["method.name=sharprecl", f"method.without={part}"] for part in ABLATIONS}


def write_data(folder: Path, ratio: float) -> None:
    """train.csv, thinned, and test.csv as it is."""
    for split, name in FILES.items():
        rows = json.loads((Path(os.environ["SHARPRECL_MIRROR"]) / name).read_text(encoding="utf-8"))
        table = read_table(([row["text"] for row in rows], [row["label"] for row in rows]))
        if split == "train":
            table = imbalanced_subset(table, ratio)
        with (folder / f"{split}.csv").open("w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream)
            writer.writerow(["text", "label"])
            writer.writerows(zip(table.texts, (table.label_names[i] for i in table.label_ids), strict=True))


def train(folder: Path, row: str, seed: int, epochs: int) -> dict[str, object]:
    """Train one row from the command line, on one thread, and read what it wrote."""
    output = folder / f"{row}-{seed}"
    settings = [*ROWS[row], f"training.max_epochs={epochs}", "training.patience=null"]
    command = [sys.executable, "-m", "sharprecl", "train", str(folder / "train.csv"), "--output", str(output)]
    command += ["--test", str(folder / "test.csv"), "--profile", "matched", "--seed", str(seed), "--overwrite"]
    command += ["--encoder", "minilm", "--device", "cpu", *(word for s in settings for word in ("--set", s))]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "1"}) as process:
        # Time of the processor and not of the clock: other work on a shared machine makes the latter say little.
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with status {process.returncode}")
    metrics, environment = (json.loads((output / name).read_text()) for name in ("metrics.json", "environment.json"))
    evaluation = metrics["evaluation"]
    return {
        "row": row,
        "seed": seed,
        "epochs": epochs,
        "date": time.strftime("%Y-%m-%d"),
        "accuracy": evaluation["accuracy"],
        "macro_f1": evaluation["macro_f1"],
        "f1": {item["name"]: item["f1"] for item in evaluation["classes"]},
        "steps": metrics["training"]["steps"],
        "best_epoch": metrics["training"]["best_epoch"],
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "seconds": environment["training_seconds"],
        "peak_memory_bytes": environment["peak_memory_bytes"],
        "config": metrics["config"],
    }


def table(epochs: int) -> str:
    """The results as Markdown: mean and standard deviation over the seeds."""
    rows = defaultdict(list)
    for line in RESULTS.read_text().splitlines():
        result = json.loads(line)
        if result["epochs"] == epochs:
            rows[result["row"]].append(result)
    lines = [
        "| method | seeds | accuracy | macro-F1 | rarest class, F1 | training, seconds |",
        "|---|---|---|---|---|---|",
    ]
    for row, results in sorted(rows.items(), key=lambda item: -np.mean([r["macro_f1"] for r in item[1]])):
        figures = [
            _spread([100 * r["accuracy"] for r in results]),
            _spread([100 * r["macro_f1"] for r in results]),
            _spread([100 * r["f1"]["abbreviation"] for r in results]),
            f"{np.mean([r['cpu_seconds'] for r in results]):.0f}",
        ]
        lines.append(f"| `{row}` | {len(results)} | {' | '.join(figures)} |")
    return "\n".join(lines)


def _spread(values: list[float]) -> str:
    return f"{np.mean(values):.1f} ± {np.std(values, ddof=1):.1f}" if len(values) > 1 else f"{values[0]:.1f}"


def main() -> None:
    """Train what is missing, then print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", nargs="+", default=list(ROWS), choices=list(ROWS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--ratio", type=float, default=50.0)
    parser.add_argument("--workers", type=int, default=2, help="trainings at a time, of one thread each")
    parser.add_argument("--table", action="store_true", help="print the table of what was measured, and train nothing")
    options = parser.parse_args()
    if options.table:
        print(table(options.epochs))
        return
    RESULTS.touch()
    done = {(r["row"], r["seed"], r["epochs"]) for r in map(json.loads, RESULTS.read_text().splitlines())}
    missing = [(row, seed) for seed in options.seeds for row in options.rows if (row, seed, options.epochs) not in done]
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(options.workers) as pool:
        write_data(Path(name), options.ratio)
        runs = [pool.submit(train, Path(name), row, seed, options.epochs) for row, seed in missing]
        for run in as_completed(runs):
            result = run.result()
            with RESULTS.open("a") as stream:
                stream.write(json.dumps(result) + "\n")
            print(
                result["row"], result["seed"], f"{result['macro_f1']:.3f}", f"{result['cpu_seconds']:.0f} s", flush=True
            )
    print(table(options.epochs))


if __name__ == "__main__":
    main()
