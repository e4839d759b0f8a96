"""Everything that leans on PEFT and on transformers' language models: loading, adapters, the 4-bit form."""

import importlib.util
import io
import warnings
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError

from sharprecl.config.language_models import LlmLoraConfig
from sharprecl.errors import AssetError, ConfigError, MissingExtraError
from sharprecl.extras import require
from sharprecl.quiet import quiet


def check_four_bit(device: torch.device) -> None:
    """Refuse 4-bit weights where they cannot be had, before gigabytes are downloaded.

    Raises:
        ConfigError: the device is no NVIDIA GPU.
        MissingExtraError: bitsandbytes is not installed.
    """
    if device.type != "cuda":
        raise ConfigError(
            f"4-bit weights (nf4) need an NVIDIA GPU with CUDA, and the device here is {device.type!r}; use such a "
            f"machine, or set method.model to smollm2, or method.quantization to none (4 bytes of memory a parameter)"
        )
    if importlib.util.find_spec("bitsandbytes") is None:
        raise MissingExtraError(
            "4-bit weights (nf4) need the package 'bitsandbytes', which is not installed; run: pip install bitsandbytes"
        )


def load_tokenizer(source: str, gguf_file: str | None = None) -> Any:
    """The tokenizer that belongs to a language model, with some token that pads.

    Raises:
        AssetError: there is none, or it cannot be reached.
        ConfigError: it has no token that ends an answer.
        MissingExtraError: it lies in a GGUF file and the package that reads those is not installed.
    """
    from transformers import AutoTokenizer

    try:
        with quiet():
            tokenizer = AutoTokenizer.from_pretrained(source, **_gguf(gguf_file))
    except (OSError, ValueError, KeyError) as error:
        raise AssetError(_cannot_load("tokenizer", source, error)) from error
    if tokenizer.eos_token_id is None:
        raise ConfigError(
            f"the tokenizer of {source!r} has no end token, so an answer would never end; name its eos_token in "
            f"tokenizer_config.json, or choose another model"
        )
    if tokenizer.pad_token_id is None:
        # LLaMA has none. Padding is masked everywhere, so any token will do.
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


def load_model(
    source: str,
    gguf_file: str | None = None,
    *,
    four_bit: bool,
    device: torch.device,
    bf16: bool,
    revision: str | None = None,
) -> Any:
    """A causal language model in evaluation mode, on its device.

    Args:
        source: a folder or a Hugging Face id.
        gguf_file: the file in that folder, where the weights come so.
        four_bit: read the weights in nf4 with double quantisation.
        bf16: whether the device computes in it; a GPU then holds the weights so too, a CPU holds float32.
        revision: of a model on the Hub; None is its newest.

    Raises:
        AssetError: there is no such model, it cannot be reached, or it is damaged or incomplete.
        MissingExtraError: a package that reads this form is not installed, or too old.
    """
    from transformers import AutoModelForCausalLM, BitsAndBytesConfig

    settings: dict[str, Any] = {**_gguf(gguf_file), "output_loading_info": True}
    settings["dtype"] = torch.bfloat16 if bf16 and device.type != "cpu" else torch.float32
    if revision is not None:
        settings["revision"] = revision
    try:
        if four_bit:
            compute = torch.bfloat16 if bf16 else torch.float16
            settings["quantization_config"] = BitsAndBytesConfig(
                load_in_4bit=True,
                bnb_4bit_quant_type="nf4",
                bnb_4bit_use_double_quant=True,
                bnb_4bit_compute_dtype=compute,
            )
            settings["device_map"] = {"": device.index or 0}
        # The reader of GGUF files draws its bar whatever transformers was told about bars.
        with quiet(), redirect_stderr(io.StringIO()):
            model, report = AutoModelForCausalLM.from_pretrained(source, **settings)
    except ImportError as error:
        needed = "bitsandbytes accelerate" if four_bit else "transformers"
        raise MissingExtraError(
            f"the language model {source!r} needs a package that is missing or too old ({_first_line(error)}); "
            f"run: pip install --upgrade {needed}"
        ) from error
    except (OSError, ValueError, KeyError) as error:
        raise AssetError(_cannot_load("language model", source, error)) from error
    except (SafetensorError, RuntimeError) as error:
        raise AssetError(
            f"the weights of {source!r} could not be read ({_first_line(error)}); the file is probably damaged or was "
            f"cut off, or memory did not suffice: fetch or copy it again, or choose a smaller model"
        ) from error
    if lost := report["missing_keys"]:
        raise AssetError(
            f"the language model {source!r} lacks {len(lost)} of its weights (the first is {min(lost)!r}); an encoder "
            f"cannot write: choose a causal language model, or copy it again"
        )
    return (model if four_bit else model.to(device)).eval()


