"""Second views by noise: the operations of EDA without its synonym replacement, and keyboard typos.

EDA: Wei & Zou, Easy Data Augmentation Techniques for Boosting Performance on Text Classification Tasks, EMNLP 2019:
random insertion (of a synonym of some word), random swap, random deletion. As there, a text gets one kind of noise,
drawn anew for every text, on about a tenth of its words. Numbers, words with digits, label words and negations stay
where and what they are; whatever can be changed is changed, and no text becomes empty.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from math import hypot
from typing import Any, TypeVar

import numpy as np

from sharprecl.augment.base import text_generator
from sharprecl.augment.synonyms import is_english
from sharprecl.augment.wordnet import WordNetLexicon
from sharprecl.augment.words import carries_meaning, gaps, label_words, must_stay, put_in, wanted, words_of
from sharprecl.config import NoiseConfig

T = TypeVar("T")
Words = list[re.Match[str]]
_NEGATIONS = frozenset(
    ("no", "not", "never", "nor", "none", "nothing", "neither", "without", "cannot", "nobody", "nowhere", "hardly")
)
_TYPED = 4  # letters of a word in which a slip leaves it readable, as in nlpaug's KeyboardAug
_DRAWS = 10  # of slips, until one makes no label word

_ROWS = (("qwertyuiop", 0.0), ("asdfghjkl", 0.25), ("zxcvbnm", 0.75))  # keys, and how far the row is set in
_KEYS = {key: (start + column, row) for row, (keys, start) in enumerate(_ROWS) for column, key in enumerate(keys)}
NEIGHBOURS: dict[str, str] = {
    key: "".join(other for other, (a, b) in sorted(_KEYS.items()) if 0 < hypot(a - x, b - y) < 1.3)
    for key, (x, y) in _KEYS.items()
}
"""For every small letter those of the keys that touch it on a QWERTY keyboard (1.3 key widths), in order."""


class NoiseAugmenter:
    """Makes slips in texts.

    Args:
        config: share of the words that each kind of noise touches; a kind with rate 0 is never drawn.
        protected: label names (or any words): their words, also with -s, are neither touched nor put in.
        lexicon: where random insertion finds synonyms; WordNet by default.
    """

    name = "noise"
    version = 2
    seeded = True

    def __init__(
        self, config: NoiseConfig | None = None, protected: Iterable[str] = (), lexicon: WordNetLexicon | None = None
    ) -> None:
        self.config = NoiseConfig() if config is None else config
        self.protected = label_words(protected)
        self.lexicon = WordNetLexicon() if lexicon is None else lexicon
        self._kinds: dict[str, Callable[[str, Words, int, np.random.Generator], str]] = {
            "insertion": self._insert,
            "swap": self._swap,
            "deletion": self._delete,
            "typos": self._mistype,
        }

    def settings(self) -> dict[str, Any]:
        """Everything beside text and seed that decides the result."""
        lexicon = self.lexicon.settings() if self.config.insertion else None
        return {**self.config.model_dump(), "protected": sorted(self.protected), "lexicon": lexicon}

    def augment(self, texts: Sequence[str], seed: int) -> list[str]:
        """A noisy view of each text; a text in which nothing may change comes back as it is."""
        return [self._augment_one(text, seed) for text in texts]

    def _augment_one(self, text: str, seed: int) -> str:
        words = words_of(text)
        rng = text_generator(text, seed)
        kinds = [kind for kind in self._kinds if getattr(self.config, kind)]
        for which in rng.permutation(len(kinds)):
            count = wanted(getattr(self.config, kinds[which]), len(words), len(words))
            made = self._kinds[kinds[which]](text, words, count, rng)
            if made != text:
                return made
        return text

    def _touchable(self, words: Words) -> Words:
        return [word for word in words if not must_stay(word[0], self.protected) and not _negates(word[0])]

    def _insert(self, text: str, words: Words, count: int, rng: np.random.Generator) -> str:
        plain = [word[0].lower() for word in words if word[0].isalpha()]
        content = [word[0].lower() for word in words if carries_meaning(word[0], text.isupper(), self.protected)]
        options = [[s for s in self.lexicon.synonyms(word) if s not in self.protected] for word in content]
        options = [some for some in options if some]
        if not options or not is_english(plain, self.lexicon):
            return text
        places = gaps(text, words)
        chosen = rng.permutation(len(places))[:count]
        new = [_pick(_pick(options, rng), rng) for _ in chosen]
        return put_in(text, [places[k] for k in chosen], [s.upper() if text.isupper() else s for s in new])

    def _swap(self, text: str, words: Words, count: int, rng: np.random.Generator) -> str:
        pool = self._touchable(words)
        free = [pool[k] for k in rng.permutation(len(pool))]
        pieces: dict[re.Match[str], str] = {}
        while free and len(pieces) < 2 * count:
            one = free.pop()
            other = next((word for word in free if word[0].lower() != one[0].lower()), None)
            if other is not None:
                free.remove(other)
                pieces |= {one: other[0], other: one[0]}
        return _rewritten(text, pieces)

    def _delete(self, text: str, words: Words, count: int, rng: np.random.Generator) -> str:
        pool = self._touchable(words)
        chosen = rng.permutation(len(pool))[: min(count, len(words) - 1)]
        return _rewritten(text, dict.fromkeys((pool[k] for k in chosen), ""))

    def _mistype(self, text: str, words: Words, count: int, rng: np.random.Generator) -> str:
        typed = [word for word in self._touchable(words) if any(letter.lower() in NEIGHBOURS for letter in word[0])]
        pool = [word for word in typed if len(word[0]) >= _TYPED] or typed
        chosen = rng.permutation(len(pool))[:count]
        return _rewritten(text, {pool[k]: self._slip(pool[k][0], rng) for k in chosen})

    def _slip(self, word: str, rng: np.random.Generator) -> str:
        """The word with one neighbouring key hit; as it is where that keeps making label words of it."""
        for _ in range(_DRAWS):
            place = _pick([k for k, letter in enumerate(word) if letter.lower() in NEIGHBOURS], rng)
            hit = _pick(NEIGHBOURS[word[place].lower()], rng)
            made = word[:place] + (hit.upper() if word[place].isupper() else hit) + word[place + 1 :]
            if not must_stay(made, self.protected):
                return made
        return word


def _pick(some: Sequence[T], rng: np.random.Generator) -> T:
    return some[int(rng.random() * len(some))]


def _negates(word: str) -> bool:
    lower = word.lower().replace("\u2019", "'")
    return lower in _NEGATIONS or lower.endswith("n't")


def _rewritten(text: str, pieces: dict[re.Match[str], str]) -> str:
    """The text with other words in the place of some; a word that goes takes the space before it along."""
    for word in sorted(pieces, key=lambda match: match.start(), reverse=True):
        before, after = text[: word.start()], text[word.end() :]
        if not pieces[word]:
            before, after = (before.rstrip(), after) if before.strip() else (before, after.lstrip())
        text = before + pieces[word] + after
    return text
