"""The TF-IDF floor: learns, in any script, with classes of a single text, the same each time."""

import numpy as np
import pytest

from sharprecl.errors import DataError
from sharprecl.evaluation import references
from sharprecl.evaluation.references import tfidf_logistic


def test_learns_and_finds_a_class_of_one_text():
    texts = ["wheat harvest rises", "wheat exports fall", "corn and wheat prices", "platinum mine opens"]
    floor = tfidf_logistic(texts, [0, 0, 0, 1], seed=0)
    assert floor.predict(["the wheat is ripe", "platinum again"]).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("texts", "question"),
    [
        (["我喜欢这本书", "这本书很好", "他讨厌下雨", "下雨很糟糕"], "又下雨了"),
        (["किताब अच्छी है", "अच्छी कहानी", "बारिश बुरी है", "बुरी बारिश"], "बारिश"),
        (["хорошая книга", "книга чудесна", "дождь плох", "плохой дождь"], "дождь"),
        (["libro bueno é", "libro óptimo", "lluvia a", "a lluvia"], "lluvia"),
    ],
)
def test_any_script(texts, question):
    assert tfidf_logistic(texts, ["book", "book", "rain", "rain"], seed=0).predict([question]) == ["rain"]


def test_indic_words_stay_whole():
    floor = tfidf_logistic(["किताब अच्छी", "बारिश बुरी"], [0, 1], seed=0)
    assert "किताब" in floor["tfidf"].vocabulary_


def test_rare_features_are_dropped_only_from_large_tables():
    texts = [f"common word{i}" for i in range(500)]
    labels = [i % 2 for i in range(500)]
    assert set(tfidf_logistic(texts, labels, seed=0)["tfidf"].vocabulary_) == {"common"}
    assert "word3" in tfidf_logistic(texts[:499], labels[:499], seed=0)["tfidf"].vocabulary_


def test_equal_runs_give_equal_weights():
    texts, labels = ["a b", "b c", "c d", "d e"], [0, 0, 1, 2]
    first, second = (tfidf_logistic(texts, labels, seed=1)["logistic"].coef_ for _ in range(2))
    assert np.array_equal(first, second)


def test_texts_without_words():
    with pytest.raises(DataError, match="right column"):
        tfidf_logistic(["!!", "??"], [0, 1], seed=0)


def test_the_most_frequent_words_are_taken_where_weights_would_fill_the_memory(monkeypatch):
    monkeypatch.setattr(references, "MOST_WEIGHTS", 6)
    texts, labels = ["a b", "a c", "a d", "b e"], [0, 1, 2, 0]
    assert set(tfidf_logistic(texts, labels, seed=0)["tfidf"].vocabulary_) == {"a", "b"}
