"""Benchmark data sets with their published splits."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from sharprecl.assets import r52_files
from sharprecl.data.tables import TextTable, read_table
from sharprecl.errors import AssetError


@dataclass(frozen=True, eq=False)
class Benchmark:
    """A training and a test table with the same label names."""

    train: TextTable
    test: TextTable


def load_r52(progress: Callable[[str], None] | None = None) -> Benchmark:
    """R52: Reuters-21578 news with exactly one of 52 topics, 6532 to train and 2568 to test (A. Cardoso-Cachopo).

    Lower-case words, letters only. The training set is extremely skewed: 2840 texts of ``earn``, one of
    ``platinum``. Nothing is cleaned: duplicates and texts with two labels are in the published files.

    Args:
        progress: is told what takes time when the files must be fetched first.

    Raises:
        AssetError: the files cannot be had.
    """
    train_file, test_file = r52_files(progress)
    train = read_table(_read_tab(train_file))
    test = read_table(_read_tab(test_file), label_names=train.label_names)
    return Benchmark(replace(train, origin="R52 training set"), replace(test, origin="R52 test set"))


def _read_tab(path: Path) -> tuple[list[str], list[str]]:
    """Texts and labels of an Orange ``.tab`` file with the columns Category and Text.

    Three header lines (names, types, roles) and a blank record come first. Nothing is quoted.
    """
    lines = path.read_text(encoding="ascii").splitlines()
    if lines[:2] != ["Category\tText", "d\tstring"]:
        raise AssetError(f"{path} is not the file of R52; delete its folder and it is fetched anew")
    pairs = [line.split("\t") for line in lines[3:] if line.strip()]
    return [text for _, text in pairs], [label for label, _ in pairs]
