"""The data of a run: loaded, capped, thinned, and described."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from sharprecl.data.benchmarks import BENCHMARKS, load_benchmark
from sharprecl.data.imbalance import cap_per_class, imbalance_ratio, imbalanced_subset
from sharprecl.data.leaks import find_leaks
from sharprecl.data.splits import stratified_split, text_groups
from sharprecl.data.tables import TextTable, read_table
from sharprecl.errors import ConfigError, DataError
from sharprecl.files import sha256_json
from sharprecl.runs.record import DataRecord
from sharprecl.runs.spec import RunSpec

HELD_OUT = 0.2
"""Share of each class that is held out to judge on, where a file comes without test texts."""

DataKey = tuple[str | float | None, ...]


@dataclass(frozen=True, eq=False)
class Prepared:
    """What a run trains on and is judged on. Neither table has notes: those are of the data and not of a run."""

    train: TextTable
    test: TextTable
    record: DataRecord


def data_key(spec: RunSpec) -> DataKey:
    """What of a spec decides its data: specs with equal keys share one ``Prepared``."""
    file = (spec.data, spec.text_column, spec.label_column, spec.test, *spec.dialect)
    return (*file, spec.ir, spec.train_cap, spec.test_cap)


def is_benchmark(spec: RunSpec) -> bool:
    """Whether the data are pinned by hash; a file of a user's may change from one day to the next."""
    return spec.data in BENCHMARKS


def prepare(spec: RunSpec, progress: Callable[[str], None] | None = None) -> Prepared:
    """Load the data of a run. The same texts are chosen for every seed of the training.

    Training texts are capped class by class before they are thinned to the imbalance ratio, so that a cap does not
    flatten what the ratio makes steep. The test texts keep their shares of the classes.

    Args:
        spec: its data, columns, ratio and caps.
        progress: is told, in one line each, what takes time when files must be fetched.

    Raises:
        SharpReCLError: the data cannot be had, or are not fit to train on.
    """
    train, test = _tables(spec, progress)
    if spec.train_cap is not None:
        train = cap_per_class(train, spec.train_cap, seed=0)
    if spec.ir is not None:
        train = imbalanced_subset(train, spec.ir)
    if spec.test_cap is not None:
        test = sample_test(test, spec.test_cap)
    record = DataRecord(
        hash=sha256_json([train.content_hash, test.content_hash]),
        achieved_ir=imbalance_ratio(train.class_counts),
        label_names=train.label_names,
        train_counts=tuple(train.class_counts.tolist()),
        gold=tuple(test.label_ids.tolist()),
        leaks=len(find_leaks(train, test).rows),
    )
    return Prepared(replace(train, notes=()), replace(test, notes=()), record)


def _tables(spec: RunSpec, progress: Callable[[str], None] | None) -> tuple[TextTable, TextTable]:
    if is_benchmark(spec):
        benchmark = load_benchmark(spec.data, progress=progress)
        return benchmark.train, benchmark.test
    read: Callable[..., TextTable] = partial(
        read_table, text=spec.text_column, label=spec.label_column, **spec.dialect._asdict()
    )
    table = read(spec.data)
    if spec.test is not None:
        return table, read(spec.test, label_names=table.label_names)
    # Equal texts stay on one side, so that nothing is asked that training showed.
    kept, held_out = stratified_split(table.label_ids, HELD_OUT, seed=0, groups=text_groups(table.texts))
    if not len(held_out):
        raise DataError(f"{table.origin}: no class has two texts, so none can be held out to judge on; give test texts")
    return table.select(kept), table.select(held_out)


def sample_test(table: TextTable, cap: int) -> TextTable:
    """Keep at most ``cap`` texts, each class by its share, in the table's order: the same for every method and seed.

    Every class that has texts keeps one, if the cap allows for all of them: a class without any could only count 0.
    Within a class, texts rank by a hash of their own, whatever the order of the rows.

    Raises:
        ConfigError: a cap below 1.
    """
    if cap < 1:
        raise ConfigError(f"the test texts cannot be capped at {cap}; the least is 1")
    if len(table) <= cap:
        return table
    quotas = _quotas(table.class_counts, cap)
    ranked = sorted((hashlib.sha256(text.encode()).digest(), row) for row, text in enumerate(table.texts))
    kept = []
    for _, row in ranked:
        label = table.label_ids[row]
        if quotas[label]:
            quotas[label] -= 1
            kept.append(row)
    return table.select(sorted(kept))


def _quotas(counts: np.ndarray, cap: int) -> np.ndarray:
    """Texts of each class, [C]: largest remainders, of equal ones the class with the lower number first."""
    sure = (counts > 0).astype(np.int64)
    if sure.sum() > cap:
        sure[:] = 0
    rest = counts - sure
    # In whole numbers, so that every machine rounds alike.
    share = (cap - sure.sum()) * rest
    quotas = np.asarray(sure + share // rest.sum())
    first = np.argsort(-(share % rest.sum()), kind="stable")[: cap - quotas.sum()]
    quotas[first] += 1
    return quotas
