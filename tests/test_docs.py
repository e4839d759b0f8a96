"""The pages keep up with the code."""

import importlib.util
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


def test_every_method_has_its_row() -> None:
    from sharprecl.methods.registry import method_names

    page = (ROOT / "docs" / "METHODS.md").read_text(encoding="utf-8")
    for name in method_names():
        assert f"| `{name}` |" in page


def test_no_file_is_over_400_lines() -> None:
    long = [
        path.relative_to(ROOT)
        for folder in ("src", "examples", "benchmarks", "tests", "docs")
        for path in (ROOT / folder).rglob("*.py")
        if len(path.read_text(encoding="utf-8").splitlines()) > 400
    ]
    assert not long
