"""A method from outside in a plan: made by real workers, and made anew when its code changes, and only it."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from made_up_runs import made_up_plan, made_up_records
from outside import METHOD, Outside
from sharprecl.experiments.attempt import Attempts
from sharprecl.experiments.comparisons import compare_rows
from sharprecl.experiments.footnotes import notes
from sharprecl.experiments.plan import Plan
from sharprecl.experiments.plan_file import load_plan, make_plan, write_plan
from sharprecl.experiments.results import make_table
from sharprecl.experiments.status import status_of
from sharprecl.experiments.store import Store, load_records
from sharprecl.experiments.sweep import find_pending_runs, sweep
from sharprecl.experiments.task import Options, Task
from sharprecl.experiments.verify import check_records
from sharprecl.runs.code import code_hash, run_code
from sharprecl.runs.data import prepare
from sharprecl.runs.spec import RunId, run_key
from sharprecl.training.history import Callback
from tiny_experiment import tiny_plan, write_table

CHANGED = METHOD.replace("return self.factor", "return 2 * self.factor")


class Silent:
    def on_progress(self, *_: object) -> None:
        pass

    def on_message(self, sentence: str) -> None:
        pass


def plan(outside: Outside) -> Plan:
    """Two methods on two files of one name."""
    for place, seed in (("old", 0), ("new", 1)):
        (outside.folder / place).mkdir(exist_ok=True)
        write_table(outside.folder / place / "texts.csv", seed)
    columns = {
        "last year": {"data": "old/texts.csv", "test": "new/texts.csv"},
        "this year": {"data": "new/texts.csv", "test": "old/texts.csv"},
    }
    rows = {"cross_entropy": None, "mine": {"method": outside.address, "settings": {"method": {"factor": 3}}}}
    return tiny_plan(outside.folder, columns=columns, rows=rows)


def pending(made: Plan, store: Store, **options: bool) -> list[str]:
    found = find_pending_runs(made.jobs("smoke"), store, code_hash(), say=lambda _: None, **options)
    return [task.label for task in found.waiting]


def test_a_plan_with_a_method_from_outside_and_two_files_of_one_name(outside: Outside) -> None:
    outside.write()
    made, store, code = plan(outside), Store(Path("results")), code_hash()
    swept = sweep(made.jobs("smoke"), store, Options(device="cpu"), Silent())
    assert (swept.made, swept.failed) == (4, [])
    table = make_table(made, load_records(store.folder), "smoke")
    assert table.columns == ("last year", "this year")
    assert len({table.data_of(column) for column in table.columns}) == 2
    runs = {run.spec.settings["method"]["name"]: run for run in table.runs}
    assert runs["cross_entropy"].code == code
    assert runs[outside.address].code == run_code(runs[outside.address].spec, code) != code
    assert runs[outside.address].config["method"] == {"name": outside.address, "factor": 3.0, "kind": "plain"}
    assert check_records(load_records(store.folder))[1] == ()
    assert status_of(made.jobs("smoke"), store, code).columns["last year"]["finished"] == 2
    assert pending(made, store) == []

    outside.write(CHANGED)
    assert pending(made, store) == ["last year mine seed 0", "this year mine seed 0"]
    assert pending(made, store, any_code=True) == []
    status = status_of(made.jobs("smoke"), store, code).columns["this year"]
    assert (status["runs"], status["finished"], status["older code"]) == (2, 1, 1)

    Path(f"{outside.name}.py").unlink()
    outside.forget()
    # Tables of a plan need its methods; what is stored can be read and checked without.
    assert check_records(load_records(store.folder))[1] == ()


def test_a_file_that_changes_while_the_experiment_runs(outside: Outside) -> None:
    outside.write()
    spec = plan(outside).jobs("smoke", rows=["mine"])[0].spec
    data, code = prepare(spec).record.hash, run_code(spec, code_hash())
    task = Task("mine", run_key(spec, data, code), RunId(spec, data, code))
    outside.write(CHANGED)
    assert Attempts(Path("results"), "cpu", {}, Callback()).attempt(task) == "failed"
    sentence = Store(Path("results")).run(task.key).failure().sentence
    assert sentence == f"the files of {outside.address} changed while the experiment ran; start it again"


@pytest.mark.parametrize("several", [False, True])
def test_tables_tell_of_mixed_versions_of_one_method_alone(outside: Outside, several: bool) -> None:
    made = made_up_plan(rows={"cross_entropy": None, "mine": {"method": outside.write()}}, compared="mine")
    records = made_up_records(made, {"cross_entropy": 0.6, "mine": 0.7})
    for place, (key, run) in enumerate(sorted(records.runs.items())):
        if run.spec.settings["method"]["name"] == outside.address:
            own = "b" * 64 if several and place % 2 else "a" * 64
            records.runs[key] = replace(run, code=f"{run.code}+{own}")
    table = make_table(made, records, "smoke")
    said = [note for note in notes(table, compare_rows(table), "") if "version" in note]
    if several:
        (note,) = said
        assert note.startswith(f"The runs of {outside.address} are of different versions of its code: aaaaaaaa (")
    else:
        assert not said


def test_names_of_columns_go_through_a_file(outside: Outside) -> None:
    outside.write()
    made = plan(outside)
    write_plan(made, Path("mine.yaml"))
    read = load_plan("mine.yaml")
    assert list(read.columns) == ["last year", "this year"]
    assert read.jobs("smoke") == made.jobs("smoke")


def test_the_page_s_plan_can_be_read(outside: Outside) -> None:
    page = (Path(__file__).parents[2] / "docs" / "extending.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```yaml\n(.*?)```", page, flags=re.DOTALL)
    text = text.replace("poly1:Poly1", outside.write()).replace("epsilon", "factor")
    read = make_plan("tickets", "tickets.yaml", yaml.safe_load(text))
    assert list(read.columns) == ["last year", "this year", "questions"]
    assert len(read.jobs("small")) == 3 * 2 * 3


def test_a_name_changes_no_run(outside: Outside) -> None:
    values = {"title": "t", "rows": {"bcl": None, "dice": None}}
    named = make_plan("a", "a", {**values, "columns": {"questions": "trec@50", "mine": {"data": "x.csv", "text": "t"}}})
    listed = make_plan("a", "a", {**values, "columns": ["trec@50", {"data": "x.csv", "text": "t"}]})
    assert [job.spec for job in named.jobs("small")] == [job.spec for job in listed.jobs("small")]
    assert [job.column for job in named.jobs("small", seeds=[0], rows=["bcl"])] == ["questions", "mine"]
