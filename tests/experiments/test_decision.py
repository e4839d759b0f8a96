"""What a comparison comes to: who is taken, what is told beside it, and a command that trains what was compared."""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest
import typer

from made_up_runs import made_up_plan, made_up_records
from sharprecl.cli.main import app
from sharprecl.config import assignments, given, merge, resolve
from sharprecl.experiments.collection import Records
from sharprecl.experiments.compare import compare_plan
from sharprecl.experiments.comparisons import compare_rows
from sharprecl.experiments.decision import Decision, decide, train_command
from sharprecl.experiments.plan import Plan
from sharprecl.experiments.results import make_table
from sharprecl.runs.spec import FLOOR, WORDS

ROWS = {FLOOR: {"method": WORDS}, "cross_entropy": None, "bcl": None, "sharprecl": None}
SECONDS = {WORDS: 0.5, "cross_entropy": 30.0, "bcl": 100.0, "sharprecl": 110.0}
SURE = {FLOOR: 0.5, "cross_entropy": 0.6, "bcl": 0.7, "sharprecl": 0.95}


def _decide(skills: dict[str, float], **changes: Any) -> Decision | None:
    plan = made_up_plan(rows=ROWS, columns=["cr"])
    records = made_up_records(plan, skills, **changes)
    runs = {key: replace(run, seconds=SECONDS[run.config["method"]["name"]]) for key, run in records.runs.items()}
    table = make_table(plan, Records(runs, records.data), "smoke")
    return decide(table, compare_rows(table), Path("out"))


def _said(skills: dict[str, float], **changes: Any) -> str:
    decision = _decide(skills, **changes)
    assert decision is not None
    return " ".join(decision.sentences)


def test_one_row_is_ahead_of_all() -> None:
    assert _said(SURE).startswith("Take sharprecl: all others are significantly behind. This trains sharprecl ")


def test_a_cheaper_row_that_is_as_good_is_named() -> None:
    said = _said({**SURE, "cross_entropy": 0.94})
    assert said.startswith("Take sharprecl, or save time with cross_entropy (1.8 points behind, 0.3 of the time). ")
    assert (
        "300 test texts and 3 seeds cannot tell it from cross_entropy (1.8 points behind); more of either may." in said
    )


def test_what_is_far_behind_is_no_bargain_though_nothing_is_sure() -> None:
    said = _said({**SURE, "cross_entropy": 0.9})
    assert said.startswith("Take sharprecl. 300 test texts and 3 seeds cannot tell it from cross_entropy (5.4 points")


def test_what_is_as_good_but_no_cheaper() -> None:
    said = _said({FLOOR: 0.3, "cross_entropy": 0.4, "bcl": 0.95, "sharprecl": 0.945})
    assert said.startswith("Take sharprecl. 300 test texts and 3 seeds cannot tell it from bcl (")
    assert "cross_entropy" not in said


def test_no_encoder_pays() -> None:
    said = _said({**SURE, "sharprecl": 0.8, FLOOR: 0.99})
    assert said.startswith(f"Take {FLOOR}: it needs no encoder, and the best method, sharprecl, is ")
    assert "points behind, significantly so (p at most 0.05). This trains sharprecl" in said


def test_rows_that_lack_seeds_are_not_chosen() -> None:
    assert "Take bcl" in _said(SURE, without=lambda job: (job.row, job.seed) == ("sharprecl", 1))
    assert _decide(SURE, without=lambda job: job.row != FLOOR) is None
    assert _said(SURE, without=lambda job: job.row != "bcl").startswith("Take bcl: no other row is complete.")


def test_too_few_texts() -> None:
    plan = made_up_plan(rows=ROWS, columns=["cr"])
    records = made_up_records(plan, SURE)
    ((hash_, data),) = records.data.items()
    runs = {key: replace(run, answers=run.answers[:19]) for key, run in records.runs.items()}
    table = make_table(plan, Records(runs, {hash_: replace(data, gold=data.gold[:19])}), "smoke")
    decision = decide(table, compare_rows(table), Path("out"))
    assert decision is not None
    assert decision.sentences[0] == "Take sharprecl for now: with fewer than 20 test texts nothing can be told apart."


