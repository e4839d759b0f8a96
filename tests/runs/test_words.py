"""The run of the floor: TF-IDF's own answers, judged and kept as any run's."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from sharprecl.evaluation.references import tfidf_logistic
from sharprecl.experiments.attempt import Attempts
from sharprecl.experiments.collection import Records
from sharprecl.experiments.store import Store
from sharprecl.experiments.task import Task
from sharprecl.experiments.verify import check_records
from sharprecl.runs.code import code_hash
from sharprecl.runs.data import prepare
from sharprecl.runs.spec import WORDS, RunId, run_key
from sharprecl.runs.words import execute_words
from sharprecl.training.history import Callback
from tiny_experiment import CODE, spec, write_table


def test_the_answers_are_those_of_the_reference(tmp_path: Path) -> None:
    asked = replace(spec(data=str(write_table(tmp_path / "train.csv")), ir=None), settings={"method": {"name": WORDS}})
    prepared = prepare(asked)
    done = execute_words(asked, prepared, CODE, {"workers": 2})
    train, test = prepared.train, prepared.test
    expected = tfidf_logistic(train.texts, train.label_ids.tolist(), 0).predict(test.texts)
    assert done.record.answers == tuple(expected)
    assert (done.scores.argmax(axis=1) == expected).all()
    assert done.record.metrics["accuracy"] == np.mean(expected == test.label_ids)
    assert (done.record.model, done.record.tokens, done.record.environment["workers"]) == ("", 0, 2)


def test_a_test_text_that_is_blank_has_no_answer_as_with_every_method(tmp_path: Path) -> None:
    test = write_table(tmp_path / "test.csv", seed=1)
    with test.open("a", encoding="utf-8") as stream:
        stream.write(" ,billing\n")
    asked = spec(data=str(write_table(tmp_path / "train.csv")), test=str(test), ir=None)
    asked = replace(asked, settings={"method": {"name": WORDS}})
    done = execute_words(asked, prepare(asked), CODE)
    assert [row for row, answer in enumerate(done.record.answers) if answer < 0] == [len(done.record.answers) - 1]
    assert np.isnan(done.scores[-1]).all()
    assert not np.isnan(done.scores[:-1]).any()


def test_a_worker_makes_it_and_a_check_finds_nothing_wrong(tmp_path: Path) -> None:
    asked = replace(spec(data=str(write_table(tmp_path / "train.csv")), ir=None), settings={"method": {"name": WORDS}})
    data, code = prepare(asked).record, code_hash()
    key = run_key(asked, data.hash, code)
    attempts = Attempts(tmp_path / "results", "cpu", {"workers": 1}, Callback())
    assert attempts.attempt(Task("the floor", key, RunId(asked, data.hash, code))) == "made"
    record = Store(tmp_path / "results").run(key).record()
    assert check_records(Records({key: record}, {data.hash: data}))[1] == ()
