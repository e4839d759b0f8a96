"""Everything that depends on the inside of transformers: loading, opening, and the two attention kernels.

The library changes weekly, so what depends on its inside stands in this one file.
"""

import inspect
import json
from collections.abc import Sequence
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch
from safetensors import SafetensorError
from torch import Tensor, nn

from sharprecl.errors import AssetError, ConfigError
from sharprecl.quiet import quiet

_ABSOLUTE_POSITIONS = ("bert", "roberta", "xlm-roberta", "camembert")

FOLDED = "sharprecl_pooling"
"""Key in the configuration of an exported model: the pooling that its layers express (``export/stock.py``)."""


_ATTENTION_DROPOUT = ("attention_probs_dropout_prob", "attention_dropout")


def load_classifier(
    source: str, label_names: tuple[str, ...] | None = None, attention_dropout: float | None = None
) -> Any:
    """Load ``AutoModelForSequenceClassification`` in float32.

    Args:
        source: a local folder or a Hugging Face id.
        label_names: gives the model a fresh head with one output a name; None keeps the head that is there.
        attention_dropout: share of the attention weights dropped in training; None leaves it as the encoder says.

    Raises:
        AssetError: there is no such model, it cannot be reached, its file is damaged, or it lacks weights of the
            encoder (with a head of its own: any weight), which would be left at random values.
        ConfigError: a fresh head was asked for, and the model does not end in one, or is an exported classifier whose
            pooling is folded into its layers.
    """
    from transformers import AutoConfig, AutoModelForSequenceClassification

    changes: dict[str, Any] = {}
    if label_names is not None:
        changes = {
            "num_labels": len(label_names),
            "id2label": dict(enumerate(label_names)),
            "label2id": {name: index for index, name in enumerate(label_names)},
            "problem_type": "single_label_classification",
        }
    try:
        with quiet():
            if attention_dropout is not None:
                there = AutoConfig.from_pretrained(source)
                changes |= {name: attention_dropout for name in _ATTENTION_DROPOUT if hasattr(there, name)}
            # Other shapes are let through here, so that our own sentence tells of them below.
            model, report = AutoModelForSequenceClassification.from_pretrained(
                source, dtype=torch.float32, ignore_mismatched_sizes=True, output_loading_info=True, **changes
            )
    except (OSError, ValueError) as error:
        raise AssetError(_cannot_load("encoder", source, error)) from error
    except (SafetensorError, UnpicklingError, RuntimeError) as error:
        raise AssetError(
            f"the weights of {source!r} could not be read ({_first_line(error)}); the file is probably damaged or was "
            f"cut off: fetch or copy it again"
        ) from error
    fresh = set(report["missing_keys"]) | {name for name, *_ in report["mismatched_keys"]}
    if label_names is None:
        if fresh:
            raise AssetError(
                f"the saved classifier {source!r} lacks {len(fresh)} of its weights or has them in another shape (the "
                f"first is {min(fresh)!r}); it was probably copied in part or changed: copy it again, or train again"
            )
        return model
    if lost := {name for name in fresh if _of_encoder(name, model.base_model_prefix)}:
        raise AssetError(
            f"the encoder {source!r} lacks {len(lost)} of the weights that {type(model).__name__} needs or has them in "
            f"another shape (the first is {min(lost)!r}); its checkpoint probably belongs to another architecture: "
            f"correct its config.json, or choose another encoder"
        )
    if folded := getattr(model.config, FOLDED, None):
        raise ConfigError(
            f"{source!r} is a classifier that sharprecl exported, with its {folded} pooling folded into layers "
            f"that cannot be trained; train from the encoder that it was trained from"
        )
    _refresh_head(model, len(label_names), fresh)
    return model


def _refresh_head(model: Any, classes: int, fresh: set[str]) -> None:
    """Draw the last layer anew if it came with the checkpoint: its rows stand for other classes."""
    head = last_linear(model, classes)
    name = next(name for name, module in model.named_modules() if module is head)
    if f"{name}.weight" not in fresh:
        torch.nn.init.normal_(head.weight, std=getattr(model.config, "initializer_range", 0.02))
        if head.bias is not None:
            torch.nn.init.zeros_(head.bias)


