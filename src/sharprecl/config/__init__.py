"""What a run is: frozen models, unknown keys refused, errors that give the path of the setting.

A method's own settings stand in the method's file; ``profiles.resolve`` puts the two together.
"""

from sharprecl.config.augment import (
    AUGMENTERS,
    AugmentConfig,
    BackTranslationConfig,
    ContextualConfig,
    NoiseConfig,
    SynonymsConfig,
    augmenter_names,
)
from sharprecl.config.base import Fraction, Frozen, Share, refusals
from sharprecl.config.decision import DecisionConfig
from sharprecl.config.run import EncoderConfig, MethodConfig, RunConfig, TrainingConfig

__all__ = [
    "AUGMENTERS",
    "AugmentConfig",
    "BackTranslationConfig",
    "ContextualConfig",
    "DecisionConfig",
    "EncoderConfig",
    "Fraction",
    "Frozen",
    "MethodConfig",
    "NoiseConfig",
    "RunConfig",
    "Share",
    "SynonymsConfig",
    "TrainingConfig",
    "augmenter_names",
    "refusals",
]
