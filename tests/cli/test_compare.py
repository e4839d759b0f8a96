"""``sharprecl compare`` on a store that holds the runs already: what it asks for, what it says, what it writes."""

import csv
import html
import json
import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from sharprecl.cli.compare import compare
from sharprecl.cli.main import app
from sharprecl.config import assignments
from sharprecl.errors import ConfigError, SharpReCLError
from sharprecl.experiments.compare import compare_plan
from sharprecl.experiments.plan_file import load_plan
from sharprecl.experiments.store import Store
from sharprecl.runs.code import code_hash
from sharprecl.runs.data import prepare
from sharprecl.runs.record import RunRecord, measure
from sharprecl.runs.spec import FLOOR, run_key
from tiny import tiny_encoder

APP = typer.Typer()
APP.command()(compare)
METHODS = ["cross_entropy", "sharprecl"]
COUNTS = {"billing": 120, "shipping": 60, "odd [/a] <b>": 15}
SKILLS = {FLOOR: 0.4, "cross_entropy": 0.5, "sharprecl": 0.95}
SECONDS = {FLOOR: 0.1, "cross_entropy": 5.0, "sharprecl": 10.0}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [(f"text {name} {number}", name) for name, count in COUNTS.items() for number in range(count)]
    for name, part in (("mine.csv", rows), ("held.csv", [(f"new {text}", label) for text, label in rows[::5]])):
        with Path(name).open("w", newline="", encoding="utf-8") as stream:
            csv.writer(stream).writerows([("t", "y"), *part])


def _run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(APP, list(words), env={"COLUMNS": "200"})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


def _fill(output: str, test: str | None = None, settings: dict[str, Any] | None = None) -> int:
    """Put runs into a store as if they had been trained, one of them by older code; how many are right for today's."""
    store, code = Store(Path(output)), code_hash()
    plan = compare_plan("mine.csv", METHODS, text="t", label="y", test=test, seeds=2, settings=settings)
    for job in plan.jobs("small"):
        data = prepare(job.spec).record
        gold, draw = np.array(data.gold), np.random.default_rng(job.seed)
        given = np.where(draw.random(len(gold)) < SKILLS[job.row], gold, (gold + 1) % 3)
        metrics, f1 = measure(gold, given, data.train_counts)
        run = RunRecord(
            key=run_key(job.spec, data.hash, code), spec=job.spec, data=data.hash, code=code,
            config=job.spec.settings if job.row == FLOOR else {**job.spec.settings, "encoder": {"name": "minilm"}},
            answers=tuple(given.tolist()), metrics=metrics, f1=f1, selected_on="validation", steps=9, tokens=999,
            seconds=SECONDS[job.row], peak_memory_bytes=1, environment={"hardware": "2 cores (cpu)"}, notes=(),
        )  # fmt: skip
        store.add_data(data)
        store.run(run.key).finish(replace(run))
    return len(list(store.runs()))


def test_the_table_and_its_certainty_in_words() -> None:
    assert _fill("out") == 5
    code, said = _run(
        "mine.csv", "--text", "t", "--label", "y", "--methods", ",".join(METHODS), "--seeds", "2", "-o", "out"
    )
    assert code == 0
    assert "cross_entropy, sharprecl on mine.csv, 2 seeds each, at the scale small" in said
    assert "a fifth of each class is held out once, the same for all methods and seeds" in said
    assert "5 of 5 runs are finished, 0 of them by this command" in said
    assert (
        "Trained on 156 texts of 3 classes, from 96 (billing) down to 12 (odd [/a] <b>); judged on 39 texts held out"
        in said
    )
    assert "mine: sharprecl has the best macro-F1" in said
    line = next(line for line in said.splitlines() if line.startswith("sharprecl  "))
    records = Store(Path("out")).finished().values()
    scores = [100 * run.metrics["macro_f1"] for run in records if run.config["method"]["name"] == "sharprecl"]
    assert f"{np.mean(scores):.1f} ± {np.std(scores, ddof=1):.1f}" in line
    page = Path("out/index.html").read_text("utf-8")
    assert "odd [/a] &lt;b&gt;" in page
    assert "<b>)" not in page
    names = {path.name for path in Path("out/figures").glob("*.svg")}
    assert names == {f"compare-small-{name}.svg" for name in ("cost", "distribution", "frequency-mine")}
    # What was asked for can be run, shown and checked by the other commands.
    plan = load_plan("out/compare.yaml")
    assert {job.spec.hash for job in plan.jobs("small")} == {run.spec.hash for run in records}
    assert "sharprecl experiment table out/compare.yaml --scale small --results out" in page


