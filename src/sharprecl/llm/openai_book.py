"""Answers that were paid for, on disk before anything else happens: an interrupted judging asks only for the rest."""

import json
import os
import warnings
from dataclasses import dataclass, field
from errno import EACCES, EPERM, EROFS
from pathlib import Path
from typing import Any

from sharprecl.errors import CheckpointError
from sharprecl.files import sha256_json, sync

ANSWERS = "openai_answers.jsonl"


@dataclass
class AnswerBook:
    """``openai_answers.jsonl``: a line for each request that was answered, under a hash of the request.

    Neither texts nor key are in it. A line that is no whole one, as a kill leaves it, is passed over.

    Args:
        path: None keeps the answers in memory only.
    """

    path: Path | None
    _known: dict[str, str | None] = field(default_factory=dict)
    _torn: bool = False

    def __post_init__(self) -> None:
        if self.path is None:
            return
        try:
            data = self.path.read_bytes()
        except OSError:  # none yet, or not ours to read: then they are asked for
            return
        self._torn = bool(data) and not data.endswith(b"\n")
        for line in data.splitlines():
            try:
                page = json.loads(line)
                key, answer = page["request"], page["answer"]
            except (ValueError, KeyError, TypeError):
                continue
            if isinstance(key, str) and isinstance(answer, str | None):
                self._known[key] = answer

    def __contains__(self, key: str) -> bool:
        return key in self._known

    def __getitem__(self, key: str) -> str | None:
        return self._known[key]

    def add(self, key: str, answer: str | None) -> None:
        """Keep an answer; None says that the provider refused to answer.

        Raises:
            CheckpointError: the disk is full.
        """
        self._append({key: answer})

    def copy_to(self, path: Path) -> None:
        """Append what is known to another book."""
        other = AnswerBook(path)
        other._append({key: answer for key, answer in self._known.items() if key not in other})

    def _append(self, answers: dict[str, str | None]) -> None:
        self._known.update(answers)
        if self.path is None or not answers:
            return
        pages = ({"request": key, "answer": answer} for key, answer in answers.items())
        lines = "".join(json.dumps(page, ensure_ascii=False) + "\n" for page in pages)
        new = not self.path.exists()
        try:
            with self.path.open("ab") as stream:
                stream.write(("\n" * self._torn + lines).encode("utf-8", "replace"))
                stream.flush()
                os.fsync(stream.fileno())
            self._torn = False
            if new:
                sync(self.path.parent)
        except OSError as error:
            if error.errno in (EACCES, EPERM, EROFS):
                # A classifier may well stand where its users cannot write.
                where, self.path = self.path, None
                warnings.warn(f"{where} cannot be written: answers are paid for again next time", stacklevel=2)
                return
            self._torn = True
            raise CheckpointError(
                f"{self.path} cannot be written ({error.strerror}), so answers would be paid for twice; free some "
                f"space, then run the same command again: it asks only for what is missing"
            ) from error


def request_key(request: dict[str, Any]) -> str:
    """What an answer is kept under: model, prompt and all else that is asked."""
    return sha256_json(request)
