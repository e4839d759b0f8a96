"""A masked language model puts words in, or in other words' place; on tiny random models of both vocabulary kinds."""

import functools
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
import transformers as tf

from sharprecl.augment import pretrained
from sharprecl.augment.contextual import ContextualAugmenter
from sharprecl.augment.masked_lm import MaskedLanguageModel
from sharprecl.augment.words import NEVER_PUT_IN
from sharprecl.config import ContextualConfig
from sharprecl.errors import AssetError


@pytest.fixture(params=["bert", "roberta"])
def model(request):
    return str(request.getfixturevalue(f"tiny_{request.param}"))


LOADED = functools.cache(MaskedLanguageModel)


def augmenter(model, action="insertion", protected=(), **settings):
    """An augmenter; a model that is there is loaded once for all tests."""
    made = ContextualAugmenter(ContextualConfig(model=model, action=action, **settings), protected)
    if (Path(model) / "config.json").is_file():
        vars(made)["_model"] = LOADED(model)
    return made


def words(text):
    return re.findall(r"\w+", text)


def test_the_vocabulary_s_whole_words(tiny_bert, tiny_roberta):
    bert, roberta = (set(LOADED(str(folder)).words) for folder in (tiny_bert, tiny_roberta))
    for some in (bert, roberta):
        assert {"hotel", "the", "many"} <= some
        assert all(word == "" or (word.isalpha() and len(word) > 1) for word in some)
    assert not {"ing", "s", "12", "1990s", "[MASK]", "MASK", "PAD", "UNK"} & bert
    assert "café" in roberta  # bytes of UTF-8 read as letters
    assert not {"caf", "mask", "unk"} & roberta
    vocabulary = tf.AutoTokenizer.from_pretrained(tiny_roberta).get_vocab()
    ends = [index for token, index in vocabulary.items() if token.isalpha() and not token.startswith("\u0120")]
    assert len(ends) > 50
    assert not any(LOADED(str(tiny_roberta)).words[index] for index in ends)


@pytest.mark.parametrize("action", ["insertion", "substitution"])
def test_texts_change_and_only_where_they_may(model, action, titles):
    maker = augmenter(model, action, protected=["City", "hotels"], share=0.5)
    made = maker.augment(titles, 0)
    assert maker.augment(titles, 0) == made
    assert maker.augment(titles, 1) != made
    new_words = set()
    for text, other in zip(titles, made, strict=True):
        before, after = words(text), words(other)
        new = [word for word in after if word not in before]
        new_words |= {word.lower() for word in new}
        assert [word for word in after if word.isdigit()] == [word for word in before if word.isdigit()]
        assert [word for word in after if word in ("city", "hotels", "the", "The")] == [
            word for word in before if word in ("city", "hotels", "the", "The")
        ]
        assert [c for c in other if not c.isalpha() and c != " "] == [c for c in text if not c.isalpha() and c != " "]
        if action == "insertion":
            assert len(after) == len(before) + max(1, round(0.5 * len(before)))
            left = iter(after)
            assert all(word in left for word in before)  # all there, in their order
        else:
            assert len(after) == len(before)
            assert text != other
    assert not new_words & (NEVER_PUT_IN | {"city", "hotels", "hotel's"})


def test_no_word_comes_back_or_doubles_its_neighbour(model):
    text = "birds sing"
    for seed in range(10):
        [made] = augmenter(model, "substitution", share=0.5, top_n=500).augment([text], seed)
        [gone] = set(words(text)) - set(words(made))
        assert len(words(made)) == 2
        assert gone not in words(made)
        [longer] = augmenter(model, share=0.5, top_n=500).augment([text], seed)
        assert longer.split()[0] == "birds"
        assert longer.split()[2] == "sing"
        assert longer.split()[1] not in ("birds", "sing")


def test_the_original_is_left_out_whatever_the_model_thinks(tiny_bert, monkeypatch):
    maker = augmenter(str(tiny_bert), "substitution", top_n=1)

    def loves_hotels(texts):
        for row, text in enumerate(texts):
            scores_MV = np.zeros((text.count("[MASK]"), len(maker._model.words)), np.float32)
            scores_MV[:, maker._model.words.index("hotel")] = 9.0
            scores_MV[:, maker._model.words.index("village")] = 5.0
            yield row, scores_MV

    monkeypatch.setattr(maker._model, "scores", loves_hotels)
    assert maker.augment(["hotel", "Hotel?", "the dog"], 0) == ["village", "Village?", "the hotel"]


