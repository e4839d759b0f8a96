"""Frequency bands: their edges, the mean within them, and bands of which nothing can be said."""

import numpy as np
import pytest

from sharprecl.evaluation.bands import BandScore, band_masks, band_scores


def test_edges():
    masks = band_masks([101, 100, 20, 19, 1])
    assert {name: np.flatnonzero(mask).tolist() for name, mask in masks.items()} == {
        "head": [0],
        "medium": [1, 2],
        "tail": [3, 4],
    }


def test_mean_of_the_whole_confusions_f1_within_the_band():
    scores = band_scores(np.array([0.9, 0.5, 0.2]), [10, 3, 4], [500, 10, 5])
    assert scores["head"] == BandScore(0.9, 1, 10)
    assert scores["tail"].macro_f1 == pytest.approx(0.35)
    assert (scores["tail"].n_classes, scores["tail"].n_texts) == (2, 7)


def test_band_without_classes_or_without_texts_has_no_score():
    scores = band_scores(np.array([0.9, 0.0]), [10, 0], [500, 10])
    assert scores["medium"] == BandScore(None, 0, 0)
    assert scores["tail"] == BandScore(None, 1, 0)
