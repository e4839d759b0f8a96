"""Which model the adapters belong to: found again from any folder, and seen to be the same."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from pydantic import BaseModel, ConfigDict, ValidationError

from sharprecl.errors import AssetError
from sharprecl.files import sha256_file, write_json
from sharprecl.llm import causal
from sharprecl.llm.presets import preset, resolve

FILE = "base.json"


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

    def write(self, folder: Path) -> None:
        """Write the page into the folder of the adapters."""
        write_json(folder / FILE, self.model_dump())


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
    source = resolve(page.model, say) if page.commit is None else page.model
    if saved and sha256_file(Path(source) / "config.json") != page.config_sha256:
        raise AssetError(
            f"{source} holds another language model than the adapters were trained on (its config.json differs); put "
            f"that one back, or train again"
        )
    model = causal.load_model(source, four_bit=four_bit, device=device, bf16=precision == "bf16", revision=page.commit)
    if preset(page.model).gguf_file is not None:
        return model, source, BasePage(model=page.model)  # its SHA-256 is checked when it is fetched
    if Path(source).is_dir():
        digest = sha256_file(Path(source) / "config.json")
        return model, source, BasePage(model=os.path.abspath(source), config_sha256=digest)
    commit = getattr(model.config, "_commit_hash", None)
    if page.commit is not None and commit not in (None, page.commit):
        raise AssetError(
            f"the Hub gave commit {commit} of {page.model}, but the adapters were trained on {page.commit}; "
            f"train again, or fetch that commit"
        )
    return model, source, BasePage(model=source, commit=commit)
