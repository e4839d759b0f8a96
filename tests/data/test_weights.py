"""What ``sample_weight`` and ``class_weight`` amount to."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from sklearn.utils.class_weight import compute_class_weight

from sharprecl.data.tables import TextTable
from sharprecl.data.weights import checked_weights, class_weights
from sharprecl.errors import ConfigError, DataError

LABEL_IDS = np.array([0, 0, 0, 1, 1, 2])


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 5)), min_size=1, max_size=30))
def test_integer_weights_give_the_shares_of_repeated_rows(rows: list[tuple[int, int]]) -> None:
    label_ids, repeats = np.array(rows).T
    weighted = TextTable(("text",) * len(rows), label_ids, tuple("abcd"), "test", weights=repeats.astype(float))
    again = np.repeat(label_ids, repeats)
    repeated = TextTable(("text",) * len(again), again, tuple("abcd"), "test")
    for name in ("weighted_counts", "natural_counts"):
        found_C, expected_C = getattr(weighted, name), getattr(repeated, name)
        np.testing.assert_allclose(found_C / found_C.sum(), expected_C / len(again), rtol=1e-12)
        assert found_C.sum() == pytest.approx(len(rows)), "an epoch is as long as without weights"
    assert (weighted.class_counts == np.bincount(label_ids, minlength=4)).all(), "texts are counted as texts"
    assert weighted.content_hash != repeated.content_hash
    chosen = weighted.select([0])
    assert chosen.weights is not None
    assert chosen.weights.tolist() == [repeats[0]]


def test_balanced_is_scikit_learns() -> None:
    names, weight_N = ("a", "b", "c"), np.array([1.0, 2, 3, 4, 5, 6])
    for weights in (None, weight_N):
        expected = compute_class_weight("balanced", classes=np.arange(3), y=LABEL_IDS, sample_weight=weights)
        np.testing.assert_allclose(class_weights("balanced", names, LABEL_IDS, weights), expected)


def test_a_dictionary_weighs_some_labels() -> None:
    assert class_weights({10: 3}, [2, 7, 10], LABEL_IDS, None).tolist() == [1, 1, 3]
    assert class_weights({True: 0.5}, np.array([False, True]).tolist(), LABEL_IDS, None).tolist() == [1, 0.5]


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([1, 2], r"shape \(2,\) for 3 texts; give one number for each"),
        ([[1], [2], [3]], r"shape \(3, 1\)"),
        ([1, -1, np.nan], r"rows 2 and 3 is negative or not finite \(-1\.0\)"),
        ([0, 0, 0], "every sample_weight is zero"),
        ([1, "two", 3], "no number"),
    ],
)
def test_wrong_sample_weights_are_sentences(weights: list, sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        checked_weights(weights, 3)


@pytest.mark.parametrize(
    ("weight", "sentence"),
    [
        ("even", "class_weight is 'even'; give 'balanced'"),
        ({"billng": 2}, r"names 'billng', which no training text .* \(did you mean 'billing'\?\)"),
        ({"access": 0}, "'access' is not above 0"),
    ],
)
def test_wrong_class_weights_are_sentences(weight: object, sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        class_weights(weight, ["access", "billing"], LABEL_IDS[:5], None)  # type: ignore[arg-type]
