"""The method from a table to answers and back from disk, on a tiny model; and the real SmolLM2 from pip."""

import dataclasses
import importlib
import json
import sys

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from sharprecl.config import RunConfig, TrainingConfig
from sharprecl.config.language_models import LlmLoraConfig
from sharprecl.errors import AssetError, CheckpointError, ConfigError, MissingExtraError
from sharprecl.export.card import Card, read_card
from sharprecl.llm import causal
from sharprecl.llm.base_model import PRESETS, unpacked
from sharprecl.llm.lora import LlmLora
from sharprecl.training.history import Callback, read_history
from sharprecl.training.job import TrainingJob
from sharprecl.training.trainer import Trainer
from tiny_llm import table, tiny_llama, tiny_llama_folder

TABLE = table()


class Told(Callback):
    def __init__(self):
        self.sentences = []

    def on_message(self, sentence):
        self.sentences.append(sentence)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_llama_folder(tmp_path_factory.mktemp("llama"))


def config(model, seed=0, **settings):
    given = {"task": "topic", "epochs": 2, "batch_size": 8, "learning_rate": 5e-3, "rank": 4, **settings}
    return RunConfig(seed=seed, method=LlmLoraConfig(model=model, **given))


def fit(model, seed=0, output=None, resume=False, callback=None, device="cpu", rows=TABLE, **settings):
    return LlmLora.fit(
        TrainingJob(
            rows, config(model, seed, **settings), callback or Callback(), output=output, resume=resume, device=device
        )
    )


def card(settings):
    return Card(
        label_names=list(TABLE.label_names),
        label_type="str",
        class_counts=TABLE.class_counts.tolist(),
        max_length=256,
        pooling="none",
        config=settings.model_dump(mode="json"),
    )


def test_fitting_beats_the_model_as_it_is(folder):
    before = fit(folder, epochs=0)
    after = fit(folder, epochs=20, target_modules="all", rank=8, dropout=0.0, max_grad_norm=5.0)
    truth = TABLE.label_ids
    accuracy = [float((run.predictor.scores(TABLE.texts)[0].argmax(1) == truth).mean()) for run in (before, after)]
    assert accuracy[1] > accuracy[0] + 0.4
    assert (before.outcome.steps, before.facts["trained_weights"]) == (0, 0)
    assert len(after.validation) == 0
    json.dumps(after.facts)


def test_equal_runs_are_equal_and_leave_the_global_state_alone(folder):
    state = torch.get_rng_state()
    first, second = fit(folder), fit(folder)
    assert torch.equal(state, torch.get_rng_state())
    assert first.facts == second.facts
    np.testing.assert_array_equal(first.predictor.scores(TABLE.texts)[0], second.predictor.scores(TABLE.texts)[0])
    assert not np.array_equal(
        first.predictor.scores(TABLE.texts)[0], fit(folder, seed=1).predictor.scores(TABLE.texts)[0]
    )


@pytest.mark.parametrize("epochs", [1, 0])
def test_saved_and_read_again_it_scores_the_same(folder, tmp_path, epochs):
    fitted = fit(folder, epochs=epochs, label_words={"broken": "human error"})
    out = tmp_path / "out"
    written = fitted.predictor.save(out, card(config(folder, epochs=epochs, label_words={"broken": "human error"})))
    assert read_card(out) == written
    assert "adapters" in written.not_stock_because
    assert {path.name for path in out.iterdir()} == {"adapter", "sharprecl.json"}
    assert (out / "adapter" / "adapter_model.safetensors").is_file() == bool(epochs)
    loaded = LlmLora.load(out, read_card(out), "cpu")
    scores, features = loaded.scores(TABLE.texts)
    np.testing.assert_array_equal(scores, fitted.predictor.scores(TABLE.texts)[0])
    assert (scores.dtype, features.shape, loaded.pooling) == (np.float32, (len(TABLE), 0), "none")


