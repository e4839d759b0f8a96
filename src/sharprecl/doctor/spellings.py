"""Label names that look alike: which do, which spelling wins, and how their difference is made visible."""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from sharprecl.data.messages import SHOWN, joined

# Capitals of Cyrillic and Greek that look like Latin ones; NFKC keeps them apart.
_TWINS = str.maketrans(
    "АВСЕНІЈКМОРЅТХУΑΒΕΗΙΚΜΝΟΡΤΧΥΖ".casefold(),  # noqa: RUF001
    "abcehijkmopstxyabehikmnoptxyz",
)


def look(name: str) -> str:
    """Equal for names that look alike: but for case, spaces and look-alike characters."""
    visible = "".join(letter for letter in unicodedata.normalize("NFKC", name) if unicodedata.category(letter) != "Cf")
    return "".join(visible.casefold().translate(_TWINS).split())


def variants(names: Iterable[str]) -> list[list[str]]:
    """Groups of two names or more that look alike, in the order of the names."""
    groups: dict[str, list[str]] = defaultdict(list)
    for name in names:
        groups[look(name)].append(name)
    return [group for group in groups.values() if len(group) > 1]


def merged(counts: Mapping[str, int]) -> dict[str, str]:
    """The spelling that each name gets: the most frequent one of its group, of equally frequent ones the first sorted.

    Args:
        counts: texts by name.
    """
    best = {name: name for name in counts}
    for group in variants(counts):
        best |= dict.fromkeys(group, min(group, key=lambda name: (-counts[name], name)))
    return best


def visible(name: str) -> str:
    """The name with its spaces at the ends or in a row as ``␠``, and behind every other character that nobody sees, or
    takes for another one, its number: ``Billing␠``, ``С(U+0421)1``. Names without such are given back as they are.
    """
    latin = any("LATIN" in unicodedata.name(letter, "") for letter in name)
    # A word of twins alone could be Latin: nobody sees which.
    doubtful = latin or all(letter.isascii() or _twin(letter) for letter in name)
    decomposed = unicodedata.normalize("NFC", name) != name
    shown = []
    for place, letter in enumerate(name):
        category = unicodedata.category(letter)
        if letter == " ":
            alone = 0 < place < len(name) - 1 and " " not in (name[place - 1], name[place + 1])
            shown.append(" " if alone else "\N{SYMBOL FOR SPACE}")
        elif (
            category[0] in "CZ"
            or (decomposed and category[0] == "M")
            or (category[0] == "L" and unicodedata.normalize("NFKC", letter) != letter)
            or (doubtful and _twin(letter))
        ):
            number = f"(U+{ord(letter):04X})"
            shown.append(number if category[0] in "CZ" else letter + number)
        else:
            shown.append(letter)
    return "".join(shown)


def _twin(letter: str) -> bool:
    folded = letter.casefold()
    return len(folded) == 1 and ord(folded) in _TWINS


def quoted(name: str, limit: int = 40) -> str:
    """``visible`` in quotes, with an ellipsis where it is long."""
    text = visible(name)
    return f"'{text if len(text) <= limit else text[: limit - 1] + '…'}'"


def quoted_names(names: Sequence[str]) -> str:
    """The first ten names, ``quoted``, and how many more there are."""
    return joined([quoted(name) for name in names[:SHOWN]], len(names)) if names else "none"
