"""The settings of a training."""

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, SerializeAsAny, field_validator, model_validator

from sharprecl.config.augment import AUGMENTERS, AugmentConfig, augmenter_names
from sharprecl.config.base import Fraction, Frozen
from sharprecl.config.decision import DecisionConfig
from sharprecl.config.method import MethodConfig
from sharprecl.config.registry import method_section
from sharprecl.config.sharprecl import SharpReCLConfig
from sharprecl.errors import ConfigError


class EncoderConfig(Frozen):
    """Which pretrained encoder, and how its token vectors become one feature a text."""

    name: str = Field("minilm", description="a built-in name, a local folder or a Hugging Face id")
    pooling: Literal["auto", "native", "mean", "cls"] = Field(
        "auto", description="token vectors to one feature; auto is mean for sentence encoders, native for others"
    )
    max_length: int = Field(256, ge=8, description="tokens a text, special tokens included; the rest is cut off")
    layers: int | None = Field(None, ge=1, description="keep the first n layers only; None keeps all")
    trainable_layers: int | None = Field(
        None,
        ge=0,
        description="fine-tune the n uppermost layers only; embeddings and layers below stay as they are, without "
        "dropout; None trains all",
    )
    attention_dropout: Fraction | None = Field(
        None, description="share of the attention weights dropped in training; None is as the encoder has it"
    )
    answer_precision: Literal["auto", "bf16", "fp32"] = Field(
        "fp32",
        description="in which the encoder answers; bf16 takes half the time on hardware that computes in it, and moves "
        "scores by a hundredth; auto is bf16 there",
    )


class PrototypesConfig(Frozen):
    """Where the classifier's rows, which are the prototypes, begin."""

    start: Literal["means", "label_text", "random"] = Field(
        "means",
        description="means of the pretrained features of each class; label_text counts the name of a class with under "
        "five texts as one text more; random is a fresh layer",
    )


class TrainingConfig(Frozen):
    """How the loop optimises and selects."""

    max_epochs: int | Literal["auto"] = Field(
        "auto",
        description="passes over the training texts, if patience does not end them; auto is 4, or with few texts as "
        "many as make 120 steps",
    )
    batch_size: int | Literal["auto"] = Field(
        "auto",
        description="texts a step; auto is the power of two in 16..128 that gives at least 32 steps an epoch",
    )
    micro_batch: int | None = Field(
        None,
        ge=1,
        description="texts that a process encodes at a time: less memory, a third more time, the same contrast over "
        "the whole batch; None is all",
    )
    learning_rate: float | Literal["auto"] = Field(
        "auto", description="of the encoder; auto is 2e-4 up to 512 hidden units, 5e-5 up to 768, 2e-5 above"
    )
    head_learning_rate: float | Literal["auto"] = Field("auto", description="of everything new; auto is 1e-3")
    weight_decay: float = Field(5e-4, ge=0, description="AdamW's, on matrices")
    decay_all: bool = Field(False, description="decay biases and normalisation weights too (published code)")
    schedule: Literal["linear", "constant"] = Field("linear", description="learning rate after the warm-up")
    warmup: Fraction = Field(0.1, description="share of all steps in which the learning rate rises")
    clip_norm: float | None = Field(1.0, gt=0, description="largest norm of the gradient")
    precision: Literal["auto", "bf16", "fp32"] = Field(
        "auto", description="of the encoder in training; auto is bf16 where the hardware computes in it"
    )
    validation_fraction: float = Field(0.1, gt=0, lt=1, description="share of each class held out to choose the epoch")
    select_on: Literal["validation", "test", "last"] = Field(
        "last",
        description="what chooses the epoch: last keeps the last one and trains on every text, validation holds some "
        "out; test only for parity with published numbers",
    )
    folds: int | Literal["auto"] = Field(
        "auto",
        description="trainings on parts of the texts before the one on all, each of which scores what it was not "
        "shown: so a run can be judged, or calibrated, without other texts. 2 or more, or 0 for none; auto is none "
        "where there are test or validation texts or no figures are wanted, else 3, or above 2,000 texts one "
        "without a fifth of each class",
    )
    patience: int | None = Field(
        5, ge=1, description="epochs without a better macro-F1 (or, at an equal one, accuracy) before stopping"
    )
    average: Fraction = Field(0.0, description="last share of the steps whose mean of weights is kept; 0: last step")
    legacy_eval_mode: bool = Field(False, description="dropout never on, BatchNorm frozen after epoch 1 (published)")
    checkpoint_seconds: float = Field(60.0, ge=0, description="time between checkpoints; no influence on results")

    @field_validator("max_epochs", "batch_size", "learning_rate", "head_learning_rate")
    @classmethod
    def _positive(cls, value: float | str) -> float | str:
        if not isinstance(value, str) and value <= 0:
            raise ValueError("must be above 0, or 'auto'")
        return value

    @model_validator(mode="after")
    def _no_more_than_a_batch(self) -> Self:
        if self.micro_batch is not None and self.batch_size != "auto" and self.micro_batch > self.batch_size:
            raise ValueError(
                f"micro_batch is {self.micro_batch}, but a batch has only {self.batch_size} texts; leave it out, or "
                f"make batch_size larger"
            )
        return self

    @field_validator("folds")
    @classmethod
    def _two_or_none(cls, value: int | str) -> int | str:
        if not isinstance(value, str) and (value < 0 or value == 1):
            raise ValueError("must be 0 for none, or at least 2, or 'auto'")
        return value


class RunConfig(Frozen):
    """Everything but the data that determines the result of a training."""

    profile: str = Field("default", description="default, matched, official, paper or released; see above")
    seed: int = Field(0, ge=0, lt=2**31, description="of the split, the views, the weights, dropout and all draws")
    encoder: EncoderConfig = EncoderConfig()
    view: str = Field(
        "upper",
        description="where the second view of a text comes from: upper (the upper layers' dropout), dropout (all "
        f"layers'), {', '.join(AUGMENTERS)}, or a chain such as synonyms+noise; auto is synonyms where they can be had",
    )
    augment: AugmentConfig = AugmentConfig()
    prototypes: PrototypesConfig = PrototypesConfig()
    method: Annotated[SerializeAsAny[MethodConfig], BeforeValidator(method_section)] = SharpReCLConfig()
    training: TrainingConfig = TrainingConfig()
    decision: DecisionConfig = DecisionConfig()

    @field_validator("view")
    @classmethod
    def _known_view(cls, value: str) -> str:
        if value in ("upper", "auto", "dropout"):
            return value
        try:
            return "+".join(augmenter_names(value))
        except ConfigError as error:
            raise ValueError(f"{error}; upper, dropout and auto are views too") from error

    @model_validator(mode="after")
    def _no_settings_for_nothing(self) -> Self:
        used = {"auto": ("synonyms",), "dropout": (), "upper": ()}.get(self.view) or tuple(self.view.split("+"))
        usual = AugmentConfig()
        for name in AUGMENTERS:
            if name not in used and getattr(self.augment, name) != getattr(usual, name):
                raise ValueError(
                    f"augment.{name} says nothing to the view {self.view!r}; set view to {name!r} or to a chain with it"
                )
        return self

    def kept(self) -> dict[str, Any]:
        """JSON-ready: all settings that determine the result, without mere permissions."""
        settings = self.model_dump(mode="json")
        for name in self.method.permissions:
            settings["method"].pop(name, None)
        return settings
