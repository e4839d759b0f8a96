"""What the doctor's analyses of a million rows take: time and peak memory, and whether they find what was planted.

Makes a training file of a million rows (200 classes whose sizes fall as 1 / rank, words that fall as 1 / rank with some
of each class's own, 6 to 200 words a text, 22 on average) and a test file of 50,000, with exact and near duplicates,
leaks and wrong labels planted. A process of its own then runs every analysis on them, one after the other, with one
thread. Appends a dated line to results/doctor_million.jsonl.

    nice python benchmarks/doctor_million.py --rows 1000000
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from sharprecl.data.tables import TextTable
from sharprecl.doctor.encoder import open_encoder
from sharprecl.doctor.issues.base import Data, LoadedTable
from sharprecl.doctor.issues.class_sizes import ClassSizes
from sharprecl.doctor.issues.duplicates import Duplicates
from sharprecl.doctor.issues.label_errors import LabelErrors
from sharprecl.doctor.issues.unread_texts import UnreadTexts

RESULTS = Path(__file__).parent / "results" / "doctor_million.jsonl"
CLASSES, VOCABULARY, OWN = 200, 50_000, 300
# Shares of the training rows, and of the test rows.
EXACT, NEAR, WRONG, LEAKS, NEAR_LEAKS = 0.01, 0.005, 0.02, 0.01, 0.005


def zipf(rng: np.random.Generator, size: int, count: int) -> np.ndarray:
    """``count`` ranks below ``size``, the r-th as often as 1 / (r + 1)."""
    edges = np.cumsum(1 / np.arange(1, size + 1))
    return np.searchsorted(edges, rng.random(count) * edges[-1]).clip(0, size - 1)


def words(rng: np.random.Generator, labels: np.ndarray, vocabulary: np.ndarray, own: np.ndarray) -> list[list[str]]:
    """The words of one text a label."""
    lengths = np.exp(rng.normal(np.log(18), 0.7, len(labels))).astype(int).clip(6, 200)
    total = int(lengths.sum())
    ranks = zipf(rng, VOCABULARY, total)
    special = rng.random(total) < 0.3
    ranks[special] = own[np.repeat(labels, lengths)[special], zipf(rng, OWN, int(special.sum()))]
    flat = vocabulary[ranks]
    return [part.tolist() for part in np.split(flat, np.cumsum(lengths)[:-1])]


def make(folder: Path, rows: int) -> dict[str, int]:
    """Write train.parquet and test.parquet; say how much of what was planted."""
    rng = np.random.Generator(np.random.PCG64(0))
    letters = rng.integers(97, 123, (VOCABULARY, 9), dtype=np.uint8)
    sizes = rng.integers(3, 10, VOCABULARY)
    vocabulary = np.array([bytes(row[:size]).decode() for row, size in zip(letters, sizes, strict=True)])
    own = np.stack([rng.permutation(VOCABULARY)[:OWN] for _ in range(CLASSES)])
    planted = {}
    parts: dict[str, tuple[list[list[str]], np.ndarray]] = {}
    for name, count in (("train", rows), ("test", rows // 20)):
        labels = zipf(rng, CLASSES, count)
        parts[name] = (words(rng, labels, vocabulary, own), labels)
    train, labels = parts["train"]
    changed = rng.permutation(rows)
    used = 0

    def plant(name: str, split: str, places: np.ndarray, near: bool) -> None:
        nonlocal used
        target, target_labels = parts[split]
        sources = changed[used : used + len(places)]
        used += len(places)
        for place, source in zip(places.tolist(), sources.tolist(), strict=True):
            copy = list(train[source])
            if near:  # a word put at the end of a text of thirty words leaves nine tenths of the pieces
                copy += vocabulary[rng.integers(0, VOCABULARY, max(0, 30 - len(copy)))].tolist()
                train[source] = copy
                copy = [*copy, str(vocabulary[place % VOCABULARY])]
            else:
                copy = [copy[0].upper() + ",", *copy[1:]]
            target[place] = copy
            target_labels[place] = labels[source]
        planted[name] = len(places)

    for name, share, near in (("exact_train", EXACT, False), ("near_train", NEAR, True)):
        places, used = changed[used : used + int(share * rows)], used + int(share * rows)
        plant(name, "train", places, near)
    free = rng.permutation(rows // 20)
    exact, near_leaks = int(LEAKS * len(free)), int(NEAR_LEAKS * len(free))
    plant("leaks", "test", free[:exact], False)
    plant("near_leaks", "test", free[exact : exact + near_leaks], True)
    flipped = rng.random(rows) < WRONG
    labels[flipped] = (labels[flipped] + rng.integers(1, CLASSES, int(flipped.sum()))) % CLASSES
    planted["wrong_labels"] = int(flipped.sum())
    np.save(folder / "wrong.npy", np.flatnonzero(flipped))
    for name, (texts_, labels_) in parts.items():
        frame = pl.DataFrame({"text": [" ".join(text) for text in texts_], "label": labels_.astype(np.int64)})
        frame.write_parquet(folder / f"{name}.parquet")
    return planted


def load(path: Path) -> TextTable:
    """A table without the checks, which are not measured here."""
    frame = pl.read_parquet(path)
    labels = frame["label"].to_numpy().astype(np.int64)
    return TextTable(tuple(frame["text"].to_list()), labels, tuple(f"c{n}" for n in range(CLASSES)), path.name)


def measure(folder: Path) -> dict[str, Any]:
    """Run every analysis: wall and processor seconds of each, and the peak of the whole process after it."""
    encoder = open_encoder("minilm", lambda sentence: None)
    stages: dict[str, dict[str, float]] = {}
    began = time.monotonic(), time.process_time()

    def done(stage: str) -> None:
        nonlocal began
        now = time.monotonic(), time.process_time()
        stages[stage] = {
            "seconds": round(now[0] - began[0], 1),
            "cpu_seconds": round(now[1] - began[1], 1),
            "peak_gb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
        }
        print(stage, stages[stage], file=sys.stderr, flush=True)
        began = now

    train, test = (load(folder / f"{name}.parquet") for name in ("train", "test"))
    files = [LoadedTable(table, np.arange(1, len(table) + 1), len(table)) for table in (train, test)]
    data = Data(*files, encoder=encoder, max_length=64)
    done("load")
    sizes = ClassSizes.find(data)
    done("distribution")
    same = Duplicates.find(data)
    done("duplicates")
    seen = UnreadTexts.find(data)
    done("texts")
    errors = LabelErrors.find(data)
    assert errors is not None
    done("label_errors")
    names = ("exact_train", "near_train", "leaks", "near_leaks", "conflicts", "compared")
    found = {name: getattr(same, name) for name in names}
    found |= {"tokenised": seen.examined, "examined": errors.examined, "wrong_labels": errors.estimated}
    return {
        "classes": len(sizes.counts),
        "characters": sum(map(len, train.texts)),
        "stages": stages,
        "found": found,
        "macro_f1": round(errors.macro_f1, 3),
        "test_macro_f1": round(errors.test_macro_f1 or 0, 3),
    }


def child(*arguments: str, script: str = __file__) -> Any:
    """Run a part of a script with one thread and give back what it prints."""
    single = dict.fromkeys(("OMP_NUM_THREADS", "POLARS_MAX_THREADS", "RAYON_NUM_THREADS"), "1")
    environment = {**os.environ, **single, "TOKENIZERS_PARALLELISM": "false"}
    command = [sys.executable, script, *arguments]
    return json.loads(subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout)


def keep(figures: dict[str, Any], results: Path) -> None:
    """Print the figures of a run and add them to a log, with the day and the machine."""
    machine = f"{platform.machine()}, Python {platform.python_version()}, one thread"
    line = {"date": datetime.now(UTC).isoformat(timespec="seconds"), **figures, "machine": machine}
    print(json.dumps(line, indent=2))
    with results.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(line) + "\n")


def main() -> None:
    """Make the files, measure in a process of its own, write down."""
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
        planted = child("--make", name, "--rows", str(options.rows))
        found = child("--measure", name)
    keep({"rows": options.rows, "planted": planted, **found}, RESULTS)


if __name__ == "__main__":
    main()
