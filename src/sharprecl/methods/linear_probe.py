"""A linear classifier on frozen features, trained on class-balanced draws: the second stage of two-stage methods.

Source: Kang et al., ICLR 2020, classifier re-training (cRT).
"""

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from sharprecl.methods.base import write_rows
from sharprecl.rebalance.class_balanced import class_balanced_rows

_BATCH = 64
_RATE = 1e-3
_FEWEST_STEPS = 300


@torch.no_grad()
def fit_linear_probe(
    x_NH: Tensor,
    y_N: Tensor,
    num_classes: int,
    epochs: int,
    rng: np.random.Generator,
    weight_N: np.ndarray | None = None,
) -> Tensor:
    """Weight rows w_CH of a classifier ``x @ w.T``, float32, trained from zero with AdamW at 1e-3, falling to 0.

    AdamW moves a weight by at most 1e-3 a step, whatever the gradient. Two things keep that from deciding the result:
    the features are divided by their root mean square, as encoders give them in very different sizes, and there are at
    least 300 steps. There is no bias: the draws are balanced, so it would have no prior to learn, and the last layers
    of some encoders have none.

    Args:
        x_NH: frozen features.
        y_N: label ids, int64.
        num_classes: C.
        epochs: draws of N texts each, in batches of 64.
        rng: draws.
        weight_N: of the texts; None: all alike.
    """
    steps = max(epochs * -(-len(y_N) // _BATCH), _FEWEST_STEPS)
    rows = torch.from_numpy(class_balanced_rows(y_N.cpu().numpy(), steps * _BATCH, rng, weight_N)).to(y_N.device)
    w_CH = torch.zeros(num_classes, x_NH.shape[1], device=x_NH.device)
    optimizer = torch.optim.AdamW([w_CH], lr=_RATE)
    with torch.autocast(x_NH.device.type, enabled=False):
        x_NH = x_NH.float()
        size = x_NH.square().mean().sqrt().clamp(min=1e-6)
        x_NH = x_NH / size
        for step, index in enumerate(rows.view(steps, _BATCH)):
            x_SH = x_NH[index]
            # The gradient of the mean cross-entropy, by hand: a graph would cost more than the two products.
            error_SC = (x_SH @ w_CH.T).softmax(1) - F.one_hot(y_N[index], num_classes)
            w_CH.grad = error_SC.T @ x_SH / _BATCH
            optimizer.param_groups[0]["lr"] = _RATE * (1 - step / steps)
            optimizer.step()
    return w_CH / size


class LinearProbe(nn.Module):
    """A classifier that answers for a method whose encoder is trained without one; fitted anew when asked to."""

    weight_CH: Tensor

    def __init__(self, num_classes: int, feature_dim: int, epochs: int, seed: int) -> None:
        super().__init__()
        self.epochs = epochs
        self.seed = seed
        self.register_buffer("weight_CH", torch.zeros(num_classes, feature_dim))

    def fit(self, x_NH: Tensor, y_N: Tensor, epoch: int, weight_N: np.ndarray | None = None) -> None:
        """Fit to the features of all training texts; a function of them, their weights, the seed and the epoch."""
        rng = np.random.default_rng([self.seed, epoch])
        w_CH = fit_linear_probe(x_NH, y_N, len(self.weight_CH), self.epochs, rng, weight_N)
        self.weight_CH = w_CH.to(self.weight_CH.dtype)

    def forward(self, x_NH: Tensor) -> Tensor:
        """Scores [N, C]."""
        return x_NH @ self.weight_CH.T.to(x_NH.dtype)

    def finalize(self, classifier: nn.Linear) -> None:
        """Write the fitted rows into a linear layer."""
        write_rows(classifier, self.weight_CH)
