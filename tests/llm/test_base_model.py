"""Which model the adapters belong to: from any folder, after a move, after a change."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from sharprecl.config import RunConfig
from sharprecl.config.language_models import LlmLoraConfig
from sharprecl.errors import AssetError
from sharprecl.export.card import Card, read_card
from sharprecl.llm import causal
from sharprecl.llm.base_model import BasePage, load_base
from sharprecl.llm.lora import LlmLora
from sharprecl.training.job import TrainingJob
from tiny_llm import table, tiny_llama_folder

TABLE = table(9)


def config(model):
    return RunConfig(method=LlmLoraConfig(model=model, epochs=1, learning_rate=5e-3))


def fit(settings):
    return LlmLora.fit(TrainingJob(TABLE, settings, device="cpu"))


def card(settings):
    return Card(list(TABLE.label_names), "str", [3, 3, 3], 256, "none", settings.model_dump(mode="json"))


@pytest.fixture
def saved(tmp_path, monkeypatch):
    """A classifier whose model was named by a relative path, and where it was trained."""
    home = tmp_path / "home"
    tiny_llama_folder(home / "llama")
    monkeypatch.chdir(home)
    fitted = fit(config("./llama"))
    fitted.predictor.save(tmp_path / "out", card(config("./llama")))
    return home / "llama", tmp_path / "out", fitted.predictor.scores(TABLE.texts)[0]


def test_a_model_of_a_relative_path_is_found_from_anywhere(saved, tmp_path, monkeypatch):
    home, out, expected = saved
    page = json.loads((out / "adapter/base.json").read_text())
    assert (page["model"], page["commit"]) == (str(home), None)
    assert len(page["config_sha256"]) == 64
    monkeypatch.chdir(tmp_path)
    loaded = LlmLora.load(out, read_card(out), "cpu")
    np.testing.assert_array_equal(loaded.scores(TABLE.texts)[0], expected)
    loaded.save(tmp_path / "again", read_card(out))
    assert json.loads((tmp_path / "again/adapter/base.json").read_text()) == page


def test_another_model_in_the_same_place_is_told(saved):
    home, out, _ = saved
    page = json.loads((home / "config.json").read_text())
    (home / "config.json").write_text(json.dumps({**page, "rms_norm_eps": 0.5}))
    with pytest.raises(AssetError, match=r"another language model than .* config.json differs"):
        LlmLora.load(out, read_card(out), "cpu")


def test_a_model_that_was_moved_is_found_where_the_page_says(saved, tmp_path):
    home, out, expected = saved
    home.rename(tmp_path / "moved")
    with pytest.raises(AssetError, match=r'is gone; put it back, or give its new place as "model" in base.json'):
        LlmLora.load(out, read_card(out), "cpu")
    page = json.loads((out / "adapter/base.json").read_text())
    (out / "adapter/base.json").write_text(json.dumps({**page, "model": str(tmp_path / "moved")}))
    np.testing.assert_array_equal(LlmLora.load(out, read_card(out), "cpu").scores(TABLE.texts)[0], expected)
    (out / "adapter/base.json").write_text("{")
    with pytest.raises(AssetError, match="damaged"):
        LlmLora.load(out, read_card(out), "cpu")


@pytest.mark.parametrize("there", ["abc", "def", None])
def test_a_model_of_the_hub_is_asked_for_by_its_commit(monkeypatch, there):
    asked = []

    def load(source, *, revision, **rest):
        asked.append((source, revision))
        return SimpleNamespace(config=SimpleNamespace(_commit_hash=there))

    monkeypatch.setattr(causal, "load_model", load)
    rest = {"four_bit": False, "device": torch.device("cpu"), "precision": "fp32", "say": print}
    assert load_base(BasePage(model="org/name"), **rest)[2] == BasePage(model="org/name", commit=there)
    if there == "def":
        with pytest.raises(AssetError, match="gave commit def of org/name"):
            load_base(BasePage(model="org/name", commit="abc"), **rest)
    else:
        load_base(BasePage(model="org/name", commit="abc"), **rest)
    assert asked == [("org/name", None), ("org/name", "abc")]
