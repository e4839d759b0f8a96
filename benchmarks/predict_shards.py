"""What ``sharprecl predict`` takes for many files: rows a second, and whether memory grows with the rows.

Shards of four columns (texts of eight words) are made in a process of their own, and classified by a BERT of two narrow
layers, with one thread, by another process, whose memory is sampled: resident, and thereof what is no page of a mapped
file, which the system takes back when it needs room. Halfway through it can be killed, to go on with --resume. With
--on-ray a pool of so many actors does it; the memory is then that of this process, which only hands shards out. Appends
a dated line to results/predict_shards.jsonl and prints a table.

    nice python benchmarks/predict_shards.py --rows 200000 --shards 8 --format parquet
    nice python benchmarks/predict_shards.py --rows 10000000 --shards 100 --format parquet --kill
    nice python benchmarks/predict_shards.py --rows 200000 --shards 8 --format parquet --on-ray 2
"""

import argparse
import csv
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import polars as pl

from doctor_million import child, keep
from sharprecl import TextClassifier
from sharprecl.testing import WORDS, skewed_texts, tiny_encoder

RESULTS = Path(__file__).parent / "results" / "predict_shards.jsonl"
POINTS = 12
"""Of the course of memory, as it is kept."""


def make(folder: Path, rows: int, shards: int, ending: str) -> dict[str, Any]:
    """Train the classifier and write the shards."""
    settings = {"view": "dropout", "training": {"max_epochs": 1, "batch_size": 16}, "encoder": {"max_length": 32}}
    TextClassifier(tiny_encoder(folder / "encoder"), config=settings).fit(*skewed_texts()).save(folder / "run")
    (folder / "in").mkdir()
    draw = random.Random(0)
    for shard in range(shards):
        first, last = rows * shard // shards, rows * (shard + 1) // shards
        table = [
            {
                "id": f"T-{number:09}",
                "text": "" if number % 1000 == 999 else " ".join(draw.choices(WORDS, k=8)),
                "note": "é" * (number % 7),
                "price": f"{number % 100},50",
            }
            for number in range(first, last)
        ]
        path = folder / "in" / f"part-{shard:05}.{ending}"
        if ending == "parquet":
            pl.DataFrame(table).write_parquet(path)
            continue
        with path.open("w", encoding="utf-8", newline="") as stream:
            if ending == "jsonl":
                stream.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in table)
            else:
                lines = csv.DictWriter(stream, [*table[0]], delimiter="\t" if ending == "tsv" else ",")
                lines.writeheader()
                lines.writerows(table)
    return {"input_mb": round(sum(path.stat().st_size for path in (folder / "in").iterdir()) / 1e6)}


def memory(process: int) -> tuple[float, float] | None:
    """Megabytes: resident, and thereof those that no file backs."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return None
    found = {name: value for name, _, value in (line.partition(":") for line in lines)}
    if "VmRSS" not in found:
        return None
    return tuple(int(found[name].split()[0]) / 1024 for name in ("VmRSS", "RssAnon"))  # type: ignore[return-value]


def classify(
    folder: Path, ending: str, wanted: int, resume: bool, actors: int
) -> tuple[list[tuple[float, ...]], float, int]:
    """Memory by time until the command ends, or has finished so many shards and is killed; seconds and exit status."""
    words = [sys.executable, "-m", "sharprecl", "predict", str(folder / "run"), str(folder / "in")]
    words += ["--output", str(folder / "out"), *(["--resume"] if resume else [])]
    words += ["--on", "ray", "--workers", str(actors)] if actors else []
    began = time.monotonic()
    running = subprocess.Popen(words, env={**os.environ, "OMP_NUM_THREADS": "1"}, stdout=sys.stderr)
    course: list[tuple[float, ...]] = []
    while running.poll() is None:
        if now := memory(running.pid):
            course.append((time.monotonic() - began, *now))
        if wanted and len([*(folder / "out").glob(f"part-*[0-9].{ending}")]) >= wanted:
            running.send_signal(signal.SIGKILL)
        time.sleep(0.25)
    return course, time.monotonic() - began, running.returncode


def measure(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Classify all shards, killed on the way if that is asked for, and look at what is there."""
    course, seconds = [], 0.0
    if options.kill:
        part, seconds, _ = classify(folder, options.format, max(1, options.shards // 2), False, options.on_ray)
        course += part
    part, more, status = classify(folder, options.format, 0, options.kill, options.on_ray)
    course += [(seconds + when, *rest) for when, *rest in part]
    seconds += more
    if status:
        raise SystemExit(f"predict ended with {status}")
    outputs = sorted((folder / "out").glob(f"part-*[0-9].{options.format}"))
    read = {"csv": pl.scan_csv, "jsonl": pl.scan_ndjson, "parquet": pl.scan_parquet}
    ids = [read.get(options.format, lambda path: pl.scan_csv(path, separator="\t"))(path) for path in outputs]
    numbers = [frame.select(pl.col("id").str.slice(2).cast(pl.Int64)).collect()["id"] for frame in ids]
    found = sum(map(len, numbers))
    first = 0
    for shard in numbers:
        # Nothing twice, nothing lost: the numbers go on without a gap.
        assert (shard == pl.Series(range(first, first + len(shard)))).all()
        first += len(shard)
    assert found == options.rows
    steps = [course[round(place * (len(course) - 1) / (POINTS - 1))] for place in range(POINTS)]
    return {
        "rows": options.rows,
        "shards": options.shards,
        "format": options.format,
        "killed_halfway": options.kill,
        "ray_actors": options.on_ray,
        "seconds": round(seconds, 1),
        "rows_a_second": round(options.rows / seconds),
        "peak_mb": round(max(rss for _, rss, _ in course)),
        "peak_anonymous_mb": round(max(anonymous for _, _, anonymous in course)),
        "course_seconds_mb_anonymous": [[round(value) for value in step] for step in steps],
    }


def main() -> None:
    """Make the shards, measure, write down."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--format", choices=("csv", "tsv", "jsonl", "parquet"), default="parquet")
    parser.add_argument("--kill", action="store_true", help="kill it when half of the shards are there, and resume")
    parser.add_argument("--on-ray", type=int, default=0, metavar="ACTORS", help="on a Ray cluster of this machine")
    parser.add_argument("--place", type=Path, help="where the shards lie meanwhile; some 200 bytes a row")
    parser.add_argument("--make", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.make:
        print(json.dumps(make(options.make, options.rows, options.shards, options.format)))
        return
    with tempfile.TemporaryDirectory(dir=options.place) as name:
        words = [f"--{word}={getattr(options, word)}" for word in ("rows", "shards", "format")]
        made = child("--make", name, *words, script=__file__)
        found = made | measure(Path(name), options)
    keep(found, RESULTS)
    print("| rows | shards | format | seconds | rows a second | peak MB | thereof anonymous |")
    print("|---:|---:|---|---:|---:|---:|---:|")
    names = ("rows", "shards", "format", "seconds", "rows_a_second", "peak_mb", "peak_anonymous_mb")
    print("|", " | ".join(str(found[name]) for name in names), "|")
    print("\nMB by seconds:", ", ".join(f"{when}: {rss}" for when, rss, _ in found["course_seconds_mb_anonymous"]))


if __name__ == "__main__":
    main()
