"""The results in docs/results: every cell is what the raw answers beside it give, and a changed one is found."""

import json
import re
from pathlib import Path

from typer.testing import CliRunner

from sharprecl.cli.experiment import experiment

RESULTS = Path(__file__).parent.parent / "docs" / "results"
RUNS = RESULTS / "runs.jsonl"
TABLES = sorted(path for path in (RESULTS / "tables").iterdir() if not path.name.startswith("datasets"))


def verify(runs: Path, *tables: Path) -> tuple[int, str]:
    words = ["verify", str(runs), *(f"--table={path}" for path in tables)]
    result = CliRunner().invoke(experiment, words, catch_exceptions=False)
    return result.exit_code, result.output


def test_every_committed_cell_is_what_the_raw_answers_give() -> None:
    assert {path.suffix for path in TABLES} == {".csv", ".md", ".tex"}
    status, said = verify(RUNS, *TABLES)
    assert status == 0, said
    assert f"{len(TABLES)} tables: all is as computed anew" in said


def test_the_comparison_in_the_docs_is_what_its_raw_answers_give() -> None:
    root = RESULTS.parent.parent
    status, said = verify(root / "benchmarks" / "results" / "judged.jsonl", root / "docs" / "judged.md")
    assert status == 0, said


def test_a_changed_cell_is_found_in_every_file(tmp_path: Path) -> None:
    changed = [tmp_path / path.name for path in TABLES]
    for path, copy in zip(TABLES, changed, strict=True):
        text = path.read_text("utf-8")
        figures = list(re.finditer(r"\b\d\d?\.\d+", text))
        found = figures[len(figures) // 2]
        other = f"{(float(found.group()) + 10) % 100:.1f}"
        copy.write_text(text[: found.start()] + other + text[found.end() :], "utf-8")
    # A table is made once for its files in all formats, and the runs are read once.
    status, said = verify(RUNS, *changed)
    assert status == 1
    assert [str(copy) for copy in changed if f"{copy}, line" not in said] == []


def test_a_changed_answer_is_found(tmp_path: Path) -> None:
    lines = [json.loads(line) for line in RUNS.read_text("utf-8").splitlines()]
    run = next(line for line in lines if line["kind"] == "run")
    gold = next(line["gold"] for line in lines if line["kind"] == "data" and line["hash"] == run["data"])
    # From wrong to right or from right to wrong: an answer from wrong to wrong can leave every figure as it was.
    run["answers"][0] = gold[0] if run["answers"][0] != gold[0] else (gold[0] + 1) % len(run["f1"])
    tampered = tmp_path / "runs.jsonl"
    tampered.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    status, said = verify(tampered)
    assert status == 1
    assert run["key"][:8] in said


def test_the_page_shows_these_tables() -> None:
    page = (RESULTS / "index.md").read_text("utf-8")
    for path in TABLES:
        assert f"(tables/{path.name})" in page
        if path.suffix == ".md":
            # From the first heading below the title on, as the page has titles of its own.
            table = path.read_text("utf-8")
            for sheet in table[table.index("\n### ") : table.index("\n<!--")].split("\n### ")[1:]:
                if path.name == "main-small.md" and sheet.startswith("Over all "):
                    # The page begins with it, under a heading of its own.
                    sheet = sheet[sheet.index("|") : sheet.rindex("|")]
                assert sheet.strip() in page
