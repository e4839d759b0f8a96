"""What is tried of which setting."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from outside import METHOD, Outside
from sharprecl.config import METHODS, SHARED, Around, Range, resolve
from sharprecl.errors import ConfigError
from sharprecl.scale.space import check_method, check_space, read_space, settings_of, settled, shipped_space, start_of

COUNTS = np.array([40, 16, 7, 2])
SEARCHED = [name for name in METHODS if name not in ("llm_lora", "openai_finetune")]


@pytest.mark.parametrize("name", SEARCHED)
def test_every_shipped_space_fits_its_method_and_holds_its_defaults(name: str) -> None:
    wanted = {"method": {"name": name}}
    config = resolve(wanted)
    check_method(config)
    space = shipped_space(config)
    check_space(space, wanted, config, COUNTS)
    start = start_of(space, config, {"training.learning_rate": 2e-4, "training.max_epochs": 4})
    assert settled(space, start) == {
        path: of if not isinstance(of, Around) else settled({path: of}, start)[path] for path, of in space.items()
    }, "no range needs to be widened for the defaults"
    assert 2 <= len(space) <= 7, "forty trials are few"
    assert not {"method.compensation", "method.tau"} & space.keys(), "folds cannot tell how classes will be mixed"


def test_a_method_from_outside_brings_its_own_space(outside: Outside) -> None:
    lines = METHOD.replace("import MethodConfig", "import MethodConfig, Range").replace(
        "    factor: float", "    search = {'factor': Range(0.5, 4, log=True)}\n    factor: float"
    )
    wanted = {"method": {"name": outside.write(lines)}}
    config = resolve(wanted)
    space = shipped_space(config)
    assert space == {"method.factor": Range(0.5, 4, log=True), **SHARED}
    check_space(space, wanted, config, COUNTS)
    wrong = resolve({"method": {"name": outside.write(lines.replace("'factor'", "'factors'"))}})
    with pytest.raises(ConfigError, match=r"'method.factors', which is no setting of outside"):
        check_space(shipped_space(wrong), {}, wrong, COUNTS)


@pytest.mark.parametrize("name", ["llm_lora", "openai_finetune"])
def test_language_models_are_refused_with_a_cure(name: str) -> None:
    with pytest.raises(ConfigError, match=f"{name} holds none out; search for those of .* --method sharprecl"):
        check_method(resolve({"method": {"name": name}}))


def test_a_search_that_would_look_at_test_texts_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"never looks at test texts; set training\.select_on"):
        check_method(resolve({"training": {"select_on": "test"}}))


def read(folder: Path, content: Any) -> Any:
    (folder / "space.yaml").write_text(content if isinstance(content, str) else yaml.safe_dump(content))
    return read_space(folder / "space.yaml")


def test_a_space_is_read_from_yaml(tmp_path: Path) -> None:
    lines = """
        method.mu: {low: 1e-2, high: 1, log: true}
        training.learning_rate: {around: 2}
        training.batch_size: [16, 32]
        encoder.trainable_layers: [null, 2]
    """
    assert read(tmp_path, lines) == {
        "method.mu": Range(0.01, 1, log=True),
        "training.learning_rate": Around(2),
        "training.batch_size": (16, 32),
        "encoder.trainable_layers": (None, 2),
    }


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({}, "names no setting"),
        ({"method.mu": {"low": 1, "high": 0.1}}, "low must be below high"),
        ({"method.mu": {"low": 0, "high": 1, "log": True}}, "low must be above 0"),
        ({"method.mu": {"low": 0.1}}, "method.mu cannot be searched"),
        ({"method.mu": {"low": 0.1, "high": 1, "step": 1}}, "method.mu cannot be searched"),
        ({"method": {"mu": {"low": 0.1, "high": 1}}}, "method cannot be searched"),
        ({"method.mu": {"around": 1}}, "greater than 1"),
        ({"method.mu": []}, "has no choices"),
        ({"method.mu": 0.3}, "write {low: 0.1, high: 1, log: true}, {around: 4} or a list of choices"),
    ],
)
def test_what_is_no_space_is_one_sentence(tmp_path: Path, content: Any, sentence: str) -> None:
    with pytest.raises(ConfigError) as refused:
        read(tmp_path, content)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("space", "sentence"),
    [
        ({"method.muu": Range(0, 1)}, r"'method.muu', which is no setting of sharprecl \(did you mean 'method.mu'\?\)"),
        ({"seed": (1, 2)}, "'seed', which is the same in all trials"),
        ({"method.mu": Range(-1, 1)}, "method.mu: Input should be greater than or equal to 0"),
        ({"method.head_norm": ("none", "lots")}, "method.head_norm"),
        ({"encoder.trainable_layers": Range(1, 4)}, "is None to begin with; begin at a number"),
        ({"training.batch_size": Range(1.5, 4)}, "training.batch_size"),
    ],
)
def test_a_space_that_the_method_does_not_take_is_refused(space: Any, sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        check_space(space, {}, resolve({}), COUNTS)


def test_ranges_are_settled_around_the_start_and_hold_it() -> None:
    config = resolve({"method": {"mu": 5.0}, "training": {"learning_rate": 1e-3}})
    space = {
        "method.mu": Range(0.1, 2, log=True),
        "training.learning_rate": Around(4),
        "training.max_epochs": Around(2),
        "training.batch_size": (16, 64),
    }
    automatic = {"training.learning_rate": 2e-4, "training.max_epochs": 5, "training.batch_size": 32}
    start = start_of(space, config, automatic)
    assert start == {
        "method.mu": 5.0, "training.learning_rate": 1e-3, "training.max_epochs": 5, "training.batch_size": 32,
    }  # fmt: skip
    assert settled(space, start) == {
        "method.mu": Range(0.1, 5, log=True),
        "training.learning_rate": Range(2.5e-4, 4e-3, log=True),
        "training.max_epochs": Range(2, 10, log=True),
        "training.batch_size": (32, 16, 64),
    }


def test_values_become_settings_of_three_digits() -> None:
    values = {"method.mu": 0.123456, "training.max_epochs": 12345, "training.learning_rate": 3.14159e-5}
    assert settings_of(values) == {"method": {"mu": 0.123}, "training": {"max_epochs": 12345, "learning_rate": 3.14e-5}}
    assert settings_of({}) == {}