def add_adapters(model: Any, targets: str | tuple[str, ...] | None, settings: LlmLoraConfig, name: str) -> Any:
    """Freeze a model and give its linear layers trainable low-rank adapters, drawn from PyTorch's global state.

    Args:
        model: as ``load_model`` returns it.
        targets: names of layers, or ``all`` (every linear layer but the last); None leaves them to PEFT.
        settings: rank, alpha and dropout count.
        name: how the user called the model; the adapter remembers it.

    Raises:
        ConfigError: the model has no such layers.
        MissingExtraError: PEFT is not installed.
    """
    peft = require_peft()
    if getattr(model, "is_loaded_in_4bit", False):
        # Normalisations in float32, and activations computed anew in the backward pass instead of kept.
        model = peft.prepare_model_for_kbit_training(model)
    shape = peft.LoraConfig(
        r=settings.rank,
        lora_alpha=settings.alpha,
        lora_dropout=settings.dropout,
        target_modules="all-linear" if targets == "all" else targets and list(targets),
        task_type="CAUSAL_LM",
        bias="none",
    )
    try:
        with warnings.catch_warnings(action="ignore", category=FutureWarning):  # PEFT's, of transformers
            adapted = peft.get_peft_model(model, shape)
    except ValueError as error:
        raise ConfigError(
            f"method.target_modules fits no layer of {type(model).__name__} ({_first_line(error)}); "
            f"use 'all', or names of its linear layers"
        ) from error
    adapted.peft_config["default"].base_model_name_or_path = name
    return adapted


def save_adapters(model: Any, folder: Path) -> None:
    """Write the adapters, and nothing of the model under them."""
    with quiet():
        # "auto" would ask the Hub whether the vocabulary has grown; it has not.
        model.save_pretrained(str(folder), save_embedding_layers=False)
    # An empty form about carbon and intended uses, with a path of this machine in it.
    (folder / "README.md").unlink(missing_ok=True)


def load_adapters(model: Any, folder: Path) -> Any:
    """Put saved adapters on a model.

    Raises:
        AssetError: they are gone, damaged, or belong to another model.
        MissingExtraError: PEFT is not installed.
    """
    peft = require_peft()
    try:
        with quiet(), warnings.catch_warnings(action="ignore", category=FutureWarning):
            return peft.PeftModel.from_pretrained(model, str(folder)).eval()
    except (OSError, ValueError, RuntimeError, KeyError, SafetensorError) as error:
        raise AssetError(
            f"the adapters in {folder} could not be read ({_first_line(error)}); copy the whole run again, "
            f"or train again"
        ) from error


def require_peft() -> Any:
    """PEFT, or the sentence that says how to install it."""
    return require("peft", "llm", "fine-tuning a language model")


def _gguf(gguf_file: str | None) -> dict[str, Any]:
    if gguf_file is None:
        return {}
    require("gguf", "llm", "reading a language model from a GGUF file")
    return {"gguf_file": gguf_file}


def _cannot_load(what: str, source: str, error: Exception) -> str:
    if "gated repo" in str(error):
        return (
            f"the {what} {source!r} is given only to those who accepted its licence; accept it at "
            f"https://huggingface.co/{source}, then run 'hf auth login'"
        )
    return (
        f"the {what} {source!r} could not be loaded ({_first_line(error)}); check the spelling and the network, "
        f"or name a local folder, or use the built-in model 'smollm2'"
    )


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".")
