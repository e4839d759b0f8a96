"""``sharprecl experiment`` as people type it. Sweeps with real workers: tests/experiments/test_sweep.py."""

import io
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from rich.console import Console
from typer.testing import CliRunner

from sharprecl.cli.experiment import experiment, sweeping
from sharprecl.errors import ConfigError
from sharprecl.experiments.scheduler import Failed, Sweep
from sharprecl.experiments.store import Store
from sharprecl.experiments.task import Options, Task
from sharprecl.experiments.worker import Worker
from sharprecl.runs.code import code_hash
from sharprecl.runs.data import prepare
from sharprecl.runs.execute import execute
from sharprecl.runs.record import Failure
from sharprecl.runs.spec import RunId
from tiny_experiment import spec, tiny_plan, write_table

ROWS = {"cross_entropy": None, "bcl": None}


def _yaml(values: dict[str, Any]) -> str:
    return yaml.safe_dump(values, sort_keys=False)


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A plan of two rows, two columns and three seeds, in the working folder."""
    monkeypatch.chdir(tmp_path)
    tiny_plan(tmp_path)
    write_table(Path("other.csv"), seed=2)
    columns = [{"data": "train.csv", "test": "test.csv"}, "other.csv"]
    values = {"title": "Two by two", "columns": columns, "rows": ROWS, "seeds": 3, "settings": {"view": "dropout"}}
    Path("mine.yaml").write_text(_yaml({**values, "at": {"smoke": {"seeds": 2}}}))
    return "mine.yaml"


def call(*words: str) -> str:
    result = CliRunner().invoke(experiment, words, catch_exceptions=False, env={"COLUMNS": "100"})
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def sweeps(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[Any], Store, Options]]:
    """What ``run`` hands to the sweep, which is not made."""
    seen: list[tuple[list[Any], Store, Options]] = []

    def pretend(jobs: Any, store: Store, options: Options, callback: Any, make_worker: Any) -> Sweep:
        assert make_worker is Worker
        seen.append((list(jobs), store, options))
        callback.on_progress(Sweep(1), [], None)
        callback.on_message("a sentence with [brackets]")
        return Sweep(1, 1, 1)

    monkeypatch.setattr(sweeping, "sweep", pretend)
    return seen


def test_run_hands_the_options_on(plan: str, sweeps: list[Any]) -> None:
    began = time.monotonic()
    words = ["--workers", "2", "--threads", "3", "--budget", "10m", "--device", "cpu", "--retry-failed", "--any-code"]
    output = call("run", plan, "--scale", "smoke", "--output", "there", *words)
    jobs, store, options = sweeps[0]
    assert len(jobs) == 8
    assert store.folder == Path("there")
    assert options == Options(2, 3, "cpu", options.deadline, retry_failed=True, any_code=True)
    # What comes before the sweep, such as PyTorch's import, counts.
    assert began + 600 < options.deadline < time.monotonic() + 600 - 1e-3
    assert output.splitlines() == [
        "Two by two, at the scale smoke",
        "a sentence with [brackets]",
        "1 of 1 runs are finished, 1 of them by this command",
    ]


def test_rows_columns_and_seeds_choose(plan: str, sweeps: list[Any]) -> None:
    call("run", plan, "--rows", "bcl", "--columns", " other ", "--seeds", "2,0")
    assert [(job.row, job.column, job.seed) for job in sweeps[0][0]] == [("bcl", "other", 0), ("bcl", "other", 2)]
    assert sweeps[0][2] == Options()
    for seeds in ("-1", "one", "1.5"):
        with pytest.raises(ConfigError, match="seeds are whole numbers from 0"):
            call("run", plan, "--seeds", seeds)
    with pytest.raises(ConfigError, match="did you mean 'bcl'"):
        call("run", plan, "--rows", "bcll")


def test_several_plans_are_one_sweep(plan: str, sweeps: list[Any]) -> None:
    output = call("run", plan, "datasets", "embedding", "--seeds", "0")
    assert len(sweeps) == 1
    assert [(job.column, job.row) for job in sweeps[0][0]] == [
        *[(column, row) for column in ("train", "other") for row in ROWS],
        *[("trec@50", row) for row in ("scl_ce", "spcl", "sharprecl")],
    ]
    assert "Two by two, at the scale small\n" in output
    assert "What the encoders make of the test texts, at the scale small\n" in output
    assert "the plan datasets has no runs" in output


def test_the_data_sets_have_no_runs(sweeps: list[Any]) -> None:
    assert "has no runs" in call("run", "datasets")
    assert not sweeps


def test_status_export_and_merge(plan: str) -> None:
    results = Store(Path("results"))
    tiny_settings = {"encoder": {"name": "encoder"}, "view": "dropout"}
    values = yaml.safe_load(Path(plan).read_text())
    Path(plan).write_text(_yaml({**values, "settings": tiny_settings}))
    from sharprecl.experiments.plan_file import load_plan

    jobs = load_plan(plan).jobs("smoke")
    code = code_hash()
    for job in jobs[:3]:
        prepared = prepare(job.spec)
        results.add_data(prepared.record)
        executed = execute(job.spec, prepared, "0" * 64 if job is jobs[2] else code)
        results.run(executed.record.key).finish(executed.record)
    results.run("f" * 64).fail(Failure(jobs[3].spec, "d", code, "Traceback\nValueError: it is broken\n"))
    results.run("e" * 64).begin(RunId(jobs[4].spec, "d", code))
    results.run("a" * 64).begin(RunId(jobs[6].spec, "d", code))
    with results.run("b" * 64).alone():
        results.run("b" * 64).begin(RunId(jobs[5].spec, "d", code))
        lines = call("status", plan, "--scale", "smoke").splitlines()
    assert lines[0] == "Two by two, at the scale smoke, in results"
    assert lines[1].split() == ["runs", "finished", "older", "code", "failed", "at", "work", "cut", "off"]
    assert lines[2].split() == ["train", "4", "2", "0", "0", "1", "1"]
    assert lines[3].split() == ["other", "4", "0", "1", "1", "0", "1"]
    assert lines[4].split() == ["all", "8", "2", "1", "1", "1", "2"]
    assert lines[5].startswith("failed: other bcl seed 0: ValueError: it is broken (results/runs/ff/fff")
    assert lines[6].startswith("about ")

    assert call("export", plan, "--scale", "smoke", "--to", "runs.jsonl") == "runs.jsonl: 3 of 8 runs\n"
    assert call("export", "--full", "--to", "all.jsonl.gz") == "all.jsonl.gz: 3 runs, 1 failed ones\n"
    output = call("merge", "runs.jsonl", "all.jsonl.gz", "--output", "there")
    assert output == "runs.jsonl: 3 new runs, 0 known\nall.jsonl.gz: 0 new runs, 3 known\n"
    assert Store(Path("there")).finished() == results.finished()
    with pytest.raises(ConfigError, match=r"must end in \.jsonl"):
        call("export", "--to", "runs.json")


def test_the_end_is_told_and_failures_are_the_exit_status(
    plan: str, monkeypatch: pytest.MonkeyPatch, sweeps: list[Any]
) -> None:
    broken = Failed("trec@50 bcl seed 1", "it is broken", "results/runs/ab/error.txt")
    left = [Task("a run", "key", RunId(spec(), "d", "c"))] * 4
    outcome = Sweep(10, 4, 3, [broken, Failed("cr bcl seed 0", "no data")], left, too_long=310.0)
    monkeypatch.setattr(sweeping, "sweep", lambda *_: outcome)
    result = CliRunner().invoke(experiment, ["run", plan])
    assert result.exit_code == 1
    assert result.output.splitlines()[1:] == [
        "4 of 10 runs are finished, 3 of them by this command",
        "no run was begun that would not end in time; the quickest one left takes about 5:10 min",
        "the time is up: 4 runs are left, with which the same command goes on",
        "2 runs failed:",
        "  trec@50 bcl seed 1: it is broken (results/runs/ab/error.txt)",
        "  cr bcl seed 0: no data",
        "with the cause mended, the same command with --retry-failed makes them anew",
    ]


def test_bars_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    def pretend(jobs: Any, store: Store, options: Options, callback: Any, make_worker: Any) -> Sweep:
        assert make_worker is Worker
        state = Sweep(9, 1, failed=[Failed("r52 bcl seed 0", "no data")])
        callback.on_progress(state, [("cr bcl seed 0", (3, 12)), ("cr dice seed 0", (0, 0))], 187.0)
        callback.on_message("[2/9] a sentence")
        return Sweep(9, 9, 9)

    monkeypatch.setattr(sweeping, "sweep", pretend)
    console = Console(force_terminal=True, width=100, record=True, file=io.StringIO())
    sweeping.show_sweep(console, [], Path("results"), Options(), Worker)
    shown = console.export_text()
    for words in ("1 of 9 runs, 1 failed, 3:07 min left", "cr bcl seed 0", "step 3/12", "begins", "[2/9] a sentence"):
        assert words in shown


@pytest.mark.parametrize(
    ("words", "cure"),
    [
        (["--on", "moon"], "give --on ray, or leave it out"),
        (["--address", "here:1"], "are for a Ray cluster; add --on ray"),
        (["--gpu-share", "0.5"], "are for a Ray cluster; add --on ray"),
    ],
)
def test_a_place_that_cannot_be_is_refused(plan: str, sweeps: list[Any], words: list[str], cure: str) -> None:
    with pytest.raises(ConfigError, match=cure):
        call("run", plan, "--scale", "smoke", *words)
    assert not sweeps
