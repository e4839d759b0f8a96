"""Second views by synonym substitution (the paper's augmentation; rate as nlpaug's default, aug_p = 0.3).

Numbers, words with digits or inner punctuation, acronyms, names inside a sentence, function words and label words stay,
and so do case, punctuation and spacing. A text most of whose words are not English stays as it is.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from sharprecl.augment.base import text_generator
from sharprecl.augment.wordnet import WordNetLexicon
from sharprecl.augment.words import STOP_WORDS, carries_meaning, in_case_of, label_words, wanted, words_of
from sharprecl.config import SynonymsConfig

_ENDS_SENTENCE = frozenset(".?!:")
_OPENS_SENTENCE = " \t\n([\"'\u201c\u2018"
# German "hat" is no headgear. Of TREC's and Ohsumed's titles 99 % reach this share; of twenty sentences tried in
# German, French, Spanish, Dutch and Italian none.
_KNOWN_IN_ENGLISH = 0.6


class SynonymAugmenter:
    """Replaces words by synonyms.

    Args:
        config: how many; at least one word wherever one can be replaced.
        protected: label names (or any words): their words, also with -s, are neither replaced nor put in.
        lexicon: where synonyms come from; WordNet by default.
    """

    name = "synonyms"
    version = 1
    seeded = True

    def __init__(
        self, config: SynonymsConfig | None = None, protected: Iterable[str] = (), lexicon: WordNetLexicon | None = None
    ) -> None:
        self.config = SynonymsConfig() if config is None else config
        self.protected = label_words(protected)
        self.lexicon = WordNetLexicon() if lexicon is None else lexicon

    def settings(self) -> dict[str, Any]:
        """Everything beside text and seed that decides the result."""
        return {**self.config.model_dump(), "protected": sorted(self.protected), "lexicon": self.lexicon.settings()}

    def augment(self, texts: Sequence[str], seed: int) -> list[str]:
        """A second view of each text; a text with nothing to replace comes back as it is."""
        return [self._augment_one(text, seed) for text in texts]

    def _augment_one(self, text: str, seed: int) -> str:
        matches = words_of(text)
        words = [match[0].lower() for match in matches if match[0].isalpha()]
        choices = self._choices(text, matches)
        if not choices or not is_english(words, self.lexicon):
            return text
        rng = text_generator(text, seed)
        chosen = rng.permutation(len(choices))[: wanted(self.config.share, len(words), len(choices))]
        pieces, end = [], 0
        for match, options in (choices[which] for which in sorted(chosen.tolist())):
            option = options[int(rng.random() * len(options))]
            pieces += [text[end : match.start()], in_case_of(match[0], option)]
            end = match.end()
        return "".join([*pieces, text[end:]])

    def _choices(self, text: str, matches: list[re.Match[str]]) -> list[tuple[re.Match[str], list[str]]]:
        """The words that may be replaced, each with what may stand for it."""
        shouted = text.isupper()
        content = [
            match for match in matches if match[0].isascii() and carries_meaning(match[0], shouted, self.protected)
        ]
        # In Title Case every content word has a capital; elsewhere a capital inside the sentence marks a name.
        capitals_mark_names = any(match[0].islower() for match in content)
        choices = []
        for match in content:
            if capitals_mark_names and match[0][0].isupper() and not _starts_sentence(text, match.start()):
                continue
            options = [word for word in self.lexicon.synonyms(match[0].lower()) if word not in self.protected]
            if options := _fitting_article(text, match.start(), options):
                choices.append((match, options))
        return choices


def is_english(words: Sequence[str], lexicon: WordNetLexicon) -> bool:
    """Whether most of a text's lower-case words are known; an empty text counts as English."""
    known = sum(word in STOP_WORDS or lexicon.knows(word) for word in words)
    return known >= _KNOWN_IN_ENGLISH * len(words)


def _starts_sentence(text: str, position: int) -> bool:
    before = text[max(0, position - 8) : position].rstrip(_OPENS_SENTENCE)
    return not before or before[-1] in _ENDS_SENTENCE


def _fitting_article(text: str, position: int, options: list[str]) -> list[str]:
    """After "a" only synonyms that begin with a consonant, after "an" only those that begin with a vowel."""
    article = re.search(r"(?:^|\W)(an?) $", text[max(0, position - 4) : position].lower())
    if article is None:
        return options
    return [word for word in options if (word[0] in "aeiou") == (article[1] == "an")]
