"""Which model the adapters belong to: found again from any folder, and seen to be the same."""

import dataclasses
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from pydantic import TypeAdapter, ValidationError

from sharprecl.errors import AssetError
from sharprecl.files import sha256_file, write_json
from sharprecl.llm import causal
from sharprecl.llm.presets import PRESETS, preset, resolve

FILE = "base.json"


@dataclass(frozen=True)
class BasePage:
    """``adapter/base.json``.

    Attributes:
        model: a preset that comes through pip, the absolute path of a folder, or a Hugging Face id.
        commit: of the Hub's repository, if the model came from there.
        config_sha256: of the folder's ``config.json``, if it came from a folder.
    """

    model: str
    commit: str | None = None
    config_sha256: str | None = None
    format: int = 1

    def write(self, folder: Path) -> None:
        """Write the page into the folder of the adapters."""
        write_json(folder / FILE, dataclasses.asdict(self))


def load_base(
    page: BasePage, *, four_bit: bool, device: torch.device, precision: str, say: Callable[[str], None]
) -> tuple[Any, str, BasePage]:
    """Load the model that a page names, and see that it is the one that the page tells of.

    Args:
        page: of a saved classifier, or only with the name that a user gave.
        four_bit, device, precision: how to hold it.
        say: told what takes time.

    Returns:
        The model, where it came from, and the whole page.

    Raises:
        AssetError: the model cannot be had, or is another one.
        ConfigError: 4-bit weights cannot be had here.
    """
    if four_bit:
        causal.check_four_bit(device)
    saved = page.config_sha256 is not None
    if saved and not (Path(page.model) / "config.json").is_file():
        raise AssetError(
            f"the language model {page.model}, which the adapters belong to, is gone; put it back, or give its new "
            f'place as "model" in {FILE} beside the adapters'
        )
    # With a commit it is the Hub's, whatever folder may have that name here.
    source = resolve(preset(page.model), say) if page.commit is None else page.model
    if saved and sha256_file(Path(source) / "config.json") != page.config_sha256:
        raise AssetError(
            f"{source} holds another language model than the adapters were trained on (its config.json differs); put "
            f"that one back, or train again"
        )
    model = causal.load_model(source, four_bit=four_bit, device=device, bf16=precision == "bf16", revision=page.commit)
    made = _page(page.model, source, model)
    if page.commit is not None and made.commit not in (None, page.commit):
        raise AssetError(
            f"the Hub gave commit {made.commit} of {page.model}, but the adapters were trained on {page.commit}; "
            f"train again, or fetch that commit"
        )
    return model, source, made


def _page(name: str, source: str, model: Any) -> BasePage:
    if name in PRESETS and PRESETS[name].gguf_file is not None:
        return BasePage(name)  # its SHA-256 is checked when it is fetched
    if Path(source).is_dir():
        return BasePage(os.path.abspath(source), config_sha256=sha256_file(Path(source) / "config.json"))
    return BasePage(source, commit=getattr(model.config, "_commit_hash", None))


def read_base(folder: Path, name: str) -> BasePage:
    """Read the page beside the adapters.

    Args:
        folder: that of the adapters.
        name: the model as the settings call it, for folders of before there were pages.

    Raises:
        AssetError: it is damaged.
    """
    path = folder / FILE
    try:
        return TypeAdapter(BasePage).validate_json(path.read_bytes())
    except FileNotFoundError:
        return BasePage(name)
    except (ValidationError, OSError) as error:
        raise AssetError(f"{path} is damaged; copy the whole run again, or train again") from error
