"""scikit-learn's conventions, and the way to disk and back."""

import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score

from sharprecl import TextClassifier
from sharprecl.data.labels import typed_table
from sharprecl.errors import AssetError, CheckpointError, ConfigError, DataError
from tiny import skewed_texts, tiny_encoder


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return tiny_encoder(tmp_path_factory.mktemp("encoder"), mean_pooling=True)


def make(encoder: str, **parameters: Any) -> TextClassifier:
    defaults = {"max_epochs": 20, "batch_size": 8, "learning_rate": 2e-3, "max_length": 32, "view": "dropout"}
    return TextClassifier(encoder=encoder, **{**defaults, **parameters})


@pytest.fixture(scope="module")
def fitted(encoder: str) -> TextClassifier:
    return make(encoder).fit(*skewed_texts())


def test_it_learns_and_answers_in_the_users_labels(fitted: TextClassifier) -> None:
    texts, labels = skewed_texts(seed=1)
    answers = fitted.predict(texts)
    chances = fitted.predict_proba(texts)
    assert fitted.classes_.tolist() == sorted(set(labels))
    assert chances.shape == (len(texts), 4)
    np.testing.assert_allclose(chances.sum(1), 1.0)
    assert (fitted.classes_[chances.argmax(1)] == answers).all()
    assert fitted.score(texts, labels) == np.mean(answers == np.asarray(labels))
    assert fitted.score(texts, labels) > 0.8, "keywords tell the classes apart"
    assert fitted.embed(texts).shape == (len(texts), 32)
    assert fitted.evaluate(texts, labels).accuracy == pytest.approx(fitted.score(texts, labels))


def test_answers_do_not_depend_on_the_company(fitted: TextClassifier) -> None:
    texts, _ = skewed_texts(seed=2)
    alone = np.concatenate([fitted.predict_proba([text]) for text in texts[:5]])
    np.testing.assert_allclose(fitted.predict_proba(texts)[:5], alone, rtol=1e-4, atol=1e-6)


def test_no_texts_give_no_answers(fitted: TextClassifier) -> None:
    assert fitted.predict([]).shape == (0,)
    assert fitted.predict_proba([]).shape == (0, 4)


def test_it_is_cloned_pickled_and_cross_validated(encoder: str, fitted: TextClassifier) -> None:
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    assert not hasattr(copy, "classes_")
    texts, labels = skewed_texts(seed=1)
    thawed = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(thawed.predict_proba(texts), fitted.predict_proba(texts))
    scores = cross_val_score(make(encoder, max_epochs=1), np.asarray(texts, dtype=object), np.asarray(labels), cv=2)
    assert scores.shape == (2,)


def test_saved_and_loaded_it_gives_the_same_answers(fitted: TextClassifier, tmp_path: Path) -> None:
    texts, _ = skewed_texts(seed=1)
    fitted.save(tmp_path / "out")
    loaded = TextClassifier.load(tmp_path / "out")
    np.testing.assert_allclose(loaded.predict_proba(texts), fitted.predict_proba(texts), atol=1e-5)
    assert (loaded.predict(texts) == fitted.predict(texts)).all()
    assert loaded.classes_.tolist() == fitted.classes_.tolist()
    assert (loaded.class_counts_ == fitted.class_counts_).all()
    loaded.save(tmp_path / "again")
    again = TextClassifier.load(tmp_path / "again")
    np.testing.assert_array_equal(again.decision_function(texts), loaded.decision_function(texts))


def test_the_saved_model_is_stock(fitted: TextClassifier, tmp_path: Path) -> None:
    """A process that cannot import sharprecl gets the same logits and the user's label names."""
    texts, _ = skewed_texts(seed=1)
    fitted.save(tmp_path)
    code = """
import json, sys
sys.modules["sharprecl"] = None  # importing it would raise
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer, pipeline
model = AutoModelForSequenceClassification.from_pretrained("model").eval()
tokenizer = AutoTokenizer.from_pretrained("model")
texts = json.load(sys.stdin)
batch = tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
with torch.no_grad():
    logits = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).logits
piped = pipeline("text-classification", model=model, tokenizer=tokenizer)(texts[:3], truncation=True)
print(json.dumps({"logits": logits.tolist(), "id2label": model.config.id2label, "length": tokenizer.model_max_length,
                  "piped": [answer["label"] for answer in piped]}))
"""
    found = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(texts), cwd=tmp_path, capture_output=True, text=True, check=True
    )
    answer = json.loads(found.stdout.splitlines()[-1])
    loaded = TextClassifier.load(tmp_path)
    np.testing.assert_allclose(answer["logits"], loaded.decision_function(texts), rtol=1e-5, atol=1e-5)
    assert answer["id2label"] == {str(index): name for index, name in enumerate(fitted.classes_)}
    assert answer["length"] == 32
    assert answer["piped"] == loaded.predict(texts[:3]).tolist()


