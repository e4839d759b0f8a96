"""Draws from a model's scores that do not depend on what else was in the batch.

Rounding moves a score by about 1e-6 when a text shares its batch with others, and a draw by cumulated probabilities
would now and then follow it. The largest sum of score and Gumbel noise is a draw by the same probabilities, and its
margin tells how close the decision was: a caller repeats a close one with the text alone.
"""

import numpy as np

SAME = 1e-3
"""Scores nearer than this may be equal but for rounding."""


def gumbel(uniform: np.ndarray) -> np.ndarray:
    """Standard Gumbel noise of numbers drawn in [0, 1), float32."""
    return np.asarray(-np.log(-np.log(np.maximum(uniform, np.float32(1e-30)))))


def draw_among_best(scores_V: np.ndarray, uniform_V: np.ndarray, n: int) -> tuple[int | None, bool]:
    """Draw among the n best scores by their probability.

    Args:
        scores_V: logits, -inf for what may not be drawn, [V].
        uniform_V: drawn in [0, 1); a number for every index, as rounding may decide which are the n best, [V].
        n: how many may be drawn, at least 1.

    Returns:
        The index, None where nothing may be drawn; and whether it stays the same when every score moves by less than
        half of ``SAME``.
    """
    possible = scores_V[np.isfinite(scores_V)]  # numpy's partition takes twenty times as long over runs of -inf
    n = min(n, len(possible))
    if n == 0:
        return None, True
    last = np.partition(possible, -n)[-n]
    near = np.flatnonzero(scores_V >= last - SAME)
    sums = scores_V[near] + gumbel(uniform_V[near])
    ranks = np.argsort(-sums, kind="stable")
    order = near[ranks]
    clear = len(order) == 1 or sums[ranks[0]] - sums[ranks[1]] > SAME
    surely_within = len(near) == n or scores_V[order[0]] > last + SAME
    if clear and surely_within:
        return int(order[0]), True
    return int(order[scores_V[order] >= last][0]), False
