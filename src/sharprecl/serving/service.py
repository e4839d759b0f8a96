"""The model of a folder, which answers, and changes for a new one that is put there."""

import asyncio
import gc
import hashlib
import logging
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import torch

from sharprecl.classifier import TextClassifier
from sharprecl.classifier.given import texts_of
from sharprecl.decision import Answers
from sharprecl.export.card import FILE, WEIGHTS
from sharprecl.serving.batching import Batcher, Rows
from sharprecl.serving.limits import Limits
from sharprecl.serving.metrics import Metrics

log = logging.getLogger(__name__)

_SECONDS_BETWEEN_LOOKS = 1.0
_TRIAL = "a text"


@dataclass(frozen=True, eq=False)
class Model:
    """A classifier and where it came from.

    Attributes:
        version: changes with every byte of weights and card.
        stamp: of the folder, from before it was read.
    """

    classifier: TextClassifier
    folder: Path
    version: str
    stamp: list[Any]

    @classmethod
    def load(cls, folder: Path, device: str = "auto") -> Self:
        """Read a run's classifier and let it answer once.

        Raises:
            AssetError: there is none, or it is damaged.
        """
        stamp, version = stamp_of(folder), version_of(folder)
        model = cls(TextClassifier.load(folder, device=device), folder, version, stamp)
        model.answers(model.scores([_TRIAL]))
        return model

    @cached_property
    def label_names(self) -> list[str]:
        return [str(label) for label in self.classifier.classes_]

    def scores(self, texts: Sequence[str]) -> Rows:
        """Scores [N, C]."""
        return self.classifier.scores(texts)

    def answers(self, scores_NC: Rows) -> Answers:
        """What the scores decide."""
        return self.classifier.policy_.answers(scores_NC)


class Service:
    """Answers with the newest model of a folder.

    Attributes:
        model: the present one. Whoever needs two things of it takes it once: it may change at every ``await``.
        draining: nothing new is accepted any more.
        in_flight: requests accepted and not yet answered.
    """

    def __init__(
        self, model: Model, limits: Limits | None = None, *, device: str = "auto", threads: int | None = None
    ) -> None:
        self.model, self.limits, self.device = model, limits or Limits(), device
        self.metrics = Metrics(self)
        self.draining, self.in_flight = False, 0
        self.batcher = Batcher(
            self.limits, self.metrics.batch.observe, lambda: torch.set_num_threads(threads) if threads else None
        )
        self._seen = self._tried = model.stamp
        self._replaced: weakref.ref[TextClassifier] | None = None

    async def answer(self, texts: Sequence[str], model: Model | None = None) -> Answers:
        """Answers for N texts, through the queue.

        Args:
            texts: at most ``limits.texts``.
            model: which one has to answer; None means the present one.

        Raises:
            DataError: something is no text.
            Overloaded: too much waits already.
        """
        model = model or self.model
        scores_NC = await self.batcher.rows(model.scores, texts_of(texts, "text")[0])
        return model.answers(scores_NC)

    async def watch(self) -> None:
        """Look for a new model, for ever."""
        _settle()
        while True:
            await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)
            await self.look()

    async def look(self) -> None:
        """Take a new model that lies in the folder since the last look; keep the old one if the new one is broken."""
        if self._replaced is not None and self._replaced() is None:  # its last request has been answered
            self._replaced = None
            _settle()
        old = self.model
        try:
            stamp = stamp_of(old.folder)
            still, self._seen = stamp == self._seen, stamp
            if not still or stamp == self._tried:  # is being written, or known
                return
            self._tried = stamp
            # Not in the model's thread: the old one answers meanwhile.
            if await asyncio.to_thread(version_of, old.folder) == old.version:
                return
            model = await asyncio.to_thread(Model.load, old.folder, self.device)
        except Exception as error:  # whatever is wrong with the new one, the old one is not
            self.metrics.swaps.labels("refused").inc()
            log.error("the new model in %s is broken, the old one goes on: %s", old.folder, error)
            return
        log.warning("model %s in place of %s", model.version, old.version)
        self.model, self._replaced = model, weakref.ref(old.classifier)
        self.metrics.swaps.labels("taken").inc()


def _settle() -> None:
    """Free what is left of an old model, and spare the collector all that stays.

    It would look at half a million objects of libraries and model again and again, for tenths of a second each time.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def stamp_of(folder: Path) -> list[Any]:
    """What changes with every writing of a run's card and weights, and costs nothing to ask."""
    found: list[Any] = []
    for path in _files(folder):
        try:
            status = path.stat()
        except OSError:  # just removed
            continue
        found.append((path, status.st_mtime_ns, status.st_ino, status.st_size))
    return found


def version_of(folder: Path) -> str:
    """Hex digits out of the content of a run's card and weights."""
    digest = hashlib.sha256()
    for path in _files(folder):
        digest.update(f"{path.relative_to(folder)}\0{path.stat().st_size}\0".encode())
        with path.open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()[:12]


def _files(folder: Path) -> list[Path]:
    """What a classifier is read from, be it a run's or an export."""
    patterns = (*(f"{name}/**/*" for name in WEIGHTS), "*.onnx*", "tokenizer*.json", FILE)
    return sorted(path for pattern in patterns for path in folder.glob(pattern) if path.is_file())
