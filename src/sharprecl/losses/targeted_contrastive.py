"""k-positive contrastive learning with a fixed target for every class (TSC).

Without targets it is KCL (Kang et al., ICLR 2021), which is ``contrastive`` with the chosen positives.

Source: Li et al., CVPR 2022 (TSC), its supplement's loss, and the published code for the other normaliser.
"""

from torch import Tensor

from sharprecl.config.methods import Normalizer
from sharprecl.losses.contrastive import log_denominator, mean_over_positives


def targeted_contrastive(
    g_NJ: Tensor,
    positive_NJ: Tensor,
    candidate_NJ: Tensor,
    t_NC: Tensor,
    target_N: Tensor,
    temperature: float,
    weight: float,
    normalizer: Normalizer = "paper",
) -> Tensor:
    """KCL with all C targets in the denominator, and the target of the anchor's class as one more positive::

        paper:  l_i = -1/(k+1) sum_{k in P(i)} log p_ik - lambda log p_it
        code:   l_i = -1/(k+2) [sum_{k in P(i)} log p_ik + lambda log p_it]

    where ``k + 1 = |P(i)|`` counts the other view and the k items of the class.

    Args:
        g_NJ, positive_NJ, candidate_NJ, temperature: as in ``contrastive``. The positives are the text's other view and
            k items of its class, from the batch and from a queue of past ones.
        t_NC: cosine similarities of the anchors to the targets.
        target_N: which target is that of the anchor's class, int64.
        weight: lambda.
        normalizer: see above.

    Returns:
        l_N, not reduced. An anchor without positives has the term of its target alone.
    """
    lse_N = log_denominator(g_NJ, candidate_NJ, temperature, t_NS=t_NC)
    class_N = mean_over_positives(lse_N, g_NJ, positive_NJ, temperature)
    l_target_N = lse_N - t_NC.gather(1, target_N[:, None])[:, 0] / temperature
    if normalizer == "code":
        count_N = positive_NJ.sum(1)
        return (count_N * class_N + weight * l_target_N) / (count_N + 1)
    return class_N + weight * l_target_N
