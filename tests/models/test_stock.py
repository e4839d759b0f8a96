"""Loading: whole or not at all, one padding token, and no text longer than the encoder takes."""

import json
from pathlib import Path

import pytest
import torch
import transformers as tf
from safetensors.torch import load_file, save_file

from sharprecl.errors import AssetError, ConfigError
from sharprecl.models import stock
from sharprecl.quiet import quiet
from tiny import CONFIGS, tiny_config, tiny_encoder, tiny_tokenizer

NAMES = ("a", "b", "c")


def classifier(kind: str, **changes: object) -> tf.PreTrainedModel:
    torch.manual_seed(0)
    return tf.AutoModelForSequenceClassification.from_config(tiny_config(kind, num_labels=3, **changes)).eval()


def change_weights(folder: str, change) -> None:
    path = Path(folder) / "model.safetensors"
    save_file(change(load_file(path)), path, metadata={"format": "pt"})


@pytest.mark.parametrize("kind", CONFIGS)
def test_an_encoder_and_then_its_saved_classifier_load_whole(kind: str, tmp_path: Path) -> None:
    source = tiny_encoder(tmp_path / "encoder", kind)
    model = stock.load_classifier(source, NAMES)
    assert model.config.id2label == dict(enumerate(NAMES))
    bare = tf.AutoModel.from_pretrained(source).state_dict()
    loaded = model.base_model.state_dict()
    assert all(torch.equal(loaded[name], bare[name]) for name in loaded)
    model.save_pretrained(tmp_path / "saved")
    again = stock.load_classifier(str(tmp_path / "saved")).state_dict()
    assert all(torch.equal(again[name], tensor) for name, tensor in model.state_dict().items())


def test_a_head_of_other_size_and_a_missing_pooler_are_replaced(tmp_path: Path) -> None:
    classifier("bert").save_pretrained(tmp_path)
    change_weights(str(tmp_path), lambda weights: {n: w.clone() for n, w in weights.items() if "pooler" not in n})
    assert stock.load_classifier(str(tmp_path), tuple("vwxyz")).classifier.out_features == 5


@pytest.mark.parametrize("kind", ["bert", "roberta", "llama"])
def test_a_head_that_came_with_the_checkpoint_is_drawn_anew(kind: str, tmp_path: Path) -> None:
    trained = classifier(kind)
    head = stock.last_linear(trained, len(NAMES))
    with torch.no_grad():
        head.weight.fill_(0.5)
    trained.save_pretrained(tmp_path)
    heads = []
    for seed in (0, 1, 0):
        torch.manual_seed(seed)
        heads.append(stock.last_linear(stock.load_classifier(str(tmp_path), NAMES), len(NAMES)).weight)
    assert torch.equal(heads[0], heads[2])
    assert not torch.equal(heads[0], heads[1])
    assert heads[0].abs().max() < 0.2
    # What answers keeps the head that it was trained with.
    kept = stock.load_classifier(str(tmp_path))
    assert stock.last_linear(kept, len(NAMES)).weight.unique().tolist() == [0.5]


@pytest.mark.parametrize(
    ("change", "count"),
    [
        (lambda weights: {f"other.{name}": w.clone() for name, w in weights.items()}, 37),
        (lambda weights: {n: w.clone() for n, w in weights.items() if "layer.1." not in n}, 16),
        (lambda weights: {n: (w[:, :8] if n.endswith("query.weight") else w).clone() for n, w in weights.items()}, 2),
    ],
    ids=["other names", "a layer short", "other shapes"],
)
def test_an_encoder_never_starts_from_random_weights(change, count: int, tmp_path: Path) -> None:
    source = tiny_encoder(tmp_path)
    change_weights(source, change)
    with pytest.raises(AssetError, match=rf"lacks {count} of the weights .* \(the first is 'bert\.e.*another arch"):
        stock.load_classifier(source, NAMES)


@pytest.mark.parametrize(
    "change",
    [
        lambda weights: {n: w.clone() for n, w in weights.items() if n != "classifier.bias"},
        lambda weights: {n: (w[:2] if n == "classifier.bias" else w).clone() for n, w in weights.items()},
    ],
    ids=["missing", "other shape"],
)
def test_a_saved_classifier_lacks_nothing(change, tmp_path: Path) -> None:
    classifier("bert").save_pretrained(tmp_path)
    change_weights(str(tmp_path), change)
    with pytest.raises(AssetError, match=r"lacks 1 of its weights .*'classifier\.bias'.*copy it again"):
        stock.load_classifier(str(tmp_path))


@pytest.mark.parametrize("left", [0, 5000])
@pytest.mark.parametrize("names", [None, NAMES])
def test_a_file_that_was_cut_off_is_told_in_one_sentence(
    left: int, names: tuple[str, ...] | None, tmp_path: Path
) -> None:
    source = tiny_encoder(tmp_path)
    path = tmp_path / "model.safetensors"
    path.write_bytes(path.read_bytes()[:left])
    with pytest.raises(AssetError, match=r"could not be read .*damaged or was cut off") as caught:
        stock.load_classifier(source, names)
    assert "\n" not in str(caught.value)


