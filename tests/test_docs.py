"""The pages keep up with the code."""

import csv
import importlib.util
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer

from sharprecl.cli.main import app

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
    from sharprecl.config import METHODS

    page = (ROOT / "docs" / "METHODS.md").read_text(encoding="utf-8")
    for name in METHODS:
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


def test_the_measured_figures_of_the_methods_are_those_of_the_results() -> None:
    with (ROOT / "docs" / "results" / "tables" / "main-small.csv").open(encoding="utf-8") as stream:
        cells = [row for row in csv.DictReader(stream) if row["part"] == "cell" and row["metric"] == "macro_f1"]
    found: dict[str, dict[str, float]] = {}
    for row in cells:
        if row["column"] == "trec@50" and row["quantity"] in ("mean", "deviation"):
            found.setdefault(row["row"], {})[row["quantity"]] = 100 * float(row["value"])
    del found["as printed"]
    assert len(found) == 17
    page = (ROOT / "docs" / "METHODS.md").read_text(encoding="utf-8")
    for name, values in found.items():
        (line,) = [line for line in page.splitlines() if line.startswith(f"| `{name}` |")]
        spread = f" ± {values['deviation']:.1f}" if "deviation" in values else ""
        assert line.endswith(f"| {values['mean']:.1f}{spread} |")


def printed_commands() -> list[tuple[str, list[str]]]:
    """Every ``sharprecl ...`` line of the documents, with the words of the command."""
    found = []
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))):
        text = path.read_text(encoding="utf-8").replace("\\\n", " ")
        for line in re.findall(r"^(?: {4,}|\$ )(sharprecl .+)$", text, re.MULTILINE):
            words = shlex.split(line, comments=True)
            if "|" not in words:
                found.append((f"{path.name}: {line}", words[1:]))
    return found


@pytest.mark.parametrize(
    ("line", "words"), printed_commands(), ids=lambda value: value if isinstance(value, str) else ""
)
def test_every_printed_command_is_understood(line: str, words: list[str]) -> None:
    """Names of commands and options, not what they would do."""
    command: Any = typer.main.get_command(app)
    while hasattr(command, "commands"):
        name, *words = words
        assert name in command.commands
        command = command.commands[name]
    names = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
    for word in words:
        if word.startswith("-"):
            assert word.partition("=")[0] in names, word


def test_every_link_leads_somewhere() -> None:
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        text = path.read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if target.startswith("https://"):
                continue
            name, _, anchor = target.partition("#")
            linked = (path.parent / name).resolve() if name else path
            assert linked.exists(), f"{path.name}: {target}"
            if anchor:
                headings = re.findall(r"^#+ (.+)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
                assert anchor in {_anchor(heading) for heading in headings}, f"{path.name}: {target}"


def _anchor(heading: str) -> str:
    """As GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_no_file_is_over_400_lines() -> None:
    long = [
        path.relative_to(ROOT)
        for folder in ("src", "examples", "benchmarks", "tests", "docs")
        for path in (ROOT / folder).rglob("*.py")
        if len(path.read_text(encoding="utf-8").splitlines()) > 400
    ]
    assert not long
