"""What is left to run."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from sharprecl.data.augmented import text_mark
from sharprecl.errors import DataError
from sharprecl.experiments.pending import PendingRuns, find_pending_runs, first_jobs, label_of
from sharprecl.experiments.prepare import prepare
from sharprecl.experiments.records import RunSpec, run_key
from sharprecl.experiments.run_folder import Failure
from sharprecl.experiments.store import Store
from tiny_experiment import CODE, job, record, spec, write_table


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_table(tmp_path / "train.csv")


def of_file(path: Path, seed: int = 0) -> RunSpec:
    return spec(seed, data=str(path), ir=None)


def jobs_of(*paths: Path, seeds: int = 2):
    return [replace(job(seed), column=path.stem, spec=of_file(path, seed)) for seed in range(seeds) for path in paths]


def made(path: Path, seed: int = 0, code: str = CODE):
    data = prepare(of_file(path)).record.hash
    asked = of_file(path, seed)
    return record(spec=asked, data=data, code=code, key=run_key(asked, data, code))


def find(tmp_path: Path, jobs: list, said: list[str] | None = None, **options: bool) -> PendingRuns:
    said = [] if said is None else said
    return find_pending_runs(jobs, Store(tmp_path / "results"), CODE, say=said.append, **options)


def finish(tmp_path: Path, run) -> None:
    Store(tmp_path / "results").run(run.key).finish(run)


def test_what_is_finished_is_taken_off(tmp_path: Path, file: Path) -> None:
    finish(tmp_path, made(file, 1))
    found = find(tmp_path, jobs_of(file, seeds=3))
    assert found.total == 3
    assert found.done == [made(file, 1)]
    assert [task.spec.seed for task in found.tasks] == [0, 2]
    assert [task.key for task in found.tasks] == [made(file, seed).key for seed in (0, 2)]
    assert Store(tmp_path / "results").data() == {made(file).data: prepare(of_file(file)).record}


def test_a_file_with_augmented_copies_is_not_judged_on_a_part_of_itself(tmp_path: Path, file: Path) -> None:
    texts = [(text, label) for text, label, *_ in list(csv.reader(file.open(encoding="utf-8")))[1:]]
    more = tmp_path / "more.csv"
    with more.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["text", "label", "augmented_from_text"])
        writer.writerows([text, label, ""] for text, label in texts)
        writer.writerows([f"{text} indeed", label, text_mark(text)] for text, label in texts)
    with pytest.raises(DataError, match=r"more\.csv: some rows are augmented copies.*give test texts of their own"):
        find(tmp_path, jobs_of(more))
    # Beside other data it stops nothing, and with test texts of their own there is nothing to fear.
    found = find(tmp_path, jobs_of(file, more))
    assert [failed.label for failed in found.failed] == [f"more cross_entropy seed {seed}" for seed in (0, 1)]
    judged = [replace(one, spec=replace(one.spec, test=str(file))) for one in jobs_of(more)]
    assert len(find(tmp_path, judged).tasks) == 2


def test_a_run_that_stands_twice_in_a_plan_is_made_once(tmp_path: Path, file: Path) -> None:
    twice = [replace(one, row=row) for one in jobs_of(file) for row in ("first", "second")]
    assert [task.label for task in find(tmp_path, twice).tasks] == ["train first seed 0", "train first seed 1"]
    assert find(tmp_path, twice).total == 2


def test_other_texts_are_other_runs(tmp_path: Path, file: Path) -> None:
    finish(tmp_path, made(file))
    assert not find(tmp_path, jobs_of(file, seeds=1)).tasks
    file.write_text(file.read_text() + "a word more,billing\n")
    assert len(find(tmp_path, jobs_of(file, seeds=1)).tasks) == 1


def test_runs_of_older_code_are_made_anew_unless_they_will_do(tmp_path: Path, file: Path) -> None:
    finish(tmp_path, made(file, code="o" * 64))
    assert len(find(tmp_path, jobs_of(file, seeds=1)).tasks) == 1
    assert find(tmp_path, jobs_of(file, seeds=1), any_code=True).done == [made(file, code="o" * 64)]


def test_failed_runs_wait_until_they_are_asked_for(tmp_path: Path, file: Path) -> None:
    run = made(file)
    folder = Store(tmp_path / "results").run(run.key)
    folder.fail(Failure(run.spec, run.data, CODE, "Traceback\nValueError: small\n"))
    found = find(tmp_path, jobs_of(file))
    assert [(run.label, run.sentence) for run in found.failed] == [("train cross_entropy seed 0", "ValueError: small")]
    assert Path(found.failed[0].where) == folder.path / "error.txt"
    assert [task.spec.seed for task in found.tasks] == [1]
    assert [task.spec.seed for task in find(tmp_path, jobs_of(file), retry_failed=True).tasks] == [0, 1]


def test_data_that_cannot_be_had_stop_nothing_else(tmp_path: Path, file: Path) -> None:
    said: list[str] = []
    found = find(tmp_path, jobs_of(tmp_path / "gone.csv", file), said)
    assert [task.label for task in found.tasks] == ["train cross_entropy seed 0", "train cross_entropy seed 1"]
    assert [run.label for run in found.failed] == ["gone cross_entropy seed 0", "gone cross_entropy seed 1"]
    assert len(said) == 1
    assert said[0].startswith("gone cannot be had, so its 2 runs are left out: ")


def test_without_any_data_there_is_nothing_to_do(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"gone\.csv"):
        find(tmp_path, jobs_of(tmp_path / "gone.csv"))


def test_finished_runs_of_a_benchmark_need_no_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sharprecl.experiments.pending.prepare", lambda *_: pytest.fail("the data were read"))
    finish(tmp_path, record(0))
    assert find(tmp_path, [job(0)]).done == [record(0)]


def test_a_damaged_run_is_told_and_made_anew(tmp_path: Path, file: Path) -> None:
    run = made(file)
    finish(tmp_path, run)
    (Store(tmp_path / "results").run(run.key).path / "answers.json").write_text("")
    said: list[str] = []
    assert [task.key for task in find(tmp_path, jobs_of(file, seeds=1), said).tasks] == [run.key]
    assert "cannot be read" in said[0]


def test_the_order_is_that_of_the_jobs(tmp_path: Path, file: Path) -> None:
    other = write_table(tmp_path / "other.csv", seed=2)
    labels = [task.label for task in find(tmp_path, jobs_of(file, other)).tasks]
    assert labels == [f"{name} cross_entropy seed {seed}" for seed in (0, 1) for name in ("train", "other")]


def test_labels() -> None:
    assert label_of(job(2)) == "trec@50 cross_entropy seed 2"
    assert label_of(replace(job(0), row="mu", x=0.3)) == "trec@50 mu=0.3 seed 0"
    assert list(first_jobs([job(0), job(1), job(0)])) == [spec(0).hash, spec(1).hash]
