"""The settings of the methods that SharpReCL is compared with, and the table of all methods by name.

What a method does stands in the docstring of its file (``implementation``). The defaults are those of its source where
they make sense for a pretrained text encoder. ``official`` is what the source trained with, where it trained one.
"""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from sharprecl.config.base import Fraction
from sharprecl.config.method import MethodConfig
from sharprecl.config.space import Range

ClassWeight = Literal["inverse_frequency", "effective_number"]
DiceForm = Literal["square", "paper", "code"]
HeadNorm = Literal["none", "layer", "batch"]
Normalizer = Literal["paper", "code"]
OwnPair = Literal["exclude", "zero_logit"]
PrototypicalForm = Literal["coupled", "decoupled"]

# The SGD of methods made for images, with rates of 0.05 to 10 over hundreds of epochs, would destroy a pretrained
# encoder. These are AdamW's rates, batch and epochs of the SharpReCL paper's comparison, in which these methods ran on
# BERT; warm-up, linear decay and clipping stay this package's.
_IMAGE_TRAINING = {
    "max_epochs": 30,
    "batch_size": 128,
    "learning_rate": 5e-5,
    "head_learning_rate": 5e-5,
    "weight_decay": 5e-4,
    "patience": None,
}


class CrossEntropyConfig(MethodConfig):
    """Plain cross-entropy has no settings."""

    implementation = "sharprecl.methods.cross_entropy:CrossEntropy"
    # Devlin et al., appendix A.3: batch 16 or 32, 2e-5 to 5e-5, 2 to 4 epochs; their code decays by 0.01. RoBERTa's
    # own recipe has 10 epochs, decay 0.1, warm-up 0.06 and rates of 1e-5 to 3e-5; give those with --set.
    official = {
        "training": {
            "max_epochs": 4,
            "batch_size": 32,
            "learning_rate": 5e-5,
            "head_learning_rate": 5e-5,
            "weight_decay": 0.01,
            "patience": None,
        }
    }

    name: Literal["cross_entropy"] = "cross_entropy"


class DiceConfig(MethodConfig):
    """Settings of the dice loss."""

    implementation = "sharprecl.methods.dice:Dice"
    # The published script for text classification (TNEWS); its polynomial decay has power 1.
    official = {
        "encoder": {"max_length": 128},
        "training": {
            "max_epochs": 5,
            "batch_size": 36,
            "learning_rate": 3e-5,
            "head_learning_rate": 3e-5,
            "weight_decay": 0.002,
            "patience": None,
        },
    }
    search = {"alpha": Range(0.001, 1, log=True), "smooth": Range(0.1, 10, log=True), "ce_weight": Range(0, 1)}

    name: Literal["dice"] = "dice"
    form: Literal["square", "paper", "code", "set_level"] = Field("square", description="which formula, see the method")
    alpha: float = Field(0.01, ge=0, description="how much less a sure text counts; 0 is the plain dice loss")
    smooth: float = Field(1.0, gt=0, description="added above and below the fraction line")
    ce_weight: float = Field(0.0, ge=0, description="weight of a cross-entropy term beside the dice loss")


class FocalConfig(MethodConfig):
    """Settings of the focal loss."""

    implementation = "sharprecl.methods.focal:Focal"
    # The script for text classification (TNEWS) in the repository of Li et al., ACL 2020.
    official = {
        "method": {"gamma": 4.0},
        "training": {
            "max_epochs": 5,
            "batch_size": 18,
            "learning_rate": 3e-5,
            "head_learning_rate": 3e-5,
            "weight_decay": 0.002,
            "warmup": 0.02,
            "patience": None,
        },
    }
    search = {"gamma": Range(0, 5)}

    name: Literal["focal"] = "focal"
    gamma: float = Field(2.0, ge=0, description="how fast a sure text stops to count; 0 is cross-entropy")
    alpha: Literal["none", "inverse_frequency"] | tuple[Annotated[float, Field(ge=0)], ...] = Field(
        "none", description="weight of each class: none, by its rarity, or a list of numbers in the order of the labels"
    )


