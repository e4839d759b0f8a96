"""A model of words: its features, its sample, its folds, and answers from models that did not see the row."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfVectorizer

from sharprecl.data.tables import TextTable
from sharprecl.doctor import word_model as module
from sharprecl.doctor.texts import mixed, silent
from sharprecl.doctor.word_model import (
    FOLDS,
    KEPT,
    LEAST_PASSES,
    MOST_PASSES,
    WordFeatures,
    ask,
    deal_folds,
    logistic,
    out_of_fold,
    sample,
)
from sharprecl.evaluation.references import TOKEN

MANY = [f"common word{n % 7} and word{n % 11}, rare{n}" for n in range(600)] + ["这本书很好 common"]


@pytest.mark.parametrize("texts", [MANY, MANY[:499]])
def test_as_the_plain_vectorizer(texts) -> None:
    words = WordFeatures(10**6)
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
    found = WordFeatures(1).fit_transform(MANY)
    assert found.shape == (601, 1)
    assert found.getnnz() == 601  # "common" alone is in every text


def test_texts_without_words() -> None:
    assert WordFeatures(10).fit_transform(["!", "☃"]).shape == (2, 0)


def numbered(counts) -> tuple[np.ndarray, np.ndarray]:
    labels = np.repeat(np.arange(len(counts)), counts)
    return mixed(np.arange(len(labels), dtype=np.uint64), 7), labels


@given(st.lists(st.integers(0, 60), min_size=1, max_size=6), st.integers(1, 150), st.integers(0, 99), st.randoms())
def test_sizes_and_order(counts, most, seed, random) -> None:
    keys, labels = numbered(counts)
    if not len(labels):
        return
    rows = sample(keys, labels, most, seed)
    assert len(set(rows.tolist())) == len(rows)
    kept = np.bincount(labels[rows], minlength=len(counts))
    assert all(kept[n] == count for n, count in enumerate(counts) if count <= KEPT)
    assert all(kept[n] >= KEPT for n, count in enumerate(counts) if count > KEPT)
    if sum(counts) <= most:
        assert len(rows) == sum(counts)
    else:
        least = sum(min(count, KEPT) for count in counts)
        assert len(rows) <= max(most + counts.count(1), least)
    order = np.array(random.sample(range(len(labels)), len(labels)))
    assert keys[order][sample(keys[order], labels[order], most, seed)].tolist() == keys[rows].tolist()


def test_large_classes_keep_their_proportion_and_the_budget_is_used() -> None:
    keys, labels = numbered([60_000, 30_000, 10_000, 5])
    kept = np.bincount(labels[sample(keys, labels, 10_000, 0)])
    assert kept[3] == 5
    assert kept.sum() == pytest.approx(10_000, abs=5)
    assert kept[0] / kept[1] == pytest.approx(2, abs=0.01)


def test_seeds_choose_others() -> None:
    keys, labels = numbered([500, 500])
    assert set(sample(keys, labels, 100, 0)) != set(sample(keys, labels, 100, 1))


def test_of_many_classes_the_largest_and_some_single_ones(monkeypatch) -> None:
    monkeypatch.setattr(module, "MOST_CLASSES", 5)
    monkeypatch.setattr(module, "MOST_SINGLE", 3)
    keys, labels = numbered([2, 3, 4, 5, 6, 7, 8] + [1] * 10)
    kept = np.bincount(labels[sample(keys, labels, 1000, 0)], minlength=17)
    assert kept.tolist()[:7] == [0, 0, 4, 5, 6, 7, 8]
    assert kept[7:].sum() == 3


def test_work_is_bounded(monkeypatch) -> None:
    monkeypatch.setattr(module, "MOST_WORK", 1000)
    keys, labels = numbered([400, 400, 400])
    assert len(sample(keys, labels, 10_000, 0)) == pytest.approx(333, abs=3)


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


TEXTS = ("red one", "red two", "alone", "blue one", "blue two", "red three", "twice", "TWICE!")
LABELS = (3, 3, 0, 1, 1, 3, 2, 2)


def test_classes_that_no_fold_can_know_get_no_number() -> None:
    table = TextTable(TEXTS, np.array(LABELS), ("a", "b", "c", "d", "e"), "test")
    found = ask(table, 0, 100, silent)
    assert found is not None
    assert sorted(found.rows.tolist()) == list(range(8))
    assert found.given.tolist() == [LABELS[row] for row in found.rows]
    assert found.classes.tolist() == [1, 3]
    assert found.labels.tolist() == [{1: 0, 3: 1}.get(label, -1) for label in found.given.tolist()]
    assert found.probabilities.shape == (8, 2)
    assert found.vectors.shape[0] == 8
    assert np.allclose(found.probabilities.sum(axis=1), 1, atol=1e-5)


def test_the_model_for_other_texts_knows_the_single_ones_too() -> None:
    table = TextTable(TEXTS, np.array(LABELS), ("a", "b", "c", "d", "e"), "test")
    test = TextTable(("alone", "red", "blue", "twice"), np.array([0, 3, 1, 2]), table.label_names, "test")
    found = ask(table, 0, 100, silent)
    assert found is not None
    assert found.macro_f1_on(test, 0, 100, silent) == 1
