"""The one English ending that is safe to move from a word to its synonym: -s (plural nouns, third-person verbs)."""

_SIBILANTS = ("s", "x", "z", "ch", "sh")
_IRREGULAR_PLURALS = (
    "man", "foot", "tooth", "child", "mouse", "louse", "goose", "life", "wife", "knife", "half", "leaf", "shelf",
    "wolf", "thief", "sis", "fish", "sheep", "folk", "series", "species", "ium", "cus", "aircraft", "people",
)  # fmt: skip


def add_s(word: str) -> str:
    """The regular -s form: city -> cities, box -> boxes, film -> films."""
    if word.endswith(_SIBILANTS):
        return word + "es"
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word + "s"


def takes_regular_s(word: str) -> bool:
    """False for words whose -s form is irregular, or that look like a plural already (then nobody can tell)."""
    if word in ("human", "german", "roman"):
        return True
    return not (word.endswith(_IRREGULAR_PLURALS) or (word.endswith("s") and not word.endswith("ss")))
