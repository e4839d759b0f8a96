"""Words, as all augmenters see them: where they stand, which must stay, where another can go in, and their -s forms."""

import re
from collections.abc import Iterable, Sequence

# Joined pieces are one word ("x-ray", "u.s.", "don't", "me@home.org").
_WORD = re.compile(r"\w+(?:[-'\u2019.,/&@:+]\w+)*")
_LETTERS = re.compile(r"[^\W\d_]+")
_SHORTEST = 3

# Function words carry a sentence's grammar, so no augmenter replaces them or puts them in. Our own list: the closed
# classes (articles, pronouns, prepositions, conjunctions, auxiliaries, question words), and the few adverbs and number
# words that WordNet would turn into nonsense ("may" the hawthorn, "in" the inch).
STOP_WORDS: frozenset[str] = frozenset(
    """
    a an the this that these those such same other another each every either neither both all any some no none
    i me my mine myself you your yours yourself yourselves he him his himself she her hers herself it its itself
    we us our ours ourselves they them their theirs themselves one ones someone anyone everyone nobody somebody
    anybody everybody something anything everything nothing who whom whose which what when where why how whatever
    whoever whenever wherever however
    am is are was were be been being do does did done doing have has had having can could may might must shall
    should will would ought need let lets get gets got
    about above across after against along among amid around as at before behind below beneath beside besides
    between beyond by despite down during except for from in inside into like near of off on onto out outside over
    past per since than through throughout till to toward towards under until unto up upon via versus vs with
    within without
    and but or nor so yet if unless because while whereas whether though although once then thus hence therefore
    not never ever also too very just only even still again already always often here there now more most less
    least much many few several own quite rather almost perhaps maybe else instead
    zero two three four five six seven eight nine ten first second third last next
    mr mrs ms dr st etc eg ie et al
    """.split()  # noqa: SIM905 - a list of words reads better as words
)
# Coarse words are WordNet's synonyms of harmless ones ("breast").
NEVER_PUT_IN: frozenset[str] = STOP_WORDS | frozenset(
    """
    arse ass bastard bitch boob boobs cock crap cunt dick fag fuck hump jap knocker negro nigger piss prick pussy queer
    screw shit slut tit tits whore
    """.split()  # noqa: SIM905
)
_IRREGULAR_PLURALS = (
    "man", "foot", "tooth", "child", "mouse", "louse", "goose", "life", "wife", "knife", "half", "leaf", "shelf",
    "wolf", "thief", "sis", "fish", "sheep", "folk", "series", "species", "ium", "cus", "aircraft", "people",
)  # fmt: skip


def words_of(text: str) -> list[re.Match[str]]:
    """The words of a text, in order; punctuation and spaces lie between them."""
    return list(_WORD.finditer(text))


def label_words(names: Iterable[str]) -> frozenset[str]:
    """The words of label names, in lower case, each also with -s: what no augmenter changes or puts in."""
    words = {part for name in names for part in _LETTERS.findall(name.lower())}
    return frozenset(words | {add_s(word) for word in words})


def must_stay(word: str, protected: frozenset[str]) -> bool:
    """Whether a word is a number, holds a digit, or has a label word in it."""
    if any(character.isdigit() for character in word):
        return True
    return bool(protected) and not protected.isdisjoint(_LETTERS.findall(word.lower()))


def carries_meaning(word: str, shouted: bool, protected: frozenset[str]) -> bool:
    """Whether another word could stand for this one.

    Not for function words, label words, short words, words with digits or inner punctuation, acronyms (MRI) and brands
    (iPhone). In a text in capitals (``shouted``), capitals do not mark acronyms.
    """
    if len(word) < _SHORTEST or not word.isalpha():
        return False
    if not (word.islower() or word.istitle() or (shouted and word.isupper())):
        return False
    lower = word.lower()
    return lower not in STOP_WORDS and lower not in protected


def gaps(text: str, words: Sequence[re.Match[str]]) -> list[int]:
    """Where a new word and a space can go in: before every word that follows a space, but for the first.

    Not before the first, for it may have the sentence's capital. A text without such a place takes the word at its end.
    """
    inner = [word.start() for word in words[1:] if text[word.start() - 1].isspace()]
    return inner or ([words[-1].end()] if words else [])


def put_in(text: str, places: Sequence[int], new: Sequence[str]) -> str:
    """The text with ``new[k]`` put in at ``places[k]`` (of ``gaps``), with a space."""
    for place, word in sorted(zip(places, new, strict=True), reverse=True):
        at_the_end = place > 0 and not text[place - 1].isspace()
        text = f"{text[:place]} {word}{text[place:]}" if at_the_end else f"{text[:place]}{word} {text[place:]}"
    return text


def in_case_of(word: str, other: str) -> str:
    """``other`` with capitals where ``word`` has them."""
    if word.islower():
        return other
    return other.capitalize() if word.istitle() else other.upper()


def wanted(share: float, words: int, most: int) -> int:
    """How many of ``words`` a share asks for: at least one, at most ``most``."""
    return min(most, max(1, round(share * words)))


def add_s(word: str) -> str:
    """The regular -s form: city -> cities, box -> boxes, film -> films.

    No other English ending can be moved safely from a word to its synonym.
    """
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word + "s"


def takes_regular_s(word: str) -> bool:
    """False for words whose -s form is irregular, or that look like a plural already."""
    if word in ("human", "german", "roman"):
        return True
    return not (word.endswith(_IRREGULAR_PLURALS) or (word.endswith("s") and not word.endswith("ss")))
