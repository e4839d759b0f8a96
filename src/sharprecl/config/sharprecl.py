"""Settings of SharpReCL, and the nine ablations of the paper's Table 4: the settings that take one thing away."""

from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from sharprecl.config.base import Fraction
from sharprecl.config.method import MethodConfig
from sharprecl.config.methods import HeadNorm
from sharprecl.config.space import Range

AnchorWeight = Literal["none", "effective_number", "code_scalar", "neg_log_prior"]
Partners = Literal["balanced", "hard", "within"]
Smoothing = Literal["none", "epsilon", "laplace"]
Ablation = Literal["SSHM", "SS", "HM", "CL", "CLS", "MI", "deltas", "delta_CLS", "delta_CL"]

ABLATIONS: Mapping[Ablation, Mapping[str, Any]] = {
    # No synthetic samples at all: D-hat alone is contrasted.
    "SSHM": {"n_pos": 0, "n_neg": 0},
    # As many synthetic samples as before, all of them mixed ...
    "SS": {"ratio_start": 1.0, "ratio_end": 1.0},
    # ... or none of them.
    "HM": {"ratio_start": 0.0, "ratio_end": 0.0},
    # No contrastive branch: cross-entropy with logit compensation on both views.
    "CL": {"mu": 0.0},
    # No classification loss. Nothing then ties the logits to the labels, so a linear layer is fitted to the frozen
    # features, as is usual for supervised contrastive learning; the paper does not say how it answered.
    "CLS": {"classification": False},
    # No mutual guidance of the branches: prototypes with weights of their own in place of the classifier's rows.
    "MI": {"prototypes": "separate"},
    "deltas": {"compensation": 0.0, "anchor_weight": "none"},
    "delta_CLS": {"compensation": 0.0},
    # Where no anchor weight is set, as in the default profile, this takes nothing away; the profile paper has one.
    "delta_CL": {"anchor_weight": "none"},
}


class SharpReCLConfig(MethodConfig):
    """Settings of the SharpReCL method; names and symbols as in the paper's section on the method."""

    implementation = "sharprecl.methods.sharprecl:SharpReCL"
    views = "two"
    search = {
        "mu": Range(0.05, 2, log=True),
        "temperature": Range(0.1, 2, log=True),
        "mixtures": Range(0, 2),
        "ratio_start": Range(0, 1),
    }

    name: Literal["sharprecl"] = "sharprecl"
    temperature: float = Field(0.7, gt=0, description="tau of the contrastive loss")
    without: Ablation | None = Field(None, description="an ablation of the paper, which sets what it takes away")
    mu: float = Field(0.3, ge=0, description="weight of the contrastive loss beside the classification loss")
    n_pos: int = Field(10, ge=0, description="synthetic positives of each class and step")
    n_neg: int = Field(500, ge=0, description="synthetic negatives of each class and step")
    top_k: int = Field(20, ge=1, description="size of each hard set")
    mixup_alpha: float = Field(0.5, gt=0, description="mixing coefficients are drawn from Beta(alpha, alpha)")
    ratio_start: Fraction = Field(0.5, description="share of hard-mixup among the synthetic samples at the start")
    ratio_end: Fraction = Field(1.0, description="and at the end")
    ratio_by: Literal["iteration", "epoch"] = Field("iteration", description="what that share follows")
    anchor_weight: AnchorWeight = Field("none", description="weight of an anchor by its class's rarity")
    effective_number_beta: float = Field(0.9999, gt=0, lt=1, description="beta of the effective number of texts")
    positives: Literal["mean", "sum"] = Field("mean", description="how an anchor's positives are combined")
    prior_smoothing: Smoothing = Field(
        "none", description="class prior: n/N, log(n/N + 1e-9) as in the published code, or (n+1)/(N+C)"
    )
    normalize_logits: bool = Field(False, description="unit-length logits before compensation (published code)")
    compensation: float = Field(
        0.75, ge=0, description="factor on the log prior in the classification losses: 0 none, 1 as in the paper"
    )
    classification: bool = Field(True, description="train the classifier; without, it is fitted on frozen features")
    prototypes: Literal["classifier", "separate"] = Field("classifier", description="what the prototypes are made of")
    classify_views: Literal["both", "first"] = Field("both", description="views in the classification loss")
    mixtures: float = Field(1.0, ge=0, description="weight of mixed texts in the classification loss; 0 is none")
    mixture_partners: Partners = Field("balanced", description="what is mixed")
    projection_dim: int = Field(100, ge=2, description="width of the contrastive space")
    head_norm: HeadNorm = Field("none", description="normalisation in the projection heads")

    @model_validator(mode="before")
    @classmethod
    def _take_away(cls, values: Any) -> Any:
        name = values.get("without") if isinstance(values, dict) else None
        taken = next((settings for known, settings in ABLATIONS.items() if known == name), {})
        return {**values, **taken} if taken else values

    @model_validator(mode="after")
    def _keep_a_loss(self) -> Self:
        if not self.classification and self.mu == 0:
            raise ValueError("with classification off and mu 0 nothing is left to train; set one of them")
        return self

    @field_validator("anchor_weight", mode="before")
    @classmethod
    def _refuse_the_printed_sign(cls, value: object) -> object:
        if value == "log_prior":
            raise ValueError(
                "the paper's Eq. CL as printed multiplies log P_y < 0 with log p < 0: its loss is negative and "
                "minimising it drives texts of one class apart, so it cannot be trained; use 'neg_log_prior', "
                "the same weight with its sign mended"
            )
        return value
