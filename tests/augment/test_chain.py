from hypothesis import given
from hypothesis import strategies as st

from sharprecl.augment.chain import Chain
from sharprecl.augment.noise import NoiseAugmenter
from sharprecl.config import NoiseConfig


class Adding:
    """Adds a letter and the seed; needs what it is told."""

    version = 3
    seeded = True

    def __init__(self, letter, needs="Nothing."):
        self.name = letter
        self.needs = needs

    def settings(self):
        return {"letter": self.name}

    def augment(self, texts, seed):
        return [f"{text}{self.name}{seed}" for text in texts]


def test_each_works_on_what_the_one_before_made():
    chain = Chain([Adding("x"), Adding("y", "A model.")])
    assert chain.augment(["a", "b"], 7) == ["ax7y7", "bx7y7"]
    assert chain.name == "x+y"
    assert chain.needs == "Nothing. A model."
    assert Chain([Adding("x"), Adding("y")]).needs == "Nothing."


def test_a_chain_heeds_the_seed_if_any_part_does():
    deaf = Adding("x")
    deaf.seeded = False
    assert Chain([deaf, Adding("y")]).seeded
    assert not Chain([deaf, deaf]).seeded


def test_the_cache_key_knows_order_names_versions_and_settings_of_the_parts():
    chain = Chain([Adding("x"), Adding("y")])
    assert chain.settings() == {"parts": [["x", 3, {"letter": "x"}], ["y", 3, {"letter": "y"}]]}
    newer = Adding("y")
    newer.version = 4
    others = [Chain([Adding("y"), Adding("x")]), Chain([Adding("x"), newer]), Chain([Adding("x")])]
    assert all(other.settings() != chain.settings() for other in others)


@given(st.lists(st.text(max_size=20)), st.integers(0, 99), st.randoms())
def test_a_chain_s_result_depends_on_the_text_only(texts, seed, shuffler):
    calm = NoiseConfig(insertion=0)
    chain = Chain([NoiseAugmenter(calm), NoiseAugmenter(calm), Adding("x")])
    alone = {text: chain.augment([text], seed)[0] for text in texts}
    shuffled = shuffler.sample(texts, len(texts))
    assert chain.augment(shuffled, seed) == [alone[text] for text in shuffled]
