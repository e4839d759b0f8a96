"""Words and pairs of words as sparse TF-IDF vectors, in memory that does not grow with the vocabulary."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_matrix, vstack
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer

from sharprecl.doctor.slices import READ, Progress, silent, slices
from sharprecl.evaluation.references import COMMON_FROM, TOKEN

HASHED = 2**22
"""Columns that n-grams are hashed to before the rare ones are dropped: 100,000 titles meet in one of a hundred."""


class Words:
    """The features of ``evaluation.references.tfidf_logistic``: 1-2-grams, sublinear TF-IDF, those of one text alone
    dropped where there are ``COMMON_FROM`` texts. N-grams are hashed, and of too many the most common ones are kept.
    """

    def __init__(self, most: int) -> None:
        """``most`` columns are kept at most."""
        self.most = most
        self._hashing = HashingVectorizer(
            ngram_range=(1, 2),
            token_pattern=TOKEN,
            n_features=HASHED,
            alternate_sign=False,
            norm=None,
            dtype=np.float32,
        )
        self._weighting = TfidfTransformer(sublinear_tf=True)

    def fit_transform(self, texts: Sequence[str], progress: Progress = silent) -> csr_matrix:
        """Choose columns and weights by N texts; their vectors of length 1, float32 ``[N, F]``.

        F is 0 where no text holds a word; nothing can be transformed then.
        """
        counts = self._count(texts, progress)
        held = np.bincount(counts.indices, minlength=HASHED)
        columns = np.flatnonzero(held >= (2 if len(texts) >= COMMON_FROM else 1))
        self._columns = np.sort(columns[np.argsort(-held[columns], kind="stable")[: self.most]])
        kept = counts[:, self._columns]
        return self._weighting.fit_transform(kept).astype(np.float32) if len(self._columns) else kept

    def transform(self, texts: Sequence[str], progress: Progress = silent) -> csr_matrix:
        """The vectors of other texts, float32 ``[N, F]``."""
        return self._weighting.transform(self._count(texts, progress)[:, self._columns]).astype(np.float32)

    def _count(self, texts: Sequence[str], progress: Progress) -> csr_matrix:
        parts = [
            self._hashing.transform([text[:READ] for text in texts[part]])
            for part in slices(texts, "counting words", progress)
        ]
        return vstack(parts, format="csr")