def _of_encoder(name: str, prefix: str) -> bool:
    """Whether a weight belongs to the encoder; its pooler is part of the head, which is new anyway."""
    return name.startswith(f"{prefix}.") and not name.removeprefix(f"{prefix}.").startswith("pooler")


def hidden_size(source: str) -> int:
    """Width of an encoder, without loading its weights.

    Raises:
        AssetError: there is no such model, or it cannot be reached.
    """
    from transformers import AutoConfig

    try:
        return int(AutoConfig.from_pretrained(source).hidden_size)
    except (OSError, ValueError) as error:
        raise AssetError(_cannot_load("encoder", source, error)) from error


def load_tokenizer(source: str) -> Any:
    """Load the fast tokenizer that belongs to a model.

    Raises:
        AssetError: there is none, or it cannot be reached.
        ConfigError: it has no token that could pad.
    """
    from transformers import AutoTokenizer

    try:
        with quiet():
            tokenizer = AutoTokenizer.from_pretrained(source, use_fast=True)
    except (OSError, ValueError, KeyError) as error:
        raise AssetError(_cannot_load("tokenizer", source, error)) from error
    if tokenizer.pad_token_id is None:
        # LLaMA-like tokenizers have none; padding is masked, so any token will do.
        if tokenizer.eos_token is None:
            raise ConfigError(
                f"the tokenizer of {source!r} has neither a padding nor an end token, so no batch can be made; "
                f"name its pad_token in tokenizer_config.json, or choose another encoder"
            )
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


def agree_on_padding(model: Any, tokenizer: Any) -> None:
    """Tell the model which token pads, for LLaMA-like classifiers find the last token of a text by it.

    RoBERTa-like encoders number positions from the padding token that they were built with; theirs stays.

    Raises:
        ConfigError: the encoder has no vector for the tokenizer's padding token.
    """
    rows = model.get_input_embeddings().weight.shape[0]
    if tokenizer.pad_token_id >= rows:
        raise ConfigError(
            f"the tokenizer pads with token {tokenizer.pad_token_id}, but the encoder knows only {rows} tokens; make "
            f"one of those the pad_token in tokenizer_config.json"
        )
    config = model.config.get_text_config()
    if config.pad_token_id is None or _counted_from(model) is None:
        config.pad_token_id = tokenizer.pad_token_id


def longest_text(model: Any) -> int | None:
    """Most tokens a text that an encoder can take, special tokens included; None without a limit.

    The model's own table counts. The tokenizer's ``model_max_length`` does not: a saved one holds where training cut.
    """
    config = model.config.get_text_config()
    if not getattr(config, "position_biased_input", True):
        # DeBERTa without absolute positions: its table of distances ends in a bucket for all longer ones.
        return None
    counted = _counted_from(model)
    if counted is not None:
        rows, padding = counted
        return rows - padding - 1
    most = getattr(config, "max_position_embeddings", None)
    return most if isinstance(most, int) and most > 0 else None


def _counted_from(model: Any) -> tuple[int, int] | None:
    """Rows and padding row of a RoBERTa-like position table, whose first text position follows the padding row."""
    for name, module in model.named_modules():
        if name.endswith("position_embeddings") and getattr(module, "padding_idx", None) is not None:
            return module.weight.shape[0], module.padding_idx
    return None


def first_position(model: Any) -> int:
    """Position id of a text's first token: 0, but RoBERTa-like encoders count on from their padding row."""
    counted = _counted_from(model)
    return 0 if counted is None else counted[1] + 1


def takes_position_ids(model: Any) -> bool:
    """Whether an encoder accepts position ids."""
    return "position_ids" in inspect.signature(model.base_model.forward).parameters


def reads_left_to_right(model: nn.Module) -> bool:
    """Whether a token sees only those before it, as in LLaMA-like models."""
    return any(getattr(module, "is_causal", False) for module in model.modules())


def can_pack(model: Any) -> bool:
    """Whether several texts can share a row: positions are absolute and told, and the mask may tell texts apart."""
    return model.config.model_type in _ABSOLUTE_POSITIONS and takes_position_ids(model)


def layers(model: Any) -> nn.ModuleList:
    """The encoder's layers, lowest first.

    Raises:
        ConfigError: the architecture has no such list.
    """
    wanted = model.config.get_text_config().num_hidden_layers
    for module in model.base_model.modules():
        if isinstance(module, nn.ModuleList) and len(module) == wanted:
            return module
    raise ConfigError(
        f"{type(model).__name__} has no list of {wanted} layers, so they cannot be counted or run twice; choose "
        f"another view, such as dropout, and leave out encoder.layers and encoder.trainable_layers"
    )