def test_what_cannot_be_stock_is_saved_apart_and_says_so(tmp_path: Path) -> None:
    encoder = tiny_encoder(tmp_path / "mpnet", "mpnet", mean_pooling=True)
    texts, labels = skewed_texts()
    classifier = make(encoder, max_epochs=1).fit(texts, labels)
    card = classifier.save(tmp_path / "out")
    assert "cannot express 'mean' pooling" in card.not_stock_because
    assert not (tmp_path / "out" / "model").exists(), "a stock tool must not find a model that answers otherwise"
    loaded = TextClassifier.load(tmp_path / "out")
    np.testing.assert_allclose(loaded.predict_proba(texts), classifier.predict_proba(texts), atol=1e-6)


@pytest.mark.parametrize(
    ("labels", "classes"), [([10, 2, 10, 2], [2, 10]), ([True, False, True, False], [False, True])]
)
def test_numbers_and_booleans_stay_what_they_are(
    encoder: str, labels: list[Any], classes: list[Any], tmp_path: Path
) -> None:
    texts = ["refund invoice", "login password", "refund card", "login reset"]
    classifier = make(encoder, max_epochs=1).fit(texts, labels)
    assert classifier.classes_.tolist() == classes
    assert set(classifier.predict(texts).tolist()) <= set(classes)
    assert classifier.class_counts_.tolist() == [2, 2]
    assert classifier.evaluate(texts, labels).confusion.sum() == 4
    classifier.save(tmp_path)
    assert TextClassifier.load(tmp_path).classes_.tolist() == classes


def test_labels_that_look_like_numbers_stay_labels(encoder: str) -> None:
    texts = ["refund invoice", "login password", "refund card", "login reset"]
    classifier = make(encoder, max_epochs=1).fit(texts, ["007", "1.0", "007", "1.0"])
    assert classifier.classes_.tolist() == ["007", "1.0"]


def test_mistakes_are_sentences(encoder: str, fitted: TextClassifier, tmp_path: Path) -> None:
    with pytest.raises(NotFittedError, match="call fit"):
        make(encoder).predict(["text"])
    with pytest.raises(DataError, match=r"put it in brackets: \[text\]"):
        fitted.predict("text")
    with pytest.raises(DataError, match=r"row 2: not a text but 7"):
        fitted.predict(["text", 7])
    with pytest.raises(DataError, match="fit needs labels"):
        make(encoder).fit(["text"])
    with pytest.raises(AssetError, match="holds no trained classifier"):
        TextClassifier.load(tmp_path)
    with pytest.raises(ConfigError, match=r"^encoder.pooling: "):
        make(encoder, pooling="max").fit(*skewed_texts())
    with pytest.raises(ConfigError, match=r"^method.wings: there is no such setting"):
        make(encoder, config={"method": {"wings": 2}}).fit(*skewed_texts())
    with pytest.raises(ConfigError, match="minimising it drives texts of one class apart"):
        make(encoder, config={"method": {"anchor_weight": "log_prior"}}).fit(*skewed_texts())
    with pytest.raises(DataError, match="unheard"):
        fitted.evaluate(["text"], ["unheard"])


def test_a_newer_format_is_refused(fitted: TextClassifier, tmp_path: Path) -> None:
    fitted.save(tmp_path)
    card = json.loads((tmp_path / "sharprecl.json").read_text())
    (tmp_path / "sharprecl.json").write_text(json.dumps({**card, "format": 99, "version": "9.0"}))
    with pytest.raises(AssetError, match=r"saved by sharprecl 9\.0 in another format"):
        TextClassifier.load(tmp_path)


