"""Synonyms from WordNet 3.0, read through nltk.

No tagger tells here which part of speech or which sense a word has in its text. WordNet's own tag counts (how often a
sense was marked in the SemCor texts; last column of ``index.sense``) give the best guess: the part of speech with
most counts, and of it the senses that hold a good share of them. Names (senses that WordNet spells with a capital) are
left alone: "china" has no synonym, and "may" is no hawthorn.

Loading nltk and the index takes about 2.5 s and 0.35 GB, and it happens with the first word asked for: a run whose
texts are all in the cache never pays it. A derived table would cost 8 s once to save those 2.5 s, so there is none.
"""

import hashlib
import re
import warnings
from collections import defaultdict
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from sharprecl.augment.inflection import add_s, takes_regular_s
from sharprecl.augment.stopwords import NEVER_PUT_IN
from sharprecl.errors import AssetError
from sharprecl.extras import require

_POS_OF_NUMBER = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
_POS_ORDER = "nvar"
_PLAIN_WORD = re.compile(r"[a-z]{3,}")
_PURPOSE = "replacing words by synonyms"
_CLEAR_PART = 0.6  # least share of a word's tag counts that its part of speech must hold
_USUAL = 3  # a sense seen this often asks for synonyms that were seen too: no "caput" for "head"


class _Sense(NamedTuple):
    """One sense of a word; senses of one part of speech sort by their number, the most usual first."""

    part: str
    number: int
    offset: int
    tags: int


class WordNetLexicon:
    """Answers which single words may stand for a word.

    Args:
        folder: WordNet's ``dict`` folder as nltk's reader wants it; None asks the package's assets for it.
        sense_share: a sense counts when it holds at least this share of its part of speech's tag counts.
        most: at most this many synonyms a word, the most usual ones. Usual words are one or two word pieces long,
            which keeps the lengths of the two views close.
    """

    def __init__(self, folder: Path | None = None, sense_share: float = 0.2, most: int = 3) -> None:
        self._given_folder = folder
        self.sense_share = sense_share
        self.most = most
        self._memo: dict[str, tuple[str, ...]] = {}
        self._known: dict[str, bool] = {}

    @cached_property
    def folder(self) -> Path:
        """Where WordNet lies; fetched on first use.

        Raises:
            AssetError: WordNet cannot be had.
        """
        if self._given_folder is not None:
            return self._given_folder
        from sharprecl.assets import wordnet_dir

        return wordnet_dir()

    def settings(self) -> dict[str, Any]:
        """What decides the answers, for the cache's key; ``content`` tells one WordNet from another."""
        try:
            content = hashlib.sha256((self.folder / "index.sense").read_bytes()).hexdigest()[:16]
        except OSError as error:
            raise _unreadable(self.folder, error) from error
        return {"name": "wordnet", "content": content, "sense_share": self.sense_share, "most": self.most}

    def synonyms(self, word: str) -> tuple[str, ...]:
        """Lower-case single words that may stand for ``word`` (lower case), best first; empty when there are none.

        A word that is not its own base form gets synonyms only where the -s form is regular on both sides
        (cities -> metropolises); "went", "running" and "children" get none.
        """
        found = self._memo.get(word)
        if found is None:
            found = self._memo[word] = self._look_up(word) if _PLAIN_WORD.fullmatch(word) else ()
        return found

    def knows(self, word: str) -> bool:
        """Whether a lower-case word, or its base form, stands in WordNet at all."""
        known = self._known.get(word)
        if known is None:
            base = self._simplemma.lemmatize(word, lang="en").lower() if _PLAIN_WORD.fullmatch(word) else ""
            known = self._known[word] = word in self._senses or base in self._senses
        return known

    def _look_up(self, word: str) -> tuple[str, ...]:
        base = self._simplemma.lemmatize(word, lang="en").lower()
        if base == word:
            return self._of_base_form(word)[: self.most]
        if add_s(base) != word:
            return ()
        inflected = (add_s(s) for s in self._of_base_form(base, parts="nv") if takes_regular_s(s))
        return tuple(s for s in inflected if s != word)[: self.most]

    def _of_base_form(self, word: str, parts: str = _POS_ORDER) -> tuple[str, ...]:
        """Synonyms of a base form from its likeliest senses, if its likeliest part of speech is among ``parts``."""
        all_senses = self._senses.get(word, ())
        by_part = {part: sorted(s for s in all_senses if s.part == part) for part in _POS_ORDER}
        counts = {part: sum(sense.tags for sense in senses) for part, senses in by_part.items()}
        likeliest = max(_POS_ORDER, key=lambda part: (counts[part], len(by_part[part])))
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
            if sense.tags >= max(1.0, self.sense_share * total):
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

        Read from the head of its line (wndb(5WN): offset, file, type, number of words, then each with an id). nltk's
        own synsets parse all pointers, frames and the gloss besides, which took more than half of a title's time.
        """
        stream = self._data[sense.part]
        stream.seek(sense.offset)
        fields = stream.readline().split(" ")
        if fields[0] != f"{sense.offset:08d}":
            raise _unreadable(self.folder, ValueError(f"no synset begins at {sense.part} {sense.offset}"))
        return [name.partition("(")[0] for name in fields[4 : 4 + 2 * int(fields[3], 16) : 2]]

    @cached_property
    def _data(self) -> dict[str, Any]:
        files = {"n": "data.noun", "v": "data.verb", "a": "data.adj", "r": "data.adv"}
        return {part: self._reader.open(name) for part, name in files.items()}

    @cached_property
    def _simplemma(self) -> Any:
        return require("simplemma", "augment", _PURPOSE)

    @cached_property
    def _reader(self) -> Any:
        nltk = require("nltk", "augment", _PURPOSE)
        module = require("nltk.corpus.reader.wordnet", "augment", _PURPOSE)
        # nltk reads only below its known folders, and it opens data files late: so the folder stays on the list.
        if str(self.folder) not in nltk.data.path:
            nltk.data.path.append(str(self.folder))
        # The reader's constructor wants a second WordNet to map other languages' offsets to; English needs none.
        english_reader = type("EnglishReader", (module.WordNetCorpusReader,), {"map_wn": lambda *_args: None})
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # it warns that omw_reader=None leaves other languages out
                return english_reader(str(self.folder), omw_reader=None)
        except (OSError, ValueError, AssertionError, module.WordNetError) as error:
            raise _unreadable(self.folder, error) from error

    @cached_property
    def _senses(self) -> dict[str, list[_Sense]]:
        """All senses of every plain word."""
        senses: dict[str, list[_Sense]] = defaultdict(list)
        with self._reader.open("index.sense") as stream:
            for line in stream:
                key, offset, number, count = line.split()
                word, _, rest = key.partition("%")
                if _PLAIN_WORD.fullmatch(word):
                    sense = _Sense(_POS_OF_NUMBER[rest[0]], int(number), int(offset), int(count))
                    senses[word].append(sense)
        return dict(senses)


def _unreadable(folder: Path, error: Exception) -> AssetError:
    return AssetError(
        f"WordNet in {folder} cannot be read ({type(error).__name__}: {str(error).strip().splitlines()[0]}); delete "
        f"the folder so that it is fetched again, or, if others may write to it, run: chmod -R go-w {folder}"
    )
