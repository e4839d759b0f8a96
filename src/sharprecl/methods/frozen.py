"""A frozen encoder with logistic regression, every class weighing alike: what to try before any training.

1.  The encoder reads every text once and stays as it is: x is the feature in front of the classifier.
2.  Logistic regression (scikit-learn's, L2 penalty, L-BFGS) is fitted to the features divided by their root mean
    square, so that ``C`` means the same for every encoder and pooling. Mean pooling gives features of size 1 already.
3.  ``balanced`` weighs each text by n / (number of classes * n_c), so that a rare class counts as much as a large one.
    Weights of the texts multiply these and count in n and n_c: an integer weight gives what repeated rows give.
4.  The fitted rows and biases go into the last linear layer: a stock model like any other. For two classes scikit-learn
    has one row, of which each class gets a half with its sign: softmax then gives the same probabilities.

There are no steps, epochs or views. ``C`` was chosen on training texts alone (``benchmarks/frozen_features.py``).
Standardised features changed nothing there. Where the classifier has no bias (LLaMA's and GPT-2's) none is fitted.
"""

from typing import Self

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression
from torch import Tensor, nn

from sharprecl.config.methods import FrozenConfig
from sharprecl.losses.classification_weights import classification_weights
from sharprecl.losses.cross_entropy import cross_entropy
from sharprecl.methods.base import Batch, LossTerms, Method, OpenedBackbone, Progress, flattened_prior
from sharprecl.models.features import Features

_MOST_ITERATIONS = 1000


def fit_logistic(
    x_NH: np.ndarray,
    y_N: np.ndarray,
    *,
    balanced: bool,
    inverse_penalty: float,
    with_bias: bool,
    weight_N: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Rows [C, H] and biases [C] whose softmax gives the probabilities of scikit-learn's logistic regression.

    Args:
        x_NH: frozen features.
        y_N: label ids 0 to C - 1, each at least once.
        balanced: weigh classes alike.
        inverse_penalty: scikit-learn's ``C``, for features of root mean square 1.
        with_bias: fit biases, which are not penalised; otherwise they are 0.
        weight_N: of the texts; None: all 1.
    """
    x_NH = x_NH.astype(np.float64)
    if weight_N is None:
        size = max(float(np.sqrt(np.square(x_NH).mean())), 1e-6)
    else:
        size = max(float(np.sqrt(np.average(np.square(x_NH).mean(1), weights=weight_N))), 1e-6)
        if balanced:
            # By hand, since scikit-learn before 1.7 balances by the numbers of texts.
            count_C = np.bincount(y_N, weights=weight_N)
            weight_N, balanced = weight_N * (weight_N.sum() / (len(count_C) * count_C))[y_N], False
    regression = LogisticRegression(
        C=inverse_penalty,
        class_weight="balanced" if balanced else None,
        fit_intercept=with_bias,
        max_iter=_MOST_ITERATIONS,
    ).fit(x_NH / size, y_N, sample_weight=weight_N)
    w_CH = regression.coef_ / size
    # Without biases scikit-learn has a single 0.
    b_C = regression.intercept_ if with_bias else np.zeros(len(w_CH))
    if len(w_CH) == 1:
        return np.concatenate([-w_CH, w_CH]) / 2, np.concatenate([-b_C, b_C]) / 2
    return w_CH, b_C


class Frozen(Method):
    """See the module's docstring. No ``official``: it has no source of its own."""

    Config = FrozenConfig
    wants_features = True
    weight_CH: Tensor
    bias_C: Tensor
    class_weight_C: Tensor

    def __init__(self, config: FrozenConfig, class_weight_C: Tensor, feature_dim: int, with_bias: bool) -> None:
        super().__init__()
        self.config = config
        self.with_bias = with_bias
        usual = torch.get_default_dtype()
        self.register_buffer("class_weight_C", class_weight_C.to(usual))
        self.register_buffer("weight_CH", torch.zeros(len(class_weight_C), feature_dim, dtype=usual))
        self.register_buffer("bias_C", torch.zeros(len(class_weight_C), dtype=usual))

    @classmethod
    def build(cls, backbone: OpenedBackbone, class_counts: np.ndarray, config: FrozenConfig, seed: int) -> Self:
        """Make room for the fitted layer."""
        del seed
        balanced_C = classification_weights("inverse_frequency", torch.as_tensor(class_counts))
        weight_C = balanced_C if config.balanced else torch.ones_like(balanced_C)
        classifier = getattr(backbone, "classifier", None)
        return cls(config, weight_C, backbone.feature_dim, classifier is None or classifier.bias is not None)

    @classmethod
    def answered_prior(cls, class_counts: np.ndarray, config: FrozenConfig) -> np.ndarray:
        """Uniform where classes weigh alike in the fit."""
        return flattened_prior(class_counts, 1.0 if config.balanced else 0.0)

    def on_features(self, x_NH: Tensor, y_N: Tensor, epoch: int, total_epochs: int) -> None:
        """Fit to the features of all training texts."""
        del epoch, total_epochs
        w_CH, b_C = fit_logistic(
            x_NH.cpu().numpy(),
            y_N.cpu().numpy(),
            balanced=self.config.balanced,
            inverse_penalty=self.config.C,
            with_bias=self.with_bias,
            weight_N=self.weight_N,
        )
        self.weight_CH.copy_(torch.from_numpy(w_CH))
        self.bias_C.copy_(torch.from_numpy(b_C))

    def loss(self, batch: Batch, features: Features, progress: Progress) -> LossTerms:
        """What the regression minimises, less its penalty: cross-entropy, the mean over the texts by their weights."""
        del progress
        y_N = batch.y_N
        weight_N = self.class_weight_C[y_N]
        if self.weight_N is not None:
            weight_N = weight_N * torch.from_numpy(self.weight_N).to(weight_N)
        classification = (weight_N * cross_entropy(features.s_NC, y_N)).sum() / weight_N.sum()
        return {"total": classification, "classification": classification}

    def logits(self, features: Features) -> Tensor:
        """Scores of the fitted layer."""
        return features.x_NH @ self.weight_CH.T + self.bias_C

    @torch.no_grad()
    def finalize(self, classifier: nn.Linear) -> None:
        """Write the fitted layer into the backbone's last one."""
        classifier.weight.copy_(self.weight_CH)
        if classifier.bias is not None:
            classifier.bias.copy_(self.bias_C)