def append_tokens(model: Any, count: int) -> None:
    """Append random rows to the input embedding, as the model's own initialisation draws them; its vocabulary grows by
    them, so they are saved and loaded with it.
    """
    model.resize_token_embeddings(len(model.get_input_embeddings().weight) + count, mean_resizing=False)


def check_length(model: Any, max_length: int) -> None:
    """Refuse texts longer than the encoder can take, before a batch ends in an index error.

    Raises:
        ConfigError: they are.
    """
    most = longest_text(model)
    if most is not None and max_length > most:
        raise ConfigError(
            f"encoder.max_length is {max_length}, but this encoder takes at most {most} tokens; set --max-length {most}"
        )


def _cannot_load(what: str, source: str, error: Exception) -> str:
    return (
        f"the {what} {source!r} could not be loaded ({_first_line(error)}); check the spelling and the network, "
        f"or name a local folder, or use the built-in encoder 'minilm'"
    )


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".")


def last_linear(model: nn.Module, num_labels: int) -> nn.Linear:
    """The classifier's last linear layer: its input is the feature, its weight rows are the classes.

    Raises:
        ConfigError: the architecture does not end in a linear layer with one output a class.
    """
    linears = [module for module in model.modules() if isinstance(module, nn.Linear)]
    if not linears or linears[-1].out_features != num_labels:
        raise ConfigError(
            f"{type(model).__name__} does not end in a linear layer with {num_labels} outputs, so it has no "
            f"class prototypes; choose an encoder whose sequence classifier does (BERT, RoBERTa, MPNet, ...)"
        )
    return linears[-1]


def replace_classes(model: Any, label_names: Sequence[str], w_CH: Tensor, b_C: Tensor | None) -> None:
    """Put other rows into the last linear layer, one a name, and tell the configuration their names."""
    old = last_linear(model, model.config.num_labels)
    new = nn.Linear(old.in_features, len(label_names), bias=b_C is not None).to(old.weight)
    with torch.no_grad():
        new.weight.copy_(w_CH)
        if b_C is not None:
            new.bias.copy_(b_C)
    owner, name = next(
        (owner, name) for owner in model.modules() for name, child in owner.named_children() if child is old
    )
    setattr(owner, name, new)
    model.config.id2label = dict(enumerate(label_names))
    model.config.label2id = {name: index for index, name in enumerate(label_names)}
    model.num_labels = len(label_names)


def use_fast_attention(model: Any, training: bool, device: torch.device, bf16: bool) -> None:
    """Choose the attention kernel that is fastest on this device.

    On a CPU ``scaled_dot_product_attention`` falls back to a slow path where dropout runs, and in bf16 it takes
    five times as long as the eager kernel at 64 tokens (``benchmarks/training_speed.py kernels``).
    """
    if device.type == "cpu":
        drops = any(getattr(model.config.get_text_config(), name, 0.0) for name in _ATTENTION_DROPOUT)
        use_attention(model, "eager" if training and (drops or bf16) else "sdpa")


def use_attention(model: Any, kernel: str) -> None:
    """Choose the attention kernel, ``eager`` or ``sdpa``, of a model that has both."""
    if getattr(model, "_supports_sdpa", False) and model.config._attn_implementation != kernel:
        model.set_attn_implementation(kernel)


def sentence_pooling(source: str) -> bool:
    """Whether a checkpoint was trained as a sentence encoder with mean pooling (its ``1_Pooling`` folder says so)."""
    local = Path(source) / "1_Pooling" / "config.json"
    if not local.is_file():
        if Path(source).is_dir():
            return False
        from transformers.utils import cached_file

        with quiet():
            found = cached_file(
                source,
                "1_Pooling/config.json",
                _raise_exceptions_for_missing_entries=False,
                _raise_exceptions_for_connection_errors=False,
                _raise_exceptions_for_gated_repo=False,
            )
        if found is None:
            return False
        local = Path(found)
    return bool(json.loads(local.read_text(encoding="utf-8")).get("pooling_mode_mean_tokens", False))
