"""Resolve a user's settings into a whole ``RunConfig``: profile first, then the file, then the command line."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from sharprecl.config.base import refusals
from sharprecl.config.choice import AUTO, choose_method
from sharprecl.config.layers import Settings, merge
from sharprecl.config.method import MethodConfig
from sharprecl.config.outside import SavedSettings
from sharprecl.config.registry import METHODS, method_names, method_settings
from sharprecl.config.run import RunConfig
from sharprecl.errors import ConfigError

if TYPE_CHECKING:
    import numpy as np

# What surrounds a method in its source: no means to start from, a second view from an augmenter, an epoch to be chosen.
_SOURCES: Settings = {
    "view": "auto",
    "prototypes": {"start": "random"},
    "training": {"select_on": "validation"},
}

# What the paper's method has and this package's default has not.
_PRINTED: Settings = {"mu": 1.0, "temperature": 0.3, "compensation": 1.0, "mixtures": 0.0}

_PAPER: Settings = {
    **_SOURCES,
    "encoder": {"pooling": "cls"},
    # The mean over an anchor's positives, as in the published code: their sum, as Eq. CL prints it, is some 450 times
    # L_CLS on the first step of TREC at ratio 50 and has 60 times its gradient.
    "method": {**_PRINTED, "anchor_weight": "neg_log_prior"},
    "training": {
        **_SOURCES["training"],
        "max_epochs": 30,
        "batch_size": 128,
        "learning_rate": 5e-5,
        "head_learning_rate": 5e-5,
        "weight_decay": 5e-4,
        "decay_all": True,
        "schedule": "constant",
        "warmup": 0.0,
        "clip_norm": None,
        "patience": None,
    },
}

_RELEASED: Settings = {
    **_SOURCES,
    "encoder": {"pooling": "cls"},
    "method": {
        **_PRINTED,
        "n_pos": 0,
        "n_neg": 0,
        "positives": "mean",
        "anchor_weight": "code_scalar",
        "prior_smoothing": "epsilon",
        "normalize_logits": True,
        "ratio_by": "epoch",
        "head_norm": "batch",
    },
    "training": {
        **_PAPER["training"],
        "weight_decay": 4e-5,
        "select_on": "test",
        "legacy_eval_mode": True,
        "precision": "fp32",
    },
}

# ``matched`` is for comparisons: every method starts at the class means, trains on all texts for as many steps with the
# same optimiser, batches and views, and keeps the last epoch; of its source it has only what belongs to its loss. The
# defaults do all that; ``matched`` does not stop early either where a plan asks for validation. ``official`` is what a
# method's own source trained with. How ``released`` differs from the published code stands in docs/METHODS.md.
PROFILES: dict[str, Settings] = {
    "default": {},
    "matched": {"training": {"patience": None}},
    "official": _SOURCES,
    "paper": _PAPER,
    "released": _RELEASED,
}


def resolve(settings: Mapping[str, Any], class_counts: "Sequence[int] | np.ndarray | None" = None) -> RunConfig:
    """Make a whole configuration from partial settings.

    The method settings of ``paper`` and ``released`` are SharpReCL's; another method under them gets their encoder and
    training settings.

    Args:
        settings: nested settings.
        class_counts: training texts of each class, [C]; needed where the method is ``auto``.

    Raises:
        ConfigError: an unknown or unfit setting; the sentence gives its path.
    """
    name, method = _method(settings)
    if name == AUTO:
        if class_counts is None:
            raise ConfigError("method: 'auto' is chosen by the training labels, and there are none yet; name a method")
        name = choose_method(class_counts).name
    if not isinstance(name, str) or (":" not in name and name not in method_names()):
        known = ", ".join(method_names())
        raise ConfigError(f"method: {name!r} is not known; choose one of auto, {known}, or write module:Class")
    kind = method_settings(name)
    profile = settings.get("profile", "default")
    if not isinstance(profile, str) or profile not in PROFILES:
        raise ConfigError(f"profile: {profile!r} is not known; choose one of {', '.join(PROFILES)}")
    base = {key: value for key, value in PROFILES[profile].items() if key not in kind.ignores}
    if name != "sharprecl":
        base.pop("method", None)
    if profile == "official":
        if not kind.official:
            raise ConfigError(
                f"profile: {name} has no settings of its own source to train with"
                + ("; its sources are the profiles paper and released" if name == "sharprecl" else "; use matched")
            )
        base = merge(_SOURCES, kind.official)
    whole = merge(base, settings, {"method": {**base.get("method", {}), **method, "name": name}})
    try:
        config = RunConfig.model_validate(whole)
    except ValidationError as error:
        raise ConfigError(refusals(error)) from error
    _refuse_what_is_ignored(kind, settings, config)
    return config


def restored(kept: Mapping[str, Any]) -> RunConfig:
    """The configuration of a saved classifier, from ``RunConfig.kept``.

    A method from outside is not imported: nothing of it is needed to answer, and its package may be gone.

    Raises:
        ConfigError: a setting that this version does not know.
    """
    name, method = _method(kept)
    if name in METHODS:
        return resolve(kept)
    try:
        return RunConfig.model_validate({**kept, "method": SavedSettings.model_validate(method)})
    except ValidationError as error:
        raise ConfigError(refusals(error)) from error


def _refuse_what_is_ignored(kind: type[MethodConfig], settings: Mapping[str, Any], config: RunConfig) -> None:
    """Refuse a setting that was given, differs from its default, and would change nothing."""
    usual = RunConfig(method=config.method).model_dump()
    for name in kind.ignores:
        given_here = settings.get(name)
        pairs = given_here.items() if isinstance(given_here, Mapping) else [("", given_here)] if given_here else []
        for key, value in pairs:
            expected = usual[name][key] if key else usual[name]
            # Without epochs there is nothing that test texts could choose.
            if value != expected and (key not in kind.heeds or value == "test"):
                path = f"{name}.{key}" if key else name
                raise ConfigError(
                    f"{path}{' (test)' if value == 'test' else ''} says nothing to {config.method.name}, "
                    f"{kind.ignores_because}; its own settings are method.*, see docs/configuration.md"
                )


def choice_note(settings: Mapping[str, Any], class_counts: "Sequence[int] | np.ndarray") -> str:
    """What was chosen and why, for ``--method auto``; else empty."""
    return choose_method(class_counts).sentence if _method(settings)[0] == AUTO else ""


def _method(settings: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
    method = settings.get("method", {})
    if not isinstance(method, Mapping):
        raise ConfigError(f"method: {method!r} is not a section; write 'method: {{name: sharprecl}}'")
    return method.get("name", "sharprecl"), method
