"""The answers of a model that lives at the provider."""

import dataclasses
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from pydantic import TypeAdapter, ValidationError

from sharprecl.config.address import check_address
from sharprecl.errors import AssetError, CheckpointError
from sharprecl.export.card import FILE, Card
from sharprecl.export.predictor import Predictor
from sharprecl.export.writing import replaceable
from sharprecl.files import write_json
from sharprecl.llm.cost import count_high
from sharprecl.llm.openai_book import ANSWERS, AnswerBook, request_key
from sharprecl.llm.openai_client import ABOUT_THE_TEXT, ProviderError, ask, open_client, without_own_key
from sharprecl.llm.openai_endpoint import agreed_endpoint
from sharprecl.llm.prompts import Prompt, answer_scores

if TYPE_CHECKING:
    from openai import OpenAI

MODEL = "openai_model.json"


@dataclass(frozen=True)
class ModelPage:
    """``openai_model.json``: which model answers, and where. No key, and no weights: those stay at the provider.

    Attributes:
        base_url: where it was trained, wherever that address came from.
    """

    model: str
    base_model: str
    base_url: str
    format: int = 1


@dataclass
class OpenAIPredictor(Predictor):
    """Asks for each text's label once, at temperature 0.

    Args:
        workers: requests at a time.
        max_answer_tokens: raised to what the longest label needs.
        folder: keeps the answers; None keeps them in memory.
    """

    page: ModelPage
    prompt: Prompt
    workers: int
    max_answer_tokens: int
    not_stock_because: str
    folder: Path | None = None
    _book: AnswerBook = field(init=False)

    def __post_init__(self) -> None:
        self._book = AnswerBook(self.folder and self.folder / ANSWERS)

    def __getstate__(self) -> dict[str, Any]:
        """Without the client, which holds the key."""
        return {name: value for name, value in vars(self).items() if name != "_client"}

    def scores(self, texts: Sequence[str], *, embed: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """0 for the class that was answered, -100 for the others; a row of NaN for an answer that is no label.

        A text that was asked before, also in a call or a process that broke off, is not paid for again.

        Raises:
            ConfigError: there is no key, or nobody agreed to the address that it would be sent to.
            ProviderError: the provider refused or stayed away.
        """
        del embed
        keys = {text: request_key(self._request(text)) for text in dict.fromkeys(texts)}
        self._ask_for({key: text for text, key in keys.items() if key not in self._book})
        given = [self._book[keys[text]] for text in texts]
        return answer_scores(given, self.prompt.words), np.zeros((len(texts), 0), dtype=np.float32)

    def save(self, folder: Path, card: Card) -> Card:
        """Write the model's name, the card and the answers so far; weights that another classifier of ours left go.

        Raises:
            ConfigError: the folder holds a model that no classifier of ours left there.
            CheckpointError: the disk is full or read-only.
        """
        old = replaceable(folder)
        card = dataclasses.replace(card, not_stock_because=self.not_stock_because)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # The card goes first and comes last: between the two the folder must not pass for a classifier.
            (folder / FILE).unlink(missing_ok=True)
            for path in old:
                shutil.rmtree(path)
            write_json(folder / MODEL, dataclasses.asdict(self.page))
            self._book.copy_to(folder / ANSWERS)
            write_json(folder / FILE, dataclasses.asdict(card))
        except CheckpointError:
            raise
        except OSError as error:
            raise CheckpointError(
                f"the model's name could not be written to {folder} ({error.strerror}); free some space or make the "
                f"folder writable, then run the same command again with --resume"
            ) from error
        return card

    @cached_property
    def _client(self) -> "OpenAI":
        return open_client(agreed_endpoint(self.page.base_url, f"the saved classifier ({MODEL})"))

    @cached_property
    def _limit(self) -> int:
        return max(self.max_answer_tokens, *(count_high(" " + word) + 1 for word in self.prompt.words))

    def _request(self, text: str) -> dict[str, Any]:
        return {
            "model": self.page.model,
            "messages": self.prompt.messages(text),
            "temperature": 0,
            "max_completion_tokens": self._limit,
        }

    def _ask_for(self, texts: dict[str, str]) -> None:
        if not texts:
            return
        _ = self._client  # Opened once, and its complaint about a missing key comes from here.
        with ThreadPoolExecutor(self.workers) as pool:
            # At the first refusal ``map`` cancels what has not begun: it would be refused, too, or paid for in vain.
            list(pool.map(self._answer, texts, texts.values()))

    def _answer(self, key: str, text: str) -> None:
        request = cast(Any, self._request(text))
        try:
            answer = ask(
                self._client,
                f"answer with {self.page.model}",
                lambda: self._client.chat.completions.create(**request),
            )
        except ProviderError as error:
            if error.code not in ABOUT_THE_TEXT:
                raise
            content = None
        else:
            content = answer.choices[0].message.content if answer.choices else None
        # By the thread that has it, at once: the process may die while others wait for theirs.
        self._book.add(key, None if content is None else without_own_key(content))


def read_page(folder: Path) -> ModelPage:
    """Read which model answers for a saved classifier.

    Raises:
        AssetError: the page is gone or damaged, or its address can be none.
    """
    path = folder / MODEL
    try:
        page = TypeAdapter(ModelPage).validate_json(path.read_bytes())
    except FileNotFoundError as error:
        raise AssetError(f"{path} is gone; copy the whole run again, or train again") from error
    except (ValidationError, OSError) as error:
        raise AssetError(f"{path} is damaged; copy the whole run again, or train again") from error
    try:
        check_address(page.base_url)
    except ValueError as error:
        raise AssetError(f"{path}: base_url {error}; copy the whole run again, or train again") from None
    return page
