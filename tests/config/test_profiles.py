"""Settings: merged in order, refused by path, written and read back."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sharprecl.config import METHODS, PROFILES, RunConfig, assignments, given, merge, read_yaml, resolve, to_yaml
from sharprecl.config.sharprecl import SharpReCLConfig
from sharprecl.errors import ConfigError


def test_later_layers_win_and_sections_are_merged() -> None:
    assert merge({"a": {"b": 1, "c": 2}}, {"a": {"c": 3}}, {"d": 4}) == {"a": {"b": 1, "c": 3}, "d": 4}
    assert given({"a": None, "b": {"c": None}, "d": {"e": 0, "f": None}}) == {"d": {"e": 0}}


def test_the_profiles_are_what_the_specification_lists() -> None:
    paper, released = resolve({"profile": "paper"}), resolve({"profile": "released"})
    assert (paper.method.positives, paper.method.n_pos, paper.method.n_neg) == ("mean", 10, 500)
    assert (paper.encoder.pooling, paper.training.learning_rate, paper.training.weight_decay) == ("cls", 5e-5, 5e-4)
    assert paper.training.select_on == "validation"
    method, training = released.method, released.training
    assert (method.n_pos, method.n_neg, method.anchor_weight, method.head_norm) == (0, 0, "code_scalar", "batch")
    assert (method.normalize_logits, method.prior_smoothing, method.ratio_by) == (True, "epsilon", "epoch")
    assert (training.legacy_eval_mode, training.select_on, training.weight_decay) == (True, "test", 4e-5)
    assert training.precision == "fp32"
    assert resolve({}) == RunConfig(method=SharpReCLConfig())
    matched = resolve({"profile": "matched"}).training
    assert matched == resolve({}).training.model_copy(update={"patience": None})
    plain = resolve({"profile": "released", "method": {"name": "cross_entropy"}})
    assert plain.method.name == "cross_entropy"
    assert plain.training == training


def test_what_the_user_says_wins_over_the_profile() -> None:
    config = resolve({"profile": "released", "method": {"n_pos": 3}, "training": {"select_on": "last"}})
    assert (config.method.n_pos, config.method.n_neg, config.training.select_on) == (3, 0, "last")


def test_official_settings_are_the_source_s_and_valid() -> None:
    for name in METHODS:
        settings = {"profile": "official", "method": {"name": name}}
        if METHODS[name].official:
            assert resolve(settings).method.name == name
        else:
            with pytest.raises(ConfigError, match=f"profile: {name} has no settings of its own source"):
                resolve(settings)
    plain = resolve({"profile": "official", "method": {"name": "cross_entropy"}, "training": {"max_epochs": 2}})
    assert (plain.training.batch_size, plain.training.max_epochs) == (32, 2)


def test_assignments_of_the_command_line() -> None:
    words = ["method.mu=0.5", "method.top_k=3", "training.clip_norm=null", "encoder.name=a=b", "seed=2", "seed=3"]
    assert assignments(words) == {
        "method": {"mu": 0.5, "top_k": 3},
        "training": {"clip_norm": None},
        "encoder": {"name": "a=b"},
        "seed": 3,
    }
    for word in ("mu", "=3", "method.=3", "a=["):
        with pytest.raises(ConfigError, match="--set"):
            assignments([word])


@pytest.mark.parametrize("profile", [name for name in PROFILES if name != "official"])
def test_yaml_goes_round(profile: str, tmp_path: Path) -> None:
    config = resolve({"profile": profile, "seed": 4})
    (tmp_path / "c.yaml").write_text(to_yaml(config))
    assert resolve(read_yaml(tmp_path / "c.yaml")) == config


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"sed": 1}, "sed: there is no such setting"),
        ({"training": {"batch": 3}}, "training.batch: there is no such setting"),
        ({"training": {"batch_size": 0}}, "training.batch_size: must be above 0, or 'auto'"),
        ({"training": {"warmup": 1.5}}, "training.warmup: "),
        ({"method": {"name": "magic"}}, "method: 'magic' is not known; choose one of auto, sharprecl, cross_entropy,"),
        ({"method": {"temperature": 0}}, "method.temperature: "),
        ({"method": {"anchor_weight": "log_prior"}}, "its loss is negative"),
        (
            {"profile": "magic"},
            "profile: 'magic' is not known; choose one of default, matched, official, paper, released",
        ),
        ({"seed": -1}, "seed: "),
        ({"method": 3}, "method: "),
    ],
)
def test_unfit_settings_are_refused_by_path(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigError) as caught:
        resolve(settings)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("- 1", "holds list, not settings"),
        ("a: [", "is not valid YAML"),
        ("method:\n  mu: 0.3\n  tau: 1\n  mu: 0.7\n", "(?s)'mu' stands twice.*line 4"),
        ("seed: 1\nview: none\nseed: 2\n", "'seed' stands twice"),
    ],
)
def test_unfit_files_are_refused(content: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text(content)
    with pytest.raises(ConfigError, match=sentence):
        read_yaml(tmp_path / "c.yaml")
    with pytest.raises(ConfigError, match="cannot be read"):
        read_yaml(tmp_path / "absent.yaml")


def test_a_setting_that_a_language_model_would_ignore_is_refused() -> None:
    llm = {"method": {"name": "llm_lora"}}
    for settings, path in (
        ({"training": {"max_epochs": 1}}, "training.max_epochs"),
        ({"encoder": {"max_length": 64}}, "encoder.max_length"),
        ({"view": "synonyms"}, "view"),
    ):
        with pytest.raises(ConfigError, match=f"{path} says nothing to llm_lora"):
            resolve({**llm, **settings})
    assert resolve({**llm, "training": {"precision": "fp32"}}).training.precision == "fp32"
    for profile in ("default", "matched", "paper", "released"):
        whole = resolve({**llm, "profile": profile})
        assert (whole.training, whole.encoder) == (resolve(llm).training, resolve(llm).encoder)
        assert resolve(whole.kept()) == whole


def test_a_frozen_encoder_hears_of_itself_and_of_the_texts_held_out() -> None:
    frozen = {"method": {"name": "frozen"}}
    training = {"select_on": "last", "validation_fraction": 0.2}
    config = resolve({**frozen, "encoder": {"pooling": "cls"}, "training": training})
    assert config.encoder.pooling == "cls"
    assert (config.training.select_on, config.training.validation_fraction) == ("last", 0.2)
    with pytest.raises(
        ConfigError, match=r"training\.batch_size says nothing to frozen, which takes no training steps"
    ):
        resolve({**frozen, "training": {"batch_size": 16}})
    with pytest.raises(ConfigError, match=r"method\.C: "):
        resolve({"method": {"name": "frozen", "C": 0}})
    for profile in ("matched", "paper", "released"):
        whole = resolve({**frozen, "profile": profile})
        assert whole.training == resolve(frozen).training, "nothing was chosen on test texts"
        assert whole.encoder.pooling == ("auto" if profile == "matched" else "cls")
        assert resolve(whole.kept()) == whole


def test_a_permission_is_no_setting() -> None:
    config = resolve({"method": {"name": "openai_finetune", "max_cost": 3.5}})
    assert "max_cost" not in config.kept()["method"]
    assert "max_cost" not in to_yaml(config)
    assert config.kept() == resolve({"method": {"name": "openai_finetune"}}).kept()


def test_ablations_are_settings_and_unknown_ones_are_refused() -> None:
    config = resolve({"profile": "paper", "method": {"without": "deltas"}})
    assert (config.method.compensation, config.method.anchor_weight) == (0.0, "none")
    assert resolve(config.kept()) == config
    for wrong in ("magic", ["CL", "SS"], 3):
        with pytest.raises(ConfigError, match=r"method\.without: "):
            resolve({"method": {"without": wrong}})


def test_auto_needs_labels_and_becomes_a_method() -> None:
    with pytest.raises(ConfigError, match="'auto' is chosen by the training labels"):
        resolve({"method": {"name": "auto"}})
    assert resolve({"method": {"name": "auto"}}, np.array([40, 38])).method.name == "cross_entropy"
