"""The recipes that `recipe.py` compares: each is a name and the settings in which it may differ from the others."""

from typing import Any

from sharprecl.profiles import merge

_SHARED: dict[str, Any] = {"training": {"select_on": "last", "patience": None, "max_epochs": 4, "batch_size": 32}}
_RANDOM = {"prototypes": {"start": "random"}}
_PRINTED = {"view": "auto", "method": {"name": "sharprecl", "mu": 1.0, "temperature": 0.3, "mixtures": 0.0}}
_QUIET = {"view": "upper", "method": {"name": "sharprecl", "mu": 0.3, "temperature": 0.7, "mixtures": 0.0}}
# More tokens than SharpReCL's upper layers read twice.
_LONGER = {"training": {"max_epochs": 5}}
_TRAIN_PRIOR = {"mixtures": 1.0, "mixture_prior": "train"}
_DRAWN_PRIOR = {"mixtures": 1.0, "mixture_prior": "drawn"}


def _recipe(*layers: dict[str, Any], **method: Any) -> dict[str, Any]:
    return merge(_SHARED, *layers, {"method": method} if method else {})


RECIPES: dict[str, dict[str, Any]] = {
    "cross_entropy, random start": _recipe(_RANDOM, name="cross_entropy"),
    "cross_entropy": _recipe(name="cross_entropy"),
    "balanced_softmax": _recipe(name="balanced_softmax"),
    "balanced_softmax, compensation 0.75": _recipe(name="balanced_softmax", tau=0.75),
    "scl_ce": _recipe(name="scl_ce"),
    "bcl": _recipe(name="bcl"),
    "hybrid_sc": _recipe(name="hybrid_sc"),
    "sharprecl as printed, random start": _recipe(_RANDOM, _PRINTED),
    "sharprecl as printed": _recipe(_PRINTED),
    "sharprecl as printed, upper view": _recipe(_PRINTED, {"view": "upper"}),
    "sharprecl without mixtures": _recipe(_QUIET),
    # The default.
    "sharprecl": _recipe(_QUIET, **_TRAIN_PRIOR),
    "compensation 0.5": _recipe(_QUIET, compensation=0.5, **_TRAIN_PRIOR),
    "compensation 0.75": _recipe(_QUIET, compensation=0.75, **_TRAIN_PRIOR),
    "compensation 0.75, without contrast": _recipe(_QUIET, mu=0.0, compensation=0.75, **_TRAIN_PRIOR),
    "mixtures by their own prior": _recipe(_QUIET, **_DRAWN_PRIOR),
    "mixtures without contrast": _recipe(_QUIET, mu=0.0, **_TRAIN_PRIOR),
    "hard partners": _recipe(_QUIET, mixture_partners="hard", **_TRAIN_PRIOR),
    "partners within a class": _recipe(_QUIET, mixture_partners="within", **_TRAIN_PRIOR),
    "weights averaged": _recipe(_QUIET, {"training": {"average": 0.4}}, **_TRAIN_PRIOR),
    "names as texts": _recipe(_QUIET, {"prototypes": {"start": "label_text"}}, **_TRAIN_PRIOR),
    "cross_entropy, 5 epochs": _recipe(_LONGER, name="cross_entropy"),
    "balanced_softmax, 5 epochs": _recipe(_LONGER, name="balanced_softmax"),
    "balanced_softmax, weights averaged": _recipe({"training": {"average": 0.4}}, name="balanced_softmax"),
}

DEFAULT = "sharprecl"

# From the printed method to the default, a part at a time.
LADDER = {
    "as printed, on all texts, last epoch": "sharprecl as printed, random start",
    "+ start at class means": "sharprecl as printed",
    "+ upper layers' view in place of synonyms": "sharprecl as printed, upper view",
    "+ quiet contrast": "sharprecl without mixtures",
    "+ mixtures: the default": "sharprecl",
}
