"""Parameters: by name, nested in grids, and those of what was loaded."""

from pathlib import Path
from typing import Any

import pytest
from sklearn.base import clone

from sharprecl import TextClassifier
from sharprecl.classifier.parameters import NAMED, parameters_of
from sharprecl.config import METHODS, PROFILES, RunConfig, resolve
from sharprecl.errors import ConfigError
from tiny import skewed_texts, tiny_encoder


def test_every_setting_is_reached_by_its_path() -> None:
    classifier = TextClassifier(max_epochs=3)
    classifier.set_params(config__method__mu=0.5, config__training__warmup=0.2, config__decision__prior="uniform")
    assert classifier.config == {"method": {"mu": 0.5}, "training": {"warmup": 0.2}, "decision": {"prior": "uniform"}}
    config = classifier.run_config()
    assert (config.method.mu, config.training.warmup, config.training.max_epochs) == (0.5, 0.2, 3)
    deep = classifier.get_params()
    assert deep["config__method__mu"] == 0.5
    assert "config__method__mu" not in classifier.get_params(deep=False)
    again = TextClassifier().set_params(**deep)
    assert again.run_config() == config
    assert clone(classifier).run_config() == config


def test_a_setting_with_a_name_is_set_by_that() -> None:
    classifier = TextClassifier(max_epochs=3, patience=2, config={"training": {"max_epochs": 9}})
    assert classifier.set_params(config__training__max_epochs=7).max_epochs == 7
    assert classifier.run_config().training.max_epochs == 7
    assert "config__training__max_epochs" not in classifier.get_params(), "it would say 9 and mean nothing"
    assert classifier.set_params(config__training__patience=None).run_config().training.patience is None
    assert classifier.set_params(config__method__name="focal", config__method__gamma=3).run_config().method.gamma == 3


def test_sections_and_whole_configurations_take_settings() -> None:
    whole = resolve({"method": {"mu": 0.5}, "training": {"max_epochs": 3}})
    classifier = TextClassifier(config=whole)
    assert classifier.set_params(config__method__mu=0.9).run_config().method.mu == 0.9
    assert classifier.run_config().training.max_epochs == 3
    assert whole.method.mu == 0.5
    assert len(repr(TextClassifier(config=whole))) < 160
    nested = {"method": {"mu": 0.5}}
    TextClassifier(config=nested).set_params(config__method__tau=1)
    assert nested == {"method": {"mu": 0.5}}


def test_mistakes_are_told_by_fit() -> None:
    with pytest.raises(ConfigError, match=r"^method\.mew: there is no such setting"):
        TextClassifier().set_params(config__method__mew=1).run_config()
    with pytest.raises(ConfigError, match="config is 3; give nested settings"):
        TextClassifier(config=3).run_config()  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="Invalid parameter 'epochs'"):
        TextClassifier().set_params(epochs=3)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("method", METHODS)
def test_parameters_of_a_configuration_amount_to_it(method: str, profile: str) -> None:
    if profile == "official" and not METHODS[method].official:
        return
    changes: dict[str, Any] = {
        "training": {"patience": None, "max_epochs": 7},
        "seed": 3,
        "encoder": {"max_length": 64},
    }
    given = {key: value for key, value in changes.items() if key not in METHODS[method].ignores}
    for settings in ({}, given):
        config = resolve({"profile": profile, "method": {"name": method}, **settings})
        parameters = parameters_of(config)
        assert TextClassifier(**parameters).run_config() == config
        assert parameters["method"] == method
        usual = {name for name, value in parameters.items() if value is not None}
        assert settings or usual <= {"encoder", "method", "profile"}


def test_names_are_parameters_and_settings() -> None:
    settings = RunConfig().model_dump()
    for path, name in NAMED.items():
        assert name in TextClassifier().get_params()
        inner: Any = settings
        for key in path:
            inner = inner[key]


@pytest.mark.parametrize("label", [str, int])
def test_what_is_loaded_shows_its_parameters_and_trains_as_it_was_trained(tmp_path: Path, label: type) -> None:
    encoder = tiny_encoder(tmp_path / "encoder", mean_pooling=True)
    texts, names = skewed_texts({"billing": 8, "access": 5})
    labels = names if label is str else [len(name) for name in names]
    weight = {labels[0]: 2.0}
    settings = {"max_epochs": 1, "batch_size": 8, "max_length": 32, "random_state": 4, "class_weight": weight}
    trained = TextClassifier(encoder=encoder, text_column="body", config={"method": {"mu": 0.4}}, **settings)
    trained.fit(texts, labels).save(tmp_path / "out")
    loaded = TextClassifier.load(tmp_path / "out")
    told = {name: value for name, value in loaded.get_params(deep=False).items() if value is not None}
    assert told == {
        **settings, "encoder": encoder, "method": "sharprecl", "text_column": "body", "device": "auto", "processes": 1,
        "verbose": 0,
        "config": {"method": {"mu": 0.4}},
    }  # fmt: skip
    assert "mu" in repr(loaded)
    again = clone(loaded).fit(texts, labels)
    assert (again.scores(texts) == trained.scores(texts)).all()
    assert again.natural_counts_.tolist() == loaded.natural_counts_.tolist() == trained.natural_counts_.tolist()
