"""The floor to beat: TF-IDF with logistic regression, seconds to train, no encoder."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline

from sharprecl.errors import DataError

# Scripts that put no spaces between words: each character is a token and the 2-grams are the words.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
# ``\w`` leaves out the vowel signs of the Indic scripts and combining accents, which would cut words there.
TOKEN = rf"(?:[{_UNSPACED}]|(?:(?![{_UNSPACED}])[\w\u0300-\u036f\u0900-\u0dff])+)"
COMMON_FROM = 500
MOST_WEIGHTS = 10_000_000
"""Words times classes: beyond, the most frequent words are taken. Fitting needs some 320 bytes for each."""


def tfidf_logistic(train_texts: Sequence[str], train_labels: Sequence[Any], seed: int) -> Pipeline:
    """Fit word 1-2-grams, sublinear TF-IDF and logistic regression with balanced class weights.

    With 500 texts or more, a feature must occur in two of them; with fewer, every word counts, since those of a class
    with a single text would all be lost. That and ``C = 3`` were chosen on training texts alone (R52, at most 30
    texts a class to fit, the other half to judge).

    Args:
        train_texts: N texts in any language.
        train_labels: N labels of at least two classes; a class may have a single text.
        seed: handed to the solver.

    Returns:
        The fitted pipeline; ``predict`` gives labels as in ``train_labels``.

    Raises:
        DataError: no text holds a word.
    """
    features = TfidfVectorizer(
        ngram_range=(1, 2),
        sublinear_tf=True,
        min_df=2 if len(train_texts) >= COMMON_FROM else 1,
        token_pattern=TOKEN,
        max_features=MOST_WEIGHTS // len(set(train_labels)),
    )
    classifier = LogisticRegression(C=3.0, class_weight="balanced", max_iter=1000, random_state=seed)
    try:
        return Pipeline([("tfidf", features), ("logistic", classifier)]).fit(train_texts, train_labels)
    except ValueError as error:
        if not any(features.build_tokenizer()(text) for text in train_texts):
            raise DataError(
                "the training texts hold no words at all, only spaces or signs; is the right column named as the text?"
            ) from error
        raise


def tfidf_answers(fitted: Pipeline, texts: Sequence[str]) -> np.ndarray:
    """Labels of texts by what ``tfidf_logistic`` fitted to label ids, int64 [N]; -1 where there is nothing to read."""
    return np.where([text != "" for text in texts], fitted.predict(texts), -1)
