"""Nothing of a person's is written over: what is refused before the work."""

import json
from collections.abc import Sequence
from pathlib import Path

from sharprecl.errors import ConfigError


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


def check_files(outputs: Sequence[Path], inputs: Sequence[Path], overwrite: bool) -> None:
    """Refuse files for JSON and a page that are each other, the input, a folder, or there already.

    Raises:
        ConfigError: one is.
    """
    if len({path.resolve() for path in outputs}) < len(outputs):
        raise ConfigError(f"--json and --html both name {outputs[0]}; give each a file of its own")
    for path in outputs:
        if path.is_dir():
            raise ConfigError(f"{path} is a folder; name a file in it")
        check_folder(path.parent, "the place")
        if path.resolve() in [source.resolve() for source in inputs]:
            raise ConfigError(f"{path} is the data itself, which is never changed; name another file")
        if path.exists() and not overwrite:
            raise ConfigError(f"{path} is there already; name another file, or add --overwrite to replace it")


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
