"""Neighbouring keys of a QWERTY keyboard."""

from math import hypot

_ROWS = (("qwertyuiop", 0.0), ("asdfghjkl", 0.25), ("zxcvbnm", 0.75))  # letters, and how far the row is set in
_REACH = 1.3  # key widths: the keys at both sides, and those that touch above and below

_PLACES = {
    letter: (start + column, row) for row, (keys, start) in enumerate(_ROWS) for column, letter in enumerate(keys)
}

NEIGHBOURS: dict[str, str] = {
    letter: "".join(other for other, (a, b) in sorted(_PLACES.items()) if 0 < hypot(a - x, b - y) < _REACH)
    for letter, (x, y) in _PLACES.items()
}
"""For every small letter the letters that a finger may hit instead, in alphabetical order."""