def test_a_tokenizer_pads_with_its_end_token_or_is_refused(tmp_path: Path) -> None:
    path = Path(tiny_encoder(tmp_path)) / "tokenizer_config.json"
    settings = json.loads(path.read_text())
    del settings["pad_token"]
    path.write_text(json.dumps({**settings, "eos_token": "[SEP]"}))
    assert stock.load_tokenizer(str(tmp_path)).pad_token_id == 3
    path.write_text(json.dumps(settings))
    with pytest.raises(ConfigError, match="neither a padding nor an end token"):
        stock.load_tokenizer(str(tmp_path))


@pytest.mark.parametrize("pad", [None, 1])
def test_llama_learns_the_padding_token_and_batches(pad: int | None) -> None:
    model = classifier("llama", pad_token_id=pad)
    tokenizer = tiny_tokenizer()
    stock.agree_on_padding(model, tokenizer)
    texts = ["refund please help", "late parcel"]
    with torch.no_grad():
        together = model(**tokenizer(texts, padding=True, return_tensors="pt", return_token_type_ids=False)).logits
        alone = model(**tokenizer(texts[1:], return_tensors="pt", return_token_type_ids=False)).logits
    torch.testing.assert_close(together[1:], alone)


def test_roberta_keeps_the_padding_token_that_its_positions_start_from(tmp_path: Path) -> None:
    model, tokenizer = classifier("roberta", pad_token_id=1), tiny_tokenizer()
    stock.agree_on_padding(model, tokenizer)
    assert model.config.pad_token_id == 1
    inputs = tokenizer("late parcel", return_tensors="pt")
    model.save_pretrained(tmp_path)
    with torch.no_grad():
        torch.testing.assert_close(stock.load_classifier(str(tmp_path))(**inputs).logits, model(**inputs).logits)


def test_a_padding_token_without_a_vector_is_refused() -> None:
    tokenizer = tiny_tokenizer()
    tokenizer.add_special_tokens({"pad_token": "<new>"})
    with pytest.raises(ConfigError, match="pads with token 43, but the encoder knows only 43"):
        stock.agree_on_padding(classifier("llama"), tokenizer)


LIMITS = [
    ("bert", {}, 96),
    ("distilbert", {}, 96),
    ("electra", {}, 96),
    ("deberta-v2", {}, 96),
    ("roberta", {"pad_token_id": 0}, 95),
    ("roberta", {"pad_token_id": 1}, 94),
    ("mpnet", {}, 94),
]


@pytest.mark.parametrize(("kind", "changes", "most"), LIMITS)
def test_the_longest_text_runs_and_one_token_more_does_not(kind: str, changes: dict[str, int], most: int) -> None:
    model = classifier(kind, **changes)
    assert stock.longest_text(model) == most
    with torch.no_grad():
        assert model(input_ids=torch.full((1, most), 7)).logits.isfinite().all()
        with pytest.raises((IndexError, RuntimeError)):
            model(input_ids=torch.full((1, most + 1), 7))


@pytest.mark.parametrize(
    ("config", "most"),
    [
        (tf.XLMRobertaConfig(max_position_embeddings=514, pad_token_id=1), 512),
        (tf.CamembertConfig(max_position_embeddings=514, pad_token_id=1), 512),
        (tf.ModernBertConfig(), 8192),
        (tf.LlamaConfig(num_key_value_heads=2), 2048),
        (tf.DebertaV2Config(position_biased_input=False, relative_attention=True), None),
        (tf.XLNetConfig(), None),
        (tf.T5Config(), None),
    ],
    ids=lambda value: getattr(value, "model_type", None),
)
def test_limits_of_other_families(config: tf.PreTrainedConfig, most: int | None) -> None:
    small = {"num_hidden_layers": 1, "num_attention_heads": 2, "hidden_size": 16, "intermediate_size": 16}
    for name, value in {**small, "vocab_size": 50, "pad_token_id": min(1, config.pad_token_id or 0)}.items():
        setattr(config, name, value)
    with torch.device("meta"):
        model = tf.AutoModelForSequenceClassification.from_config(config)
    assert stock.longest_text(model) == most


def test_a_limit_is_named_with_its_cure() -> None:
    model = classifier("bert")
    stock.check_length(model, 96)
    with pytest.raises(ConfigError) as caught:
        stock.check_length(model, 97)
    assert str(caught.value) == (
        "encoder.max_length is 97, but this encoder takes at most 96 tokens; set --max-length 96"
    )
    with torch.device("meta"):
        free = classifier("deberta-v2", position_biased_input=False, relative_attention=True)
    stock.check_length(free, 100_000)


def test_quiet_is_over_when_it_ends() -> None:
    from huggingface_hub.utils import logging as hub_logging
    from transformers.utils import logging as hf_logging

    before = hub_logging.get_verbosity(), hf_logging.get_verbosity()
    with quiet():
        assert min(hub_logging.get_verbosity(), hf_logging.get_verbosity()) >= 50
    assert (hub_logging.get_verbosity(), hf_logging.get_verbosity()) == before