def test_saving_replaces_ours_and_refuses_others(folder, tmp_path):
    fitted, page = fit(folder, epochs=1), card(config(folder))
    (tmp_path / "model").mkdir()
    with pytest.raises(ConfigError, match="was not written by sharprecl"):
        fitted.predictor.save(tmp_path, page)
    (tmp_path / "sharprecl.json").write_text("{}")
    (tmp_path / ".adapter.123").mkdir()
    fitted.predictor.save(tmp_path, page)
    fitted.predictor.save(tmp_path, dataclasses.replace(page, text_column="body"))
    assert {path.name for path in tmp_path.iterdir()} == {"adapter", "sharprecl.json"}
    assert read_card(tmp_path).text_column == "body"


def test_a_crash_while_saving_leaves_no_half_classifier(folder, tmp_path, monkeypatch):
    fitted, page = fit(folder, epochs=1), card(config(folder))

    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(causal, "save_adapters", full)
    with pytest.raises(CheckpointError, match="free some space"):
        fitted.predictor.save(tmp_path / "out", page)
    assert list((tmp_path / "out").iterdir()) == []


def test_loading_without_adapters_says_so(folder, tmp_path):
    fitted, page = fit(folder, epochs=1), card(config(folder))
    fitted.predictor.save(tmp_path, page)
    weights = tmp_path / "adapter" / "adapter_model.safetensors"
    weights.write_bytes(weights.read_bytes()[:100])
    with pytest.raises(AssetError, match=r"adapters in .* could not be read"):
        LlmLora.load(tmp_path, page, "cpu")
    (tmp_path / "adapter" / "adapter_config.json").unlink()
    with pytest.raises(AssetError, match="gone or incomplete"):
        LlmLora.load(tmp_path, page, "cpu")


def test_every_setting_of_the_adapters_reaches_them(folder):
    peft = fit(folder, epochs=1, rank=3, alpha=5, dropout=0.25, target_modules=("k_proj",)).predictor.model.peft_config
    made = peft["default"]
    assert (made.r, made.lora_alpha, made.lora_dropout, made.target_modules) == (3, 5, 0.25, {"k_proj"})
    assert made.base_model_name_or_path == folder
    assert fit(folder, epochs=1).predictor.model.peft_config["default"].target_modules == {"q_proj", "v_proj"}
    every = fit(folder, epochs=1, target_modules="all").predictor.model.peft_config["default"].target_modules
    assert {name.rpartition(".")[2] for name in every} == {
        "q_proj",
        "k_proj",
        "v_proj",
        "o_proj",
        "gate_proj",
        "up_proj",
        "down_proj",
    }
    with pytest.raises(ConfigError, match=r"method\.target_modules fits no layer"):
        fit(folder, epochs=1, target_modules=("nothing",))


def test_prompt_settings_reach_the_prompt(folder):
    chat, plain = fit(folder, epochs=0), fit(folder, epochs=0, prompt="plain", task="something else")
    assert (chat.facts["prompt_form"], plain.facts["prompt_form"]) == ("chat", "plain")
    assert "Task: something else.\nLabels: refund; late parcel; broken\n" in plain.facts["example_prompt"]
    assert not np.allclose(chat.predictor.scores(["my box"])[0], plain.predictor.scores(["my box"])[0])
    mean = fit(folder, epochs=0, scoring="mean").predictor.scores(["my box"])[0]
    np.testing.assert_allclose(mean, chat.predictor.scores(["my box"])[0] / [2, 3, 2], rtol=1e-6)


def test_cut_texts_are_told(folder):
    told = Told()
    fitted = fit(folder, epochs=0, max_words=3, callback=told)
    cut = sum(len(text.split()) > 3 for text in TABLE.texts)
    assert fitted.facts["truncated_texts"] == cut > 0
    assert fitted.notes[-1].startswith(f"{cut} of {len(TABLE)} training texts are longer than 3 words")
    assert any(fitted.notes[-1] in sentence for sentence in told.sentences)


def test_generated_answers_are_read_or_missing(folder, monkeypatch):
    predictor = fit(folder, epochs=0, inference="generate").predictor
    answers = ["Broken.", "no label", "late parcel"]
    monkeypatch.setattr(type(predictor), "_written", lambda self, prompts: answers)
    scores, _ = predictor.scores(["a", "b", "c"])
    np.testing.assert_array_equal(scores, [[-100, -100, 0], [np.nan] * 3, [-100, 0, -100]])