def test_two_classes_follow_scikit_learns_conventions(encoder: str) -> None:
    from sklearn.metrics import get_scorer

    texts, labels = skewed_texts({"billing": 20, "access": 12})
    classifier = make(encoder, max_epochs=2).fit(texts, labels)
    assert classifier.decision_function(texts).shape == (32,)
    assert ((classifier.decision_function(texts) > 0) == (classifier.predict(texts) == "billing")).all()
    assert 0.0 <= get_scorer("roc_auc")(classifier, texts, labels) <= 1.0


def test_embeddings_are_the_same_before_and_after_saving(fitted: TextClassifier, tmp_path: Path) -> None:
    texts, _ = skewed_texts(seed=1)
    fitted.save(tmp_path / "one")
    once = TextClassifier.load(tmp_path / "one")
    once.save(tmp_path / "two")
    twice = TextClassifier.load(tmp_path / "two")
    np.testing.assert_allclose(once.embed(texts), fitted.embed(texts), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(twice.embed(texts), fitted.embed(texts), rtol=1e-4, atol=1e-4)


def test_any_iterable_of_texts_will_do(fitted: TextClassifier, encoder: str) -> None:
    import pandas as pd

    texts, labels = skewed_texts(seed=1)
    expected = fitted.predict(texts)
    assert (fitted.predict(text for text in texts) == expected).all()
    assert (fitted.predict(pd.Series(texts, index=range(100, 100 + len(texts)))) == expected).all()
    from_iterators = make(encoder, max_epochs=1).fit(iter(texts), iter(labels))
    from_lists = make(encoder, max_epochs=1).fit(texts, labels)
    np.testing.assert_array_equal(from_iterators.scores(texts), from_lists.scores(texts))


def test_an_interrupted_second_fit_leaves_the_first_whole(encoder: str, fitted: TextClassifier) -> None:
    class Interrupt:
        def on_record(self, record: Any, pace: Any) -> None:
            raise KeyboardInterrupt

        def on_message(self, sentence: str) -> None: ...

        def on_end(self) -> None: ...

    texts, labels = skewed_texts(seed=1)
    classifier = make(encoder, max_epochs=1).fit(texts, labels)
    before = classifier.predict(texts).tolist()
    with pytest.raises(KeyboardInterrupt):
        classifier.fit(texts, [f"other {label}" for label in labels], callback=Interrupt())
    assert classifier.predict(texts).tolist() == before
    never = make(encoder)
    with pytest.raises(KeyboardInterrupt):
        never.fit(texts, labels, callback=Interrupt())
    with pytest.raises(NotFittedError):
        never.predict(texts)


def test_integer_labels_keep_the_notes_and_fractions_are_refused(encoder: str) -> None:
    texts = ["refund invoice", "login password", "refund card", "login reset", "parcel late"]
    classifier = make(encoder, max_epochs=1).fit(texts, [10, 2, 10, 2, 7])
    assert any("single text" in note for note in classifier.notes_)
    assert classifier.classes_.tolist() == [2, 7, 10]
    with pytest.raises(DataError, match="turn them into strings"):
        make(encoder).fit(texts, [0.5, 1.0, 0.5, 1.0, 1.0])


def test_a_save_that_is_cut_off_leaves_no_model_under_old_names(
    fitted: TextClassifier, encoder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sharprecl.export import writing

    fitted.save(tmp_path)
    texts, labels = skewed_texts()
    other = make(encoder, max_epochs=1).fit(texts, [f"x {label}" for label in labels])

    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(writing, "write_json", killed)
        with pytest.raises(KeyboardInterrupt):
            other.save(tmp_path)
    with pytest.raises(AssetError, match="holds no trained classifier"):
        TextClassifier.load(tmp_path)


def test_a_card_of_another_run_is_refused(fitted: TextClassifier, tmp_path: Path) -> None:
    fitted.save(tmp_path)
    card = json.loads((tmp_path / "sharprecl.json").read_text())
    card["label_names"] = [f"x {name}" for name in card["label_names"]]
    (tmp_path / "sharprecl.json").write_text(json.dumps(card))
    with pytest.raises(AssetError, match="name different classes"):
        TextClassifier.load(tmp_path)


def test_saving_does_not_replace_a_strangers_model(fitted: TextClassifier, tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "mine.txt").write_text("mine")
    with pytest.raises(ConfigError, match="was not written by sharprecl"):
        fitted.save(tmp_path)
    assert (tmp_path / "model" / "mine.txt").read_text() == "mine"


def test_checkpoints_go_when_the_training_is_done(encoder: str, tmp_path: Path) -> None:
    make(encoder, max_epochs=1).fit(*skewed_texts(), output=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["history.jsonl"]


def test_texts_longer_than_the_encoder_are_refused_before_training(encoder: str) -> None:
    with pytest.raises(ConfigError, match=r"max_length is 600, but this encoder takes at most 96 tokens"):
        make(encoder, max_length=600).fit(*skewed_texts())


def test_a_decoder_without_padding_trains(tmp_path: Path) -> None:
    encoder = tiny_encoder(tmp_path / "llama", "llama")
    config = json.loads((tmp_path / "llama" / "config.json").read_text())
    (tmp_path / "llama" / "config.json").write_text(json.dumps({**config, "pad_token_id": None}))
    texts, labels = skewed_texts()
    classifier = make(encoder, max_epochs=1).fit(texts, labels)
    classifier.save(tmp_path / "out")
    loaded = TextClassifier.load(tmp_path / "out")
    np.testing.assert_allclose(loaded.predict_proba(texts), classifier.predict_proba(texts), atol=1e-5)


def test_texts_without_an_answer_count_as_wrong_and_are_told_of(fitted: TextClassifier) -> None:
    texts, labels = skewed_texts(seed=1)
    whole = fitted.scores(texts)

    class Callback:
        pooling = "none"

        def scores(self, texts: list[str], *, embed: bool = False) -> tuple[np.ndarray, np.ndarray]:
            silenced = whole.copy()
            silenced[:3] = np.nan
            return silenced, np.zeros((len(texts), 0), np.float32)

    silent = pickle.loads(pickle.dumps(fitted))
    silent._predictor = Callback()
    right = fitted.predict(texts) == np.asarray(labels)
    assert silent.score(texts, labels) == right[3:].sum() / len(texts)
    assert silent.evaluate(texts, labels).unanswered == 3
    with pytest.raises(DataError, match="none of the labels"):
        silent.predict(texts)
    with pytest.raises(ConfigError, match="gives labels and no features"):
        silent.embed(texts)


def test_auto_says_what_it_chose(encoder: str) -> None:
    even = {"billing": 10, "access": 9}
    classifier = make(encoder, method="auto", max_epochs=1).fit(*skewed_texts(even))
    assert classifier.config_.method.name == "cross_entropy"
    assert classifier.notes_[0].startswith("auto: cross_entropy")


@pytest.mark.parametrize(
    "labels", [[True, False, "unknown"], [True, False, 2, 3], [1, "a"], ["a", 1], [np.int64(3), np.True_]]
)
def test_labels_of_several_types_are_refused(labels: list[Any]) -> None:
    with pytest.raises(DataError, match=r"must all be strings, or .* there are .* \(row \d\)"):
        typed_table([f"text {place}" for place in range(len(labels))], labels)
    with pytest.raises(DataError, match=r"that of row 2 is 2\.5"):
        typed_table(["one", "two"], [1, 2.5])


def test_folders_of_others_are_left_alone(encoder: str, tmp_path: Path) -> None:
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / "model").mkdir()
    for name in ("checkpoints/mine.ckpt", "checkpoints/.gitignore", "model/mine.py"):
        (tmp_path / name).write_text("mine")
    classifier = make(encoder, max_epochs=1)
    with pytest.raises(CheckpointError, match="which no training of ours left there"):
        classifier.fit(*skewed_texts(), output=tmp_path)
    classifier.fit(*skewed_texts())
    with pytest.raises(ConfigError, match="was not written by sharprecl"):
        classifier.save(tmp_path)
    assert {path.name for path in tmp_path.rglob("*") if path.is_file()} == {"mine.ckpt", ".gitignore", "mine.py"}


def test_half_a_character_is_refused(fitted: TextClassifier) -> None:
    with pytest.raises(DataError, match=r"row 2: half a character"):
        fitted.predict(["whole", "half \ud83d"])