def _parsed(command: str) -> tuple[click.Context, list[str]]:
    _, name, *words = shlex.split(command)
    group: Any = typer.main.get_command(app)
    return group.commands[name].make_context(name, words), words


@pytest.mark.parametrize("scale", ["paper", "small", "smoke"])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"training": {"learning_rate": 1e-05, "max_epochs": 2, "clip_norm": None, "weight_decay": 0.0}},
        {"view": "synonyms+noise"},
        {"encoder": {"name": "my models/tiny", "pooling": "cls"}, "prototypes": {"start": "random"}},
        {
            "training": {"learning_rate": "auto", "decay_all": True},
            "decision": {"prior": "train"},
        },
    ],
)
def test_the_command_trains_with_the_settings_that_were_compared(scale: str, settings: dict[str, Any]) -> None:
    columns = {
        "text": "my text",
        "label": "y",
        "test": "held out.csv",
        "encoding": "cp1252",
        "separator": "\t",
        "sheet": "all of it",
        "ir": 20,
    }
    plan = compare_plan("it's.csv", ["bcl", "sharprecl"], **columns, settings=settings)
    for job in plan.jobs(scale, seeds=[0])[1:]:
        command = train_command(plan.columns[job.column], job.spec, Path("compare") / job.row)
        context, _ = _parsed(command)
        asked = context.params
        assert (asked["data"], asked["text"], asked["label"], str(asked["test"])) == (
            "it's.csv", "my text", "y", "held out.csv",
        )  # fmt: skip
        assert (asked["encoding"], asked["ir"], asked["output"]) == ("cp1252", 20, Path("compare") / job.row)
        assert (asked["separator"], asked["sheet"]) == ("tab", "all of it")
        options = {
            "profile": asked["profile"],
            "view": asked["view"],
            "encoder": {"name": asked["encoder"], "max_length": asked["max_length"]},
            "method": {"name": asked["method"]},
            "training": {name: asked[name] for name in ("max_epochs", "batch_size", "learning_rate")},
        }
        assert resolve(merge(assignments(asked["set_"] or []), given(options))) == resolve(job.spec.settings)


def test_the_command_says_what_it_trains_on() -> None:
    plan = compare_plan("mine.csv", ["bcl", "sharprecl"])
    assert train_command(plan.columns["mine"], plan.jobs("small")[1].spec, Path("compare/bcl")) == (
        "sharprecl train mine.csv --method bcl --profile matched --max-length 128 --max-epochs 4 --batch-size 32 "
        "--set encoder.trainable_layers=2 --set encoder.answer_precision=auto --output compare/bcl"
    )


def _plan_of(data: str, **given: Any) -> Plan:
    return compare_plan(data, ["bcl", "sharprecl"], seeds=1, **given)


@pytest.mark.parametrize(
    ("plan", "scale", "words"),
    [
        (_plan_of("mine.csv"), "small", "on all texts, those held out included:"),
        (_plan_of("mine.csv", test="held.csv"), "small", "on all training texts:"),
        (_plan_of("cr"), "small", "on all training texts:"),
        (
            _plan_of("mine.csv"),
            "smoke",
            "on all texts, those held out included; compared were 40 texts a class at most:",
        ),
    ],
)
def test_the_last_sentence_says_what_the_command_does_otherwise(plan: Plan, scale: str, words: str) -> None:
    records = made_up_records(plan, {FLOOR: 0.5, "bcl": 0.6, "sharprecl": 0.9}, scale=scale)
    table = make_table(plan, records, scale)
    decision = decide(table, compare_rows(table), Path("out"))
    assert decision is not None
    assert decision.sentences[-1] == f"This trains sharprecl with the settings that were compared, {words}"
