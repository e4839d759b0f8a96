"""docs/datasets.md keeps up with the catalogue and the files."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from mirror import EXPECTED, needs_mirror, statistics
from sharprecl.data.benchmarks import BENCHMARKS
from sharprecl.data.statistics import Statistics

DOCS = Path(__file__).parent.parent / "docs"


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_datasets", DOCS / "make_datasets.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_the_generated_one() -> None:
    """Without the files, by the figures that they must give."""
    found = {name: Statistics(**EXPECTED[name]) for name in BENCHMARKS}
    assert (DOCS / "datasets.md").read_text(encoding="utf-8") == generator().page(found), (
        "run: python docs/make_datasets.py"
    )


@pytest.mark.asset
@needs_mirror
def test_the_page_is_the_one_of_the_files() -> None:
    found = {name: statistics(name) for name in BENCHMARKS}
    assert (DOCS / "datasets.md").read_text(encoding="utf-8") == generator().page(found)
