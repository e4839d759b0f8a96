"""What the language model reads and what it is to write: the prompt in two forms, and how its answer is read.

    system     You are a text classifier. Answer with exactly one label from the list and nothing else.
    user       Task: {task}.
               Labels: {word 1}; {word 2}; ...; {word C}
               Text: {text, cut to so many words}
               Label:
    assistant  {word of the label}

A model that was trained to chat reads the parts through its own template. A base model reads them joined by newlines,
and the word follows "Label:" after a space. The paper names the models and the loss but no prompt: this one is ours.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sharprecl.config.language_models import LlmLoraConfig, OpenAIFinetuneConfig
from sharprecl.data.messages import closest, names_phrase
from sharprecl.errors import ConfigError

SYSTEM = "You are a text classifier. Answer with exactly one label from the list and nothing else."

Message = dict[str, str]


@dataclass(frozen=True)
class Prompt:
    """Everything of the prompt but the text.

    Attributes:
        task: what the labels are, as a fragment of a sentence.
        words: what stands for each label, in the order of the label ids.
        max_words: most words of a text; the rest is cut off.
    """

    task: str
    words: tuple[str, ...]
    max_words: int

    def user(self, text: str) -> str:
        """The user's part."""
        labels = "; ".join(self.words)
        return f"Task: {self.task}.\nLabels: {labels}\nText: {first_words(text, self.max_words)}\nLabel:"

    def messages(self, text: str) -> list[Message]:
        """The prompt for a chat template, and for a provider's interface."""
        return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": self.user(text)}]

    def plain(self, text: str) -> str:
        """The prompt for a base model; a space and the word follow."""
        return f"{SYSTEM}\n{self.user(text)}"


def make_prompt(settings: LlmLoraConfig | OpenAIFinetuneConfig, names: Sequence[str]) -> Prompt:
    """The prompt for the labels ``names``.

    Raises:
        ConfigError: the words for the labels do not fit; see ``label_words``.
    """
    return Prompt(settings.task, label_words(names, settings.label_words), settings.max_words)


def first_words(text: str, limit: int) -> str:
    """The first words of a text, white space as it was; nothing around them."""
    words = list(re.finditer(r"\S+", text))
    return text.strip() if len(words) <= limit else text[words[0].start() : words[limit - 1].end()]


def label_words(names: Sequence[str], chosen: Mapping[str, str]) -> tuple[str, ...]:
    """What the model reads and writes for each label.

    A name that is only a number tells a language model nothing; it becomes ``class 7`` at least.

    Args:
        names: the labels.
        chosen: words of the user's for some of the names, or all.

    Raises:
        ConfigError: a word is for no label, is empty, or could be taken for that of another label.
    """
    for name in chosen:
        if name not in names:
            raise ConfigError(
                f"method.label_words has a word for {name!r}, which is no label{closest(name, names)}; "
                f"the labels are {names_phrase(names)}"
            )
    words = tuple(" ".join(chosen.get(name, _default_word(name)).split()) for name in names)
    owner: dict[str, str] = {}
    for name, word in zip(names, words, strict=True):
        if not word:
            raise ConfigError(f"the label {name!r} has no word; give it one in method.label_words")
        if other := owner.get(_normal(word)):
            raise ConfigError(
                f"the labels {other!r} and {name!r} read alike to a language model ({word!r}); "
                f"give one of them another word in method.label_words"
            )
        owner[_normal(word)] = name
    return words


def _default_word(name: str) -> str:
    return f"class {name.strip()}" if re.fullmatch(r"\s*[+-]?\d+([.]\d+)?\s*", name) else name


def _normal(word: str) -> str:
    """Without case, white space and the punctuation around: ``" Entity."`` and ``entity`` are one word."""
    folded = " ".join(word.casefold().split())
    return folded.strip(" .,;:!?*_`'\"“”()[]\u2018\u2019") or folded


def parse_answer(answer: str, words: Sequence[str]) -> int | None:
    """Which label a written answer names: the one whose word it is, but for case, white space, quotes, a full stop.

    Only the first line with anything in it counts, and an answer that goes on after the word is none: a model that
    writes "entity or location" has not decided.
    """
    lines = [line for line in answer.splitlines() if line.strip()]
    if not lines:
        return None
    if lines[0].strip() in words:
        return list(words).index(lines[0].strip())
    said = _normal(re.sub(r"(?i)^\s*label:", "", lines[0]))
    return {_normal(word): index for index, word in enumerate(words)}.get(said)


def answer_scores(answers: Sequence[str | None], words: Sequence[str]) -> np.ndarray:
    """Scores [N, C] of written answers: 0 for the label that an answer names and -100 for the others, so that a softmax
    is sure of it; a row of NaN for an answer that names none, and for None.
    """
    scores_NC = np.full((len(answers), len(words)), np.nan, dtype=np.float32)
    for row, answer in enumerate(answers):
        label = None if answer is None else parse_answer(answer, words)
        if label is not None:
            scores_NC[row] = -100.0
            scores_NC[row, label] = 0.0
    return scores_NC
