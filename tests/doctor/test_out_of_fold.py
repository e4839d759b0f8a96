"""Folds are even and tear no text apart; held-out answers come from models that did not see the row."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from sharprecl.doctor.keys import mixed
from sharprecl.doctor.out_of_fold import FOLDS, LEAST_PASSES, MOST_PASSES, deal_folds, logistic, out_of_fold


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 4)), min_size=1, max_size=80), st.integers(0, 9), st.randoms()
)
def test_folds(rows, seed, random) -> None:
    keys = mixed(np.array([text for text, _ in rows], dtype=np.uint64), 0)
    labels = np.array([label for _, label in rows])
    folds = deal_folds(keys, labels, seed)
    assert set(folds.tolist()) <= set(range(FOLDS))
    of_text = {}
    assert all(of_text.setdefault(key, fold) == fold for key, fold in zip(keys.tolist(), folds.tolist(), strict=True))
    least = {key: min(labels[keys == key].tolist()) for key in of_text}
    for label in set(least.values()):
        sizes = np.bincount([of_text[key] for key in of_text if least[key] == label], minlength=FOLDS)
        assert sizes.max() - sizes.min() <= 1
    order = np.array(random.sample(range(len(rows)), len(rows)))
    assert deal_folds(keys[order], labels[order], seed).tolist() == folds[order].tolist()


def test_seeds_deal_anew() -> None:
    keys, labels = mixed(np.arange(100, dtype=np.uint64), 0), np.zeros(100, dtype=np.int64)
    assert deal_folds(keys, labels, 0).tolist() != deal_folds(keys, labels, 1).tolist()


def test_a_row_is_answered_by_what_the_others_show() -> None:
    """Row n has feature n alone: only a model that trained on it could know its label."""
    labels = np.array([0, 1] * 20)
    folds = np.arange(40) % FOLDS
    unknown = out_of_fold(csr_matrix(np.eye(40, dtype=np.float32)), labels, folds, 2, 0)
    assert np.ptp(unknown[folds == 0], axis=0).max() < 1e-6
    shared = np.eye(2, dtype=np.float32)[labels]
    known = out_of_fold(csr_matrix(shared), labels, folds, 2, 0)
    assert known.argmax(axis=1).tolist() == labels.tolist()
    assert np.allclose(known.sum(axis=1), 1, atol=1e-5)


def test_rows_without_a_class_are_answered_and_not_trained_on() -> None:
    labels = np.array([0, 1, 2] * 10)
    vectors = csr_matrix(np.eye(3, dtype=np.float32)[labels])
    told = []
    folds = np.arange(30) % FOLDS
    whole = out_of_fold(vectors, labels, folds, 3, 0, lambda *state: told.append(state))
    labels[labels == 2] = -1
    without = out_of_fold(vectors, labels, folds, 2, 0)
    assert without.shape == (30, 2)
    assert (without[labels >= 0].max(axis=1) > 0.9).all()
    assert (without[labels < 0].max(axis=1) < 0.9).all()
    assert whole.shape == (30, 3)
    assert told == [("training on words", n, FOLDS) for n in range(1, FOLDS + 1)]


def test_passes_fall_with_the_texts() -> None:
    assert [logistic(n, 0).max_iter for n in (1, 20_000, 40_000, 10**6)] == [MOST_PASSES, MOST_PASSES, 5, LEAST_PASSES]
