"""Prompts and labels as token ids, for a local model."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

from sharprecl.errors import ConfigError
from sharprecl.llm.prompts import Message, Prompt, first_words

LONGEST = 2048
"""Tokens that a prompt and its label may have, where the model could take more: a text without spaces is one word,
however long, and the memory for attention grows with every token."""


def render(prompt: Prompt, text: str, tokenizer: Any, form: str) -> str:
    """The prompt as one string; ``form`` is ``chat`` or ``plain``."""
    text = harmless(text, _special_tokens(tokenizer))
    if form == "plain":
        return prompt.plain(text)
    from jinja2 import TemplateError

    try:
        return _templated(tokenizer, prompt.messages(text))
    except TemplateError:
        # Some templates know no system's part.
        return _templated(tokenizer, [{"role": "user", "content": prompt.plain(text)}])


def _templated(tokenizer: Any, messages: list[Message]) -> str:
    return str(tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True))


def harmless(text: str, tokens: Sequence[str]) -> str:
    """A text in which none of the tokens stands any more: one that holds "<|im_end|>" must not end the user's turn.

    Args:
        tokens: longest first, since a shorter one may stand within a longer.
    """
    for token in tokens:
        text = text.replace(token, f"{token[0]} {token[1:]}")
    return text


_KNOWN_TOKENS: WeakKeyDictionary[Any, tuple[int, tuple[str, ...]]] = WeakKeyDictionary()


def _special_tokens(tokenizer: Any) -> tuple[str, ...]:
    """Everything that this tokenizer reads as one special token, longest first: also what no attribute of it names."""
    # The list of them is made anew at every asking, of hundreds for some models: too slow for every text.
    size, found = _KNOWN_TOKENS.get(tokenizer, (-1, ()))
    if size != len(tokenizer):
        added = [str(token) for token in tokenizer.added_tokens_decoder.values() if token.special]
        every = {token for token in (*added, *tokenizer.all_special_tokens) if len(token) > 1}
        found = tuple(sorted(every, key=lambda token: (-len(token), token)))
        _KNOWN_TOKENS[tokenizer] = len(tokenizer), found
    return found


@dataclass
class Encoder:
    """Turns texts and labels into what the model reads.

    Attributes:
        form: ``chat`` or ``plain``.
        longest: tokens that a prompt and its label may have.
        label_ids: the tokens of each label, ended by the end token. So no label is the beginning of another, and the
            chances of all that a model could write add up to one.
    """

    prompt: Prompt
    tokenizer: Any
    form: str
    longest: int
    label_ids: list[list[int]] = field(init=False)

    def __post_init__(self) -> None:
        self.label_ids = [self._label(word) for word in self.prompt.words]

    def prompts(self, texts: Sequence[str]) -> tuple[list[list[int]], int]:
        """Token ids of the prompts, and how many texts were cut: to ``max_words``, or to what the model can take.

        Raises:
            ConfigError: the list of labels alone is too long.
        """
        rendered = [render(self.prompt, text, self.tokenizer, self.form) for text in texts]
        ids = [self._framed(row) for row in self._plain_ids(rendered)] if rendered else []
        room, cut = self.longest - max(map(len, self.label_ids)), 0
        for row, text in enumerate(texts):
            too_long = len(ids[row]) > room
            if too_long:
                ids[row] = self._fitting(text, room)
            cut += too_long or len(text.split()) > self.prompt.max_words
        return ids, cut

    def _fitting(self, text: str, room: int) -> list[int]:
        """The prompt of as much of a text as there is room for: found by halves, since tokens are of unlike lengths."""
        if (bare := len(self._ids_of(""))) >= room:
            raise ConfigError(
                f"the prompt has {bare} tokens without any text, and the model takes {self.longest}; "
                f"give shorter words in method.label_words, or choose another model"
            )
        text = first_words(text, self.prompt.max_words)
        too_long = bisect_right(range(len(text)), room, key=lambda length: len(self._ids_of(text[:length])))
        return self._ids_of(text[: too_long - 1])

    def _label(self, word: str) -> list[int]:
        """The tokens that follow the prompt. Read behind it: some tokenizers mark the first word of what they get."""
        before = render(self.prompt, "", self.tokenizer, self.form)
        space = " " if self.form == "plain" else ""
        alone, joined = self._ids(before), self._ids(before + space + word)
        behind = joined[len(alone) :] if joined[: len(alone)] == alone else self._plain_ids([space + word])[0]
        return [*behind, self.tokenizer.eos_token_id]

    def _ids_of(self, text: str) -> list[int]:
        return self._ids(render(self.prompt, text, self.tokenizer, self.form))

    def _ids(self, text: str) -> list[int]:
        return self._framed(self._plain_ids([text])[0])

    def _plain_ids(self, texts: list[str]) -> list[list[int]]:
        rows: list[list[int]] = self.tokenizer(texts, add_special_tokens=False)["input_ids"]
        return rows

    def _framed(self, ids: list[int]) -> list[int]:
        begin = self._begin
        return ids if begin is None or ids[:1] == [begin] else [begin, *ids]

    @cached_property
    def _begin(self) -> int | None:
        """The token that begins a text, if this tokenizer sets one; a template has set its own."""
        begin: int | None = self.tokenizer.bos_token_id
        sets = self.form != "chat" and begin is not None and self.tokenizer("a")["input_ids"][:1] == [begin]
        return begin if sets else None


def pick_form(wanted: str, tokenizer: Any) -> str:
    """``auto`` is ``chat`` for a tokenizer that has a template.

    Raises:
        ConfigError: ``chat`` for one that has none.
    """
    if wanted == "chat" and not tokenizer.chat_template:
        raise ConfigError(
            "method.prompt is 'chat', but the model's tokenizer has no chat template; use 'plain' or 'auto'"
        )
    if wanted == "auto":
        return "chat" if tokenizer.chat_template else "plain"
    return wanted


def longest_prompt(model: Any) -> int:
    """Tokens that a prompt and its label may have for this model."""
    most = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    return min(most, LONGEST) if isinstance(most, int) and most > 0 else LONGEST
