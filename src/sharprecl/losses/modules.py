"""The losses as modules for a loop of your own: settings in the constructor, features or logits in the call::

    loss = SupervisedContrastiveLoss(temperature=0.1)
    loss(features, labels).backward()

Contrastive losses make their features unit-length themselves. What a whole method adds to a classifier, projection
heads and prototypes included, is ``sharprecl.MethodLoss``.
"""

from collections.abc import Callable
from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from sharprecl.config.methods import ClassWeight, DiceForm, Normalizer, OwnPair, PrototypicalForm
from sharprecl.losses.balanced_contrastive import balanced_contrastive
from sharprecl.losses.classification_weights import classification_weights
from sharprecl.losses.contrastive import same_class
from sharprecl.losses.cross_entropy import cross_entropy
from sharprecl.losses.dice import dice
from sharprecl.losses.dual_contrastive import dual_contrastive
from sharprecl.losses.focal import focal
from sharprecl.losses.info_nce import info_nce
from sharprecl.losses.ldam import label_margins, margin_cross_entropy
from sharprecl.losses.logit_compensation import compensated_cross_entropy, log_prior
from sharprecl.losses.prototype_contrastive import prototype_contrastive
from sharprecl.losses.prototypical import prototypical
from sharprecl.losses.supervised_contrastive import supervised_contrastive
from sharprecl.losses.supervised_prototypical import supervised_prototypical
from sharprecl.losses.targeted_contrastive import targeted_contrastive

Reduction = Literal["mean", "sum", "none"]


class _Loss(nn.Module):
    """Keeps the settings, shows them, and reduces what ``per_anchor`` gives."""

    per_anchor: Callable[..., Tensor]

    def __init__(self, reduction: Reduction = "mean", **settings: Any) -> None:
        super().__init__()
        self.reduction, self.settings = reduction, settings

    def forward(self, *tensors: Tensor) -> Tensor:
        """The loss of a batch: a scalar, or with ``reduction="none"`` one value an anchor."""
        l_N = self.per_anchor(*tensors)
        return l_N if self.reduction == "none" else l_N.mean() if self.reduction == "mean" else l_N.sum()

    def extra_repr(self) -> str:
        return ", ".join(f"{name}={value!r}" for name, value in [*self.settings.items(), ("reduction", self.reduction)])


class SupervisedContrastiveLoss(_Loss):
    """``loss(x_NH, y_N)``: texts of a class attract each other and repel all others."""

    def __init__(self, temperature: float = 0.1, reduction: Reduction = "mean") -> None:
        super().__init__(reduction, temperature=temperature)

    def per_anchor(self, x_NH: Tensor, y_N: Tensor) -> Tensor:
        z_NH = _unit(x_NH)
        return supervised_contrastive(z_NH @ z_NH.T, y_N, **self.settings)


