"""The six benchmarks of the paper by name, with their published splits."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from sharprecl.assets import ASSETS, cache_dir, r52_files
from sharprecl.assets.remote import all_cached, fetch_files
from sharprecl.data.benchmark_sources import SOURCES, Source
from sharprecl.data.imbalance import Profile, imbalanced_subset
from sharprecl.data.messages import closest
from sharprecl.data.tables import TextTable, read_table
from sharprecl.errors import DataError

BENCHMARKS: tuple[str, ...] = tuple(SOURCES)
"""What ``load_benchmark`` takes."""


@dataclass(frozen=True, eq=False)
class Benchmark:
    """A training and a test table with the same label names."""

    name: str
    train: TextTable
    test: TextTable


def load_benchmark(
    name: str,
    ir: float | None = None,
    *,
    profile: Profile = "exponential",
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> Benchmark:
    """Load a benchmark, fetching its files first where the cache lacks them.

    Nothing is cleaned: duplicates, texts with two labels and test texts that stand in training are as published.
    Labels are the source's own; ``label_descriptions`` says what ``C14`` is.

    Args:
        name: one of ``BENCHMARKS``.
        ir: makes the training table this skewed, see ``imbalanced_subset``; None takes it as it is. The test table
            stays.
        profile: how the classes' sizes fall, where ``ir`` is given.
        seed: of the choice of texts, where ``ir`` is given.
        progress: is told, in one line each, what takes time when files must be fetched.

    Raises:
        DataError: no such benchmark.
        AssetError: the files cannot be had.
        ConfigError: a ratio below 1.
    """
    source = source_of(name)
    train_rows, test_rows = source.read(*benchmark_files(name, progress))
    train = replace(read_table(train_rows), origin=f"{source.title} training set")
    test = replace(read_table(test_rows, label_names=train.label_names), origin=f"{source.title} test set")
    if ir is not None:
        train = imbalanced_subset(train, ir, profile, seed)
    return Benchmark(name, train, test)


def benchmark_files(name: str, progress: Callable[[str], None] | None = None) -> tuple[Path, ...]:
    """Where the files of a benchmark lie in the cache; fetched first where they are not there. Errors as above."""
    source = source_of(name)
    return fetch_files(source.title, source.files, progress) if source.files else r52_files(progress)


def is_fetched(name: str) -> bool:
    """Whether the cache holds the files of a benchmark."""
    if files := SOURCES[name].files:
        return all_cached(files)
    asset = ASSETS[name]
    return all((cache_dir() / asset.folder / file).is_file() for file in asset.files)


def source_of(name: str) -> Source:
    """What is known of one of ``BENCHMARKS``.

    Raises:
        DataError: there is none of this name.
    """
    if name not in SOURCES:
        raise DataError(
            f"there is no benchmark {name!r}{closest(name, BENCHMARKS)}; the known ones are {', '.join(BENCHMARKS)}"
        )
    return SOURCES[name]