@pytest.mark.parametrize("n", [1, 5])
def test_top_n_bounds_what_is_drawn(model, n):
    drawn = {augmenter(model, top_n=n, share=0.01).augment(["gandhi"], seed)[0] for seed in range(30)}
    assert len(drawn) == (1 if n == 1 else pytest.approx(n, abs=1))
    assert len(drawn) <= n


def test_case_follows_the_text(model):
    shouted, lower, title = augmenter(model, "substitution").augment(["BIRDS!", "birds!", "Birds!"], 3)
    assert shouted.isupper()
    assert lower.islower()
    assert title.istitle()
    assert augmenter(model).augment(["WHY DO BIRDS SING"], 0)[0].isupper()


@pytest.mark.parametrize("action", ["insertion", "substitution"])
@pytest.mark.parametrize("tokens", [1, 40, 300])
def test_neither_batch_size_nor_order_shows(model, action, tokens, titles, monkeypatch):
    texts = [f"{a} {b}" for a in titles[:8] for b in titles]
    expected = augmenter(model, action, share=0.4).augment(texts, 5)
    monkeypatch.setattr(pretrained, "TOKENS_A_BATCH", tokens)
    assert augmenter(model, action, share=0.4).augment(texts[::-1], 5) == expected[::-1]


def test_what_is_narrowly_decided_is_asked_again_alone(tiny_bert, titles, monkeypatch):
    maker = augmenter(str(tiny_bert))
    real, asked = maker._model.scores, []

    def noting(texts):
        asked.append(len(texts))
        yield from real(texts)

    monkeypatch.setattr(maker._model, "scores", noting)
    monkeypatch.setattr("sharprecl.augment.draws.SAME", 100.0)
    maker.augment(titles, 0)
    assert asked == [len(titles)] + [1] * len(titles)


@pytest.mark.parametrize("text", ["", "  ", "?!", "42 7", "…", "12:30"])
def test_nothing_to_substitute_changes_nothing(model, text):
    assert augmenter(model, "substitution").augment([text], 0) == [text]


def test_hostile_texts(model):
    mask = LOADED(model).mask
    odd = [
        f"a {mask} of birds",
        "a\0b c",
        "日本語 の テキスト",
        "\u202ebirds sing",
        "x" * 5000,
        "emoji 😀 bird",
        "a\ud800b birds",
        " a\tb\r\nc ",
    ]
    made = augmenter(model).augment(odd, 0)
    assert made[0] == odd[0]
    assert made[-2] == odd[-2]
    assert all("[UNK]" not in text and "<unk>" not in text for text in made)
    assert made[-1].split()[0] == "a"


def test_a_long_text_changes_in_the_part_that_is_read(model):
    text = " ".join(["birds", "sing"] * 2000) + "  END."
    [made] = augmenter(model).augment([text], 0)
    assert made != text
    assert made.endswith(text[3000:])


def test_settings_tell_models_apart_by_content(tiny_bert, tiny_roberta, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(tiny_bert, copy)
    one = augmenter(str(tiny_bert)).settings()
    assert augmenter(str(copy)).settings() == one
    assert augmenter(str(tiny_roberta)).settings() != one
    (copy / "config.json").write_text((copy / "config.json").read_text() + " ")
    assert augmenter(str(copy)).settings() != one
    assert augmenter("roberta-base").settings()["model"] == "roberta-base"
    assert set(one) == {"model", "action", "share", "top_n", "protected"}


def test_what_cannot_be_loaded_gets_one_sentence(tiny_bert, tmp_path, monkeypatch):
    with pytest.raises(AssetError, match="does not exist"):
        augmenter(str(tmp_path / "absent")).augment(["a bird"], 0)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(
        AssetError, match=r"the fill-mask model 'nobody/nothing' could not be loaded .*network"
    ) as caught:
        augmenter("nobody/nothing").augment(["a bird"], 0)
    assert "\n" not in str(caught.value)
    headless = tmp_path / "headless"
    shutil.copytree(tiny_bert, headless)
    tf.BertModel.from_pretrained(headless).save_pretrained(headless)
    with pytest.raises(AssetError, match="is no whole fill-mask model, for it lacks"):
        augmenter(str(headless)).augment(["a bird"], 0)


def test_no_texts_load_no_model():
    assert augmenter("nobody/nothing").augment([], 0) == []
