"""The hash of the code changes with what can change a result, and with nothing else."""

import ast
from pathlib import Path

import pytest

import sharprecl
from sharprecl.runs.code import DECIDES, code_hash
from sharprecl.source import bare

PACKAGE = Path(sharprecl.__file__).parent
SOURCE = '''"""A file."""

# Why.
PROMPT = """Answer.

# not a comment
"""
"""What is sent."""


def double(x):
    """Twice ``x``."""

    text = "# kept"  # dropped
    return (
        # an aside
        2 * x
    )
'''
BARE = '''PROMPT = """Answer.

# not a comment
"""
def double(x):
    text = "# kept"
    return (
        2 * x
    )
'''


def test_only_code_is_left() -> None:
    assert bare(SOURCE) == BARE
    assert bare(BARE) == BARE


@pytest.mark.parametrize("line", ["x = 1; 'no docstring'", "def f(): 'on its line'", "f('a string that is read')"])
def test_code_beside_a_string_is_kept(line: str) -> None:
    assert bare(line) == line


def test_a_docstring_that_ends_in_a_comment_is_dropped() -> None:
    assert bare('"""Über."""  # with a reason\nx = 1') == "x = 1"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package of small files: one at every place that counts, and some elsewhere."""
    for place in (*DECIDES, "cli/main.py", "experiments/sweep.py"):
        path = tmp_path / (place if place.endswith(".py") else f"{place}/deeper/one.py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SOURCE)
    return tmp_path


def test_every_place_counts(package: Path) -> None:
    seen = {code_hash(package)}
    for place in DECIDES:
        path = package / place
        file = path / "deeper" / "one.py" if path.is_dir() else path
        file.write_text(SOURCE.replace("2 * x", "3 * x"))
        seen.add(code_hash(package))
    assert len(seen) == len(DECIDES) + 1


def test_every_place_is_there() -> None:
    package = Path(sharprecl.__file__).parent
    for place in DECIDES:
        assert (package / place).is_file() or (package / place / "__init__.py").is_file(), place
    assert code_hash() == code_hash(package)


def test_what_only_people_see_does_not_count(package: Path) -> None:
    before = code_hash(package)
    (package / "classifier.py").write_text("# a remark\n\n" + SOURCE.replace("Twice", "Two times"))
    (package / "cli" / "main.py").write_text("x = 1\n")
    (package / "experiments" / "sweep.py").write_text("x = 1\n")
    assert code_hash(package) == before


def test_new_names_and_files_count(package: Path) -> None:
    before = code_hash(package)
    one = package / "losses" / "deeper" / "one.py"
    one.rename(one.with_name("two.py"))
    moved = code_hash(package)
    (package / "losses" / "deeper" / "one.py").write_text("")
    assert len({before, moved, code_hash(package)}) == 3


# They fetch what is checked by its hash, keep, show or word; or make settings, which stand in every key.
DECIDE_NOTHING = {
    "assets/__init__.py", "assets/cache.py", "assets/fetch.py", "assets/remote.py", "errors.py",
    "evaluation/intervals.py", "export/card.py", "export/onnx.py", "export/onnx_predictor.py",
    "export/stock.py", "export/writing.py", "extras.py",
    "files.py", "machine.py", "quiet.py",
    "runs/folder.py", "runs/spec.py", "source.py", "version.py",
}  # fmt: skip


def test_whatever_decides_a_result_imports_only_what_counts_too() -> None:
    """A file that moves out of the list's places, or is newly used by them, must be thought about."""
    seen = {file for place in DECIDES for file in _files(place)}
    own, pending = set(seen), list(seen)
    while pending:
        for file in _imported(pending.pop()) - seen:
            seen.add(file)
            pending.append(file)
    assert {file.relative_to(PACKAGE).as_posix() for file in seen - own} == DECIDE_NOTHING


def _files(place: str) -> list[Path]:
    path = PACKAGE / place
    return sorted(path.rglob("*.py")) if path.is_dir() else [path]


def _imported(file: Path) -> set[Path]:
    found = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "sharprecl":
            base = PACKAGE.joinpath(*str(node.module).split(".")[1:])
            for name in node.names:
                places = (base / f"{name.name}.py", base / name.name / "__init__.py", base.with_suffix(".py"))
                found |= set([place for place in (*places, base / "__init__.py") if place.is_file()][:1])
    return found
