"""A run's folder: whose it is, what may replace it, and who may write into it."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from filelock import FileLock

from sharprecl import TextClassifier
from sharprecl.config import merge, resolve
from sharprecl.data.tables import read_table
from sharprecl.errors import ConfigError
from sharprecl.runs.claim import check_same, claim, is_finished
from sharprecl.runs.folder import LOCK
from sharprecl.runs.run import Run
from sharprecl.runs.train import train
from sharprecl.training.history import Callback
from tiny import skewed_texts, tiny_encoder

SETTINGS = {
    "encoder": {"max_length": 32},
    "view": "dropout",
    "training": {"max_epochs": 1, "batch_size": 32, "learning_rate": 2e-3},
}


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return tiny_encoder(tmp_path_factory.mktemp("encoder"), mean_pooling=True)


def make(encoder: str, output: Path, **settings: Any) -> Run:
    config = resolve(merge(SETTINGS, {"encoder": {"name": encoder}}, settings))
    return Run(read_table(skewed_texts()), config, output, test=read_table(skewed_texts(seed=1)))


def test_a_strangers_files_are_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "mine.txt").write_text("mine")
    (tmp_path / "config.yaml").write_text("mine: true")
    for overwrite in (False, True):
        with pytest.raises(ConfigError, match="was not written by a training run"):
            claim(tmp_path, resume=False, overwrite=overwrite)
    assert (tmp_path / "model" / "mine.txt").read_text() == "mine"
    assert (tmp_path / "config.yaml").read_text() == "mine: true"


def test_other_files_in_the_folder_do_not_matter(encoder: str, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    claim(tmp_path, resume=False, overwrite=False)
    train(make(encoder, tmp_path), [Callback()])
    claim(tmp_path, resume=False, overwrite=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["history.jsonl", "notes.txt"]


def test_a_run_that_never_began_is_not_in_the_way(encoder: str, tmp_path: Path) -> None:
    claim(tmp_path, resume=False, overwrite=False)
    with pytest.raises(ConfigError, match="not available here"):
        train(dataclasses.replace(make(encoder, tmp_path), device="teapot"), [Callback()])
    claim(tmp_path, resume=False, overwrite=False)
    train(make(encoder, tmp_path), [Callback()])
    assert is_finished(tmp_path)


def test_checkpoints_alone_mark_a_run_that_was_cut_off(tmp_path: Path) -> None:
    (tmp_path / "checkpoints" / "step-00000001").mkdir(parents=True)
    with pytest.raises(ConfigError, match="add --resume to finish it"):
        claim(tmp_path, resume=False, overwrite=False)
    claim(tmp_path, resume=True, overwrite=False)


def test_a_finished_run_is_resumed_only_as_itself(encoder: str, tmp_path: Path) -> None:
    run = make(encoder, tmp_path)
    judged = train(run, [Callback()])
    check_same(run)
    assert json.loads((tmp_path / "metrics.json").read_text())["evaluation"] == judged.evaluation.to_dict()
    with pytest.raises(ConfigError, match="other settings or other data"):
        check_same(make(encoder, tmp_path, seed=4))
    run.table = read_table(skewed_texts(seed=9))
    with pytest.raises(ConfigError, match="other settings or other data"):
        check_same(run)


def test_two_processes_do_not_share_a_folder(encoder: str, tmp_path: Path) -> None:
    with (
        FileLock(tmp_path / "run.lock"),
        pytest.raises(ConfigError, match="another process is training into"),
    ):
        train(make(encoder, tmp_path), [Callback()])


def test_equal_runs_write_equal_judgements(encoder: str, tmp_path: Path) -> None:
    for name in ("one", "two"):
        train(make(encoder, tmp_path / name), [Callback()])
    for name in ("metrics.json", "history.jsonl", "model/model.safetensors", "sharprecl.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_what_was_chosen_on_test_texts_says_so_in_every_table(encoder: str, tmp_path: Path) -> None:
    run = make(encoder, tmp_path, training={"select_on": "test"})
    assert run.title == "sharprecl (epoch chosen on test texts)"
    train(run, [Callback()])
    metrics = json.loads((tmp_path / "metrics.json").read_text())
    assert metrics["selected_on"] == "test"
    assert any("chosen on the test texts" in note for note in metrics["notes"])
    assert "epoch chosen on test texts" in (tmp_path / "report.html").read_text()


def test_resuming_with_other_settings_is_refused(encoder: str, tmp_path: Path) -> None:
    """Not every method's checkpoints know their settings: a language model has none."""
    claim(tmp_path, resume=False, overwrite=False)
    train(make(encoder, tmp_path), [Callback()])
    (tmp_path / "metrics.json").unlink()
    before = (tmp_path / "history.jsonl").read_bytes()
    with pytest.raises(ConfigError, match="holds a run with other settings"):
        train(make(encoder, tmp_path, seed=5), [Callback()], resume=True)
    assert (tmp_path / "history.jsonl").read_bytes() == before


def test_a_folder_is_not_claimed_under_a_living_run(encoder: str, tmp_path: Path) -> None:
    claim(tmp_path, resume=False, overwrite=False)
    train(make(encoder, tmp_path), [Callback()])
    with (
        FileLock(tmp_path / LOCK),
        pytest.raises(ConfigError, match="another process is training"),
    ):
        claim(tmp_path, resume=False, overwrite=True)
    assert is_finished(tmp_path)


