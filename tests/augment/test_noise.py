"""Noise: each kind alone on hand-made words, and what holds for any text."""

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.augment.noise import NEIGHBOURS, NoiseAugmenter
from sharprecl.config import NoiseConfig

OFF = {"insertion": 0.0, "swap": 0.0, "deletion": 0.0, "typos": 0.0}


class HandMade:
    """Two words with synonyms."""

    def settings(self):
        return {"name": "hand-made"}

    def synonyms(self, word):
        return {"film": ("movie",), "city": ("town", "label")}.get(word, ())

    def knows(self, word):
        return not word.startswith("z")


def only(kind, rate=0.1, protected=()):
    return NoiseAugmenter(NoiseConfig(**{**OFF, kind: rate}), protected, HandMade())


def everything(protected=()):
    return NoiseAugmenter(NoiseConfig(), protected, HandMade())


def made_by(augmenter, text, seeds=20):
    return {augmenter.augment([text], seed)[0] for seed in range(seeds)}


def test_insertion_puts_a_synonym_of_some_word_between_two_words():
    made = made_by(only("insertion", protected=["label"]), "the city has a film", 80)
    assert made == {
        " ".join([*words[:place], new, *words[place:]])
        for words in [["the", "city", "has", "a", "film"]]
        for place in (1, 2, 3, 4)
        for new in ("town", "movie")
    }
    assert made_by(only("insertion"), "FILM NOW!") == {"FILM MOVIE NOW!"}


def test_insertion_leaves_what_is_not_english_and_what_has_no_synonyms():
    for text in ("zig zag zug film", "nothing here", "42 !"):
        assert made_by(only("insertion"), text) == {text}


def test_swap_exchanges_words_and_leaves_the_punctuation():
    assert made_by(only("swap"), "Red, (blue) 7 label!", 30) == {
        "blue, (Red) 7 label!",
        "label, (blue) 7 Red!",
        "Red, (label) 7 blue!",
    }
    assert made_by(only("swap", protected=["label"]), "Red, (blue) 7 label!") == {"blue, (Red) 7 label!"}
    assert made_by(only("swap"), "dog Dog dog") == {"dog Dog dog"}


def test_deletion_takes_a_space_along_and_never_a_negation_number_or_label():
    assert made_by(only("deletion"), "do not eat, 3 apples", 30) == {
        "not eat, 3 apples",
        "do not, 3 apples",
        "do not eat, 3",
    }
    assert made_by(only("deletion", protected=["apple", "eat"]), "don't eat 3 apples") == {"don't eat 3 apples"}


@pytest.mark.parametrize("text", ["gandhi", "gandhi?", "", "42", "…"])
def test_deletion_never_takes_the_last_word(text):
    assert made_by(only("deletion", rate=1.0), text) == {text}


def test_deletion_at_full_rate_leaves_one_word():
    assert all(len(text.split()) == 1 for text in made_by(only("deletion", rate=1.0), "red green blue"))


def test_a_typo_is_one_neighbouring_key_in_a_long_word():
    for text in made_by(only("typos"), "the Palace of 1990s"):
        [(old, new)] = [(a, b) for a, b in zip("the Palace of 1990s", text, strict=True) if a != b]
        assert new.lower() in NEIGHBOURS[old.lower()]
        assert old.isupper() == new.isupper()
        assert text.startswith("the ")
        assert text.endswith(" of 1990s")
    assert "the" not in made_by(only("typos"), "the")


def test_a_typo_never_makes_a_label_word():
    plain = made_by(only("typos"), "spirt", 400)
    assert "sport" in plain
    assert made_by(only("typos", protected=["sport"]), "spirt", 400) == plain - {"sport"}
    assert made_by(only("typos", protected=plain), "spirt") == {"spirt"}, "where all are label words, it stays"


def test_a_rate_counts_all_words():
    text = " ".join(["horse", "river", "house", "stone"] * 5)
    for kind, changed in (("typos", 4), ("deletion", 4), ("swap", 8)):
        [made] = only(kind, rate=0.2).augment([text], 3)
        before, after = text.split(), made.split()
        if kind == "deletion":
            assert len(before) - len(after) == changed
        else:
            assert sum(a != b for a, b in zip(before, after, strict=True)) == changed


def test_every_text_that_can_change_does_and_kinds_vary():
    text = "the city has a film"
    made = made_by(everything(), text, 60)
    assert text not in made
    lengths = Counter(len(other.split()) for other in made)
    assert set(lengths) == {4, 5, 6}  # deletion, swap or typo, insertion


def test_where_one_kind_can_do_nothing_another_is_taken():
    assert "gandhi" not in made_by(everything(), "gandhi", 40)  # nothing but a typo is possible


def test_only_random_insertion_needs_wordnet():
    quiet = NoiseAugmenter(NoiseConfig(insertion=0))
    assert quiet.settings()["lexicon"] is None
    assert everything().settings() == {
        **dict.fromkeys(OFF, 0.1),
        "protected": [],
        "lexicon": {"name": "hand-made"},
    }


some_texts = st.lists(
    st.one_of(
        st.text(max_size=30),
        st.lists(st.sampled_from(["city", "film", "a", "7", "not", "Label", "x-ray."])).map(" ".join),
    )
)


@given(some_texts, st.integers(0, 2**31), st.randoms())
def test_a_result_depends_on_its_own_text_only(texts, seed, shuffler):
    augmenter = everything(["label"])
    alone = {text: augmenter.augment([text], seed)[0] for text in texts}
    shuffled = shuffler.sample(texts, len(texts))
    assert everything(["label"]).augment(shuffled, seed) == [alone[text] for text in shuffled]


@given(some_texts, st.integers(0, 2**31))
def test_numbers_and_label_words_stay_in_order_and_no_text_becomes_empty(texts, seed):
    def kept(text):
        return re.findall(r"\d+|label", text.lower())

    for text, made in zip(texts, everything(["label"]).augment(texts, seed), strict=True):
        assert kept(made) == kept(text)
        assert bool(re.search(r"\w", made)) == bool(re.search(r"\w", text))


def test_neighbours_are_mutual_letters_and_never_the_key_itself():
    assert sorted(NEIGHBOURS) == list("abcdefghijklmnopqrstuvwxyz")
    for letter, others in NEIGHBOURS.items():
        assert letter not in others
        assert all(letter in NEIGHBOURS[other] for other in others)


def test_known_keys():
    assert NEIGHBOURS["g"] == "bfhtvy"
    assert NEIGHBOURS["q"] == "aw"
    assert set("wedxza") <= set(NEIGHBOURS["s"])