def test_generation_is_greedy_and_knows_no_neighbours(folder):
    predictor = fit(folder, epochs=6, inference="generate").predictor
    prompts, _ = predictor.encoder.prompts(TABLE.texts[:6])
    written = predictor._written(prompts)
    assert written == [predictor._written([ids])[0] for ids in prompts]
    ids = list(prompts[0])
    for _ in range(7):
        with torch.no_grad():
            ids.append(int(predictor.model(input_ids=torch.tensor([ids])).logits[0, -1].argmax()))
        if ids[-1] == predictor.encoder.tokenizer.eos_token_id:
            break
    expected = predictor.encoder.tokenizer.decode(ids[len(prompts[0]) :], skip_special_tokens=True)
    assert written[0] == expected


class _CutOffError(Exception):
    pass


def test_a_fine_tuning_that_was_cut_off_goes_on_to_the_same_weights(folder, tmp_path, monkeypatch):
    whole = fit(folder, output=tmp_path / "whole", dropout=0.1)
    cut = tmp_path / "cut"
    step, steps = Trainer._step, []
    often = config(folder, dropout=0.1).model_copy(update={"training": TrainingConfig(checkpoint_seconds=0)})

    def cut_off(self, batch):
        if len(steps) == 4:
            raise _CutOffError
        steps.append(batch)
        step(self, batch)

    with monkeypatch.context() as patch:
        patch.setattr(Trainer, "_step", cut_off)
        with pytest.raises(_CutOffError):
            LlmLora.fit(TrainingJob(TABLE, often, output=cut))
    told = Told()
    resumed = LlmLora.fit(TrainingJob(TABLE, often, told, output=cut, resume=True))
    assert any("resumed at step 4" in sentence for sentence in told.sentences)
    assert read_history(cut / "history.jsonl") == read_history(tmp_path / "whole" / "history.jsonl")
    for (name, one), (_, other) in zip(
        whole.predictor.model.named_parameters(), resumed.predictor.model.named_parameters(), strict=True
    ):
        assert torch.equal(one, other), name
    assert resumed.outcome.tokens == whole.outcome.tokens


@pytest.mark.parametrize("settings", [{"model": "llama2_7b"}, {"model": "bloom_7b1"}, {"quantization": "nf4"}])
def test_four_bits_without_cuda_fail_in_one_sentence_before_any_download(settings, folder):
    with pytest.raises(ConfigError, match="need an NVIDIA GPU with CUDA") as caught:
        fit(**{"model": folder, **settings})
    assert "\n" not in str(caught.value)


def test_four_bits_need_bitsandbytes(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match="pip install bitsandbytes"):
        causal.check_four_bit(torch.device("cuda"))


def test_packages_that_are_too_old_are_told(folder, monkeypatch):
    def refuse(*args, **rest):
        raise ImportError("Using `bitsandbytes` 4-bit quantization requires bitsandbytes: `pip install -U ...`\nMore")

    monkeypatch.setattr("transformers.AutoModelForCausalLM.from_pretrained", refuse)
    for four_bit, cure in ((True, "--upgrade bitsandbytes accelerate"), (False, "--upgrade transformers")):
        with pytest.raises(MissingExtraError, match=cure) as caught:
            causal.load_model(folder, four_bit=four_bit, device=torch.device("cuda"), bf16=True)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("module", "call"), [("peft", causal.require_peft), ("gguf", lambda: causal._gguf("x.gguf"))])
def test_a_missing_package_names_the_extra(module, call, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"'{module}'.*pip install 'sharprecl\[llm\]'"):
        call()


def test_zero_shot_needs_no_peft(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "peft", None)
    assert fit(folder, epochs=0).predictor.scores(["my box"])[0].shape == (1, 3)
    with pytest.raises(MissingExtraError):
        fit(folder, epochs=1)


