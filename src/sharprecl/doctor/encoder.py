"""The encoder as a reader of texts: its tokenizer, and how much of a text it takes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sharprecl.assets import resolve_encoder
from sharprecl.assets.catalogue import ENCODERS
from sharprecl.errors import AssetError


@dataclass(frozen=True)
class Encoder:
    """What counts tokens.

    Attributes:
        name: as it was given; empty where no tokenizer could be had.
        tokenizer: a fast Hugging Face tokenizer, or None.
        longest: most tokens that the encoder takes; None where nothing limits them or nobody knows.
        why_not: why there is none, in a sentence.
    """

    name: str = ""
    tokenizer: Any = None
    longest: int | None = None
    why_not: str = ""


def open_encoder(name: str | None, say: Callable[[str], None]) -> Encoder:
    """Load the tokenizer; of the model only its shape, no weight. ``say`` is told what takes time.

    Without a name, the default encoder is taken if it can be had, and done without otherwise.

    Raises:
        AssetError: the encoder that was asked for cannot be had.
        ConfigError: it has no token that could pad.
    """
    # It brings PyTorch.
    from sharprecl.models import stock

    wanted = name or ENCODERS[0]
    try:
        source = resolve_encoder(wanted, say)
        tokenizer = stock.load_tokenizer(source)
    except AssetError as error:
        if name is not None:
            raise
        return Encoder(why_not=str(error))
    return Encoder(wanted, tokenizer, _longest(source))


def _longest(source: str) -> int | None:
    import torch
    from transformers import AutoConfig, AutoModel

    from sharprecl.models.stock import longest_text

    try:
        # Without storage: positions are counted by what the model is made of, which for RoBERTa is not its table.
        with torch.device("meta"):
            return longest_text(AutoModel.from_config(AutoConfig.from_pretrained(source)))
    except (OSError, ValueError, KeyError):
        return None