class SimCSEConfig(MethodConfig):
    """Settings of SimCSE beside cross-entropy."""

    implementation = "sharprecl.methods.simcse:SimCSE"
    views = "same"
    # The unsupervised BERT of the paper. Its one epoch over a million sentences has no counterpart here, and its 32
    # tokens would cut classification texts short: both stay ours.
    official = {
        "encoder": {"pooling": "cls"},
        "training": {
            "batch_size": 64,
            "learning_rate": 3e-5,
            "head_learning_rate": 3e-5,
            "weight_decay": 0.0,
            "warmup": 0.0,
        },
    }
    search = {"weight": Range(0.01, 0.5, log=True), "temperature": Range(0.02, 1, log=True)}

    name: Literal["simcse"] = "simcse"
    weight: float = Field(
        0.1, ge=0, lt=1, description="lambda: share of the contrastive loss; the rest is cross-entropy's"
    )
    temperature: float = Field(0.05, gt=0, description="tau of the contrastive loss")
    symmetric: bool = Field(False, description="contrast the second passes with the first ones too")
    ce_views: Literal["first", "both"] = Field("first", description="passes in the cross-entropy")


class SupervisedContrastiveConfig(MethodConfig):
    """Settings of supervised contrastive learning beside cross-entropy."""

    implementation = "sharprecl.methods.scl_ce:SupervisedContrastive"
    # As reported for RoBERTa-large; the loss is printed as a sum over the batch.
    official = {
        "encoder": {"pooling": "cls"},
        "method": {"reduce": "sum"},
        "training": {"batch_size": 16, "learning_rate": 1e-5, "head_learning_rate": 1e-5},
    }
    search = {"weight": Range(0.1, 0.95), "temperature": Range(0.02, 1, log=True)}

    name: Literal["scl_ce"] = "scl_ce"
    weight: float = Field(
        0.9, ge=0, lt=1, description="lambda: share of the contrastive loss; the rest is cross-entropy's"
    )
    temperature: float = Field(0.3, gt=0, description="tau of the contrastive loss")
    reduce: Literal["mean", "mean_of_valid", "sum"] = Field(
        "mean", description="over all anchors, over those with positives, or the paper's sum"
    )


class SPCLConfig(MethodConfig):
    """Settings of SPCL; the defaults are those of its README."""

    implementation = "sharprecl.methods.spcl:SPCL"
    more_than_a_loss = "its answers are not the classifier's"
    # README and config.py. Their 16 epochs draw once each: 8 here. Their rate falls by a cosine that starts anew in
    # every epoch, which nothing here does; it is constant. 128 steps of warm-up are about 4 % of theirs. Their feature
    # is the <mask> of a prompt, here [CLS].
    official = {
        "encoder": {"pooling": "cls"},
        "method": {"temperature": 0.05, "pool_size": 256, "pool_draws": 64, "form": "coupled", "curriculum": True},
        "training": {
            "max_epochs": 8,
            "batch_size": 32,
            "learning_rate": 1e-5,
            "head_learning_rate": 1e-3,
            "weight_decay": 0.01,
            "schedule": "constant",
            "warmup": 0.04,
            "clip_norm": 5.0,
            "patience": 5,
        },
    }
    search = {"temperature": Range(0.02, 1, log=True), "form": ("coupled", "decoupled"), "curriculum": (True, False)}

    name: Literal["spcl"] = "spcl"
    temperature: float = Field(0.05, gt=0, description="tau of the contrastive loss")
    form: PrototypicalForm = Field(
        "coupled", description="the paper's loss, or the one without positives in the denominator"
    )
    pool_size: int = Field(256, ge=1, description="most features kept of a class")
    pool_draws: int = Field(64, ge=1, description="K: features whose mean is a centre; fewer give the class mean")
    curriculum: bool = Field(True, description="easy texts first; without it, random halves of all texts")

    @model_validator(mode="after")
    def _pools_can_fill(self) -> Self:
        if self.pool_draws > self.pool_size:
            raise ValueError(
                f"pool_draws is {self.pool_draws} but a pool holds only {self.pool_size}, so none would ever be used; "
                f"set pool_size to {self.pool_draws} or more"
            )
        return self


