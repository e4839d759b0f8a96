"""Rows without text have no answer, and rows without text or label are not trained on."""

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sharprecl import TextClassifier
from sharprecl.errors import BlankRowsWarning, DataError
from tiny import skewed_texts, tiny_encoder

TEXTS, LABELS = skewed_texts({"billing": 9, "access": 6})


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> TextClassifier:
    encoder = tiny_encoder(tmp_path_factory.mktemp("encoder"), mean_pooling=True)
    return TextClassifier(encoder=encoder, method="frozen", max_length=32).fit(TEXTS, LABELS)


def test_scores_of_blank_texts_are_nan_and_a_warning_names_them(classifier: TextClassifier) -> None:
    with pytest.warns(BlankRowsWarning, match=r"2 of 4 texts are blank \(rows 2 and 4\)") as told:
        chances = classifier.predict_proba([TEXTS[0], "  ", TEXTS[1], None])
    assert told[0].filename == __file__
    np.testing.assert_allclose(chances[[0, 2]], classifier.predict_proba(TEXTS[:2]), rtol=1e-5)
    assert np.isnan(chances[[1, 3]]).all()
    with pytest.warns(BlankRowsWarning) as told:
        scores, features = classifier.scores_and_embeddings(pd.Series(["", TEXTS[0]]))
    assert told[0].filename == __file__
    assert np.isnan(scores[0]).all()
    assert np.isnan(features[0]).all()
    np.testing.assert_allclose(features[1:], classifier.embed(TEXTS[:1]))
    with pytest.warns(BlankRowsWarning):
        assert np.isnan(classifier.decision_function([""])).all()


def test_blank_texts_have_no_label(classifier: TextClassifier) -> None:
    with pytest.raises(DataError, match=r"rows 1 and 2: no text, so there is no label; .* or use scores\(\)"):
        classifier.predict(["", "  ", "refund"])


def test_blank_texts_count_as_wrong(classifier: TextClassifier) -> None:
    right = (classifier.predict(TEXTS) == LABELS).sum()
    with pytest.warns(BlankRowsWarning):
        assert classifier.score([*TEXTS, "", np.nan], [*LABELS, "billing", "access"]) == right / 17
    with pytest.warns(BlankRowsWarning):
        evaluation = classifier.evaluate([*TEXTS, ""], [*LABELS, "billing"])
    assert (evaluation.unanswered, evaluation.n_texts) == (1, 16)
    assert evaluation.accuracy == pytest.approx(right / 16)
    with pytest.warns(BlankRowsWarning, match="1 row has no label: row 16; not judged"):
        assert classifier.evaluate([*TEXTS, "refund"], [*LABELS, None]).n_texts == 15


@pytest.mark.parametrize("series", [pd.Series, pl.Series, list])
def test_rows_without_text_or_label_are_set_aside(classifier: TextClassifier, series: type) -> None:
    texts = ["", *TEXTS[:7], None, *TEXTS[7:], "no label"]
    labels = ["billing", *LABELS[:7], "only here", *LABELS[7:], None]
    weights = np.arange(1.0, 19.0)
    with pytest.warns(BlankRowsWarning, match=r"2 rows have no text: rows 1 and 9; 1 row has no label: row 18") as told:
        found = classifier.__class__(**classifier.get_params(deep=False)).fit(series(texts), series(labels), weights)
    assert told[0].filename == __file__
    assert found.set_aside_.tolist() == [0, 8, 17]
    assert found.classes_.tolist() == ["access", "billing"]
    cut = np.delete(weights, found.set_aside_)
    expected = classifier.__class__(**classifier.get_params(deep=False)).fit(TEXTS, LABELS, cut)
    np.testing.assert_array_equal(found.scores(TEXTS), expected.scores(TEXTS))
    assert any("3 rows" in note or "no text" in note for note in found.notes_)
    assert expected.set_aside_.tolist() == []


def test_integers_with_a_gap_stay_integers(classifier: TextClassifier, tmp_path: Path) -> None:
    labels = pd.Series([10, None, *[2, 10] * 7])
    assert labels.dtype == np.float64, "as pandas has it"
    with pytest.warns(BlankRowsWarning):
        found = TextClassifier(**classifier.get_params(deep=False)).fit([*TEXTS, "refund"], labels)
    assert found.classes_.tolist() == [2, 10]
    assert found.score(TEXTS[2:], labels[2:15]) == found.evaluate(TEXTS[2:], labels[2:15]).accuracy


def test_zero_weights_beside_rows_that_are_set_aside(classifier: TextClassifier) -> None:
    """Notes name the rows that the user gave."""
    texts = ["", "left out", "refund", "card", "refund", "login"]
    labels = ["billing", "gone", "billing", "billing", "access", "access"]
    with pytest.warns(BlankRowsWarning):
        found = TextClassifier(**classifier.get_params(deep=False)).fit(texts, labels, [1, 0, 1, 1, 1, 1])
    assert found.classes_.tolist() == ["access", "billing"]
    assert found.notes_ == [
        "the given lists: 1 row has no text: row 1",
        "1 text has more than one label, the first in rows 3 and 5",
    ]
