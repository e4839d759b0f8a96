"""The answers of a model that lives at the provider, each paid for once."""

import dataclasses
import json
import os
import shutil
import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from errno import EACCES, EPERM, EROFS
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from sharprecl.config import refusals
from sharprecl.config.address import check_address
from sharprecl.config.language_models import OpenAIFinetuneConfig
from sharprecl.errors import AssetError, CheckpointError
from sharprecl.export.card import FILE, Card
from sharprecl.export.predictor import Predictor
from sharprecl.export.writing import replaceable
from sharprecl.files import sha256_json, sync, write_json
from sharprecl.llm.openai_client import ABOUT_THE_TEXT, ProviderError, ask, open_client, without_own_key
from sharprecl.llm.openai_endpoint import agreed_endpoint
from sharprecl.llm.openai_plan import count_high
from sharprecl.llm.prompts import Prompt, answer_scores

if TYPE_CHECKING:
    from openai import OpenAI

MODEL, ANSWERS = "openai_model.json", "openai_answers.jsonl"
NOT_EXPORTABLE = "the trained model lives at the provider, who gives out no weights"


class ModelPage(BaseModel):
    """``openai_model.json``: which model answers, and where. No key, and no weights: those stay at the provider.

    Attributes:
        base_url: where it was trained, wherever that address came from.
    """

    model_config = ConfigDict(frozen=True)

    model: str
    base_model: str
    base_url: Annotated[str, AfterValidator(check_address)]
    format: int = 1


def read_page(folder: Path) -> ModelPage:
    """Read which model answers for a saved classifier.

    Raises:
        AssetError: the page is gone or damaged, or its address can be none.
    """
    try:
        return ModelPage.model_validate_json((folder / MODEL).read_bytes())
    except (ValidationError, OSError) as error:
        gone = "is gone" if isinstance(error, FileNotFoundError) else "is damaged"
        why = f" ({refusals(error)})" if isinstance(error, ValidationError) else ""
        raise AssetError(f"{folder / MODEL} {gone}{why}; copy the whole run again, or train again") from None


class Kept(BaseModel):
    """A line of ``openai_answers.jsonl``: a hash of the request, and its answer; None where there is none."""

    request: str
    answer: str | None


class AnswerBook:
    """``openai_answers.jsonl``: answers that were paid for, on disk before anything else happens.

    Neither texts nor key are in it. A line that is no whole one, as a kill leaves it, is passed over.

    Args:
        path: None keeps the answers in memory only.
    """

    def __init__(self, path: Path | None) -> None:
        self.path, self.known, data = path, dict[str, str | None](), b""
        if path is not None:
            with suppress(OSError):  # none yet, or not ours to read: then they are asked for
                data = path.read_bytes()
        self._torn = bool(data) and not data.endswith(b"\n")
        for line in data.splitlines():
            with suppress(ValidationError):
                kept = Kept.model_validate_json(line)
                self.known[kept.request] = kept.answer

    def add(self, answers: Mapping[str, str | None]) -> None:
        """Keep answers by the hashes of their requests.

        Raises:
            CheckpointError: the disk is full.
        """
        self.known.update(answers)
        if self.path is None or not answers:
            return
        pages = ({"request": key, "answer": answer} for key, answer in answers.items())
        lines = "\n" * self._torn + "".join(json.dumps(page, ensure_ascii=False) + "\n" for page in pages)
        new = not self.path.exists()
        try:
            with self.path.open("ab") as stream:
                stream.write(lines.encode("utf-8", "replace"))
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


@dataclass
class OpenAIPredictor(Predictor):
    """Asks for each text's label once, at temperature 0.

    Args:
        settings: the number of requests at a time, and the length of an answer, raised to what the longest label needs.
        folder: keeps the answers; None keeps them in memory.
    """

    page: ModelPage
    prompt: Prompt
    settings: OpenAIFinetuneConfig
    folder: Path | None = None
    _book: AnswerBook = field(init=False)

    def __post_init__(self) -> None:
        self._book = AnswerBook(self.folder and self.folder / ANSWERS)
        self._longest = max(count_high(" " + word) + 1 for word in self.prompt.words)

    def scores(self, texts: Sequence[str], *, embed: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """0 for the class that was answered, -100 for the others; a row of NaN for an answer that is no label.

        A text that was asked before, also in a call or a process that broke off, is not paid for again.

        Raises:
            ConfigError: there is no key, or nobody agreed to the address that it would be sent to.
            ProviderError: the provider refused or stayed away.
        """
        del embed
        requests = {text: self._request(text) for text in texts}
        keys = {text: sha256_json(request) for text, request in requests.items()}
        if missing := [text for text in requests if keys[text] not in self._book.known]:
            # Not kept: it holds the key, and a predictor may be pickled.
            client = open_client(agreed_endpoint(self.page.base_url, f"the saved classifier ({MODEL})"))
            with ThreadPoolExecutor(self.settings.workers) as pool:
                # At the first refusal ``map`` cancels what has not begun: it would be refused, too, or paid in vain.
                list(pool.map(lambda text: self._answer(client, keys[text], requests[text]), missing))
        given = [self._book.known[keys[text]] for text in texts]
        return answer_scores(given, self.prompt.words), np.zeros((len(texts), 0), dtype=np.float32)

    def save(self, folder: Path, card: Card) -> Card:
        """Write the model's name, the card and the answers so far; weights that another classifier of ours left go.

        Raises:
            ConfigError: the folder holds a model that no classifier of ours left there.
            CheckpointError: the disk is full or read-only.
        """
        old, card = replaceable(folder), dataclasses.replace(card, not_stock_because=NOT_EXPORTABLE)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # The card goes first and comes last: between the two the folder must not pass for a classifier.
            (folder / FILE).unlink(missing_ok=True)
            for path in old:
                shutil.rmtree(path)
            write_json(folder / MODEL, self.page.model_dump())
            book = AnswerBook(folder / ANSWERS)
            book.add({key: answer for key, answer in self._book.known.items() if key not in book.known})
            write_json(folder / FILE, dataclasses.asdict(card))
        except CheckpointError:
            raise
        except OSError as error:
            raise CheckpointError(
                f"the model's name could not be written to {folder} ({error.strerror}); free some space or make the "
                f"folder writable, then run the same command again with --resume"
            ) from error
        return card

    def _request(self, text: str) -> dict[str, Any]:
        return {
            "model": self.page.model,
            "messages": self.prompt.messages(text),
            "temperature": 0,
            "max_completion_tokens": max(self.settings.max_answer_tokens, self._longest),
        }

    def _answer(self, client: "OpenAI", key: str, request: dict[str, Any]) -> None:
        content: str | None = None
        try:
            answer = ask(client, f"answer with {self.page.model}", lambda: client.chat.completions.create(**request))
            content = answer.choices[0].message.content if answer.choices else None
        except ProviderError as error:
            if error.code not in ABOUT_THE_TEXT:
                raise
        # By the thread that has it, at once: the process may die while others wait for theirs.
        self._book.add({key: content if content is None else without_own_key(content)})
