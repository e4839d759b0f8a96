"""The purity beside the t-SNE figure: what a plain loop over cosines gives."""

import numpy as np
import pytest

from sharprecl.experiments.figures.clusters import NEIGHBOURS, neighbour_purity


def _by_loops(x_NH: np.ndarray, label_N: np.ndarray, n_classes: int) -> list[float]:
    unit_NH = x_NH / np.linalg.norm(x_NH, axis=1, keepdims=True)
    shares: list[list[float]] = [[] for _ in range(n_classes)]
    for i, label in enumerate(label_N):
        others = sorted((j for j in range(len(x_NH)) if j != i), key=lambda j: -float(unit_NH[i] @ unit_NH[j]))
        nearest = others[: min(NEIGHBOURS, int((label_N == label).sum()) - 1)]
        shares[label].append(float(np.mean([label_N[j] == label for j in nearest])) if nearest else np.nan)
    return [float(np.mean(found)) if found else np.nan for found in shares]


def test_it_is_what_loops_give() -> None:
    generator = np.random.default_rng(0)
    label_N = np.array([0] * 30 + [1] * 14 + [2] * 4 + [3])
    x_NH = generator.normal(size=(len(label_N), 5)) + 1.5 * np.eye(5)[label_N]
    purity_C = neighbour_purity(x_NH, label_N, 5)
    assert purity_C == pytest.approx(_by_loops(x_NH, label_N, 5), nan_ok=True)
    assert np.isnan(purity_C[3:]).all()
    assert (purity_C[:3] < 1).all()


def test_a_small_class_that_keeps_to_itself_is_pure() -> None:
    label_N = np.array([0] * 20 + [1] * 3)
    x_NH = np.where(label_N[:, None] == 1, [[0.0, 1.0]], [[1.0, 0.0]]) + np.random.default_rng(1).normal(
        0, 0.01, (23, 2)
    )
    assert neighbour_purity(x_NH, label_N, 2).tolist() == [1, 1]
