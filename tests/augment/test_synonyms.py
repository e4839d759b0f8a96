"""Synonym substitution: golden examples on a hand-made lexicon, and properties that hold for any text."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.augment.synonyms import SynonymAugmenter
from sharprecl.augment.wordnet import WordNetLexicon
from sharprecl.config import SynonymsConfig


class HandMade:
    """A lexicon small enough to know by heart."""

    WORDS = {
        "city": ("metropolis",), "film": ("movie",), "hotel": ("inn",), "apple": ("fruit",), "fast": ("quick",),
        "the": ("thee",), "abc": ("letters",), "human": ("person",), "person": ("human",), "king": ("monarch",),
        "error": ("mistake", "oversight"), "old": ("aged", "worn"),
    }  # fmt: skip

    def settings(self):
        return {"name": "hand-made"}

    def synonyms(self, word):
        return self.WORDS.get(word, ())

    def knows(self, word):
        return not word.startswith("z")


def everything(**settings):
    """Replaces whatever can be replaced."""
    return SynonymAugmenter(SynonymsConfig(share=1.0), lexicon=HandMade(), **settings)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the city has a film", "the metropolis has a movie"),
        ("The City: \t a  FILM!", "The Metropolis: \t a  FILM!"),  # FILM beside small letters is an acronym
        ("FAST CITY", "QUICK METROPOLIS"),
        ("Fast (city), 'film'; city?", "Quick (metropolis), 'movie'; metropolis?"),
        ("city2 2city 42 c1ty fast-city city's u.s.film fastCity", None),
        ("the abc of it", "the letters of it"),
        ("a fast king", "a quick monarch"),
        ("a film and an apple", "a movie and an apple"),  # "an fruit" would be wrong, so the apple stays
        ("a hotel", None),
        ("an error", "an oversight"),
        ("see King in the city", "see King in the metropolis"),  # a capital inside the sentence marks a name
        ("A rule. King of the city", "A rule. Monarch of the metropolis"),
        ("The Fast King", "The Quick Monarch"),  # Title Case
        ("", None),
        ("…?!", None),
        ("café ﬁlm 都市 фильм", None),
    ],
)
def test_golden_examples(text, expected):
    assert everything().augment([text], seed=0) == [text if expected is None else expected]


def test_label_words_are_neither_replaced_nor_put_in():
    augmenter = everything(protected=["Human being", "old-city"])
    assert augmenter.augment(["the human person saw the old city film"], 0) == [
        "the human person saw the old city movie"
    ]


def test_label_words_are_protected_with_s_too():
    assert "cities" in everything(protected=["city"]).protected


def test_share_counts_all_words_and_at_least_one_is_replaced():
    words = "fast old film city king hotel human apple error fast"
    changed = SynonymAugmenter(SynonymsConfig(share=0.3), lexicon=HandMade()).augment([words], 3)[0]
    assert sum(a != b for a, b in zip(words.split(), changed.split(), strict=True)) == 3
    long = "city " + "xxx " * 30
    assert SynonymAugmenter(SynonymsConfig(share=0.01), lexicon=HandMade()).augment([long], 0) == [
        long.replace("city", "metropolis")
    ]


@pytest.mark.parametrize(("foreign", "changed"), [(2, True), (3, False)])
def test_a_text_in_another_language_stays(foreign, changed):
    text = "zut " * foreign + "the fast city"  # 3 of 5 words known is enough, 3 of 6 is not
    assert (everything().augment([text], 0) != [text]) is changed


def test_seed_changes_the_choice():
    text = "fast old film city king human error"
    augmenter = SynonymAugmenter(SynonymsConfig(share=0.2), lexicon=HandMade())
    assert len({augmenter.augment([text], seed)[0] for seed in range(20)}) > 3


def test_settings_tell_what_decides_the_result():
    assert everything(protected=["b", "a"]).settings() == {
        "share": 1.0,
        "protected": ["a", "as", "b", "bs"],
        "lexicon": {"name": "hand-made"},
    }


texts = st.lists(
    st.one_of(st.text(max_size=40), st.lists(st.sampled_from([*HandMade.WORDS, "A", "an", "X."])).map(" ".join))
)


@given(texts, st.integers(0, 2**40), st.randoms())
def test_a_result_depends_on_its_own_text_only(some, seed, shuffler):
    augmenter = SynonymAugmenter(SynonymsConfig(share=0.4), lexicon=HandMade())
    alone = {text: augmenter.augment([text], seed)[0] for text in some}
    assert augmenter.augment(some, seed) == [alone[text] for text in some]
    shuffled = shuffler.sample(some, len(some))
    assert SynonymAugmenter(SynonymsConfig(share=0.4), lexicon=HandMade()).augment(shuffled, seed) == [
        alone[t] for t in shuffled
    ]


@given(st.text())
def test_digits_punctuation_and_spacing_stay(text):
    def skeleton(value):
        return [c for c in value if not c.isalpha()]

    assert skeleton(everything().augment([text], 0)[0]) == skeleton(text)


@pytest.mark.asset
def test_wordnet_changes_most_titles_and_keeps_their_shape(trec_titles):
    titles = trec_titles[:500]
    augmenter = SynonymAugmenter(protected=["entity", "human"])
    made = augmenter.augment(titles, 0)
    changed = sum(a != b for a, b in zip(titles, made, strict=True)) / len(titles)
    assert 0.6 < changed < 0.95
    assert all(len(a.split()) == len(b.split()) for a, b in zip(titles, made, strict=True))
    again = SynonymAugmenter(protected=["human", "entity"], lexicon=WordNetLexicon())
    assert again.augment(titles[::-1], 0) == made[::-1]


@pytest.fixture
def trec_titles():
    import json
    from pathlib import Path

    mirror = os.environ.get("SHARPRECL_MIRROR")
    found = sorted(Path(mirror).rglob("TREC_Train_aug.json")) if mirror else []
    if not found:
        pytest.skip("SHARPRECL_MIRROR holds no TREC")
    return [row["text"] for row in json.loads(found[0].read_text("utf-8"))]
