"""What would be sent to the provider and what that would cost: all that can be known before anything is spent."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sharprecl.data.tables import TextTable
from sharprecl.errors import ConfigError, DataError
from sharprecl.files import atomic_path
from sharprecl.llm.cost import PRICED, PRICES, Prices, chat_tokens, count_high, default_epochs, dollars, exact_counter
from sharprecl.llm.prompts import Prompt

MIN_EXAMPLES = 10
"""The provider refuses to train on fewer."""
WRITTEN_TO_READ = 4
"""What a written token costs at most of a read one, for all models of the table: an answer is short, but not free."""


@dataclass(frozen=True)
class JobPlan:
    """A fine-tuning that has not begun.

    Attributes:
        rows: the training file's lines, one JSON object a text.
        tokens: of one pass over the rows.
        prompt_tokens: those of them that are prompts; what answering the same texts would read.
        answer_tokens: of the longest answer, as many read ones as cost the same.
        judged: texts that the trained model will be asked at once, to be judged.
        judged_tokens: of their prompts and answers.
        exact: whether they were counted with the model's own encoding, or estimated high.
        epochs: passes; the very number that the provider is asked for, so that the cost is known beforehand.
    """

    model: str
    rows: tuple[str, ...]
    tokens: int
    prompt_tokens: int
    answer_tokens: int
    judged: int
    judged_tokens: int
    exact: bool
    epochs: int
    prices: Prices
    listed: bool

    @cached_property
    def data(self) -> bytes:
        """The training file."""
        return "".join(row + "\n" for row in self.rows).encode()

    @cached_property
    def data_hash(self) -> str:
        """Hex SHA-256 of the training file."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def cost(self) -> float:
        """Dollars for the training, rounded up to a cent."""
        return dollars(self.tokens * self.epochs, self.prices.training)

    @property
    def answering_cost(self) -> float | None:
        """Dollars for a thousand texts like these and their answers, or None if the price is not known."""
        if self.prices.answering is None:
            return None
        return dollars(1000 * (self.prompt_tokens / len(self.rows) + self.answer_tokens), self.prices.answering)

    @property
    def judging_cost(self) -> float:
        """Dollars for the answers that the judgement needs, rounded up to a cent."""
        return dollars(self.judged_tokens, self.prices.answering or 0.0)

    @property
    def total(self) -> float:
        """Dollars for training and judging."""
        return round(self.cost + self.judging_cost, 2)

    def sentence(self) -> str:
        """What it costs, for a person who is asked to agree."""
        counted = "counted with its own encoding" if self.exact else "counted high"
        origin = f"price of {PRICED}, check the provider's page" if self.listed else "your price"
        passes = "1 pass" if self.epochs == 1 else f"{self.epochs} passes"
        judging = (
            f"; answering the {self.judged:,} texts that it is judged on: about ${self.judging_cost:.2f}; "
            f"together about ${self.total:.2f}"
            if self.judged
            else ""
        )
        answering = (
            f"later about ${self.answering_cost:.2f} per 1,000 texts to answer"
            if self.answering_cost is not None
            else "answering costs extra, at a price that was not given"
        )
        return (
            f"fine-tuning {self.model} on {len(self.rows):,} texts: about {self.tokens:,} tokens ({counted}), "
            f"{passes}, about ${self.cost:.2f} at ${self.prices.training:.2f} a million ({origin}){judging}; "
            f"{answering}"
        )

    def check_allowed(self, max_cost: float | None, *, trained: bool = False) -> None:
        """Refuse to spend more than was allowed.

        Args:
            max_cost: dollars; None is nothing at all.
            trained: the training was paid for before, and only judging costs.

        Raises:
            ConfigError: more would be spent.
        """
        needed = self.judging_cost if trained else self.total
        if max_cost is None:
            raise ConfigError(
                f"{self.sentence()}. Nothing was sent: no sum was allowed. To go on, add --yes, or set method.max_cost "
                f"to {needed:.2f} or more"
            )
        if needed > max_cost:
            raise ConfigError(
                f"{self.sentence()}. Nothing was sent: method.max_cost allows ${max_cost:.2f}. To go on, set "
                f"method.max_cost to {needed:.2f} or more"
            )

    def write(self, path: Path) -> None:
        """Write the training file, whole or not at all."""
        with atomic_path(path) as temporary:
            temporary.write_bytes(self.data)


def make_plan(
    table: TextTable,
    prompt: Prompt,
    *,
    model: str,
    n_epochs: int | None,
    training_price: float | None,
    answering_price: float | None,
    judged_texts: Sequence[str] = (),
) -> JobPlan:
    """Write the conversations and count them.

    Args:
        n_epochs: None takes the number that the provider's guide gives for this many texts.
        training_price, answering_price: dollars a million tokens; None looks the model up in the table of prices.
        judged_texts: what the trained model will be asked at once; equal texts are asked once.

    Raises:
        DataError: there are fewer texts than the provider takes.
        ConfigError: there is no price.
    """
    if len(table) < MIN_EXAMPLES:
        raise DataError(
            f"{table.origin}: {len(table)} texts, and the provider trains on {MIN_EXAMPLES} at least; add some"
        )
    listed = PRICES.get(model)
    if training_price is None and listed is None:
        raise ConfigError(
            f"method.model: there is no price for {model!r} in the table of {PRICED} ({', '.join(PRICES)}); look it up "
            f"on the provider's page and give method.price_per_million_training_tokens, and for the cost of answers "
            f"method.price_per_million_input_tokens"
        )
    listed = listed or Prices(0.0, None)
    prices = Prices(
        listed.training if training_price is None else training_price,
        listed.answering if answering_price is None else answering_price,
    )
    if judged_texts and prices.answering is None:
        raise ConfigError(
            f"method.model: the price of {model!r} for answers is not known, and it is to answer "
            f"{len(judged_texts):,} texts to be judged; give method.price_per_million_input_tokens"
        )
    exact = exact_counter(model)
    count: Callable[[str], int] = exact or count_high
    rows, tokens, prompt_tokens = [], 0, 0
    for text, label in zip(table.texts, table.label_ids.tolist(), strict=True):
        question = prompt.messages(text)
        conversation = [*question, {"role": "assistant", "content": prompt.words[label]}]
        rows.append(json.dumps({"messages": conversation}, ensure_ascii=False))
        tokens += chat_tokens(conversation, count)
        prompt_tokens += chat_tokens(question, count)
    answer_tokens = WRITTEN_TO_READ * (1 + max(count(" " + word) for word in prompt.words))
    questions = dict.fromkeys(judged_texts)
    return JobPlan(
        model=model,
        rows=tuple(rows),
        tokens=tokens,
        prompt_tokens=prompt_tokens,
        answer_tokens=answer_tokens,
        judged=len(questions),
        judged_tokens=sum(chat_tokens(prompt.messages(text), count) + answer_tokens for text in questions),
        exact=exact is not None,
        epochs=n_epochs or default_epochs(len(rows)),
        prices=prices,
        listed=training_price is None,
    )
