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

from sharprecl.errors import AssetError, CheckpointError
from sharprecl.export.card import FILE, WEIGHTS, Card, is_ours
from sharprecl.files import write_json
from sharprecl.llm.cost import count_high
from sharprecl.llm.openai_client import ProviderError, ask, open_client
from sharprecl.llm.prompts import Prompt, parse_answer

if TYPE_CHECKING:
    from openai import OpenAI

MODEL = "openai_model.json"
# Why one text alone gets no answer; any other refusal would be the same for the next text.
_ABOUT_THE_TEXT = ("context_length_exceeded", "content_filter", "content_policy_violation", "string_above_max_length")


@dataclass(frozen=True)
class ModelPage:
    """``openai_model.json``: which model answers, and where. No key, and no weights: those stay at the provider."""

    model: str
    base_model: str
    base_url: str | None
    format: int = 1


@dataclass
class OpenAIPredictor:
    """Asks for each text's label once, at temperature 0.

    Args:
        workers: requests at a time.
        max_answer_tokens: raised to what the longest label needs.
    """

    page: ModelPage
    prompt: Prompt
    workers: int
    max_answer_tokens: int
    not_stock_because: str
    _known: dict[str, int | None] = field(default_factory=dict)

    @property
    def pooling(self) -> str:
        """There are no features."""
        return "none"

    def scores(self, texts: Sequence[str], *, embed: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """1 for the class that was answered, 0 for the others; a row of NaN for an answer that is no label.

        A text that was asked before, also in a call that broke off, is not paid for again.

        Raises:
            ProviderError: the provider refused or stayed away.
        """
        del embed
        self._ask_for([text for text in dict.fromkeys(texts) if text not in self._known])
        scores_NC = np.full((len(texts), len(self.prompt.words)), np.nan, dtype=np.float32)
        for row, text in enumerate(texts):
            if (label := self._known[text]) is not None:
                scores_NC[row] = 0.0
                scores_NC[row, label] = 1.0
        return scores_NC, np.zeros((len(texts), 0), dtype=np.float32)

    def save(self, folder: Path, card: Card) -> Card:
        """Write the model's name and the card; weights that another classifier of ours left there go."""
        card = dataclasses.replace(card, not_stock_because=self.not_stock_because)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            old = WEIGHTS if is_ours(folder) else ()
            # The card goes first and comes last: between the two the folder must not pass for a classifier.
            (folder / FILE).unlink(missing_ok=True)
            for name in old:
                shutil.rmtree(folder / name, ignore_errors=True)
            write_json(folder / MODEL, dataclasses.asdict(self.page))
            write_json(folder / FILE, dataclasses.asdict(card))
        except OSError as error:
            raise CheckpointError(
                f"the model's name could not be written to {folder} ({error.strerror}); free some space or make the "
                f"folder writable, then run the same command again with --resume"
            ) from error
        return card

    @cached_property
    def _client(self) -> "OpenAI":
        return open_client(self.page.base_url)

    @cached_property
    def _limit(self) -> int:
        return max(self.max_answer_tokens, *(count_high(" " + word) + 1 for word in self.prompt.words))

    def _ask_for(self, texts: list[str]) -> None:
        if not texts:
            return
        _ = self._client  # Opened once, and its complaint about a missing key comes from here.
        with ThreadPoolExecutor(self.workers) as pool:
            # At the first refusal ``map`` cancels what has not begun: it would be refused, too, or paid for in vain.
            list(pool.map(self._answer, texts))

    def _answer(self, text: str) -> None:
        try:
            answer = ask(self._client, f"answer with {self.page.model}", lambda: self._complete(text))
        except ProviderError as error:
            if error.code not in _ABOUT_THE_TEXT:
                raise
            content = None
        else:
            content = answer.choices[0].message.content if answer.choices else None
        self._known[text] = None if content is None else parse_answer(content, self.prompt.words)

    def _complete(self, text: str) -> Any:
        return self._client.chat.completions.create(
            model=self.page.model,
            messages=cast(Any, self.prompt.messages(text)),
            temperature=0,
            max_completion_tokens=self._limit,
        )


def read_page(folder: Path) -> ModelPage:
    """Read which model answers for a saved classifier.

    Raises:
        AssetError: the page is gone or damaged.
    """
    path = folder / MODEL
    try:
        return TypeAdapter(ModelPage).validate_json(path.read_bytes())
    except FileNotFoundError as error:
        raise AssetError(f"{path} is gone; copy the whole run again, or train again") from error
    except (ValidationError, OSError) as error:
        raise AssetError(f"{path} is damaged; copy the whole run again, or train again") from error
