"""Encoders, data sets and lexicons by name."""

import json
import sys
from pathlib import Path

import pytest

from sharprecl.assets import fetch, local_or_hub, r52_files, resolve_encoder, wordnet_dir
from sharprecl.errors import AssetError


@pytest.mark.parametrize("name", ["bert-base-uncased", "sentence-transformers/all-MiniLM-L6-v2", "org/name_1.0"])
def test_hub_ids_pass_unchanged(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert resolve_encoder(name) == name


@pytest.mark.parametrize(
    "name", ["./gone", "/no/such/folder", "~/no-such", "~nobody-at-all/x", "a/b/c", "gone/", "a\\b"]
)
def test_paths_that_are_not_there(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AssetError, match=r"does not exist.*one of: minilm"):
        resolve_encoder(name)


@pytest.mark.parametrize("name", ["", "two words", "a:b", "ünï", "-x", "a/-b", "nul\0", "x" * 5000 + "!"])
def test_impossible_names_list_the_named_encoders(name):
    with pytest.raises(AssetError, match="one of: minilm"):
        resolve_encoder(name)


def test_sentences_name_what_was_asked_for():
    with pytest.raises(AssetError, match=r"the language model folder './gone' does not exist; .* one of: x, y"):
        local_or_hub("./gone", "language model", ("x", "y"))


def test_local_folders(tmp_path, monkeypatch):
    folder = tmp_path / "org" / "name"
    folder.mkdir(parents=True)
    with pytest.raises(AssetError, match=r"holds no model, for it has no config\.json"):
        resolve_encoder(str(folder))
    (folder / "config.json").write_text("{}")
    assert resolve_encoder(str(folder)) == str(folder)
    monkeypatch.chdir(tmp_path)
    assert resolve_encoder("org/name") == "org/name"
    monkeypatch.setenv("HOME", str(tmp_path))
    assert resolve_encoder("~/org/name") == str(folder)
    with pytest.raises(AssetError, match="holds no model"):
        resolve_encoder(str(folder / "config.json"))


def test_named_encoder_is_fetched(monkeypatch, tmp_path):
    monkeypatch.setattr(sys.modules["sharprecl.assets.named"], "fetch", lambda name, progress: tmp_path / name)
    assert resolve_encoder("minilm") == str(tmp_path / "minilm")


@pytest.mark.asset
def test_minilm_is_the_whole_model():
    folder = Path(resolve_encoder("minilm"))
    config = json.loads((folder / "config.json").read_text())
    assert (config["model_type"], config["num_hidden_layers"], config["hidden_size"]) == ("bert", 6, 384)
    assert (folder / "model.safetensors").stat().st_size == 90868376
    assert (folder / "1_Pooling" / "config.json").is_file()


@pytest.mark.asset
def test_smollm2_is_one_file_in_gguf():
    (weights,) = fetch("smollm2").iterdir()
    assert (weights.name, weights.stat().st_size) == ("SmolLM2-135M-Instruct.Q4_1.gguf", 98362432)
    assert weights.read_bytes()[:4] == b"GGUF"


@pytest.mark.asset
def test_r52_files_are_the_published_ones():
    train, test = r52_files()
    assert (train.stat().st_size, test.stat().st_size) == (4281485, 1522515)


@pytest.mark.asset
def test_wordnet_s_nouns_are_joined_right():
    nouns = (wordnet_dir() / "data.noun").read_bytes()
    assert len(nouns) == 15300280
    # Every record begins with its own byte offset: the join is right only if that holds to the end.
    last = nouns.rindex(b"\n", 0, -1) + 1
    assert int(nouns[last : last + 8]) == last
