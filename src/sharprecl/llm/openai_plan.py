"""What would be sent to the provider and what that would cost: counted without the network, before anything is spent.

Sources: https://openai.com/api/pricing for the prices, the provider's guide to fine-tuning for the passes.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sharprecl.config.language_models import OpenAIFinetuneConfig
from sharprecl.data.tables import TextTable
from sharprecl.errors import ConfigError, DataError
from sharprecl.files import atomic_path
from sharprecl.llm.prompts import make_prompt

MIN_EXAMPLES = 10
"""The provider refuses to train on fewer."""
WRITTEN_TO_READ = 4
"""What a written token costs at most of a read one, for all models of the table: an answer is short, but not free."""
PRICED = "late 2025"
"""When the prices below stood on the provider's page."""

# Dollars a million tokens: of training, and of the prompts that the trained model answers. A model that is not here
# needs its prices from the user: a guessed one could be wrong by a factor of ten.
PRICES = {
    "gpt-3.5-turbo-0125": (8.00, 3.00),
    "gpt-4o-mini-2024-07-18": (3.00, 0.30),
    "gpt-4o-2024-08-06": (25.00, 3.75),
    "gpt-4.1-nano-2025-04-14": (1.50, 0.20),
    "gpt-4.1-mini-2025-04-14": (5.00, 0.80),
    "gpt-4.1-2025-04-14": (25.00, 3.00),
}

_PIECE = re.compile(r"[A-Za-z]+| ?[0-9]{1,3}|\s*\n|[^\x00-\x7f]|[^\sA-Za-z0-9]")


