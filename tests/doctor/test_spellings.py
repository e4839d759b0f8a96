"""Which names look alike, which spelling wins, and that two of them are never shown alike."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sharprecl.doctor.spellings import look, merged, quoted, variants, visible
from sharprecl.report.svg import clean

# Letters with twins, spaces of all kinds, invisible and composed characters, a ligature.
ALPHABET = "aAoBС\u0421сО\u041eо\u039f \t\n\u00a0\u200b\u00ad\u2009é\u0301eﬁfißs\uff21x\u1112\u1161\ud558"  # noqa: RUF001


def test_the_most_frequent_spelling_wins_and_of_equals_the_first_sorted() -> None:
    counts = {"Billing": 3, "billing ": 5, "BILLING": 5, "other": 1, "О": 2, "O": 2}  # noqa: RUF001
    assert merged(counts) == {
        "Billing": "BILLING",
        "billing ": "BILLING",
        "BILLING": "BILLING",
        "other": "other",
        "О": "O",  # noqa: RUF001
        "O": "O",
    }
    assert variants(["C", "C++", "c"]) == [["C", "c"]]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Billing", "Billing"),
        ("my bank card", "my bank card"),
        ("Billing ", "Billing␠"),
        (" a  b", "␠a␠␠b"),
        ("a\tb", "a(U+0009)b"),
        ("a\u00a0b", "a(U+00A0)b"),
        ("a\u200bb", "a(U+200B)b"),
        ("С1", "С(U+0421)1"),  # noqa: RUF001
        ("Воз\u0432рат", "Возврат"),  # noqa: RUF001
        ("café", "café"),
        ("cafe\u0301", "cafe\u0301(U+0301)"),
        ("\uff21B", "\uff21(U+FF21)B"),
        ("m²", "m²"),
        ("Straße", "Straße"),
        ("हिन्दी", "हिन्दी"),
    ],
)
def test_what_nobody_sees_is_shown(name: str, shown: str) -> None:
    assert visible(name) == shown
    assert quoted(name) == f"'{shown}'"


def test_a_long_name_is_cut() -> None:
    assert quoted("word " * 20) == "'" + ("word " * 8)[:39] + "…'"


@given(st.text(ALPHABET, min_size=1, max_size=6), st.text(ALPHABET, min_size=1, max_size=6))
@example("ТОР", "TOP")  # noqa: RUF001
@example("a b", "a  b")
def test_no_two_names_are_shown_alike(one: str, other: str) -> None:
    assert (visible(one) == visible(other)) == (one == other)
    assert (clean(visible(one)) == clean(visible(other))) == (one == other)
    assert look(one) == look(one.upper().lower()) or not one.isascii()
