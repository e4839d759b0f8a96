"""The features of the TF-IDF floor, hashed."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from sharprecl.doctor.features import Words
from sharprecl.evaluation.references import TOKEN

TEXTS = [f"common word{n % 7} and word{n % 11}, rare{n}" for n in range(600)] + ["这本书很好 common"]


@pytest.mark.parametrize("texts", [TEXTS, TEXTS[:499]])
def test_as_the_plain_vectorizer(texts) -> None:
    words = Words(10**6)
    plain = TfidfVectorizer(
        ngram_range=(1, 2), sublinear_tf=True, min_df=2 if len(texts) >= 500 else 1, token_pattern=TOKEN
    )
    found, expected = words.fit_transform(texts), plain.fit_transform(texts)
    assert found.dtype == np.float32
    assert found.shape == expected.shape
    assert abs((found @ found.T) - (expected @ expected.T)).max() < 1e-5
    others = ["common word3 of another kind", "nothing known"]
    gram = words.transform(others) @ found.T
    assert abs(gram - plain.transform(others) @ expected.T).max() < 1e-5
    assert gram[1].nnz == 0


def test_of_too_many_columns_the_common_ones_stay() -> None:
    found = Words(1).fit_transform(TEXTS)
    assert found.shape == (601, 1)
    assert found.getnnz() == 601  # "common" alone is in every text


def test_texts_without_words() -> None:
    assert Words(10).fit_transform(["!", "☃"]).shape == (2, 0)