@dataclass(frozen=True)
class JobPlan:
    """A fine-tuning that has not begun.

    Attributes:
        data: the training file, one JSON object a line and text.
        tokens: of one pass over it.
        answer_tokens: of a mean prompt of these texts and its answer, in read ones.
        judged: texts that the trained model will be asked at once, to be judged.
        judged_tokens: of their prompts and answers.
        epochs: passes; the very number that the provider is asked for, so that the cost is known beforehand.
        training_price, answering_price: dollars a million tokens; None is not known.
        listed: whether the price of the training is the table's.
    """

    model: str
    data: bytes
    texts: int
    tokens: int
    answer_tokens: float
    judged: int
    judged_tokens: int
    epochs: int
    training_price: float
    answering_price: float | None
    listed: bool

    @property
    def cost(self) -> float:
        """Dollars for the training, rounded up to a cent."""
        return dollars(self.tokens * self.epochs, self.training_price)

    @property
    def judging_cost(self) -> float:
        """Dollars for the answers that the judgement needs, rounded up to a cent."""
        return dollars(self.judged_tokens, self.answering_price or 0.0)

    @property
    def total(self) -> float:
        """Dollars for training and judging."""
        return round(self.cost + self.judging_cost, 2)

    def sentence(self) -> str:
        """What it costs, for a person who is asked to agree."""
        origin = f"price of {PRICED}, check the provider's page" if self.listed else "your price"
        passes = "1 pass" if self.epochs == 1 else f"{self.epochs} passes"
        judging, answering = "", "answering costs extra, at a price that was not given"
        if self.judged:
            judging = (
                f"; answering the {self.judged:,} texts that it is judged on: about ${self.judging_cost:.2f}; "
                f"together about ${self.total:.2f}"
            )
        if self.answering_price is not None:
            thousand = dollars(1000 * self.answer_tokens, self.answering_price)
            answering = f"later about ${thousand:.2f} per 1,000 texts to answer"
        return (
            f"fine-tuning {self.model} on {self.texts:,} texts: about {self.tokens:,} tokens (counted high), "
            f"{passes}, about ${self.cost:.2f} at ${self.training_price:.2f} a million ({origin}){judging}; "
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
        needed = f"method.max_cost to {self.judging_cost if trained else self.total:.2f} or more"
        if max_cost is None:
            raise ConfigError(
                f"{self.sentence()}. Nothing was sent: no sum was allowed. To go on, add --yes, or set {needed}"
            )
        if max_cost < (self.judging_cost if trained else self.total):
            raise ConfigError(
                f"{self.sentence()}. Nothing was sent: method.max_cost allows ${max_cost:.2f}. To go on, set {needed}"
            )

    def write(self, path: Path) -> None:
        """Write the training file, whole or not at all."""
        with atomic_path(path) as temporary:
            temporary.write_bytes(self.data)


def make_plan(table: TextTable, settings: OpenAIFinetuneConfig, judged_texts: Sequence[str] = ()) -> JobPlan:
    """Write the conversations and count them. Needs neither key nor network nor the ``openai`` package.

    Args:
        table: training texts.
        judged_texts: what the trained model will be asked as soon as it is there; equal ones are asked once.

    Raises:
        DataError: there are fewer texts than the provider takes.
        ConfigError: a price is not known.
    """
    if len(table) < MIN_EXAMPLES:
        raise DataError(
            f"{table.origin}: {len(table)} texts, and the provider trains on {MIN_EXAMPLES} at least; add some"
        )
    prompt = make_prompt(settings, table.label_names)
    own = settings.price_per_million_training_tokens, settings.price_per_million_input_tokens
    listed = PRICES.get(settings.model, (None, None))
    training, answering = (theirs if mine is None else mine for mine, theirs in zip(own, listed, strict=True))
    if training is None:
        raise ConfigError(
            f"method.model: there is no price for {settings.model!r} in the table of {PRICED} ({', '.join(PRICES)}); "
            f"look it up on the provider's page and give method.price_per_million_training_tokens, and for the cost of "
            f"answers method.price_per_million_input_tokens"
        )
    if judged_texts and answering is None:
        raise ConfigError(
            f"method.model: the price of {settings.model!r} for answers is not known, and it is to answer "
            f"{len(judged_texts):,} texts to be judged; give method.price_per_million_input_tokens"
        )
    questions = [prompt.messages(text) for text in table.texts]
    conversations = [
        [*question, {"role": "assistant", "content": prompt.words[label]}]
        for question, label in zip(questions, table.label_ids.tolist(), strict=True)
    ]
    rows = [json.dumps({"messages": messages}, ensure_ascii=False) + "\n" for messages in conversations]
    answer = WRITTEN_TO_READ * (1 + max(count_high(" " + word) for word in prompt.words))
    judged = [chat_tokens(prompt.messages(text)) + answer for text in set(judged_texts)]
    return JobPlan(
        model=settings.model,
        data="".join(rows).encode(),
        texts=len(table),
        tokens=sum(map(chat_tokens, conversations)),
        answer_tokens=sum(map(chat_tokens, questions)) / len(table) + answer,
        judged=len(judged),
        judged_tokens=sum(judged),
        epochs=default_epochs(len(table)) if settings.n_epochs == "auto" else settings.n_epochs,
        training_price=training,
        answering_price=answering,
        listed=own[0] is None,
    )


def count_high(text: str) -> int:
    """About how many tokens a text has, rather too many than too few, from the text alone.

    A word is a token for each four letters, begun ones included; up to three digits are one, and one more if a space
    stands before them; other ASCII characters are one each; a character of n > 1 bytes in UTF-8 is n - 1. By the
    encodings of gpt-3.5 and gpt-4o that is 23 to 50 per cent too many on five English data sets (18,000 texts), and
    clearly too few only for endless compounds (by 22) and random strings (by 42).
    """
    tokens = 0
    for piece in _PIECE.findall(text):
        if not piece.isascii():
            tokens += len(piece.encode()) - 1
        elif piece.isalpha():
            tokens += math.ceil(len(piece) / 4)
        else:
            tokens += 2 if piece[0] == " " else 1
    return tokens


def chat_tokens(messages: Sequence[Mapping[str, str]]) -> int:
    """Tokens of a conversation: three frame each message, its role is one, and three open the answer."""
    return 3 + sum(4 + count_high(message["content"]) for message in messages)


def default_epochs(examples: int) -> int:
    """Passes over the data that the provider's guide counts with: 3, more for few examples, fewer for very many."""
    if 3 * examples < 100:
        return min(25, 100 // examples)
    return max(1, min(3, 25_000 // examples))


def dollars(tokens: float, price: float) -> float:
    """The price of that many tokens, rounded up to a whole cent."""
    return math.ceil(tokens * price / 1e6 * 100 - 1e-9) / 100
