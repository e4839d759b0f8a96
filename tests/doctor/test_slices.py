"""Every text once, in order, and no slice beyond its size by more than a text."""

from hypothesis import given
from hypothesis import strategies as st

from sharprecl.doctor import slices
from sharprecl.doctor.slices import excerpt


@given(st.lists(st.integers(0, 30), max_size=30))
def test_slices_cover_all_texts_and_tell_of_each(sizes) -> None:
    texts = ["x" * size for size in sizes]
    told = []
    with_ten = slices.CHARACTERS
    slices.CHARACTERS = 10
    try:
        parts = list(slices.slices(texts, "stage", lambda *state: told.append(state), read=20))
    finally:
        slices.CHARACTERS = with_ten
    assert [text for part in parts for text in texts[part]] == texts
    assert all(sum(min(20, len(text)) for text in texts[part][:-1]) < 10 for part in parts)
    assert told == [("stage", part.stop, len(texts)) for part in parts]


def test_excerpt() -> None:
    assert excerpt(" one\n two ") == "one two"
    assert excerpt("x" * 160) == "x" * 160
    assert excerpt("x" * 161) == "x" * 159 + "…"
    assert excerpt("x" + " " * 10**7 + "y") == "x…"
