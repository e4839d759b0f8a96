"""The pages keep up with the code."""

import importlib.util
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_configuration_page_is_the_generated_one() -> None:
    spec = importlib.util.spec_from_file_location("make_configuration", ROOT / "docs" / "make_configuration.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    assert found == module.page(), "run: python docs/make_configuration.py"


def test_every_method_has_its_row_and_what_the_row_names_is_there() -> None:
    from sharprecl.methods.registry import method_names

    page = (ROOT / "docs" / "METHODS.md").read_text(encoding="utf-8")
    for name in method_names():
        (row,) = [line for line in page.splitlines() if line.startswith(f"| `{name}` |")]
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert len(cells) == 6
        assert all(cells), f"an empty cell in the row of {name}"
        for path in re.findall(r"`((?:methods|llm)/[a-z_]+[.]py)`", cells[2]):
            assert (ROOT / "src" / "sharprecl" / path).is_file(), path
        named = re.findall(r"`(tests/[^`]+)`", cells[4])
        assert named
        for path in named:
            assert (ROOT / path).exists(), path


def test_the_table_of_methods_is_the_measured_one() -> None:
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        import methods
    finally:
        sys.path.pop(0)
    page = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    assert methods.table(3) in page, "run: python benchmarks/methods.py --table, and paste what it prints"


def test_no_file_is_over_400_lines() -> None:
    long = [
        path.relative_to(ROOT)
        for folder in ("src", "examples", "benchmarks", "tests", "docs")
        for path in (ROOT / folder).rglob("*.py")
        if len(path.read_text(encoding="utf-8").splitlines()) > 400
    ]
    assert not long
