"""The training without steps: one pass, the encoder as it was, the same doors as every other training."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from sharprecl.classifier import TextClassifier
from sharprecl.errors import ConfigError
from sharprecl.methods.frozen import Frozen
from sharprecl.training.history import Callback, Record, TrainingSpeed
from sharprecl.training.trainer import Trainer
from tiny import skewed_texts, tiny_encoder


class Recorder(Callback):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.sentences: list[str] = []

    def on_record(self, record: Record, speed: TrainingSpeed) -> None:
        self.records.append(record)

    def on_message(self, sentence: str) -> None:
        self.sentences.append(sentence)

    def on_end(self) -> None:
        self.sentences.append("closed")


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return tiny_encoder(tmp_path_factory.mktemp("encoder"), mean_pooling=True)


def make(encoder: str, **training: Any) -> TextClassifier:
    return TextClassifier(encoder=encoder, method="frozen", max_length=32, config={"training": training})


def encoder_weights(classifier: TextClassifier) -> dict[str, torch.Tensor]:
    assert classifier.trained_ is not None
    return classifier.trained_.predictor.backbone.model.base_model.state_dict()


def test_no_step_is_taken_and_the_encoder_stays_as_it_is(encoder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Trainer, "_step", lambda *_: pytest.fail("a step was taken"))
    texts, labels = skewed_texts()
    classifier, told = make(encoder), Recorder()
    classifier.fit(texts, labels, callback=told)
    from transformers import AutoModel

    untouched = AutoModel.from_pretrained(encoder).state_dict()
    trained = encoder_weights(classifier)
    assert trained.keys() == untouched.keys()
    assert all(torch.equal(trained[name], untouched[name]) for name in trained)
    outcome, facts = classifier.trained_.outcome, classifier.trained_.facts
    assert (outcome.steps, outcome.epochs, outcome.best_epoch, outcome.precision) == (0, 1, 1, "fp32")
    fitted = [text for row, text in enumerate(texts) if row not in set(classifier.trained_.validation.tolist())]
    # Words are tokens of the tiny tokenizer, which puts one in front and one behind.
    assert outcome.tokens == sum(len(text.split()) + 2 for text in fitted)
    assert facts["training_texts"] == len(fitted)
    assert 0 < facts["training_loss"] < np.log(4)
    assert told.sentences == [
        f"the frozen encoder reads {len(fitted)} texts once, {outcome.tokens} tokens",
        "closed",
    ]


def test_the_texts_held_out_are_those_of_every_method_and_judge(encoder: str, tmp_path: Path) -> None:
    texts, labels = skewed_texts()
    classifier = make(encoder, select_on="validation").fit(texts, labels, output=tmp_path)
    usual = {"max_epochs": 1, "patience": None, "select_on": "validation"}
    plain = TextClassifier(encoder, "cross_entropy", max_length=32, config={"training": usual}).fit(texts, labels)
    held_out = classifier.trained_.validation
    assert held_out.tolist() == plain.trained_.validation.tolist()
    (line,) = map(json.loads, (tmp_path / "history.jsonl").read_text().splitlines())
    assert (line["kind"], line["epoch"], line["step"], line["best"]) == ("validation", 1, 0, True)
    judged = classifier.evaluate([texts[row] for row in held_out], [labels[row] for row in held_out])
    assert (line["accuracy"], line["macro_f1"]) == pytest.approx((judged.accuracy, judged.macro_f1))
    assert not any("epoch" in note for note in classifier.notes_), "nothing was chosen"


def test_all_texts_are_fitted_where_none_is_asked_for_or_none_can_be_held_out(encoder: str, tmp_path: Path) -> None:
    for training, table in (({}, skewed_texts()), ({"select_on": "validation"}, (["refund", "login"], ["a", "b"]))):
        classifier = make(encoder, **training).fit(*table, output=tmp_path)
        assert len(classifier.trained_.validation) == 0
        assert classifier.trained_.facts["training_texts"] == len(table[0])
        assert (tmp_path / "history.jsonl").read_text() == ""


def test_what_was_cut_off_ends_with_the_same_bytes(
    encoder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts, labels = skewed_texts()
    whole = make(encoder).fit(texts, labels, output=tmp_path / "whole")
    with monkeypatch.context() as patch:
        patch.setattr(Frozen, "on_features", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            make(encoder).fit(texts, labels, output=tmp_path / "cut")
    resumed = make(encoder).fit(texts, labels, output=tmp_path / "cut", resume=True)
    assert (tmp_path / "cut/history.jsonl").read_bytes() == (tmp_path / "whole/history.jsonl").read_bytes()
    one, other = (made.trained_.predictor.backbone.state_dict() for made in (whole, resumed))
    assert all(torch.equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize(
    ("training", "path"),
    [
        ({"max_epochs": 3}, "training.max_epochs"),
        ({"learning_rate": 1e-3}, "training.learning_rate"),
        ({"precision": "bf16"}, "training.precision"),
        ({"select_on": "test"}, r"training.select_on \(test\)"),
    ],
    ids=str,
)
def test_settings_of_steps_are_refused(encoder: str, training: dict[str, Any], path: str) -> None:
    with pytest.raises(ConfigError, match=f"{path} says nothing to frozen, which takes no training steps"):
        make(encoder, **training).run_config()
