"""The original files of the benchmarks, for tests that need them: in the folder or address SHARPRECL_MIRROR."""

import json
import os
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from sharprecl.data.benchmarks import Benchmark, load_benchmark
from sharprecl.data.statistics import Statistics, split_statistics

needs_mirror = pytest.mark.skipif(
    not os.environ.get("SHARPRECL_MIRROR"),
    reason="SHARPRECL_MIRROR names no folder with the original data files",
)
EXPECTED: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "expected_statistics.json").read_text(encoding="utf-8")
)
"""Figures of the original files by benchmark, counted independently of this package."""

BY_PIP = "r52"
FROM_MIRROR = ("ohsumed", "trec", "dblp", "biomedical", "cr")
EVERY = (
    pytest.param(BY_PIP, marks=pytest.mark.asset),
    *(pytest.param(name, marks=needs_mirror) for name in FROM_MIRROR),
)
"""All six, each skipped where it cannot be had."""


@cache
def benchmark(name: str) -> Benchmark:
    """A benchmark, loaded once a process; those of the mirror through a fresh cache, so that they come from there."""
    if name == BY_PIP:
        return load_benchmark(name)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SHARPRECL_CACHE", folder)
        return load_benchmark(name)


@cache
def statistics(name: str) -> Statistics:
    """Its figures, counted once a process."""
    found = benchmark(name)
    return split_statistics(found.train, found.test)
