"""Out-of-fold scores: honest, kept a fold at a time, and without influence on the model that is handed over."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from sharprecl import TextClassifier
from sharprecl.config import resolve
from sharprecl.data.folds import deal_folds
from sharprecl.data.tables import read_table
from sharprecl.errors import CheckpointError, ConfigError
from sharprecl.training import out_of_fold as module
from sharprecl.training.history import Callback, Record, TrainingSpeed
from sharprecl.training.job import TrainingJob
from sharprecl.training.out_of_fold import MANY_TEXTS, number_of_folds, out_of_fold, remove_folds
from tiny import skewed_texts, tiny_encoder


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return tiny_encoder(tmp_path_factory.mktemp("encoder"), mean_pooling=True)


def settings(encoder: str, **training: Any) -> dict[str, Any]:
    usual = {"max_epochs": 4, "batch_size": 8, "learning_rate": 2e-3, "select_on": "last", "checkpoint_seconds": 0}
    return {
        "encoder": {"name": encoder, "max_length": 32},
        "view": "dropout",
        "method": {"name": "cross_entropy"},
        "training": {**usual, **training},
    }


class Listening(Callback):
    def __init__(self) -> None:
        self.sentences: list[str] = []
        self.folds: list[str] = []

    def on_message(self, sentence: str) -> None:
        self.sentences.append(sentence)

    def on_record(self, record: Record, speed: TrainingSpeed) -> None:
        del speed
        if record.get("fold") not in (None, *self.folds[-1:]):
            self.folds.append(record["fold"])


def test_every_text_is_scored_by_a_training_without_it(encoder: str) -> None:
    table, config = read_table(skewed_texts()), resolve(settings(encoder))
    listening = Listening()
    found = out_of_fold(TrainingJob(table, config, listening), 3)
    assert found is not None
    assert sorted(found.rows) == list(range(len(table)))
    assert found.s_MC.shape == (65, 4)
    assert listening.folds == ["fold 1 of 3", "fold 2 of 3", "fold 3 of 3"]
    assert listening.sentences[0].startswith("3 trainings come before the one on all texts")
    first = deal_folds(table, 3, config.seed)[0]
    alone = TextClassifier(config=settings(encoder)).fit(table.select(first.fit))
    np.testing.assert_allclose(found.s_MC[: len(first.held)], alone.scores(table.select(first.held).texts), atol=1e-5)
    assert found.sentence == (
        "out-of-fold scores of 3 trainings on two thirds of the texts each; the model itself has learnt from all texts"
    )


def test_what_cannot_be_held_out_is_told(encoder: str) -> None:
    table = read_table((["a b", "a c", "b d", "of to", "to my"], ["x", "x", "y", "z", "z"]))
    config = resolve(settings(encoder, max_epochs=1))
    found = out_of_fold(TrainingJob(table, config, Callback()), 2)
    assert found is not None
    assert sorted(found.rows) == [0, 1, 3, 4]
    assert found.sentence.endswith("1 class has too few texts to be held out and judged")
    listening = Listening()
    assert out_of_fold(TrainingJob(table.select([0, 2, 3]), config, listening), 2) is None
    assert "nothing can be held out" in listening.sentences[0]


def test_a_single_part_is_a_fifth(encoder: str) -> None:
    found = out_of_fold(TrainingJob(read_table(skewed_texts()), resolve(settings(encoder, max_epochs=1))), 1)
    assert found is not None
    assert len(found.rows) == 8 + 3 + 1 + 1
    assert found.sentence.startswith("1 in 5 texts of each class, held out of one more training")


@pytest.mark.parametrize(
    ("training", "texts", "wanted", "number"),
    [
        ({}, MANY_TEXTS, True, 3),
        ({}, MANY_TEXTS + 1, True, 1),
        ({}, 100, False, 0),
        ({"select_on": "validation"}, 100, True, 0),
        ({"select_on": "test"}, 100, True, 0),
        ({"folds": 0}, 100, True, 0),
        ({"folds": 5}, 100, False, 5),
        ({"folds": 5, "select_on": "validation"}, 100, False, 5),
    ],
)
def test_how_many_folds(training: dict[str, Any], texts: int, wanted: bool, number: int) -> None:
    assert number_of_folds(resolve({"training": {"select_on": "last", **training}}), texts, wanted) == number


def test_numbers_that_make_no_folds_are_refused() -> None:
    for number in (1, -1):
        with pytest.raises(ConfigError, match="must be 0 for none, or at least 2"):
            resolve({"training": {"folds": number}})
    with pytest.raises(ConfigError, match="says nothing where select_on is 'test'"):
        number_of_folds(resolve({"training": {"folds": 3, "select_on": "test"}}), 10, True)
    with pytest.raises(ConfigError, match=r"training\.folds says nothing to llm_lora"):
        resolve({"method": {"name": "llm_lora"}, "training": {"folds": 3}})


def test_the_model_is_the_one_without_folds(encoder: str, tmp_path: Path) -> None:
    plain = TextClassifier(config=settings(encoder)).fit(*skewed_texts())
    assert plain.out_of_fold_ is None, "from Python, only a number makes folds"
    folded = TextClassifier(config=settings(encoder, folds=2)).fit(*skewed_texts(), output=tmp_path)
    assert folded.out_of_fold_ is not None
    for name, tensor in plain.trained_.predictor.backbone.state_dict().items():
        assert torch.equal(tensor, folded.trained_.predictor.backbone.state_dict()[name]), name
    assert sorted(path.name for path in tmp_path.iterdir()) == ["history.jsonl"]


def test_a_finished_fold_is_not_trained_again(encoder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table, config = read_table(skewed_texts()), resolve(settings(encoder, max_epochs=1))
    calm = out_of_fold(TrainingJob(table, config, Callback()), 3)
    train, trained = module.train, []

    def dying(part: TrainingJob) -> Any:
        trained.append(len(part.table))
        if len(trained) == 2:
            raise KeyboardInterrupt
        return train(part)

    monkeypatch.setattr(module, "train", dying)
    with pytest.raises(KeyboardInterrupt):
        out_of_fold(TrainingJob(table, config, Callback(), output=tmp_path), 3)
    assert [path.name for path in (tmp_path / "folds" / "1").iterdir()] == ["scores.npz"]
    resumed = out_of_fold(TrainingJob(table, config, Callback(), output=tmp_path, resume=True), 3)
    assert len(trained) == 4
    assert resumed is not None
    assert calm is not None
    np.testing.assert_array_equal(resumed.s_MC, calm.s_MC)
    other = resolve({**settings(encoder, max_epochs=1), "seed": 1})
    with pytest.raises(CheckpointError, match="belong to a run with other settings or other data"):
        out_of_fold(TrainingJob(table, other, output=tmp_path, resume=True), 3)
    (tmp_path / "folds" / "mine.txt").write_text("mine")
    remove_folds(tmp_path)
    assert [path.name for path in (tmp_path / "folds").iterdir()] == ["mine.txt"]


def test_out_of_fold_scores_calibrate(encoder: str) -> None:
    classifier = TextClassifier(config={**settings(encoder), "decision": {"calibrate": True}}).fit(*skewed_texts())
    found, fitted = classifier.out_of_fold_, classifier.decision_.calibration
    assert found is not None, "calibration asks for them"
    assert fitted.n_texts == len(found.rows) == 65
    assert fitted.log_loss_after < fitted.log_loss_before
    np.testing.assert_allclose(classifier.prior_, classifier.class_counts_ / 65)
