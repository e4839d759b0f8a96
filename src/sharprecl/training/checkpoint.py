"""Checkpoints from which a killed run goes on to the very bytes that it would have ended with.

A checkpoint is a folder ``step-00000123`` that appears under its name only when it is whole: it is written under a
temporary name, every file synced, then renamed. The best weights so far are a file of their own in it, written when
they change and linked into the next checkpoint while they do not.
"""

import hashlib
import os
import pickle
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch

from sharprecl.config import RunConfig, outside_code
from sharprecl.errors import CheckpointError
from sharprecl.files import sha256_json, sync
from sharprecl.version import __version__

T = TypeVar("T")

_FORMAT = 2
_PREFIX = "step-"
_KEPT = 2
_STATE = "state.pt"
_BEST = "best.pt"


def checkpoint_identity(config: RunConfig, *decisive: Any) -> str:
    """Hex SHA-256 of all that decides the steps of a training: a checkpoint is resumed only by the very same one.

    Args:
        config: but for how often checkpoints are written.
        decisive: what else there is, JSON-ready or arrays. Token ids stand for texts, views, tokenizer and split at
            once; weights are in the checkpoint and need not be told.
    """
    settings = config.kept()
    del settings["training"]["checkpoint_seconds"]
    digest = hashlib.sha256()
    own = outside_code(config.method.name)
    for part in (__version__, _FORMAT, settings, *([own] if own else []), *decisive):
        digest.update(part.tobytes() if isinstance(part, np.ndarray) else sha256_json(part).encode())
    return digest.hexdigest()


class CheckpointFolder:
    """The checkpoints of one run.

    Args:
        folder: where they live; made if absent. What a killed run left half-written is removed.
        run_hash: identifies configuration and data; a checkpoint of another run is refused.

    Raises:
        CheckpointError: the folder holds what no run of ours left there, or cannot be written.
    """

    def __init__(self, folder: Path, run_hash: str) -> None:
        self.folder = folder
        self.run_hash = run_hash
        # The checkpoint that holds the present best weights: the one that this process wrote or restored last.
        self._current: Path | None = None
        strange = [path.name for path in folder.iterdir() if path not in _ours(folder)] if folder.is_dir() else []
        if strange:
            raise CheckpointError(
                f"{folder} holds {strange[0]!r}, which no training of ours left there, and would be removed when the "
                f"training ends; choose another output folder"
            )
        self.guarded(self._prepare)

    def _prepare(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        for leftover in self.folder.glob(f".{_PREFIX}*"):
            shutil.rmtree(leftover)

    def start_anew(self) -> None:
        """Forget all checkpoints: a run that starts at step 0 must not be mixed with an earlier one."""
        self.guarded(lambda: self._forget_above(-1))

    def _forget_above(self, step: int) -> None:
        for later in self.steps():
            if later > step:
                shutil.rmtree(self._at(later))

    def save(self, step: int, payload: dict[str, Any], best: dict[str, Any] | None, best_is_new: bool) -> None:
        """Write a checkpoint, then drop all but the newest two.

        Args:
            step: steps done so far.
            payload: tensors, numbers, strings, lists and dicts.
            best: the best weights so far, if there are any.
            best_is_new: they changed since the last call.

        Raises:
            CheckpointError: the disk is full or read-only; the last good checkpoint is untouched.
        """
        self.guarded(lambda: self._save(step, payload, best, best_is_new))

    def _save(self, step: int, payload: dict[str, Any], best: dict[str, Any] | None, best_is_new: bool) -> None:
        final = self._at(step)
        temporary = self.folder / f".{final.name}"
        try:
            temporary.mkdir()
            _write(temporary / _STATE, {"run_hash": self.run_hash, **payload})
            if best is not None:
                known = None if best_is_new else self._current
                if known is None or not _linked(known / _BEST, temporary / _BEST):
                    _write(temporary / _BEST, best)
            if final.exists():
                shutil.rmtree(final)
            temporary.rename(final)
            sync(self.folder)
            self._current = final
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise
        for old in self.steps()[:-_KEPT]:
            shutil.rmtree(self._at(old))

    def _at(self, step: int) -> Path:
        return self.folder / f"{_PREFIX}{step:08d}"

    def steps(self) -> list[int]:
        """Steps that have a checkpoint, ascending."""
        return sorted(int(path.name.removeprefix(_PREFIX)) for path in self.folder.glob(f"{_PREFIX}{'[0-9]' * 8}"))

    def latest(self) -> dict[str, Any] | None:
        """The newest checkpoint that can be read, or None. Damaged ones above it are removed: they count for nothing.

        Raises:
            CheckpointError: it was written by a run with other settings or other data.
        """
        for step in reversed(self.steps()):
            try:
                payload = _read(self._at(step) / _STATE)
                best = self._at(step) / _BEST
                payload["best"] = _read(best) if best.exists() else None
            except (OSError, RuntimeError, EOFError, KeyError, ValueError, pickle.UnpicklingError):
                # A disk may lose what it acknowledged; the checkpoint before this one is as good, only older.
                continue
            if payload["run_hash"] != self.run_hash:
                raise CheckpointError(
                    f"the checkpoint in {self.folder} belongs to a run with other settings or other data, or of other "
                    f"code; start anew in another output folder, or repeat the first command to resume it"
                )
            self.guarded(lambda step=step: self._forget_above(step))  # type: ignore[misc]
            self._current = self._at(step)
            return payload
        return None

    def guarded(self, action: Callable[[], T]) -> T:
        """Do what writes; a refusal by the disk becomes a ``CheckpointError`` that names the last good checkpoint."""
        try:
            return action()
        except (OSError, RuntimeError) as error:
            # torch's zip writer turns a failed write into a RuntimeError.
            kept = self.steps() if self.folder.is_dir() else []
            last = f"the last good checkpoint is at step {kept[-1]}" if kept else "there is no earlier checkpoint"
            raise CheckpointError(
                f"could not write to {self.folder} ({str(error).partition(chr(10))[0]}); {last}; "
                f"free some space or make the folder writable, then run the same command with --resume"
            ) from error


def remove_checkpoints(folder: Path) -> None:
    """Take away all checkpoints in a folder, and the folder too where nothing else is in it."""
    for path in _ours(folder):
        shutil.rmtree(path, ignore_errors=True)
    with suppress(OSError):
        folder.rmdir()


def _ours(folder: Path) -> set[Path]:
    return {path for pattern in (f"{_PREFIX}*", f".{_PREFIX}*") for path in folder.glob(pattern) if path.is_dir()}


def _write(path: Path, value: dict[str, Any]) -> None:
    with path.open("wb") as stream:
        torch.save(value, stream)
    sync(path)


def _read(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    return loaded


def _linked(source: Path, target: Path) -> bool:
    try:
        os.link(source, target)
    except OSError:
        return False
    return True
