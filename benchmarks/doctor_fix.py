"""What a fix of a million rows takes: time and peak memory, and whether it mends what was planted.

Makes a CSV of a million rows (see doctor_million.py for its words and classes) with an ID column, in which repeats,
label variants, contradictions, wrong labels and rows without a text are planted. A process of its own fixes it, with
one thread. Appends a dated line to results/doctor_fix.jsonl.

    nice python benchmarks/doctor_fix.py --rows 1000000
"""

import argparse
import csv
import json
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from doctor_million import CLASSES, OWN, VOCABULARY, child, keep, words, zipf
from sharprecl.doctor.fix import fix

RESULTS = Path(__file__).parent / "results" / "doctor_fix.jsonl"
# Shares of the rows.
PLANTED = {"repeats": 0.02, "contradictions": 0.005, "blank": 0.005, "wrong_labels": 0.02, "variants": 0.03}


def make(folder: Path, rows: int) -> dict[str, int]:
    """Write train.csv; say how much of what was planted."""
    rng = np.random.Generator(np.random.PCG64(0))
    letters = rng.integers(97, 123, (VOCABULARY, 9), dtype=np.uint8)
    sizes = rng.integers(3, 10, VOCABULARY)
    vocabulary = np.array([bytes(row[:size]).decode() for row, size in zip(letters, sizes, strict=True)])
    own = np.stack([rng.permutation(VOCABULARY)[:OWN] for _ in range(CLASSES)])
    labels = zipf(rng, CLASSES, rows)
    texts = [" ".join(text) for text in words(rng, labels, vocabulary, own)]
    names = [f"Queue {label}" for label in labels]
    counts = {what: int(share * rows) for what, share in PLANTED.items()}
    order = rng.permutation(rows)
    chosen = dict(zip(counts, np.split(order, np.cumsum(list(counts.values()))), strict=False))
    sources = order[sum(counts.values()) :]
    for place, source in zip(chosen["repeats"].tolist(), sources.tolist(), strict=False):
        texts[place], names[place] = f" {texts[source]} ", names[source]
    for place, source in zip(chosen["contradictions"].tolist(), sources[counts["repeats"] :].tolist(), strict=False):
        texts[place], names[place] = texts[source].upper() + "!", f"Queue {(labels[source] + 1) % CLASSES}"
    for place in chosen["blank"].tolist():
        texts[place] = " "
    for place in chosen["wrong_labels"].tolist():
        names[place] = f"Queue {(labels[place] + 1 + place % (CLASSES - 1)) % CLASSES}"
    for place in chosen["variants"].tolist():
        names[place] = names[place].upper() if place % 2 else f"{names[place]} "
    with (folder / "train.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("id", "text", "label"))
        writer.writerows(
            (f"T-{place:07}", text, name) for place, (text, name) in enumerate(zip(texts, names, strict=True))
        )
    return counts


def measure(folder: Path) -> dict[str, Any]:
    """Fix the file: the seconds up to the end of each stage, and the peak of the whole process."""
    began, stages = time.monotonic(), dict[str, float]()

    def tell(stage: str, done: int, total: int) -> None:
        stages[stage] = round(time.monotonic() - began, 1)

    found = fix(folder / "train.csv", folder / "cleaned.csv", progress=tell)
    seconds, cpu = time.monotonic() - began, time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(*found.lines, sep="\n", file=sys.stderr)
    with Path(found.review).open(encoding="utf-8-sig", newline="") as stream:
        listed = sum(row["why"].startswith("looks like") for row in csv.DictReader(stream))
    sums = {"rows": found.rows, "cleaned": found.cleaned, "taken_out": found.taken_out, "for_review": found.for_review}
    return {
        "megabytes": round((folder / "train.csv").stat().st_size / 1e6, 1),
        "seconds": round(seconds, 1),
        "cpu_seconds": round(cpu, 1),
        "peak_gb": round(peak, 2),
        "until": stages,
        "found": {**sums, **found.counts, "suspects listed": listed},
    }


def main() -> None:
    """Make the file, measure in a process of its own, write down."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--make", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.make or options.measure:
        print(json.dumps(make(options.make, options.rows) if options.make else measure(options.measure)))
        return
    with tempfile.TemporaryDirectory() as name:
        # The data is made in another process too: a child's peak begins at the memory of the process that starts it.
        planted = child("--make", name, "--rows", str(options.rows), script=__file__)
        found = child("--measure", name, script=__file__)
    keep({"rows": options.rows, "planted": planted, **found}, RESULTS)


if __name__ == "__main__":
    main()
