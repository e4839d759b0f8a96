"""What a command's DATA may be: a file, or the name of a benchmark. Commands import this when they run."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict

from sharprecl.data import benchmarks
from sharprecl.data.imbalance import imbalanced_subset
from sharprecl.data.messages import closest, names_phrase
from sharprecl.data.tables import Rows, TextTable, read_rows, read_table
from sharprecl.errors import ConfigError, DataError

if TYPE_CHECKING:
    import polars as pl

Part = Literal["train", "test"]


class Reading(TypedDict):
    """How files are read: what the options of these names say."""

    encoding: str | None
    separator: str | None
    sheet: str | None
    strict: bool


def is_benchmark(data: str) -> bool:
    """Whether ``data`` is a benchmark's name. No file is, for every file that is read has an ending."""
    return data in benchmarks.BENCHMARKS


def training_table(
    data: str,
    text: str,
    label: str,
    given: Reading,
    tell: Callable[[str], None] | None = None,
    *,
    ir: float | None = None,
    test: Path | None = None,
) -> tuple[TextTable, TextTable | None]:
    """The training texts, thinned to the imbalance ratio ``ir`` if there is one, and the test texts if there are any.

    The choice of texts depends on nothing but the data and the ratio, so that runs with different seeds train on the
    same ones.

    Args:
        test: a file with test texts; a benchmark brings its own.

    Raises:
        SharpReCLError: what is wrong with a file or the download.
    """
    if is_benchmark(data):
        if test is not None:
            raise ConfigError(f"{data} brings its own test texts; leave --test out")
        benchmark = benchmarks.load_benchmark(data, ir, progress=tell)
        return benchmark.train, benchmark.test
    table = read_table(data_file(data), text, label, **given)
    held_out = None if test is None else read_table(test, text, label, label_names=table.label_names, **given)
    return (table if ir is None else imbalanced_subset(table, ir)), held_out


def judged_table(
    data: str,
    text: str,
    label: str,
    given: Reading,
    label_names: Sequence[str],
    tell: Callable[[str], None] | None = None,
) -> TextTable:
    """Labelled texts to judge a classifier with these label names on; of a benchmark its test texts.

    Raises:
        SharpReCLError: what is wrong with the file or the download, or labels that the classifier does not know.
    """
    if not is_benchmark(data):
        return read_table(data_file(data), text, label, **given, label_names=label_names)
    test = benchmarks.load_benchmark(data, progress=tell).test
    if strange := sorted({*test.label_names} - {*label_names}):
        raise DataError(
            f"{data} has classes that this classifier does not know ({names_phrase(strange)}); it was trained on other "
            f"data, with {names_phrase(label_names)}"
        )
    labels = [test.label_names[label_id] for label_id in test.label_ids]
    return replace(read_table((test.texts, labels), label_names=label_names), origin=test.origin)


def rows_of(data: str, text: str, label: str, given: Reading, tell: Callable[[str], None] | None = None) -> Rows:
    """Rows with a column of texts; of a benchmark its training texts.

    Raises:
        SharpReCLError: what is wrong with the file or the download.
    """
    if is_benchmark(data):
        return read_rows(benchmark_frame(data, text, label, "train", tell), text)
    return read_rows(data_file(data), text, **given)


def benchmark_frame(
    data: str, text: str, label: str, part: Part, tell: Callable[[str], None] | None = None
) -> "pl.DataFrame":
    """One part of a benchmark, its columns called as ``text`` and ``label`` say.

    Raises:
        SharpReCLError: what is wrong with the download.
    """
    import polars as pl

    benchmark = benchmarks.load_benchmark(data, progress=tell)
    table = benchmark.train if part == "train" else benchmark.test
    names = [table.label_names[label_id] for label_id in table.label_ids]
    return pl.DataFrame({text: list(table.texts), label: names})


def data_file(data: str) -> Path:
    """The path of a file; a name without ending that is no file was meant to be a benchmark's.

    Raises:
        DataError: it is neither.
    """
    path = Path(data)
    if path.suffix or path.exists() or path.name != data:
        return path
    raise DataError(
        f"{data!r} is neither a file nor a benchmark{closest(data.lower(), benchmarks.BENCHMARKS)}; the benchmarks are "
        f"{', '.join(benchmarks.BENCHMARKS)}, and a file has an ending such as .csv"
    )
