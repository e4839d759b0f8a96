"""How many texts many files hold, as far as it is known on the way."""

from pathlib import Path

import polars as pl
from rich.console import Console

from sharprecl.cli.shard_progress import ShardReporter


def test_how_many_texts_there_will_be(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in "abcd"]
    for path, size in zip(paths, (100, 300, 500, 100), strict=True):
        path.write_bytes(bytes(size))
    told: list[tuple[int, int | None]] = []
    reporter = ShardReporter(Console(), lambda done, total: told.append((done, total)), paths)
    for path, rows in zip(paths[:2], (10, 30), strict=True):
        reporter.turn_to(path)
        with reporter.working() as count:
            count(rows // 2, rows)
            count(rows, rows)
    reporter.turn_to(paths[2])  # cannot be read
    reporter.turn_to(paths[3])
    with reporter.working() as count:
        count(1, 20)
    # 100 rows in all by bytes; then without the third, and with more rows a byte.
    assert told == [(5, 100), (10, 100), (25, 100), (40, 100), (41, 60)]


def test_parquet_tells_its_rows(tmp_path: Path) -> None:
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for path, rows in zip(paths, (10, 30), strict=True):
        pl.DataFrame({"text": ["x" * 1000 if rows == 10 else "y"] * rows}).write_parquet(path)
    told: list[tuple[int, int | None]] = []
    reporter = ShardReporter(Console(), lambda done, total: told.append((done, total)), paths)
    reporter.turn_to(paths[0])
    with reporter.working() as count:
        count(1, 10)
    assert told == [(1, 40)]
