"""Prompts and labels as token ids, for a local model."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from sharprecl.errors import ConfigError
from sharprecl.llm.prompts import Message, Prompt, first_words


class Encoder:
    """Turns texts and labels into what the model reads.

    Args:
        form: ``chat`` goes through the tokenizer's template, ``plain`` does not, ``auto`` does where there is one.
        longest: tokens that a prompt and its label may have.

    Attributes:
        form: ``chat`` or ``plain``.
        label_ids: the tokens of each label, ended by the end token. So no label is the beginning of another, and the
            chances of all that a model could write add up to one.

    Raises:
        ConfigError: there is no template.
    """

    def __init__(self, prompt: Prompt, tokenizer: Any, form: str, longest: int) -> None:
        if form == "chat" and not tokenizer.chat_template:
            raise ConfigError(
                "method.prompt is 'chat', but the model's tokenizer has no chat template; use 'plain' or 'auto'"
            )
        self.prompt, self.tokenizer, self.longest = prompt, tokenizer, longest
        self.form = ("chat" if tokenizer.chat_template else "plain") if form == "auto" else form
        # Everything that is read as one special token, also what no attribute names; longest first, since a shorter
        # one may stand within a longer.
        added = [str(token) for token in tokenizer.added_tokens_decoder.values() if token.special]
        every = {token for token in (*added, *tokenizer.all_special_tokens) if len(token) > 1}
        self._special = sorted(every, key=lambda token: (-len(token), token))
        # The token that begins a text, if this tokenizer sets one; a template has set its own.
        begin = [tokenizer.bos_token_id]
        self._begin = begin if self.form == "plain" and tokenizer("a")["input_ids"][:1] == begin else []
        self.label_ids = [self._label(word) for word in prompt.words]

    def render(self, text: str) -> str:
        """The prompt as one string. A text that holds "<|im_end|>" must not end the user's turn: it is broken up."""
        for token in self._special:
            text = text.replace(token, f"{token[0]} {token[1:]}")
        if self.form == "plain":
            return self.prompt.plain(text)
        from jinja2 import TemplateError

        try:
            return self._templated(self.prompt.messages(text))
        except TemplateError:
            # Some templates know no system's part.
            return self._templated([{"role": "user", "content": self.prompt.plain(text)}])

    def prompts(self, texts: Sequence[str]) -> tuple[list[list[int]], int]:
        """Token ids of the prompts, and how many texts were cut: to ``max_words``, or to what the model can take.

        Raises:
            ConfigError: the list of labels alone is too long.
        """
        ids = self._ids([self.render(text) for text in texts]) if texts else []
        room, cut = self.longest - max(map(len, self.label_ids)), 0
        for row, text in enumerate(texts):
            too_long = len(ids[row]) > room
            if too_long:
                ids[row] = self._fitting(text, room)
            cut += too_long or len(text.split()) > self.prompt.max_words
        return ids, cut

    def _fitting(self, text: str, room: int) -> list[int]:
        """The prompt of as much of a text as there is room for: found by halves, since tokens are of unlike lengths."""
        text = first_words(text, self.prompt.max_words)

        def ids_of(length: int) -> list[int]:
            return self._ids([self.render(text[:length])])[0]

        if (bare := len(ids_of(0))) >= room:
            raise ConfigError(
                f"the prompt has {bare} tokens without any text, and the model takes {self.longest}; "
                f"give shorter words in method.label_words, or choose another model"
            )
        return ids_of(bisect_right(range(len(text)), room, key=lambda length: len(ids_of(length))) - 1)

    def _label(self, word: str) -> list[int]:
        """The tokens that follow the prompt. Read behind it: some tokenizers mark the first word of what they get."""
        before, word = self.render(""), f" {word}" if self.form == "plain" else word
        alone, joined = self._ids([before, before + word])
        behind = joined[len(alone) :] if joined[: len(alone)] == alone else self._without_begin([word])[0]
        return [*behind, self.tokenizer.eos_token_id]

    def _ids(self, texts: list[str]) -> list[list[int]]:
        begin = self._begin
        return [ids if ids[:1] == begin else begin + ids for ids in self._without_begin(texts)]

    def _without_begin(self, texts: list[str]) -> list[list[int]]:
        rows: list[list[int]] = self.tokenizer(texts, add_special_tokens=False)["input_ids"]
        return rows

    def _templated(self, messages: list[Message]) -> str:
        return str(self.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True))