def test_an_encoder_cannot_write(tmp_path):
    from tiny import tiny_encoder

    with pytest.raises(AssetError, match="encoder cannot write"):
        fit(tiny_encoder(tmp_path))


def test_names_of_models():
    with pytest.raises(AssetError, match=r"language model folder .* does not exist; .*smollm2, bloom_7b1, llama2_7b"):
        fit("./gone")
    with pytest.raises(ValidationError):
        LlmLoraConfig(rank=0)
    assert {name: (made.source, made.four_bit) for name, made in PRESETS.items()} == {
        "smollm2": ("smollm2", False),
        "bloom_7b1": ("bigscience/bloom-7b1", True),
        "llama2_7b": ("meta-llama/Llama-2-7b-hf", True),
        "llama3_8b": ("meta-llama/Meta-Llama-3-8B", True),
    }


def test_gated_models_name_the_page():
    sentence = causal._cannot_load(
        "language model", "org/name", OSError("You are trying to access a gated repo.\nMore")
    )
    assert "https://huggingface.co/org/name" in sentence
    assert "hf auth login" in sentence


def test_official_settings_are_settings():
    LlmLoraConfig(**LlmLoraConfig.official["method"])


def test_tiny_model_is_what_it_says():
    assert tiny_llama().config.model_type == "llama"


@pytest.fixture(scope="module")
def smollm2():
    return fit("smollm2", epochs=1, rows=table(8), batch_size=8, task="category of the customer's message")


@pytest.fixture
def unpacking(tmp_path, monkeypatch):
    (tmp_path / "x-1").mkdir()
    calls = []

    def unpack(folder, gguf_file, into):
        calls.append(gguf_file)
        into.mkdir()
        (into / "config.json").write_text("{}")
        if len(calls) == 1:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("sharprecl.llm.base_model._unpack", unpack)
    return tmp_path / "x-1", calls


def test_a_gguf_file_is_unpacked_once_and_whole(unpacking):
    folder, calls = unpacking
    with pytest.raises(AssetError, match="writable and has room"):
        unpacked(folder, "x.gguf", lambda line: None)
    assert not (folder.parent / "x-1-float32").exists()
    told = []
    for _ in range(2):
        assert unpacked(folder, "x.gguf", told.append) == str(folder.parent / "x-1-float32")
    assert (len(calls), len(told)) == (2, 1)
    assert [path.name for path in folder.parent.iterdir() if path.suffix == ".tmp"] == []


@pytest.mark.asset
def test_smollm2_unpacked_is_an_ordinary_model(smollm2):
    model = smollm2.predictor.model.get_base_model()
    assert sum(weight.numel() for name, weight in model.named_parameters() if "lora_" not in name) == 134_515_008
    assert {weight.dtype for weight in model.parameters()} == {torch.float32}
    assert not hasattr(model.config, "quantization_config")


@pytest.mark.asset
def test_smollm2_reads_chat_and_learns_a_step(smollm2):
    assert (smollm2.facts["prompt_form"], smollm2.facts["trained_weights"]) == ("chat", 230_400)
    assert smollm2.outcome.steps == 1
    prompts, _ = smollm2.predictor.encoder.prompts(["my box"])
    text = smollm2.predictor.encoder.tokenizer.decode(prompts[0])
    assert text.endswith("Text: my box\nLabel:<|im_end|>\n<|im_start|>assistant\n")
    assert text.startswith("<|im_start|>system\nYou are a text classifier.")


@pytest.mark.asset
def test_smollm2_scores_are_those_of_whole_forwards(smollm2):
    predictor = smollm2.predictor
    prompts, _ = predictor.encoder.prompts(["my box", "please help me with my broken screen"])
    scores, _ = predictor.scores(["my box", "please help me with my broken screen"])
    label = predictor.encoder.label_ids[1]
    for row, prompt in enumerate(prompts):
        with torch.no_grad():
            logits = predictor.model(input_ids=torch.tensor([prompt + label])).logits[0, len(prompt) - 1 : -1]
        expected = float(logits.double().log_softmax(-1)[range(len(label)), label].sum())
        assert scores[row, 1] == pytest.approx(expected, abs=2e-4)
