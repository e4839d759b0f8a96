"""How a classifier's folder comes to hold a new classifier: whole, the old one, or one that says it holds none."""

import dataclasses
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from safetensors import SafetensorError

from sharprecl.errors import CheckpointError, ConfigError
from sharprecl.export.card import FILE, WEIGHTS, Card, is_ours
from sharprecl.files import make_usual, sync, write_json


def replaceable(folder: Path) -> list[Path]:
    """The weights that lie in a folder and may be replaced.

    Raises:
        ConfigError: the folder holds weights that no classifier of ours left there.
    """
    old = [folder / name for name in WEIGHTS if (folder / name).exists()]
    if old and not is_ours(folder):
        raise ConfigError(f"{old[0]} was not written by sharprecl and would be replaced; choose another folder")
    return old


def write_weights(folder: Path, name: str, card: Card, fill: Callable[[Path], None], *, what: str, again: str) -> None:
    """Put weights and their card into a folder, in place of those that were there.

    Killed at any moment, it leaves the old classifier, the new one, or a folder that says it has none.

    Args:
        folder: made if absent.
        name: of the weights within it, one of ``WEIGHTS``.
        card: what stands beside them.
        fill: writes the weights into the folder that it is given, which it makes if need be.
        what, again: for the sentence that says that the disk did not allow it: what was written, and the command that
            writes it again.

    Raises:
        ConfigError: the folder holds weights that no classifier of ours left there.
        CheckpointError: the disk is full or read-only.
    """
    old = replaceable(folder)
    temporary = folder / f".{name}.{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for leftover in (path for weights in WEIGHTS for path in folder.glob(f".{weights}.*")):
            shutil.rmtree(leftover)
        fill(temporary)
        for path in (*temporary.rglob("*"), temporary):
            if path.is_file():  # safetensors keeps its files private
                make_usual(path)
            sync(path)
        # The card goes first and comes last: between the two the folder must not pass for a classifier, since the
        # old card would give the new model's answers wrong names.
        (folder / FILE).unlink(missing_ok=True)
        for path in old:
            shutil.rmtree(path)
        temporary.rename(folder / name)
        sync(folder)
        write_json(folder / FILE, dataclasses.asdict(card))
    except (SafetensorError, OSError) as error:
        raise CheckpointError(
            f"the {what} could not be written to {folder} ({error}); free some space or make the folder writable, "
            f"then run the same command again{again}"
        ) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
