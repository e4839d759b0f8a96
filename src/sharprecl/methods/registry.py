"""Methods by the name that a configuration gives them, imported when asked for."""

import importlib
from typing import Any

from sharprecl.errors import ConfigError

_WHERE = {
    "sharprecl": "sharprecl.methods.sharprecl:SharpReCL",
    "cross_entropy": "sharprecl.methods.cross_entropy:CrossEntropy",
    "dice": "sharprecl.methods.dice:Dice",
    "focal": "sharprecl.methods.focal:Focal",
    "simcse": "sharprecl.methods.simcse:SimCSE",
    "scl_ce": "sharprecl.methods.scl_ce:SupervisedContrastive",
    "spcl": "sharprecl.methods.spcl:SPCL",
    "dualcl": "sharprecl.methods.dualcl:DualCL",
    "hybrid_sc": "sharprecl.methods.hybrid_sc:HybridSC",
    "hybrid_psc": "sharprecl.methods.hybrid_psc:HybridPSC",
    "bcl": "sharprecl.methods.bcl:BCL",
    "tsc": "sharprecl.methods.tsc:TSC",
    "weighted_cross_entropy": "sharprecl.methods.weighted_cross_entropy:WeightedCrossEntropy",
    "class_balanced_sampling": "sharprecl.methods.class_balanced_sampling:ClassBalancedSampling",
    "ldam_drw": "sharprecl.methods.ldam_drw:LdamDrw",
    "balanced_softmax": "sharprecl.methods.balanced_softmax:BalancedSoftmax",
    "logit_adjustment": "sharprecl.methods.logit_adjustment:LogitAdjustment",
    "frozen": "sharprecl.methods.frozen:Frozen",
    "llm_lora": "sharprecl.llm.lora:LlmLora",
    "openai_finetune": "sharprecl.llm.openai_finetune:OpenAIFinetune",
}


def method_names() -> tuple[str, ...]:
    """All names that ``method_class`` knows."""
    return tuple(_WHERE)


def method_class(name: str) -> Any:
    """The class of the method called ``name``: a ``Method``, or a ``LanguageModelMethod`` (``sharprecl.llm.base``).

    Raises:
        ConfigError: there is no such method.
    """
    if name not in _WHERE:
        raise ConfigError(f"there is no method {name!r}; choose one of {', '.join(_WHERE)}")
    module, _, attribute = _WHERE[name].partition(":")
    return getattr(importlib.import_module(module), attribute)
