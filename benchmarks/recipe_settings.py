"""The recipes that `recipe.py` compares: each is a name and the settings in which it may differ from the others."""

from typing import Any

from sharprecl.config import merge

_SHARED: dict[str, Any] = {"training": {"select_on": "last", "patience": None, "max_epochs": 4, "batch_size": 32}}
# More tokens than SharpReCL, whose upper layers read every text twice.
_LONGER = {"training": {"max_epochs": 5}}
_RANDOM = {"prototypes": {"start": "random"}}
_AS_PRINTED = {
    "view": "auto",
    "method": {"name": "sharprecl", "mu": 1.0, "temperature": 0.3, "compensation": 1.0, "mixtures": 0.0},
}
_SHARPRECL = {
    "view": "upper",
    "method": {
        "name": "sharprecl",
        "mu": 0.3,
        "temperature": 0.7,
        "compensation": 0.75,
        "mixtures": 1.0,
    },
}
_WITHOUT_MIXTURES = {"compensation": 1.0, "mixtures": 0.0}


def _recipe(*layers: dict[str, Any], **method: Any) -> dict[str, Any]:
    return merge(_SHARED, *layers, {"method": method} if method else {})


RECIPES: dict[str, dict[str, Any]] = {
    "cross_entropy, random start": _recipe(_RANDOM, name="cross_entropy"),
    "cross_entropy": _recipe(name="cross_entropy"),
    "cross_entropy, 5 epochs": _recipe(_LONGER, name="cross_entropy"),
    "balanced_softmax": _recipe(name="balanced_softmax"),
    "balanced_softmax, compensation 0.75": _recipe(name="balanced_softmax", tau=0.75),
    "balanced_softmax, 5 epochs": _recipe(_LONGER, name="balanced_softmax"),
    "scl_ce": _recipe(name="scl_ce"),
    "bcl": _recipe(name="bcl"),
    "hybrid_sc": _recipe(name="hybrid_sc"),
    "as printed, random start": _recipe(_RANDOM, _AS_PRINTED),
    "as printed": _recipe(_AS_PRINTED),
    "as printed, upper view": _recipe(_AS_PRINTED, {"view": "upper"}),
    "compensation 1, without mixtures": _recipe(_SHARPRECL, **_WITHOUT_MIXTURES),
    "compensation 1": _recipe(_SHARPRECL, compensation=1.0),
    "compensation 1, without contrast": _recipe(_SHARPRECL, compensation=1.0, mu=0.0),
    "compensation 0.5": _recipe(_SHARPRECL, compensation=0.5),
    "sharprecl": _recipe(_SHARPRECL),
    "sharprecl, without contrast": _recipe(_SHARPRECL, mu=0.0),
    "sharprecl, hard partners": _recipe(_SHARPRECL, mixture_partners="hard"),
    "sharprecl, partners within a class": _recipe(_SHARPRECL, mixture_partners="within"),
    "sharprecl, weights averaged": _recipe(_SHARPRECL, {"training": {"average": 0.4}}),
    "sharprecl, names as texts": _recipe(_SHARPRECL, {"prototypes": {"start": "label_text"}}),
}

DEFAULT = "sharprecl"

# From the printed method to the default, a part at a time.
LADDER = {
    "as printed, but on all texts and to the last epoch": "as printed, random start",
    "+ start at class means": "as printed",
    "+ the upper layers' view in place of synonyms": "as printed, upper view",
    "+ quiet contrast": "compensation 1, without mixtures",
    "+ mixtures": "compensation 1",
    "+ compensation 0.75: the default": "sharprecl",
}
