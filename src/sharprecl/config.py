"""What a run is: frozen models, unknown keys refused, errors that give the path of the setting.

Two profiles beside the default are audits: ``paper`` (the equations as printed, the sign of Eq. CL mended) and
``released`` (the authors' published code, fault by fault). ``profiles.py`` holds what they change.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

AnchorWeight = Literal["none", "effective_number", "code_scalar", "neg_log_prior"]
ViewName = Literal["auto", "synonyms", "dropout"]
Fraction = Annotated[float, Field(ge=0.0, le=1.0)]


class Frozen(BaseModel):
    """Base of every section: immutable, hashable by content, strict about unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class SharpReCLConfig(Frozen):
    """Settings of the SharpReCL method; names and symbols as in the paper's section on the method."""

    name: Literal["sharprecl"] = "sharprecl"
    temperature: float = Field(0.3, gt=0, description="tau of the contrastive loss")
    mu: float = Field(1.0, ge=0, description="weight of the contrastive loss beside the classification loss")
    n_pos: int = Field(10, ge=0, description="synthetic positives of each class and step")
    n_neg: int = Field(500, ge=0, description="synthetic negatives of each class and step")
    top_k: int = Field(20, ge=1, description="size of each hard set")
    mixup_alpha: float = Field(0.5, gt=0, description="mixing coefficients are drawn from Beta(alpha, alpha)")
    ratio_start: Fraction = Field(0.5, description="share of hard-mixup among the synthetic samples at the start")
    ratio_by: Literal["iteration", "epoch"] = "iteration"
    anchor_weight: AnchorWeight = "neg_log_prior"
    effective_number_beta: float = Field(0.9999, gt=0, lt=1)
    positives: Literal["mean", "sum"] = Field("mean", description="how an anchor's positives are combined")
    prior_smoothing: Literal["none", "epsilon", "laplace"] = "none"
    normalize_logits: bool = Field(False, description="unit-length logits before compensation (published code)")
    classify_views: Literal["both", "first"] = "both"
    projection_dim: int = Field(100, ge=2)
    head_norm: Literal["none", "layer", "batch"] = "none"

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


class CrossEntropyConfig(Frozen):
    """Plain cross-entropy on the first view: the reference that every other method must beat."""

    name: Literal["cross_entropy"] = "cross_entropy"


MethodConfig = Annotated[SharpReCLConfig | CrossEntropyConfig, Field(discriminator="name")]
