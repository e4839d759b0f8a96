import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

from sharprecl.data.tokens import tokenize
from sharprecl.errors import ConfigError


@pytest.fixture(scope="module")
def tokenizer():
    vocabulary = {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "one": 4, "two": 5, "three": 6}
    backend = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    backend.pre_tokenizer = pre_tokenizers.Whitespace()
    backend.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return PreTrainedTokenizerFast(tokenizer_object=backend, pad_token="[PAD]", unk_token="[UNK]")


def test_flat_layout(tokenizer):
    tokens = tokenize(["one two", "", "three four three"], tokenizer, 10)
    assert tokens.ids.tolist() == [2, 4, 5, 3, 2, 3, 2, 6, 1, 6, 3]
    assert tokens.offsets.tolist() == [0, 4, 6, 11]
    assert tokens.lengths.tolist() == [4, 2, 5]
    assert (tokens.ids.dtype, tokens.offsets.dtype) == (np.int32, np.int64)
    assert (len(tokens), tokens.truncated) == (3, 0)


def test_truncation_is_counted_and_keeps_the_special_tokens(tokenizer):
    tokens = tokenize(["one two", "one two three", "one two three one two three"], tokenizer, 4)
    assert tokens.ids.reshape(3, 4).tolist() == [[2, 4, 5, 3]] * 3
    assert tokens.truncated == 2


def test_chunks_do_not_show(tokenizer, monkeypatch):
    texts = [" ".join(["one", "two", "three"][: i % 4]) for i in range(50)]
    whole = tokenize(texts, tokenizer, 4)
    monkeypatch.setattr("sharprecl.data.tokens._TEXTS_A_CHUNK", 7)
    pieces = tokenize(texts, tokenizer, 4)
    np.testing.assert_array_equal(whole.ids, pieces.ids)
    np.testing.assert_array_equal(whole.offsets, pieces.offsets)
    assert whole.truncated == pieces.truncated == 12


def test_no_texts(tokenizer):
    tokens = tokenize([], tokenizer, 8)
    assert (len(tokens), tokens.ids.size, tokens.lengths.size) == (0, 0, 0)


def test_no_room_for_words_is_refused(tokenizer):
    with pytest.raises(ConfigError, match="max_length is 2"):
        tokenize(["one"], tokenizer, 2)


def test_slow_tokenizers_are_refused():
    class Slow:
        is_fast = False

    with pytest.raises(ConfigError, match="slow tokenizer"):
        tokenize(["one"], Slow(), 8)
