"""Checks find what was changed afterwards, one thing at a time, in runs and in tables."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from made_up_runs import made_up_data, made_up_plan, made_up_records, made_up_run
from sharprecl.config import merge, resolve
from sharprecl.experiments import verify
from sharprecl.experiments.collection import Records
from sharprecl.experiments.exported import Exported, write_exported
from sharprecl.experiments.formats import FORMATS, write_document
from sharprecl.experiments.plan import Plan
from sharprecl.experiments.recipe import Recipe
from sharprecl.experiments.tables import make_document
from sharprecl.experiments.verify import check_records, check_tables, read_all
from sharprecl.runs.code import code_hash
from sharprecl.runs.data import Prepared
from sharprecl.runs.record import RunRecord
from sharprecl.runs.spec import RunSpec, run_key

SKILLS = {"cross_entropy": 0.7, "bcl": 0.8, "sharprecl": 0.9}
Change = Callable[[RunRecord], dict[str, Any]]


@pytest.fixture(scope="module")
def plan() -> Plan:
    return made_up_plan()


@pytest.fixture(scope="module")
def records(plan: Plan) -> Records:
    return made_up_records(plan, SKILLS)


def _with(records: Records, key: str, /, **changes: Any) -> Records:
    return replace(records, runs={**records.runs, key: replace(records.runs[key], **changes)})


def _another(answer: int, gold: int) -> int:
    return next(label for label in range(3) if label not in (answer, gold))


def _first_wrong(run: RunRecord) -> dict[str, Any]:
    """One wrong answer becomes another wrong one: accuracy stays."""
    gold = made_up_data("cr" if run.spec.ir is None else "trec@50").gold
    place = next(i for i, pair in enumerate(zip(run.answers, gold, strict=True)) if pair[0] != pair[1])
    answers = list(run.answers)
    answers[place] = _another(answers[place], gold[place])
    return {"answers": tuple(answers)}


CHANGES: dict[str, tuple[Change, str]] = {
    "answer": (lambda run: {"answers": ((run.answers[0] + 1) % 3, *run.answers[1:])}, "but the answers give"),
    "wrong answer for another": (_first_wrong, "macro_f1 is kept as"),
    "answer that is no class": (lambda run: {"answers": (7, *run.answers[1:])}, "cannot be judged"),
    "answer left out": (lambda run: {"answers": run.answers[1:]}, "cannot be judged"),
    "accuracy": (lambda run: {"metrics": {**run.metrics, "accuracy": 0.99}}, "accuracy is kept as 99.0000"),
    "tail taken away": (lambda run: {"metrics": {**run.metrics, "tail": None}}, "tail is kept as nothing"),
    "accuracy that is no number": (lambda run: {"metrics": {**run.metrics, "accuracy": float("nan")}}, "accuracy"),
    "figure of its own": (lambda run: {"metrics": {**run.metrics, "top": 1.0}}, "top is kept as 100"),
    "f1 of a class": (lambda run: {"f1": (*run.f1[:2], 1.0)}, "F1 of few"),
    "f1 of a class too few": (lambda run: {"f1": run.f1[:2]}, "F1 of some class"),
    "setting": (lambda run: {"spec": replace(run.spec, settings={"profile": "paper"})}, "its key is not that of"),
    "seed": (lambda run: {"spec": replace(run.spec, seed=9)}, "its key is not that of"),
    "code": (lambda run: {"code": "d" * 64}, "its key is not that of"),
    "data": (lambda run: {"data": "data-none"}, "data record data-none is missing"),
    "name": (lambda run: {"key": "e" * 64}, "it calls itself"),
    "selection": (lambda run: {"selected_on": "validation"}, "selected on validation"),
    "resolved seed": (lambda run: {"config": {**run.config, "seed": 5}}, "seed is not what the plan asked for"),
    "resolved method": (
        lambda run: {"config": {**run.config, "method": {"name": "tsc"}}},
        "method.name is not what the plan asked for",
    ),
}


def test_runs_as_they_were_made_have_no_faults(records: Records) -> None:
    checked, faults = check_records(records)
    assert faults == ()
    assert len(checked.runs) == 18
    assert checked.runs == records.runs


@pytest.mark.parametrize("what", CHANGES)
def test_a_changed_run(what: str, records: Records) -> None:
    change, told = CHANGES[what]
    for key in list(records.runs)[::7]:
        faults = check_records(_with(records, key, **change(records.runs[key])))[1]
        assert any(told in fault for fault in faults), faults
        assert all("run " in fault for fault in faults)


def test_every_setting_of_a_run_of_this_code_is_resolved_anew(plan: Plan) -> None:
    """What the plan does not name, such as what the epoch was chosen on, is the profile's."""
    job = plan.jobs("smoke")[0]
    data = made_up_data(job.column)
    run = made_up_run(job, data, 0.8, code=code_hash())
    config = resolve(merge(job.spec.settings, {"seed": job.seed}), np.asarray(data.train_counts)).kept()
    run = replace(run, config=config)
    assert check_records(Records({run.key: run}, {data.hash: data}))[1] == ()
    training = {**config["training"], "select_on": "test"}
    changed = replace(run, selected_on="test", config={**config, "training": training})
    (fault,) = check_records(Records({run.key: changed}, {data.hash: data}))[1]
    assert "training.select_on is not what the plan asked for" in fault