class DualCLConfig(MethodConfig):
    """Settings of DualCL; the defaults are those of its published code."""

    implementation = "sharprecl.methods.dualcl:DualCL"
    more_than_a_loss = "its answers are not the classifier's"
    # Their code has no schedule and no clipping, and decays all weights alike.
    official = {
        "encoder": {"max_length": 256},
        "method": {"alpha": 0.5, "temperature": 0.1, "own_pair": "zero_logit", "label_position": "first"},
        "training": {
            "max_epochs": 100,
            "batch_size": 16,
            "learning_rate": 1e-5,
            "head_learning_rate": 1e-5,
            "weight_decay": 0.01,
            "decay_all": True,
            "schedule": "constant",
            "warmup": 0.0,
            "clip_norm": None,
            "patience": None,
        },
    }
    search = {"temperature": Range(0.02, 1, log=True), "alpha": Range(0, 0.95)}

    name: Literal["dualcl"] = "dualcl"
    temperature: float = Field(0.1, gt=0, description="tau of both contrastive losses")
    alpha: Fraction = Field(0.5, description="share of the contrastive losses; 0 is cross-entropy alone")
    label_position: Literal["next", "first"] = Field(
        "next", description="what all labels share: the position behind [CLS], or [CLS]'s own (paper)"
    )
    own_pair: OwnPair = Field(
        "exclude", description="an anchor's own target: not in the denominator, or there as exp(0) (published code)"
    )


class HybridConfig(MethodConfig):
    """Settings of both hybrids."""

    views = "two"
    more_than_a_loss = "it draws its own batches"
    official = {"training": _IMAGE_TRAINING}
    search = {"temperature": Range(0.02, 1, log=True)}

    temperature: float = Field(0.1, gt=0, description="tau of the contrastive loss")
    curriculum: Literal["quadratic", "linear"] = Field(
        "quadratic", description="how the contrastive share alpha falls from 1 to 0"
    )
    projection_dim: int = Field(128, ge=2, description="width of the contrastive space")


class HybridSCConfig(HybridConfig):
    """Settings of Hybrid-SC."""

    implementation = "sharprecl.methods.hybrid_sc:HybridSC"

    name: Literal["hybrid_sc"] = "hybrid_sc"


class HybridPSCConfig(HybridConfig):
    """Settings of Hybrid-PSC."""

    implementation = "sharprecl.methods.hybrid_psc:HybridPSC"

    name: Literal["hybrid_psc"] = "hybrid_psc"
    include_own: bool = Field(False, description="put the own class into the denominator of the contrastive loss too")


class BCLConfig(MethodConfig):
    """Settings of BCL."""

    implementation = "sharprecl.methods.bcl:BCL"
    views = "two"
    # The published command line but for SGD with rate 0.1 over 90 epochs.
    official = {
        "method": {"temperature": 0.07, "projection_dim": 1024, "head_norm": "batch"},
        "training": {**_IMAGE_TRAINING, "batch_size": 256},
    }
    search = {
        "temperature": Range(0.02, 1, log=True),
        "contrastive_weight": Range(0.05, 2, log=True),
        "scale": Range(10, 60, log=True),
    }

    name: Literal["bcl"] = "bcl"
    temperature: float = Field(0.1, gt=0, description="tau of the contrastive loss")
    contrastive_weight: float = Field(0.35, ge=0, description="weight of the contrastive loss beside the other")
    scale: float = Field(30.0, gt=0, description="s of the cosine classifier")
    projection_dim: int = Field(128, ge=2, description="width of the contrastive space")
    head_norm: HeadNorm = Field("none", description="normalisation in the projection heads")


