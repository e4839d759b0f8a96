"""Back translation by Marian models: tiny random ones with the real tokenizer."""

import shutil

import pytest

from sharprecl.augment import marian_engine, pretrained
from sharprecl.augment.back_translation import BackTranslationAugmenter
from sharprecl.augment.marian_engine import MarianEngine
from sharprecl.config import BackTranslationConfig
from sharprecl.errors import AssetError

TITLES = ["gandhi", "why do birds sing", "the price of the dog", "a hotel ?", "the river", "Name a film!"]


@pytest.fixture(scope="module")
def engine(tiny_marian):
    return MarianEngine(str(tiny_marian), str(tiny_marian))


def sampling(engine, temperature):
    other = MarianEngine(*engine.sources, temperature)
    vars(other)["_directions"] = engine._directions
    return other


def test_it_answers_with_text_that_depends_on_the_passage(engine):
    made = engine.round_trip(TITLES, 0)
    assert len(made) == len(TITLES)
    assert len(set(made)) > len(TITLES) / 2
    assert not any("</s>" in text or "<pad>" in text for text in made)


def test_greedy_decoding_ignores_the_seed_and_sampling_follows_it(engine):
    assert engine.round_trip(TITLES, 0) == engine.round_trip(TITLES, 1)
    drawn = sampling(engine, 1.0)
    assert drawn.round_trip(TITLES, 0) == drawn.round_trip(TITLES, 0)
    assert drawn.round_trip(TITLES, 0) != drawn.round_trip(TITLES, 1)
    # Drawn nearly without a choice, it is the greedy answer.
    assert sampling(engine, 1e-4).round_trip(TITLES, 3) == engine.round_trip(TITLES, 0)


@pytest.mark.parametrize("temperature", [0.0, 1.0])
@pytest.mark.parametrize("tokens", [1, 24])
def test_neither_batch_size_nor_order_shows(engine, temperature, tokens, monkeypatch):
    expected = sampling(engine, temperature).round_trip(TITLES, 5)
    monkeypatch.setattr(pretrained, "TOKENS_A_BATCH", tokens)
    assert sampling(engine, temperature).round_trip(TITLES[::-1], 5) == expected[::-1]


def test_what_is_narrowly_decided_is_made_again_alone(engine, monkeypatch):
    direction = engine._directions[0]
    real, sizes = direction._generate, []

    def noting(rows, *rest):
        sizes.append(len(rows))
        return real(rows, *rest)

    monkeypatch.setattr(direction, "_generate", noting)
    direction.translate(TITLES, 0, 0.0)
    assert sizes[0] == len(TITLES)
    monkeypatch.setattr(marian_engine, "SAME", 1e9)
    sizes.clear()
    direction.translate(TITLES, 0, 0.0)
    assert sizes == [len(TITLES)] + [1] * len(TITLES)


def test_batches_are_bounded_and_lose_nothing_but_what_is_too_long():
    lengths = [3, 90, 170, 171, 5] * 200
    batches = list(pretrained.batches(lengths, 170))
    assert sorted(row for batch in batches for row in batch) == [row for row, n in enumerate(lengths) if n <= 170]
    assert all(len(batch) * max(lengths[row] for row in batch) <= 4096 for batch in batches)


def test_a_passage_ends_in_its_own_time(engine):
    """Whatever its neighbours may: no more than twice its tokens and eight."""
    direction = engine._directions[0]
    short = "gandhi"
    tokens = len(direction.tokenizer(short)["input_ids"])
    [answer, _] = direction.translate([short, "the price of the house " * 6], 0, 0.0)
    assert len(direction.tokenizer(answer)["input_ids"]) <= 2 * (2 * tokens + 8)
    assert answer == direction.translate([short], 0, 0.0)[0]


def test_too_long_or_empty_passages_have_no_answer(engine):
    assert engine.round_trip(["the house " * 300, ""], 0) == ["", ""]
    assert engine.round_trip([], 0) == []


def test_the_augmenter_falls_back_on_the_text(tiny_marian):
    config = BackTranslationConfig(engine="marian", forward=str(tiny_marian), back=str(tiny_marian), temperature=0.5)
    augmenter = BackTranslationAugmenter(config)
    made = augmenter.augment([*TITLES, "", "42"], 0)
    assert all(text.strip() for text in made[:-2])
    assert made[-2:] == ["", "42"]
    settings = augmenter.settings()["engine"]
    assert settings["name"] == "marian"
    assert settings["forward"] == settings["back"]
    assert settings["temperature"] == 0.5


def test_what_cannot_be_loaded_gets_one_sentence(tiny_marian, tmp_path, monkeypatch):
    with pytest.raises(AssetError, match="does not exist"):
        MarianEngine(str(tmp_path / "absent"), str(tiny_marian))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(AssetError, match=r"the translation model 'a/b' could not be loaded .*network") as caught:
        MarianEngine("a/b", "c/d").round_trip(["a bird"], 0)
    assert "\n" not in str(caught.value)
    broken = tmp_path / "broken"
    shutil.copytree(tiny_marian, broken)
    (broken / "model.safetensors").write_bytes(b"garbage" * 10)
    with pytest.raises(AssetError, match="could not be loaded"):
        MarianEngine(str(broken), str(broken)).round_trip(["a bird"], 0)