def _commands() -> list[str]:
    """All commands of the page, as HTML and as Markdown, each once."""
    page, text = (Path(f"out/index.{ending}").read_text("utf-8") for ending in ("html", "md"))
    blocks = [html.unescape(re.sub("<.*?>", "", block)) for block in re.findall("<pre>(.*?)</pre>", page, re.DOTALL)]
    lines = "\n".join([*blocks, *re.findall("^    (.*)$", text, re.MULTILINE)]).splitlines()
    return list(dict.fromkeys(line.strip() for line in lines if line.strip()))


def test_the_commands_of_the_page_work_when_pasted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    tiny_encoder(Path("my encoder"))
    words = ["--set=encoder.name=./my encoder", "--set=encoder.max_length=32", "--set=training.max_epochs=1"]
    _fill("out", "held.csv", assignments([word.removeprefix("--set=") for word in words]))
    code, said = _run(
        "mine.csv", "--text", "t", "--label", "y", "--methods", ",".join(METHODS), "--seeds", "2", "-o", "out",
        "--test", "held.csv", *words,
    )  # fmt: skip
    assert code == 0
    train, *others = _commands()
    assert said.rstrip().endswith(train)
    assert [command.split()[:3] for command in others] == [
        ["sharprecl", "experiment", name] for name in ("table", "run", "figure", "table")
    ]
    for command in (train, *others):
        result = CliRunner().invoke(app, shlex.split(command)[1:], catch_exceptions=False)
        assert result.exit_code == 0, command
    # Nothing was left to run, and what was trained is the winner.
    assert len(list(Store(Path("out")).runs())) == 5
    assert json.loads(Path("out/sharprecl/model/config.json").read_text("utf-8"))["hidden_size"] == 32


def test_a_test_file_of_one_s_own() -> None:
    _fill("out", "held.csv")
    code, said = _run(
        "mine.csv", "--text", "t", "--label", "y", "--methods", ",".join(METHODS), "--seeds", "2", "-o", "out",
        "--test", "held.csv",
    )  # fmt: skip
    assert code == 0
    assert "held out" not in said
    assert "judged on 39 texts of held.csv." in said


def test_a_file_that_was_changed_and_changed_back_shows_its_own_runs() -> None:
    words = ("mine.csv", "--text", "t", "--label", "y", "--methods", ",".join(METHODS), "--seeds", "2", "-o", "out")
    first = Path("mine.csv").read_text("utf-8")
    _fill("out")
    shown = _run(*words)
    # The runs on the other texts are the newer ones.
    Path("mine.csv").write_text("\n".join(first.splitlines()[::2]) + "\n", "utf-8")
    assert _fill("out") == 10
    assert "5 of 5 runs are finished, 0 of them by this command" in _run(*words)[1]
    Path("mine.csv").write_text(first, "utf-8")
    assert _run(*words) == shown


def test_a_single_seed_says_that_it_knows_nothing_of_others() -> None:
    _fill("out")
    _, said = _run(
        "mine.csv", "--text", "t", "--label", "y", "--methods", ",".join(METHODS), "--seeds", "1", "-o", "out"
    )
    assert "1 seed each" in said
    assert "A single seed says nothing about other trainings." in said


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["mine.csv", "--methods", "bcl"], "two methods or more beside tfidf"),
        (["mine.csv", "--methods", "bcl,blc"], "there is no method 'blc'"),
        (["mine.csv", "--budget", "soon"], "'soon' is no span of time"),
        (["mine.csv", "--scale", "tiny"], "there is no scale 'tiny'"),
        (["mine.csv", "--set", "training.patience=2"], "training.patience"),
        (["trec@50", "--test", "held.csv"], "trec@50 brings its own test texts; leave --test out"),
        (["nothing.csv"], "nothing.csv"),
        (["mine.csv", "--label", "label"], "'text'"),
    ],
)
def test_what_is_refused_before_anything_is_trained(words: list[str], sentence: str) -> None:
    with pytest.raises(SharpReCLError, match=sentence):
        _run(*words)
    assert not Path("compare/runs").exists()


def test_the_extra_is_asked_for_before_the_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise ConfigError("matplotlib is missing")

    monkeypatch.setattr("sharprecl.experiments.page.check_page", missing)
    with pytest.raises(ConfigError, match="matplotlib is missing"):
        _run("mine.csv")
