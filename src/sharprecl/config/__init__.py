"""What a run is: every setting, those of the methods too. Frozen models, free of PyTorch, that refuse unknown keys with
the path of the setting.

``resolve`` makes a whole ``RunConfig`` of what a user wrote; ``method_settings`` gives a method's settings by its name,
``METHODS`` those of the package's own.
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
from sharprecl.config.layers import Settings, assignments, difference, given, leaves, merge, nested, read_yaml, to_yaml
from sharprecl.config.method import MethodConfig
from sharprecl.config.outside import outside_method, short_names
from sharprecl.config.profiles import PROFILES, choice_note, resolve, restored
from sharprecl.config.registry import METHODS, method_names, method_settings, outside_code
from sharprecl.config.run import EncoderConfig, RunConfig, TrainingConfig
from sharprecl.config.space import SHARED, Around, Dimension, Range, Space

__all__ = [
    "AUGMENTERS",
    "METHODS",
    "PROFILES",
    "SHARED",
    "Around",
    "AugmentConfig",
    "BackTranslationConfig",
    "ContextualConfig",
    "DecisionConfig",
    "Dimension",
    "EncoderConfig",
    "Fraction",
    "Frozen",
    "MethodConfig",
    "NoiseConfig",
    "Range",
    "RunConfig",
    "Settings",
    "Share",
    "Space",
    "SynonymsConfig",
    "TrainingConfig",
    "assignments",
    "augmenter_names",
    "choice_note",
    "difference",
    "given",
    "leaves",
    "merge",
    "method_names",
    "method_settings",
    "nested",
    "outside_code",
    "outside_method",
    "read_yaml",
    "refusals",
    "resolve",
    "restored",
    "short_names",
    "to_yaml",
]
