"""Losses: tensors in, one value per anchor out; a named reducer (``reducers.py``) makes the scalar.

Names of tensors end in their shape. The letters, for the whole package:

====== =====================================================================================
letter meaning
====== =====================================================================================
B      texts in a batch
V      views of a text
N      rows of features, ``V * B``: the first views of all texts, then the second ones
C      classes
H      width of a feature (the input of the classifier's linear layer)
D      width of a projection
M      items of D-hat, ``N + C``: the projected views, then the C projected prototypes
S      synthetic samples of a class, ``n_pos + n_neg``
P      synthetic positives of a class, ``n_pos``: the first P of its S samples
K      size of a hard set
T      tokens of a text
====== =====================================================================================

Kinds: ``x`` features or vectors, ``s`` logits, ``w`` weights, ``y`` label ids, ``z`` projections, ``g`` and
``t`` cosine similarities, ``l`` losses, ``u`` uniform draws, ``i`` and ``j`` row numbers, ``a`` mixing
coefficients.

Each function is a module too (``modules.py``), and so is the whole loss of a method, side modules included
(``sharprecl.MethodLoss``).
"""

from sharprecl.losses.anchor_weights import anchor_weights
from sharprecl.losses.balanced_contrastive import balanced_contrastive
from sharprecl.losses.classification_weights import classification_weights
from sharprecl.losses.contrastive import contrastive
from sharprecl.losses.cross_entropy import cross_entropy
from sharprecl.losses.dice import dice, set_level_dice
from sharprecl.losses.dual_contrastive import dual_contrastive
from sharprecl.losses.focal import focal
from sharprecl.losses.info_nce import info_nce
from sharprecl.losses.ldam import label_margins, margin_cross_entropy
from sharprecl.losses.logit_compensation import compensated_cross_entropy, log_prior
from sharprecl.losses.mixed_cross_entropy import mixed_cross_entropy
from sharprecl.losses.modules import (
    BalancedContrastiveLoss,
    CompensatedCrossEntropyLoss,
    DiceLoss,
    DualContrastiveLoss,
    FocalLoss,
    InfoNCELoss,
    MarginCrossEntropyLoss,
    PrototypeContrastiveLoss,
    PrototypicalLoss,
    SupervisedContrastiveLoss,
    SupervisedPrototypicalLoss,
    TargetedContrastiveLoss,
    WeightedCrossEntropyLoss,
)
from sharprecl.losses.prototype_contrastive import prototype_contrastive
from sharprecl.losses.prototypical import prototypical
from sharprecl.losses.supervised_contrastive import supervised_contrastive
from sharprecl.losses.supervised_prototypical import supervised_prototypical
from sharprecl.losses.targeted_contrastive import targeted_contrastive

__all__ = [
    "BalancedContrastiveLoss",
    "CompensatedCrossEntropyLoss",
    "DiceLoss",
    "DualContrastiveLoss",
    "FocalLoss",
    "InfoNCELoss",
    "MarginCrossEntropyLoss",
    "PrototypeContrastiveLoss",
    "PrototypicalLoss",
    "SupervisedContrastiveLoss",
    "SupervisedPrototypicalLoss",
    "TargetedContrastiveLoss",
    "WeightedCrossEntropyLoss",
    "anchor_weights",
    "balanced_contrastive",
    "classification_weights",
    "compensated_cross_entropy",
    "contrastive",
    "cross_entropy",
    "dice",
    "dual_contrastive",
    "focal",
    "info_nce",
    "label_margins",
    "log_prior",
    "margin_cross_entropy",
    "mixed_cross_entropy",
    "prototype_contrastive",
    "prototypical",
    "set_level_dice",
    "supervised_contrastive",
    "supervised_prototypical",
    "targeted_contrastive",
]
