"""Synonyms from WordNet 3.0.

No tagger tells here which part of speech or which sense a word has in its text. WordNet's own tag counts (how often a
sense was marked in the SemCor texts; last column of ``index.sense``) give the best guess: the part of speech with
most counts, and of it the senses that hold a good share of them. Names (senses that WordNet spells with a capital) are
left alone: "china" has no synonym, and "may" is no hawthorn.

The files are read directly, for these tag counts and the heads of the synsets' lines are all that is needed: it takes a
tenth of the time and the memory of nltk's reader, which parses everything else too (formats: senseidx(5WN), wndb(5WN)).
"""

import hashlib
import re
from collections import defaultdict
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from sharprecl.assets import wordnet_dir
from sharprecl.augment.words import NEVER_PUT_IN, add_s, takes_regular_s
from sharprecl.errors import AssetError
from sharprecl.extras import require

_FILES = {"n": "data.noun", "v": "data.verb", "a": "data.adj", "r": "data.adv"}
_PART_OF_NUMBER = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
_PLAIN_WORD = re.compile(r"[a-z]{3,}")
_MOST_SYNONYMS = 3  # usual words are one or two word pieces long: so the two views have about the same length
_SENSE_SHARE = 0.2  # least share of its part of speech's tag counts that a sense must hold
_CLEAR_PART = 0.6  # least share of a word's tag counts that its part of speech must hold
_USUAL = 3  # a sense seen this often asks for synonyms that were seen too: no "caput" for "head"


class _Sense(NamedTuple):
    """One sense of a word; senses of one part of speech sort by their number, the most usual first."""

    part: str
    number: int
    offset: int
    tags: int


class WordNetLexicon:
    """Answers which single words may stand for a word. Loads with the first word that it is asked for.

    Args:
        folder: WordNet's ``dict`` folder; None fetches it on first use.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._given_folder = folder
        self._synonyms: dict[str, tuple[str, ...]] = {}
        self._known: dict[str, bool] = {}

    def settings(self) -> dict[str, Any]:
        """What decides the answers, for the cache's key; ``content`` tells one WordNet from another.

        Raises:
            AssetError: WordNet cannot be had, or is damaged.
        """
        content = hashlib.sha256(self._read("index.sense")).hexdigest()[:16]
        return {"name": "wordnet", "content": content}

    def synonyms(self, word: str) -> tuple[str, ...]:
        """Lower-case single words that may stand for ``word`` (lower case), best first; empty when there are none.

        A word that is not its own base form gets synonyms only where the -s form is regular on both sides
        (cities -> metropolises); "went", "running" and "children" get none.
        """
        if word not in self._synonyms:
            self._synonyms[word] = self._look_up(word) if _PLAIN_WORD.fullmatch(word) else ()
        return self._synonyms[word]

    def knows(self, word: str) -> bool:
        """Whether a lower-case word, or its base form, stands in WordNet at all."""
        if word not in self._known:
            base = self._base_form(word) if _PLAIN_WORD.fullmatch(word) else ""
            self._known[word] = word in self._senses or base in self._senses
        return self._known[word]

    def _look_up(self, word: str) -> tuple[str, ...]:
        base = self._base_form(word)
        if base == word:
            return self._of_base_form(word)[:_MOST_SYNONYMS]
        if add_s(base) != word:
            return ()
        inflected = (add_s(s) for s in self._of_base_form(base, parts="nv") if takes_regular_s(s))
        return tuple(s for s in inflected if s != word)[:_MOST_SYNONYMS]

    def _of_base_form(self, word: str, parts: str = "nvar") -> tuple[str, ...]:
        """Synonyms of a base form from its likeliest senses, if its likeliest part of speech is among ``parts``."""
        all_senses = self._senses.get(word, ())
        by_part = {part: sorted(s for s in all_senses if s.part == part) for part in _FILES}
        counts = {part: sum(sense.tags for sense in senses) for part, senses in by_part.items()}
        likeliest = max(_FILES, key=lambda part: (counts[part], len(by_part[part])))
        if likeliest not in parts or not by_part[likeliest]:
            return ()
        total = counts[likeliest]
        if total < _CLEAR_PART * sum(counts.values()):
            return ()  # "left", "drink": as often one part of speech as another
        first, *others = by_part[likeliest]
        found = self._of_sense(word, first)
        if not found and first.tags > total / 2:
            return ()  # what the word mostly means has no other name
        for sense in others:
            if sense.tags >= max(1.0, _SENSE_SHARE * total):
                found += self._of_sense(word, sense)
        return tuple(dict.fromkeys(found))

    def _of_sense(self, word: str, sense: _Sense) -> list[str]:
        """Synonyms of a word in one sense, the most used ones first; none where the word is a name."""
        names = self._names(sense)
        if word not in names:  # spelled with a capital there
            return []
        found: dict[str, int] = {}
        for name in names:
            if name == word or name in NEVER_PUT_IN or not _PLAIN_WORD.fullmatch(name):
                continue
            senses = self._senses.get(name, ())
            count_here = sum(s.tags for s in senses if s.offset == sense.offset and s.part == sense.part)
            if count_here or sense.tags < _USUAL:
                found[name] = sum(s.tags for s in senses)
        return sorted(found, key=lambda name: (-found[name], name))

    def _names(self, sense: _Sense) -> list[str]:
        """The names of a sense's synset as they are spelled there.

        They stand at the head of its line: offset, file, type, number of words (hexadecimal), then each with an id.
        """
        data = self._data[sense.part]
        fields = data[sense.offset : data.find(b"|", sense.offset)].decode("ascii", "replace").split(" ")
        if fields[0] != f"{sense.offset:08d}":
            raise self._unreadable(f"no synset begins at {sense.part} {sense.offset}")
        return [name.partition("(")[0] for name in fields[4 : 4 + 2 * int(fields[3], 16) : 2]]

    def _base_form(self, word: str) -> str:
        return str(self._simplemma.lemmatize(word, lang="en").lower())

    @cached_property
    def _folder(self) -> Path:
        return wordnet_dir() if self._given_folder is None else self._given_folder

    @cached_property
    def _simplemma(self) -> Any:
        return require("simplemma", "augment", "replacing words by synonyms")

    @cached_property
    def _data(self) -> dict[str, bytes]:
        return {part: self._read(name) for part, name in _FILES.items()}

    @cached_property
    def _senses(self) -> dict[str, list[_Sense]]:
        """All senses of every plain word."""
        senses: dict[str, list[_Sense]] = defaultdict(list)
        try:
            for line in self._read("index.sense").decode().splitlines():
                key, offset, number, count = line.split()
                word, _, rest = key.partition("%")
                if _PLAIN_WORD.fullmatch(word):
                    senses[word].append(_Sense(_PART_OF_NUMBER[rest[0]], int(number), int(offset), int(count)))
        except (ValueError, LookupError) as error:
            raise self._unreadable("a line of index.sense is damaged") from error
        return dict(senses)

    def _read(self, name: str) -> bytes:
        try:
            return (self._folder / name).read_bytes()
        except OSError as error:
            raise self._unreadable(str(error)) from error

    def _unreadable(self, reason: str) -> AssetError:
        return AssetError(
            f"WordNet in {self._folder} cannot be read ({reason}); delete the folder so that it is fetched again"
        )
