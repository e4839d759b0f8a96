"""Language models by name, and which one some adapters belong to: found again from any folder, seen to be the same."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from pydantic import BaseModel, ConfigDict, ValidationError
from safetensors import SafetensorError

from sharprecl.assets import fetch, local_or_hub
from sharprecl.assets.cache import filling
from sharprecl.errors import AssetError
from sharprecl.files import sha256_file, sync
from sharprecl.llm import causal
from sharprecl.quiet import quiet

FILE = "base.json"


@dataclass(frozen=True)
class Preset:
    """A language model and how it is adapted.

    Attributes:
        source: an asset's name, a local folder or a Hugging Face id.
        target_modules: linear layers that get an adapter; None leaves them to PEFT.
        four_bit: whether its weights are too many for the GPUs of most, and are read in 4 bits.
        gguf_file: the file inside the asset's folder, where the weights come so.
    """

    source: str
    target_modules: tuple[str, ...] | None = None
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


class BasePage(BaseModel):
    """``adapter/base.json``.

    Attributes:
        model: a preset that comes through pip, the absolute path of a folder, or a Hugging Face id.
        commit: of the Hub's repository, if the model came from there.
        config_sha256: of the folder's ``config.json``, if it came from a folder.
    """

    model_config = ConfigDict(frozen=True)

    model: str
    commit: str | None = None
    config_sha256: str | None = None
    format: int = 1


def read_base(folder: Path) -> BasePage:
    """Read the page in the folder of the adapters.

    Raises:
        AssetError: it is gone or damaged.
    """
    try:
        return BasePage.model_validate_json((folder / FILE).read_bytes())
    except (ValidationError, OSError) as error:
        raise AssetError(f"{folder / FILE} is gone or damaged; copy the whole run again, or train again") from error


def load_base(
    page: BasePage, *, four_bit: bool, device: torch.device, precision: str, say: Callable[[str], None]
) -> tuple[Any, str, BasePage]:
    """Load the model that a page names, and see that it is the one that the page tells of.

    Args:
        page: of a saved classifier, or only with the name that a user gave.
        say: told what takes time.

    Returns:
        The model, the folder or Hugging Face id that it came from, and the whole page.

    Raises:
        AssetError: the model cannot be had, or is another one.
        ConfigError: 4-bit weights cannot be had here.
    """
    if four_bit:
        causal.check_four_bit(device)
    saved, chosen, source = page.config_sha256 is not None, preset(page.model), page.model
    if saved and not (Path(page.model) / "config.json").is_file():
        raise AssetError(
            f"the language model {page.model}, which the adapters belong to, is gone; put it back, or give its new "
            f'place as "model" in {FILE} beside the adapters'
        )
    if chosen.gguf_file is not None:
        source = unpacked(fetch(chosen.source, say), chosen.gguf_file, say)
    elif page.commit is None:  # with a commit it is the Hub's, whatever folder may have that name here
        source = local_or_hub(chosen.source, "language model", PRESETS)
    if saved and sha256_file(Path(source) / "config.json") != page.config_sha256:
        raise AssetError(
            f"{source} holds another language model than the adapters were trained on (its config.json differs); put "
            f"that one back, or train again"
        )
    model = causal.load_model(source, four_bit=four_bit, device=device, bf16=precision == "bf16", revision=page.commit)
    commit = getattr(model.config, "_commit_hash", None)
    if page.commit is not None and commit not in (None, page.commit):
        raise AssetError(
            f"the Hub gave commit {commit} of {page.model}, but the adapters were trained on {page.commit}; "
            f"train again, or fetch that commit"
        )
    if chosen.gguf_file is not None:
        return model, source, BasePage(model=page.model)  # its SHA-256 is checked when it is fetched
    if Path(source).is_dir():
        digest = sha256_file(Path(source) / "config.json")
        return model, source, BasePage(model=os.path.abspath(source), config_sha256=digest)
    return model, source, BasePage(model=source, commit=commit)


def unpacked(folder: Path, gguf_file: str, say: Callable[[str], None]) -> str:
    """The folder with the model and tokenizer of a GGUF file in float32, beside the file's: reading that file takes
    half a minute. Made at the first call, whole or not at all.

    Raises:
        AssetError: the file is damaged, or there is no room.
        MissingExtraError: the package that reads such files is not installed.
    """
    target = folder.with_name(f"{folder.name}-float32")
    if target.is_dir():
        return str(target)
    with filling(target.name, gguf_file, say) as scratch:
        if not target.is_dir():  # another process may have been faster
            temporary = scratch / target.name
            say(f"unpacking {gguf_file} into {target} (once)")
            _unpack(folder, gguf_file, temporary)
            for path in (*temporary.rglob("*"), temporary):
                sync(path)
            temporary.rename(target)
            sync(target.parent)
    return str(target)


def _unpack(folder: Path, gguf_file: str, into: Path) -> None:
    tokenizer = causal.load_tokenizer(str(folder), gguf_file)
    model = causal.load_model(str(folder), gguf_file, four_bit=False, device=torch.device("cpu"), bf16=False)
    # The weights in memory are ordinary ones; only the label says otherwise, and such models are not saved.
    model.hf_quantizer = None
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    try:
        with quiet():
            model.save_pretrained(into)
            tokenizer.save_pretrained(into)
    except SafetensorError as error:
        raise OSError(f"it takes 4 bytes a weight: {error}") from error