class TSCConfig(MethodConfig):
    """Settings of TSC."""

    implementation = "sharprecl.methods.tsc:TSC"
    more_than_a_loss = "it trains in stages"
    views = "two"
    # The published code's loss on ImageNet. Its momentum encoder and queue of 65,536 do not fit a few thousand texts.
    official = {
        "method": {"temperature": 0.07, "sampled_positives": 6, "normalizer": "code", "queue_size": 4096},
        "training": _IMAGE_TRAINING,
    }
    search = {"temperature": Range(0.02, 1, log=True), "target_weight": Range(0.02, 2, log=True)}

    name: Literal["tsc"] = "tsc"
    temperature: float = Field(0.1, gt=0, description="tau of the contrastive loss")
    target_weight: float = Field(0.2, ge=0, description="lambda, weight of the pull to the target of the class")
    normalizer: Normalizer = Field("paper", description="1/(k+1) for the class term alone, or 1/(k+2) for both (code)")
    sampled_positives: int | None = Field(None, ge=0, description="k, positives beside the other view; null is all")
    queue_size: int = Field(0, ge=0, description="past projections that are contrasted with as well")
    projection_dim: int = Field(128, ge=2, description="width of the contrastive space")
    head_epochs: int = Field(10, ge=1, description="passes of the second stage's classifier over the texts")


# The sources of the next five train image networks with SGD, so they have no ``official``.


class WeightedCrossEntropyConfig(MethodConfig):
    """Settings of class-weighted cross-entropy."""

    implementation = "sharprecl.methods.weighted_cross_entropy:WeightedCrossEntropy"
    search = {"weights": ("inverse_frequency", "effective_number"), "beta": (0.9, 0.99, 0.999, 0.9999)}

    name: Literal["weighted_cross_entropy"] = "weighted_cross_entropy"
    weights: ClassWeight = Field("effective_number", description="what a class's weight is the inverse of")
    beta: float = Field(0.9999, ge=0, lt=1, description="of the effective number of texts; 0 weighs all alike")


class ClassBalancedSamplingConfig(MethodConfig):
    """Class-balanced sampling has no settings."""

    implementation = "sharprecl.methods.class_balanced_sampling:ClassBalancedSampling"
    more_than_a_loss = "it draws its own batches"

    name: Literal["class_balanced_sampling"] = "class_balanced_sampling"


class LdamDrwConfig(MethodConfig):
    """Settings of LDAM-DRW."""

    implementation = "sharprecl.methods.ldam_drw:LdamDrw"
    search = {"max_margin": Range(0.1, 1), "scale": Range(10, 60, log=True), "drw_start": Range(0.5, 1)}

    name: Literal["ldam_drw"] = "ldam_drw"
    max_margin: float = Field(0.5, ge=0, description="margin of the rarest class, as a difference of cosines")
    scale: float = Field(30.0, gt=0, description="s: what the cosines are multiplied by")
    drw_start: Fraction = Field(0.8, description="share of the training before re-weighting; 1 never re-weights")
    beta: float = Field(0.9999, ge=0, lt=1, description="of the effective number of texts")


class BalancedSoftmaxConfig(MethodConfig):
    """Settings of balanced softmax."""

    implementation = "sharprecl.methods.balanced_softmax:BalancedSoftmax"

    name: Literal["balanced_softmax"] = "balanced_softmax"
    tau: float = Field(1.0, ge=0, description="strength of the prior; 0 is plain cross-entropy")


class LogitAdjustmentConfig(MethodConfig):
    """Settings of post-hoc logit adjustment."""

    implementation = "sharprecl.methods.logit_adjustment:LogitAdjustment"

    name: Literal["logit_adjustment"] = "logit_adjustment"
    tau: float = Field(1.0, ge=0, description="strength of the discount; 0 is plain cross-entropy")


class FrozenConfig(MethodConfig):
    """Settings of logistic regression on frozen features. No ``official``: it has no source of its own."""

    implementation = "sharprecl.methods.frozen:Frozen"
    trains_encoder = False
    more_than_a_loss = "it trains no encoder"
    ignores = ("training",)
    heeds = ("select_on", "validation_fraction", "folds")
    ignores_because = "which takes no training steps"
    search = {"balanced": (True, False), "C": Range(1e-4, 1, log=True)}

    name: Literal["frozen"] = "frozen"
    balanced: bool = Field(True, description="every class weighs alike in the fit; false: every text")
    C: float = Field(0.003, gt=0, description="inverse strength of the L2 penalty on the weights, as in scikit-learn")
