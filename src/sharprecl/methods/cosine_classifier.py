"""A classifier that scores by the angle alone, trained as such and folded into a linear layer at the end.

Long-tail losses (LDAM, BCL) train s_c = scale * cos(x, w_c): a rare class cannot lose because its weight row is short.
For the argmax over classes the length of x does not matter, so the linear layer with the rows
``scale * w_c / |w_c| / r`` and no bias answers as the cosine does, whatever r > 0. With r the usual length of x its
probabilities are about those of the training as well; r is a running mean, kept in the ``state_dict``.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from sharprecl.methods.base import write_rows

_EPS = 1e-6
_MOMENTUM = 0.1


def cosine_logits(x_NH: Tensor, w_CH: Tensor, scale: float) -> Tensor:
    """``scale * cos(x_n, w_c)``, shape [N, C]; a row of zeros scores 0."""
    return scale * F.normalize(x_NH, dim=1, eps=_EPS) @ F.normalize(w_CH, dim=1, eps=_EPS).T


class CosineClassifier(nn.Module):
    """Cosine logits of a backbone's features and weight rows; owns no weights, only the usual length of a feature."""

    mean_norm: Tensor

    def __init__(self, scale: float) -> None:
        super().__init__()
        self.scale = scale
        self.register_buffer("mean_norm", torch.zeros(()))  # 0: no feature has been seen

    def logits(self, x_NH: Tensor, w_CH: Tensor, training: bool) -> Tensor:
        """Cosine logits [N, C], in full precision if the caller sees to it; ``training`` follows the lengths of x."""
        if training:
            with torch.no_grad():
                norm = x_NH.norm(dim=1).mean().to(self.mean_norm.dtype)
                self.mean_norm.copy_(torch.where(self.mean_norm > 0, self.mean_norm.lerp(norm, _MOMENTUM), norm))
        return cosine_logits(x_NH, w_CH, self.scale)

    @torch.no_grad()
    def finalize(self, linear: nn.Linear) -> None:
        """Turn ``linear``, whose rows were the w_c, into the layer with the same argmax."""
        usual = self.mean_norm.where(self.mean_norm > 0, torch.ones_like(self.mean_norm))
        write_rows(linear, F.normalize(linear.weight, dim=1, eps=_EPS) * (self.scale / usual))
