"""Nothing of a person's is written over: what is refused before the work."""

import json
import re
from pathlib import Path
from typing import TypeVar

from typer import CallbackParam

from sharprecl.errors import ConfigError

_ADDRESS = re.compile(r"[a-z][\w+.:-]+:/", re.IGNORECASE)
"""How ``s3://bucket`` begins. As a path it has one slash, and ``C:/`` is a drive."""

Place = TypeVar("Place", Path, str, None)


def on_disk(option: CallbackParam, place: Place) -> Place:
    """Refuse an address, which would become a folder named ``s3:``; the callback of options that name an output.

    Raises:
        ConfigError: it is one.
    """
    if place is not None and _ADDRESS.match(str(place)):
        address = re.sub(":/(?!/)", "://", str(place), count=1)
        raise ConfigError(
            f"{option.opts[0]} {address} is the address of a storage, and only files are written; give a path, on a "
            f"cluster one that all machines share such as NFS, and copy from there in the end"
        )
    return place


def check_mode(resume: bool, overwrite: bool) -> None:
    """Refuse to go on with a folder and to replace it at once.

    Raises:
        ConfigError: both are asked for.
    """
    if resume and overwrite:
        raise ConfigError(
            "--resume keeps what is in the output folder and --overwrite replaces it; leave out one of them"
        )


def check_apart(data: str, output: Path, overwrite: bool) -> None:
    """Refuse to write over the input, or over anything else unasked.

    Raises:
        ConfigError: the output is the input, or cannot be a file, or there is such a file and nobody said that it may
            be replaced.
    """
    check_folder(output.parent, "--output")
    if not output.is_file():
        return
    if Path(data).exists() and output.samefile(data):
        raise ConfigError(f"{output} is the file that is read, which is never changed; name another --output")
    if not overwrite:
        raise ConfigError(f"{output} is there already; name another --output, or add --overwrite to replace it")


def check_folder(folder: Path, option: str) -> None:
    """Refuse a folder that can be none.

    Raises:
        ConfigError: it, or a folder above it, is a file.
    """
    for path in (folder, *folder.parents):
        if path.is_file():
            raise ConfigError(f"{option} {folder} can be no folder, because {path} is a file; name another one")


def check_replaced(folder: Path, content_hash: str, overwrite: bool, *, ours: bool) -> None:
    """Refuse to replace a report or figures that no evaluation left there, or one on other texts.

    Args:
        ours: whether only evaluations write there.

    Raises:
        ConfigError: there is one.
    """
    figures, report = folder / "metrics.json", folder / "report.html"
    try:
        found = json.loads(figures.read_text(encoding="utf-8"))
        judged_on = found["evaluated_on"]
    except (OSError, ValueError, TypeError, KeyError):
        judged_on = None
    strange = [path for path in (figures, report) if path.exists()]
    if judged_on is None and strange and not ours:
        raise ConfigError(f"{strange[0]} was not written by an evaluation and would be replaced; name another --output")
    if judged_on is not None and found.get("data") != content_hash and not overwrite:
        raise ConfigError(
            f"{folder} holds the evaluation on other texts ({judged_on}); name another --output, or add "
            f"--overwrite to replace it"
        )
