"""What reading and writing cost ``sharprecl predict``: rows a second and peak memory by the size of the file.

A table of four columns (texts of eight words, some of them with quotes and line ends) is classified by a BERT of one
narrow layer, and by no model at all (every row gets the same scores), each in a process of its own with one thread. The
memory of the same process on a file of ten rows is that of the model and the libraries. Appends a dated line to
results/predict_stream.jsonl.

    nice python benchmarks/predict_stream.py --rows 10000 100000 1000000
"""

import argparse
import contextlib
import csv
import json
import random
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from doctor_million import child, keep
from sharprecl import TextClassifier
from sharprecl.cli.main import main as sharprecl
from sharprecl.testing import WORDS, skewed_texts, tiny_encoder

RESULTS = Path(__file__).parent / "results" / "predict_stream.jsonl"


def make(folder: Path, sizes: list[int]) -> dict[str, Any]:
    """Train the classifier, and write a table of each size."""
    settings = {"view": "dropout", "training": {"max_epochs": 1, "batch_size": 16}, "encoder": {"max_length": 32}}
    TextClassifier(tiny_encoder(folder / "encoder"), config=settings).fit(*skewed_texts()).save(folder / "run")
    draw = random.Random(0)
    for size in sizes:
        with (folder / f"{size}.csv").open("w", encoding="utf-8", newline="") as stream:
            rows = csv.writer(stream)
            rows.writerow(("id", "text", "note", "price"))
            for number in range(size):
                text = " ".join(draw.choices(WORDS, k=8))
                text = "" if number % 1000 == 999 else f'"{text}"\n{text}' if number % 50 == 49 else text
                rows.writerow((f"T-{number:07}", text, "é" * (number % 7), f"{number % 100},50"))
    return {"megabytes": {size: round((folder / f"{size}.csv").stat().st_size / 1e6, 1) for size in sizes}}


def measure(folder: Path, size: int, ending: str, model: bool) -> dict[str, Any]:
    """Classify a table."""
    if not model:
        TextClassifier.scores = lambda self, texts: np.zeros((len(texts), 4), dtype=np.float32)  # type: ignore[method-assign]
    output = folder / f"out{ending}"
    words = ["predict", str(folder / "run"), str(folder / f"{size}.csv"), "--output", str(output), "--overwrite"]
    sys.argv, began = ["sharprecl", *words], time.monotonic()
    with contextlib.redirect_stdout(sys.stderr), contextlib.suppress(SystemExit):
        sharprecl()
    seconds = time.monotonic() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "rows": size,
        "to": ending,
        "model": model,
        "seconds": round(seconds, 1),
        "cpu_seconds": round(time.process_time(), 1),
        "rows_a_second": round(size / seconds),
        "peak_mb": round(peak),
    }


def main() -> None:
    """Make the tables, measure each in a process of its own, write down."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--to", nargs="+", default=[".csv", ".jsonl", ".parquet"])
    parser.add_argument("--no-model", action="store_true", help="only what reading and writing take")
    parser.add_argument("--make", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.make:
        print(json.dumps(make(options.make, options.rows)))
        return
    if options.measure:
        found = measure(options.measure, options.rows[0], options.to[0], not options.no_model)
        print(json.dumps(found))
        return
    with tempfile.TemporaryDirectory() as name:
        made = child("--make", name, "--rows", *map(str, [10, *options.rows]), script=__file__)
        runs = []
        for size in (10, *options.rows):
            for ending in options.to:
                for model in (["--no-model"],) if options.no_model else (["--no-model"], []):
                    words = ("--measure", name, "--rows", str(size), "--to", ending, *model)
                    runs.append(child(*words, script=__file__))
                    print(runs[-1], file=sys.stderr, flush=True)
    keep({**made, "runs": runs}, RESULTS)


if __name__ == "__main__":
    main()
