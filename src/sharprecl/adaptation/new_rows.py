"""Rows of new classes for a trained linear classifier, from a handful of features each, without any training.

The direction of a row is that of its class's mean seen from the mean of the old texts, as rows start in training
(``training/start.py``). Its length and its bias are two numbers, fitted so that the class competes with the others at
the right level: by the log-loss of old and new texts, with the old scores as they are::

    s_new = a u . (x - g) + b,   u = (m_new - g) / |m_new - g|

A text lies closer to a mean that it is part of, so each new text is measured along the direction of the others alone.

Source: weight imprinting, Qi et al., CVPR 2018; a and b in place of its one scale, as in Platt's calibration.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import logsumexp

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

STIFFNESS = 1.0
"""Texts' worth of pull towards the length of the old rows."""

SEEN_ALONE = 0.5
"""What is left of the way along its own direction, where a class has one text, which no other text can measure."""


@dataclass(frozen=True, eq=False)
class OldTexts:
    """Where the old classes lie: R texts of theirs.

    Attributes:
        x_RH: features.
        s_RC: scores.
        weight_R: sum to 1; the classes' shares among them are those that the scores answer for.
        length: of a usual row of the classifier, seen from the mean of all.
    """

    x_RH: Floats
    s_RC: Floats
    weight_R: Floats
    length: float


def new_rows(x_NH: Floats, s_NC: Floats, k_N: Ids, old: OldTexts, share_K: Floats) -> tuple[Floats, Floats]:
    """Rows [K, H] and biases [K] of K new classes.

    Args:
        x_NH, s_NC, k_N: features, old scores and class, from 0 to K - 1, of their texts; each class has one.
        old: where the old classes lie.
        share_K: of each class among all texts, which its scores are to answer for.
    """
    g_H = old.weight_R @ old.x_RH
    d_NH, n_K = x_NH - g_H, np.bincount(k_N)
    sum_KH = np.stack([d_NH[k_N == k].sum(0) for k in range(len(n_K))])
    u_KH = _unit(sum_KH)
    along_NK = d_NH @ u_KH.T
    others_NH = _unit(sum_KH[k_N] - d_NH)
    own_N = np.where(n_K[k_N] > 1, (others_NH * d_NH).sum(1), SEEN_ALONE * along_NK[np.arange(len(k_N)), k_N])
    along_NK[np.arange(len(k_N)), k_N] = own_N
    weight_N = share_K[k_N] / n_K[k_N]
    a_K, b_K = _lengths_and_biases(
        np.concatenate([along_NK, (old.x_RH - g_H) @ u_KH.T]),
        np.concatenate([logsumexp(s_NC, axis=1), logsumexp(old.s_RC, axis=1)]),
        np.concatenate([k_N + 1, np.zeros(len(old.x_RH), dtype=np.int64)]),
        np.concatenate([weight_N, (1 - share_K.sum()) * old.weight_R]) * (len(k_N) / share_K.sum()),
        old.length,
    )
    w_KH = a_K[:, None] * u_KH
    return w_KH, b_K - w_KH @ g_H


def _lengths_and_biases(
    along_MK: Floats, old_M: Floats, target_M: Ids, weight_M: Floats, usual: float
) -> tuple[Floats, Floats]:
    """Minimise the log-loss of [old, a_1 t_1 + b_1, ...] plus the pull of a; it is convex.

    Args:
        along_MK: t, how far each text lies along each direction.
        old_M: log of the sum of the exponentiated old scores.
        target_M: 0 for an old class, or the new class's number from 1.
    """
    rows, K = np.arange(len(old_M)), along_MK.shape[1]

    def loss(a_b: Floats) -> tuple[float, Floats]:
        a_K, b_K = usual * a_b[:K], a_b[K:]
        s_MJ = np.concatenate([old_M[:, None], along_MK * a_K + b_K], axis=1)
        log_p_MJ = s_MJ - logsumexp(s_MJ, axis=1, keepdims=True)
        error_MJ = np.exp(log_p_MJ)
        error_MJ[rows, target_M] -= 1
        error_MK = weight_M[:, None] * error_MJ[:, 1:]
        pull_K = a_b[:K] - 1
        gradient = np.concatenate([usual * (error_MK * along_MK).sum(0) + 2 * STIFFNESS * pull_K, error_MK.sum(0)])
        return float(-(weight_M * log_p_MJ[rows, target_M]).sum() + STIFFNESS * (pull_K**2).sum()), gradient

    start = np.concatenate([np.ones(K), np.full(K, np.median(old_M))])
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(0, None)] * K + [(None, None)] * K)
    return usual * found.x[:K], found.x[K:]


def _unit(d_NH: Floats) -> Floats:
    unit_NH: Floats = d_NH / np.maximum(np.linalg.norm(d_NH, axis=1, keepdims=True), 1e-12)
    return unit_NH