def test_without_test_texts_folds_give_the_figures(encoder: str, tmp_path: Path) -> None:
    training = {"select_on": "last", "max_epochs": 4, "batch_size": 8}
    run = dataclasses.replace(make(encoder, tmp_path / "run", training=training), test=None, title="")
    claim(run.output, resume=False, overwrite=False)
    judged = train(run, [Callback()])
    assert judged.on.startswith(
        "the given lists, 65 texts: out-of-fold scores of 3 trainings on two thirds of the texts each"
    )
    assert judged.evaluation.n_texts == 65
    metrics = json.loads((run.output / "metrics.json").read_text())
    assert metrics["evaluated_on"] == judged.on
    assert metrics["evaluation"] == judged.evaluation.to_dict()
    assert metrics["training"]["training_texts"] == 65, "the model handed over has learnt from all"
    floors = metrics["references"]
    assert sorted(floors) == ["TF-IDF + logistic regression", f"frozen {Path(encoder).name} + logistic regression"]
    assert {floor["n_texts"] for floor in floors.values()} == {65}
    for name, floor in run.references.items():
        # Differences are paired: each text stands in the same place.
        np.testing.assert_array_equal(floor.gold, judged.table.label_ids)
        lead = metrics["macro_f1_differences"][name]
        assert lead["difference"] == pytest.approx(judged.evaluation.macro_f1 - floor.macro_f1)
        assert lead["interval"][0] < lead["difference"] < lead["interval"][1]
    assert not (run.output / "folds").exists()
    assert not (run.output / "checkpoints").exists()
    with np.load(run.output / "scores.npz") as saved:
        assert saved["label_names"].tolist() == list(run.table.label_names)
        np.testing.assert_array_equal(saved["scores"].argmax(1), judged.evaluation.answers)
        np.testing.assert_array_equal(saved["label_ids"], judged.table.label_ids)
    check_same(run)
    assert "out-of-fold" in (run.output / "report.html").read_text()


def test_without_folds_the_training_texts_are_judged_and_that_is_no_figure(encoder: str, tmp_path: Path) -> None:
    run = dataclasses.replace(make(encoder, tmp_path, training={"select_on": "last", "folds": 0}), test=None, title="")
    assert "no figure for new texts" in train(run, [Callback()]).on


def test_test_texts_need_no_folds_and_their_scores_are_kept(encoder: str, tmp_path: Path) -> None:
    run = make(encoder, tmp_path, training={"select_on": "last"}, decision={"prior": "uniform"})
    judged = train(run, [Callback()])
    assert run.test is not None
    assert judged.on == f"{run.test.origin}, 65 texts"
    with np.load(tmp_path / "scores.npz") as saved:
        np.testing.assert_array_equal(saved["scores"], TextClassifier.load(tmp_path).scores(run.test.texts))
        np.testing.assert_array_equal(saved["label_ids"], run.test.label_ids)


def test_out_of_fold_answers_are_those_of_the_decision(encoder: str, tmp_path: Path) -> None:
    found = []
    for prior in ("as_trained", {"billing": 0.001, "access": 0.001, "shipping": 0.001, "hardware": 0.997}):
        training = {"select_on": "last", "folds": 2}
        run = make(encoder, tmp_path / str(len(found)), training=training, decision={"prior": prior})
        found.append(train(dataclasses.replace(run, test=None, title=""), [Callback()]))
    plain, turned = (np.bincount(judged.evaluation.answers, minlength=4) for judged in found)
    assert turned[2] > plain[2], "hardware was said to be frequent"
    metrics = json.loads((tmp_path / "1" / "metrics.json").read_text())
    assert metrics["decision"]["prior"] == pytest.approx([0.001, 0.001, 0.997, 0.001])


def test_a_run_cut_off_in_a_fold_has_begun(encoder: str, tmp_path: Path) -> None:
    claim(tmp_path, resume=False, overwrite=False)
    (tmp_path / "folds" / "1").mkdir(parents=True)
    (tmp_path / "folds" / "1" / "scores.npz").touch()
    with pytest.raises(ConfigError, match="add --resume to finish it"):
        claim(tmp_path, resume=False, overwrite=False)
    claim(tmp_path, resume=True, overwrite=False)
    claim(tmp_path, resume=False, overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["history.jsonl"]


def test_validation_texts_that_also_stand_in_training_but_for_spelling_are_told(encoder: str, tmp_path: Path) -> None:
    texts, labels = skewed_texts()
    doubled = read_table(([*texts, *(f"{text.upper()} !" for text in texts)], [*labels, *labels]))
    chosen = make(encoder, tmp_path / "run", training={"select_on": "validation"})
    run = dataclasses.replace(chosen, table=doubled, test=None, title="")
    said: list[str] = []
    callback = Callback()
    callback.on_message = said.append  # type: ignore[method-assign]
    train(run, [callback])
    (note,) = (note for note in json.loads((tmp_path / "run" / "metrics.json").read_text())["notes"] if "also" in note)
    assert "validation texts also stand in training (0 letter for letter" in note
    assert f"note: {note}" in said
