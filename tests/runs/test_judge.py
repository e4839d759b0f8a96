"""The floors beside a run: TF-IDF, and the run's own encoder frozen."""

from pathlib import Path

import pytest

from sharprecl.classifier import TextClassifier
from sharprecl.config import resolve
from sharprecl.data.tables import read_table
from sharprecl.evaluation.judge import evaluate
from sharprecl.runs.judge import frozen_title, references
from sharprecl.runs.spec import FLOOR
from tiny import skewed_texts, tiny_encoder


def test_the_frozen_floor_is_the_run_s_encoder_on_all_training_texts(tmp_path: Path) -> None:
    train = read_table(skewed_texts())
    test = read_table(skewed_texts(seed=1), label_names=train.label_names)
    encoder = {"name": tiny_encoder(tmp_path / "mine"), "pooling": "cls", "max_length": 8}
    config = resolve({"encoder": encoder, "method": {"name": "cross_entropy"}, "training": {"max_epochs": 2}})
    said: list[str] = []
    found = references(train, test, config, said.append)
    assert list(found) == [FLOOR, "frozen mine + logistic regression"]
    assert said == ["reference: frozen mine + logistic regression, one pass over 65 training and 65 test texts"]
    frozen = {"encoder": encoder, "method": {"name": "frozen"}, "training": {"select_on": "last"}}
    answers = TextClassifier(config=frozen).fit(train).scores(test.texts).argmax(1)
    expected = evaluate(test.label_ids, answers, train.class_counts, train.label_names)
    assert found["frozen mine + logistic regression"].to_dict() == expected.to_dict()


@pytest.mark.parametrize("method", ["frozen", "llm_lora"])
def test_what_trains_no_encoder_has_tfidf_alone_beside_it(method: str) -> None:
    train = read_table(skewed_texts())
    said: list[str] = []
    assert list(references(train, train, resolve({"method": {"name": method}}), said.append)) == [FLOOR]
    assert said == []


def test_the_title_calls_the_encoder_as_the_user_does() -> None:
    names = {"minilm": "MiniLM", "/models/mine": "mine", "org/bert-base": "bert-base"}
    for name, title in names.items():
        assert frozen_title(name) == f"frozen {title} + logistic regression"
