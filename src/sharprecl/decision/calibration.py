"""Temperature and strength of the prior, fitted on scores of texts that the model was not trained on.

Source: Guo et al., ICML 2017, for the temperature; the bias is one number along the log prior instead of one a class,
which rare classes have too few texts for (Alexandari et al., ICML 2020, fit all C).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import logsumexp

from sharprecl.decision.decision import Decision

FEWEST = 30
"""Texts below which nothing is fitted."""

COLDEST, HOTTEST = 0.05, 50.0
STRONGEST = 5.0
"""Bounds of T and of |k|: if scores separate all classes the best T is 0, but no model is that sure."""


@dataclass(frozen=True, eq=False)
class Calibration:
    """What was fitted.

    Attributes:
        temperature: T.
        strength: k, what the log prior is multiplied by.
        log_prior_C: log P, mean 0 over the classes.
        n_texts: how many it was fitted on.
        log_loss_before, log_loss_after: mean log-loss of these texts, as they came and calibrated.
    """

    temperature: float
    strength: float
    log_prior_C: NDArray[np.float64]
    n_texts: int
    log_loss_before: float
    log_loss_after: float

    @property
    def fitted(self) -> bool:
        """Whether there were enough texts."""
        return self.n_texts >= FEWEST

    @property
    def decision(self) -> Decision:
        """s / T + k log P."""
        return Decision(self.temperature, self.strength * self.log_prior_C)

    @property
    def sentence(self) -> str:
        """A summary for the user."""
        if not self.fitted:
            few = f"{self.n_texts} held-out texts are too few to calibrate on ({FEWEST} are needed)"
            return f"{few}: scores stay as they are"
        return (
            f"calibrated on {self.n_texts} held-out texts: temperature {self.temperature:.3g}, log prior times "
            f"{self.strength:.3g}; log-loss {self.log_loss_before:.4f} before, {self.log_loss_after:.4f} after"
        )


def calibrate(
    s_NC: NDArray[np.floating],
    y_N: NDArray[np.integer],
    prior_C: NDArray[np.floating],
    weight_N: NDArray[np.float64] | None = None,
) -> Calibration:
    """Minimise the mean log-loss of softmax(s / T + k log P) over T and k.

    It is convex in (1 / T, k), so the optimum is the only one; it is never worse than T = 1, k = 0.

    Args:
        s_NC: scores of held-out or out-of-fold texts.
        y_N: their class ids.
        prior_C: the classes' shares of the training texts, all above 0.
        weight_N: of the texts; None: all alike.
    """
    log_prior_C = np.log(np.asarray(prior_C, dtype=np.float64))
    log_prior_C -= log_prior_C.mean()
    # Without the part that all classes share, sums of large scores lose no digits.
    s_NC = s_NC.astype(np.float64)
    s_NC -= s_NC.mean(axis=1, keepdims=True)
    rows = np.arange(len(y_N))
    if weight_N is not None:
        weight_N = weight_N / weight_N.mean()

    def loss(inverse_and_strength: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        inverse, strength = inverse_and_strength
        z_NC = inverse * s_NC + strength * log_prior_C
        log_p_NC = z_NC - logsumexp(z_NC, axis=1, keepdims=True)
        error_NC = np.exp(log_p_NC)
        error_NC[rows, y_N] -= 1.0
        l_N = -log_p_NC[rows, y_N]
        if weight_N is not None:
            l_N, error_NC = weight_N * l_N, weight_N[:, None] * error_NC
        gradient = np.array([(error_NC * s_NC).sum(), (error_NC @ log_prior_C).sum()])
        return float(l_N.mean()), gradient / len(rows)

    neutral = np.array([1.0, 0.0])
    if len(rows) < FEWEST:
        before = loss(neutral)[0] if len(rows) else 0.0
        return Calibration(1.0, 0.0, log_prior_C, len(rows), before, before)
    before, _ = loss(neutral)
    bounds = [(1 / HOTTEST, 1 / COLDEST), (-STRONGEST, STRONGEST)]
    found = minimize(loss, neutral, jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-15, "gtol": 1e-10})
    (inverse, strength), after = (found.x, float(found.fun)) if found.fun < before else (neutral, before)
    return Calibration(float(1 / inverse), float(strength), log_prior_C, len(rows), before, after)
