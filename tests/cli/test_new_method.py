"""``sharprecl new-method``: what it writes is sound, and nothing is written over."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sharprecl.cli.main import app
from sharprecl.errors import ConfigError


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(*words: str) -> str:
    result = CliRunner().invoke(app, ["new-method", *words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output


def test_what_is_written_passes_its_tests_and_the_linter() -> None:
    said = write("my_loss", "--output", "mine")
    assert sorted(path.name for path in Path("mine").iterdir()) == ["my_loss.md", "my_loss.py", "test_my_loss.py"]
    assert "sharprecl train data.csv --method my_loss:MyLoss" in said
    for path in Path("mine").iterdir():
        assert "oly1" not in path.read_text()
    for words in (["check"], ["format", "--check"]):
        done = subprocess.run([sys.executable, "-m", "ruff", *words], cwd="mine", capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    # In this process, which has PyTorch already, and with nothing of this project's own pytest.
    passed = Passed()
    without = [word for name in ("cacheprovider", "faulthandler", "timeout", "xdist") for word in ("-p", f"no:{name}")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [*sys.path])
        assert pytest.main(["-q", "-c", os.devnull, "--rootdir=mine", *without, "mine"], plugins=[passed]) == 0
    assert len(passed.names) == 6


class Passed:
    """Notes which tests pass."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            self.names.append(report.nodeid)


def test_the_row_has_the_columns_of_the_page() -> None:
    write("poly1")
    page = (Path(__file__).parents[2] / "docs" / "METHODS.md").read_text(encoding="utf-8")
    heading, rule, row = Path("poly1.md").read_text().splitlines()
    assert f"{heading}\n{rule}\n" in page
    assert row.startswith("| `poly1` |")
    assert row.count("|") == heading.count("|")


@pytest.mark.parametrize("file", ["poly1.py", "test_poly1.py", "poly1.md"])
def test_no_file_is_written_over(file: str) -> None:
    Path(file).write_text("mine")
    with pytest.raises(ConfigError, match=rf"^{file} would be replaced; choose another name or --output$"):
        write("poly1")
    assert Path(file).read_text() == "mine"
    assert len(list(Path().iterdir())) == 1


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("Poly1", "'Poly1' is no name of a Python file; write it in small letters, as in my_loss"),
        ("poly-1", "is no name of a Python file"),
        ("class", "is no name of a Python file"),
        ("focal", "there is a method 'focal' already; choose another name"),
        ("torch", r"Python has a module 'torch' already \(.*\); choose another name"),
    ],
)
def test_names_that_cannot_be_used(name: str, sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        write(name)
    assert not list(Path().iterdir())
