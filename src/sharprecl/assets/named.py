"""The assets by what they are for: an encoder to load, a data set to read, a lexicon to open."""

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from sharprecl.assets.catalogue import ENCODERS
from sharprecl.assets.fetch import fetch
from sharprecl.errors import AssetError

_HUB_ID = re.compile(r"(?:[A-Za-z0-9][\w.-]*/)?[A-Za-z0-9][\w.-]*", re.ASCII)


def resolve_encoder(name: str, progress: Callable[[str], None] | None = None) -> str:
    """Turn what a user calls an encoder into what ``from_pretrained`` takes.

    Args:
        name: a named encoder (fetched if absent), a local folder, or a Hugging Face id such as ``org/name``.
            A named encoder wins over a folder of that name (write ``./minilm`` for the folder), a folder over
            a Hugging Face id.
        progress: see ``fetch``.

    Returns:
        A folder, or the Hugging Face id unchanged: the Hub is asked later.

    Raises:
        AssetError: no such folder, a folder without a model, or no possible name at all.
    """
    if name in ENCODERS:
        return str(fetch(name, progress))
    return local_or_hub(name, "encoder", ENCODERS)


def local_or_hub(name: str, what: str, named: Iterable[str]) -> str:
    """Turn a local folder or a Hugging Face id into what ``from_pretrained`` takes.

    Args:
        name: what the user wrote.
        what: how sentences call the thing.
        named: the names that the user could have written too.

    Raises:
        AssetError: no such folder, a folder without a model, or no possible name at all.
    """
    known = f"give a folder with a model, a Hugging Face id (org/name) or one of: {', '.join(named)}"
    try:
        folder = Path(name).expanduser()
        exists = bool(name) and folder.exists()
    except (RuntimeError, ValueError, OSError):  # ~nobody, a NUL character, a name of 5000 letters
        folder, exists = Path(name), False
    if exists:
        if not (folder / "config.json").is_file():
            raise AssetError(f"{name!r} holds no model, for it has no config.json; {known}")
        return str(folder)
    looks_like_path = name.startswith((".", "/", "~")) or "\\" in name or name.count(os.sep) > 1
    if looks_like_path or name.endswith("/"):
        raise AssetError(f"the {what} folder {name!r} does not exist; {known}")
    if not _HUB_ID.fullmatch(name):
        raise AssetError(f"{name!r} cannot be the name of the {what}; {known}")
    return name


def r52_files(progress: Callable[[str], None] | None = None) -> tuple[Path, Path]:
    """The training and the test file of R52, in Orange's ``.tab`` format; fetched if absent."""
    folder = fetch("r52", progress)
    return folder / "reuters-r52-train.tab", folder / "reuters-r52-test.tab"


def wordnet_dir(progress: Callable[[str], None] | None = None) -> Path:
    """The folder of WordNet 3.0: its data files and its index of senses; fetched if absent."""
    return fetch("wordnet", progress)