class PrototypeContrastiveLoss(_Loss):
    """``loss(x_NH, y_N, w_CH)``: views and one prototype a class, all of them anchors; no synthetic samples."""

    def __init__(
        self,
        temperature: float = 0.3,
        positives: Literal["mean", "sum"] = "mean",
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(reduction, temperature=temperature, positives=positives)

    def per_anchor(self, x_NH: Tensor, y_N: Tensor, w_CH: Tensor) -> Tensor:
        z_MH, y_M = _with_prototypes(x_NH, y_N, w_CH)
        g_MM = z_MH @ z_MH.T
        return prototype_contrastive(g_MM, g_MM[:, :0], y_M, 0, **self.settings)


class BalancedContrastiveLoss(_Loss):
    """``loss(x_NH, y_N, w_CH)``: in an anchor's denominator every class weighs the same (BCL)."""

    def __init__(self, temperature: float = 0.1, reduction: Reduction = "mean") -> None:
        super().__init__(reduction, temperature=temperature)

    def per_anchor(self, x_NH: Tensor, y_N: Tensor, w_CH: Tensor) -> Tensor:
        z_MH, y_M = _with_prototypes(x_NH, y_N, w_CH)
        return balanced_contrastive(z_MH[: len(y_N)] @ z_MH.T, y_M, **self.settings)


class PrototypicalLoss(_Loss):
    """``loss(x_NH, y_N, w_CH)``: every text against one prototype a class (Hybrid-PSC)."""

    def __init__(self, temperature: float = 0.1, include_own: bool = False, reduction: Reduction = "mean") -> None:
        super().__init__(reduction, temperature=temperature, include_own=include_own)

    def per_anchor(self, x_NH: Tensor, y_N: Tensor, w_CH: Tensor) -> Tensor:
        return prototypical(_unit(x_NH) @ _unit(w_CH).T, y_N, **self.settings)


class SupervisedPrototypicalLoss(_Loss):
    """``loss(x_NH, y_N, c_CH)``: every text against the other texts and one centre a class (SPCL)."""

    def __init__(
        self, temperature: float = 0.05, form: PrototypicalForm = "coupled", reduction: Reduction = "mean"
    ) -> None:
        super().__init__(reduction, temperature=temperature, form=form)

    def per_anchor(self, x_NH: Tensor, y_N: Tensor, c_CH: Tensor) -> Tensor:
        return supervised_prototypical(x_NH, c_CH, y_N, **self.settings)


class TargetedContrastiveLoss(_Loss):
    """``loss(x_NH, y_N, t_CH)``: as ``SupervisedContrastiveLoss``, and towards the fixed target of the class (TSC)."""

    def __init__(
        self,
        temperature: float = 0.1,
        weight: float = 0.2,
        normalizer: Normalizer = "paper",
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(reduction, temperature=temperature, weight=weight, normalizer=normalizer)

    def per_anchor(self, x_NH: Tensor, y_N: Tensor, t_CH: Tensor) -> Tensor:
        z_NH = _unit(x_NH)
        return targeted_contrastive(z_NH @ z_NH.T, *same_class(y_N, y_N), z_NH @ _unit(t_CH).T, y_N, **self.settings)


class DualContrastiveLoss(_Loss):
    """``loss(a_NH, t_NH, y_N)``: two vectors a text, the one contrasted with the others of all texts (DualCL)."""

    def __init__(self, temperature: float = 0.1, own_pair: OwnPair = "exclude", reduction: Reduction = "mean") -> None:
        super().__init__(reduction, temperature=temperature, own_pair=own_pair)

    def per_anchor(self, a_NH: Tensor, t_NH: Tensor, y_N: Tensor) -> Tensor:
        return dual_contrastive(a_NH, t_NH, y_N, **self.settings)


class InfoNCELoss(_Loss):
    """``loss(first_BH, second_BH)``: two passes of the same texts; no labels."""

    def __init__(self, temperature: float = 0.05, symmetric: bool = False, reduction: Reduction = "mean") -> None:
        super().__init__(reduction, temperature=temperature, symmetric=symmetric)

    def per_anchor(self, first_BH: Tensor, second_BH: Tensor) -> Tensor:
        return info_nce(_unit(first_BH) @ _unit(second_BH).T, **self.settings)


class CompensatedCrossEntropyLoss(_Loss):
    """``loss(s_NC, y_N)``: balanced softmax with ``tau`` 1; ``class_counts`` are those of all training texts."""

    log_prior_C: Tensor

    def __init__(self, class_counts: Any, tau: float = 1.0, reduction: Reduction = "mean") -> None:
        super().__init__(reduction, tau=tau)
        self.register_buffer("log_prior_C", log_prior(torch.as_tensor(class_counts)).float())

    def per_anchor(self, s_NC: Tensor, y_N: Tensor) -> Tensor:
        return compensated_cross_entropy(s_NC, y_N, self.log_prior_C, **self.settings)


class WeightedCrossEntropyLoss(_Loss):
    """``loss(s_NC, y_N)``: a text counts by the rarity of its class; the weights sum to C."""

    weight_C: Tensor

    def __init__(
        self,
        class_counts: Any,
        weights: ClassWeight = "effective_number",
        beta: float = 0.9999,
        reduction: Reduction = "mean",
    ) -> None:
        super().__init__(reduction, weights=weights, beta=beta)
        weight_C = classification_weights(weights, torch.as_tensor(class_counts), beta)
        self.register_buffer("weight_C", weight_C.float())

    def per_anchor(self, s_NC: Tensor, y_N: Tensor) -> Tensor:
        return self.weight_C[y_N] * cross_entropy(s_NC, y_N)


class MarginCrossEntropyLoss(_Loss):
    """``loss(s_NC, y_N)``, s the cosines to the classes: LDAM's margins, the rarest class's the widest."""

    margin_C: Tensor

    def __init__(
        self, class_counts: Any, max_margin: float = 0.5, scale: float = 30.0, reduction: Reduction = "mean"
    ) -> None:
        super().__init__(reduction, max_margin=max_margin, scale=scale)
        self.register_buffer("margin_C", label_margins(torch.as_tensor(class_counts), max_margin).float())

    def per_anchor(self, s_NC: Tensor, y_N: Tensor) -> Tensor:
        scale = self.settings["scale"]
        return margin_cross_entropy(scale * s_NC, y_N, scale * self.margin_C)


class FocalLoss(_Loss):
    """``loss(s_NC, y_N)``: cross-entropy that fades on what is learnt already."""

    def __init__(self, gamma: float = 2.0, reduction: Reduction = "mean") -> None:
        super().__init__(reduction, gamma=gamma)

    def per_anchor(self, s_NC: Tensor, y_N: Tensor) -> Tensor:
        return focal(s_NC, y_N, **self.settings)


class DiceLoss(_Loss):
    """``loss(s_NC, y_N)``: one minus the overlap of predicted and true labels."""

    def __init__(
        self, alpha: float = 0.01, smooth: float = 1.0, form: DiceForm = "square", reduction: Reduction = "mean"
    ) -> None:
        super().__init__(reduction, alpha=alpha, smooth=smooth, form=form)

    def per_anchor(self, s_NC: Tensor, y_N: Tensor) -> Tensor:
        return dice(s_NC, y_N, **self.settings)


def _unit(x_NH: Tensor) -> Tensor:
    return F.normalize(x_NH, dim=1, eps=1e-6)


def _with_prototypes(x_NH: Tensor, y_N: Tensor, w_CH: Tensor) -> tuple[Tensor, Tensor]:
    """D-hat: the unit-length features, then the unit-length prototypes, and the class of each."""
    return _unit(torch.cat([x_NH, w_CH])), torch.cat([y_N, torch.arange(len(w_CH), device=y_N.device)])