def test_a_language_model_chooses_no_epoch() -> None:
    settings = {"method": {"name": "llm_lora"}}
    asked = replace(made_up_plan().jobs("smoke")[0].spec, settings=settings)
    made = made_up_run(made_up_plan().jobs("smoke")[0], made_up_data("trec@50"), 0.5)
    config = {"seed": asked.seed, "method": {"name": "llm_lora"}, "training": {"select_on": "validation"}}
    run = replace(made, spec=asked, key=run_key(asked, made.data, made.code), config=config, selected_on="last")
    data = {"data-trec@50": made_up_data("trec@50")}
    assert check_records(Records({run.key: run}, data))[1] == ()
    chosen = replace(run, selected_on="validation")
    assert "selected on validation" in check_records(Records({run.key: chosen}, data))[1][0]


def test_a_changed_true_label(records: Records) -> None:
    data = records.data["data-cr"]
    for place in range(0, 300, 37):
        gold = list(data.gold)
        gold[place] = (gold[place] + 1) % 3
        changed = replace(records, data={**records.data, "data-cr": replace(data, gold=tuple(gold))})
        assert len(check_records(changed)[1]) >= 9  # every run on these data


def test_a_changed_data_record(records: Records) -> None:
    data = records.data["data-cr"]

    def faults(**changes: Any) -> str:
        return " ".join(check_records(replace(records, data={**records.data, "data-cr": replace(data, **changes)}))[1])

    assert "it calls itself" in faults(hash="x")
    assert "3 label names and 2 counts" in faults(train_counts=(1, 2))
    assert "a true label is none of its classes" in faults(gold=(3, *data.gold[1:]))
    assert "tail is kept as" in faults(train_counts=(150, 60, 60))


def test_data_themselves(records: Records, monkeypatch: pytest.MonkeyPatch) -> None:
    def prepared(spec: RunSpec) -> Prepared:
        data = made_up_data("cr" if spec.ir is None else "trec@50")
        return Prepared(None, None, data)  # type: ignore[arg-type]

    monkeypatch.setattr(verify, "prepare", prepared)
    assert check_records(records, with_data=True)[1] == ()
    # Label names decide no figure, so only the data themselves can tell.
    data = replace(records.data["data-cr"], label_names=("some", "many", "few"))
    changed = replace(records, data={**records.data, "data-cr": data})
    assert check_records(changed)[1] == ()
    (fault,) = check_records(changed, with_data=True)[1]
    assert "cr has another label_names than is kept" in fault


def test_several_sources_must_agree(records: Records, tmp_path: Path) -> None:
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    write_exported(one, Exported(data=records.data, runs=records.runs))
    key = next(iter(records.runs))
    changed = _with(records, key, answers=(0,) * 300)
    write_exported(two, Exported(data=changed.data, runs=changed.runs))
    found, faults = read_all([one])
    assert (found.runs, faults) == (records.runs, ())
    _, faults = read_all([one, two])
    assert len(faults) == 1
    assert "holds other answers" in faults[0]


@pytest.fixture
def written(plan: Plan, records: Records, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    monkeypatch.setattr(verify, "load_plan", lambda name: plan)
    document = make_document(plan, records, Recipe("mine", "smoke"))
    paths = [tmp_path / f"mine.{name}" for name in FORMATS]
    for path, name in zip(paths, FORMATS, strict=True):
        path.write_text(write_document(document.as_format(name)), encoding="utf-8", newline="")
    return paths


def test_tables_as_they_were_made_have_no_faults(written: list[Path], records: Records) -> None:
    assert check_tables(written, records) == ()


def test_every_changed_digit_of_a_table_is_found(written: list[Path], records: Records) -> None:
    for path in written:
        text = path.read_text(encoding="utf-8")
        found = re.search(r"\d\.\d", text)
        assert found is not None
        place = found.end() - 1
        path.write_text(
            text[:place] + str((int(text[place]) + 1) % 10) + text[place + 1 :], encoding="utf-8", newline=""
        )
    faults = check_tables(written, records)
    assert [path.name for path in written] == [Path(fault.split(", line")[0]).name for fault in faults]
    assert all("but the runs give" in fault for fault in faults)


def test_a_missing_run_and_a_changed_answer_show_in_every_table(written: list[Path], records: Records) -> None:
    key = next(iter(records.runs))
    fewer = replace(records, runs={name: run for name, run in records.runs.items() if name != key})
    # Two right answers of one class trade places with wrong ones: no figure changes, and yet the answers did.
    run = records.runs[key]
    gold = records.data[run.data].gold
    right = next(i for i, pair in enumerate(zip(run.answers, gold, strict=True)) if pair == (0, 0))
    wrong = next(i for i, pair in enumerate(zip(run.answers, gold, strict=True)) if pair == (1, 0))
    answers = list(run.answers)
    answers[right], answers[wrong] = answers[wrong], answers[right]
    changed = _with(records, key, answers=tuple(answers))
    assert check_records(changed)[1] == ()
    for other in (fewer, changed):
        faults = check_tables(written, other)
        for path in written:
            assert any(str(path) in fault and "made from other runs" in fault for fault in faults)


def test_a_table_without_its_mark_or_file(written: list[Path], records: Records, tmp_path: Path) -> None:
    bare = tmp_path / "bare.md"
    bare.write_text("| a |\n", encoding="utf-8")
    faults = check_tables([bare, tmp_path / "none.md"], records)
    assert len(faults) == 2
    assert all("cannot be made again" in fault for fault in faults)
    forged = written[0]
    forged.write_text(forged.read_text(encoding="utf-8").replace('"runs": "', '"runs": "0'), encoding="utf-8")
    assert check_tables([forged], records)
