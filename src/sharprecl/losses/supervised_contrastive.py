"""The supervised contrastive loss of a batch: texts of one class attract each other and repel all others.

Sources: Gunel et al., ICLR 2021; Khosla et al., NeurIPS 2020, L_out.
"""

from torch import Tensor

from sharprecl.losses.contrastive import contrastive, same_class


def supervised_contrastive(g_NN: Tensor, y_N: Tensor, temperature: float) -> Tensor:
    """Contrastive loss of every row as anchor; with P(i) the other rows of its class::

        l_i = -1/|P(i)| sum_{k in P(i)} log [exp(g_ik / tau) / sum_{j != i} exp(g_ij / tau)]

    Args:
        g_NN: cosine similarities of all rows.
        y_N: label ids, int64.
        temperature: tau > 0.

    Returns:
        l_N, not reduced. An anchor without positives has exactly 0 and a zero gradient.
    """
    return contrastive(g_NN, *same_class(y_N, y_N), temperature)


def has_positive(y_N: Tensor) -> Tensor:
    """Whether another row of each row's class is there, bool [N]: the anchors for ``reducers.mean_of_valid``."""
    return (y_N[:, None] == y_N[None, :]).sum(1) > 1
