"""One run, one spelling."""

from typing import Any

import pytest

from sharprecl.config import METHODS, PROFILES, merge, method_settings, resolve
from sharprecl.config.sharprecl import ABLATIONS
from sharprecl.experiments.shortest import shortest


def _kept(settings: dict[str, Any]) -> dict[str, Any]:
    kept = resolve(settings).kept()
    kept["method"].pop("without", None)
    return kept


def test_what_is_usual_is_left_out() -> None:
    long = {"profile": "matched", "method": {"mu": 0.3, "top_k": 20}, "encoder": {"name": "minilm"}, "seed": 7}
    assert shortest(resolve(long)) == {"profile": "matched", "method": {"name": "sharprecl"}}
    config = resolve({"training": {"max_epochs": 2}, "method": {"mu": 0.5}, "view": "synonyms"})
    assert shortest(config) == {
        "profile": "default",
        "view": "synonyms",
        "training": {"max_epochs": 2},
        "method": {"name": "sharprecl", "mu": 0.5},
    }


@pytest.mark.parametrize("profile", [name for name in PROFILES if name != "official"])
@pytest.mark.parametrize("method", METHODS)
def test_it_resolves_to_the_same_run(method: str, profile: str) -> None:
    settings: dict[str, Any] = {"profile": profile, "method": {"name": method}}
    others = {"view": "noise", "augment": {"noise": {"swap": 0.3}}, "training": {"patience": 9}}
    settings = merge(
        settings, {key: value for key, value in others.items() if key not in method_settings(method).ignores}
    )
    short = shortest(resolve(settings))
    assert _kept(short) == _kept(settings)
    assert shortest(resolve(short)) == short


@pytest.mark.parametrize("profile", ["matched", "paper"])
@pytest.mark.parametrize("part", sorted(ABLATIONS))
def test_an_ablation_is_the_settings_that_it_stands_for(part: str, profile: str) -> None:
    settings = {"profile": profile, "method": {"without": part}}
    short = shortest(resolve(settings))
    assert "without" not in short["method"]
    assert _kept(short) == _kept(settings)
    # Off the paper's profile no anchor is weighted, and there is nothing to take away.
    full = shortest(resolve({"profile": profile}))
    assert (short == full) == (part == "delta_CL" and profile == "matched")


def test_words_for_labels_are_kept_whole() -> None:
    settings = {"method": {"name": "llm_lora", "label_words": {"1": "database", "2": "theory"}}}
    assert shortest(resolve(settings))["method"]["label_words"] == {"1": "database", "2": "theory"}
