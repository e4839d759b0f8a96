"""Laying texts out: each once and whole, little padding, and everybody meets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.data.batches import ShuffledBatches
from sharprecl.data.packing import lay_out
from sharprecl.data.tokens import TokenizedTexts

PAD = 99


def texts_of(rows):
    offsets = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    return TokenizedTexts(np.array([token for row in rows for token in row], dtype=np.int32), offsets)


def titles(size, seed):
    """Lengths like those of questions and titles: 5 to 40 tokens."""
    return np.clip(np.random.default_rng(seed).gamma(8, 1.8, size).astype(np.int64), 5, 40)


def of_lengths(length_N):
    return TokenizedTexts(np.ones(int(length_N.sum()), np.int32), np.cumsum([0, *length_N]))


def waste(sheets):
    return 1 - sum(sheet.tokens for sheet in sheets) / sum(sheet.text_RT.numel() for sheet in sheets)


@given(
    st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=40), min_size=1, max_size=40),
    st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=300), max_size=6),
    st.booleans(),
    st.randoms(),
)
def test_every_text_stands_whole_and_once(one, other, pack, shuffler):
    index = np.array(shuffler.sample(range(len(one)), shuffler.randint(1, len(one))))
    parts = [(texts_of(one), index)]
    wanted = [one[i] for i in index]
    if other:
        parts.append((texts_of(other), np.arange(len(other))))
        wanted += other
    found = {}
    for sheet in lay_out(parts, PAD, pack):
        ids, text = sheet.input_ids.numpy(), sheet.text_RT.numpy()
        assert (ids[text < 0] == PAD).all()
        for number, row in enumerate(sheet.rows.tolist()):
            places = np.argwhere(text == number)
            assert len(set(places[:, 0])) == 1
            assert (np.diff(places[:, 1]) == 1).all()
            assert pack or len(np.unique(text[places[0, 0]])) - (text[places[0, 0]] < 0).any() == 1
            found[row] = ids[text == number].tolist()
    assert [found[row] for row in sorted(found)] == wanted


@pytest.mark.parametrize("batch_size", [32, 64, 128])
def test_random_batches_of_titles_pad_less_than_five_percent(batch_size):
    texts = of_lengths(titles(2000, 0))
    batches = ShuffledBatches(2000, batch_size, 0).epoch(0)
    assert waste([sheet for index in batches for sheet in lay_out([(texts, index)], PAD, True)]) < 0.05
    padded = [lay_out([(texts, index)], PAD, False) for index in batches]
    assert waste([sheet for sheets in padded for sheet in sheets]) < 0.5


def test_one_long_text_does_not_widen_all_the_others():
    texts = of_lengths(np.array([256] + [12] * 127))
    for pack in (True, False):
        sheets = lay_out([(texts, np.arange(128))], PAD, pack)
        assert [sheet.text_RT.shape[1] for sheet in sheets] == [256, 12]


def test_a_rare_text_meets_as_many_partners_as_chance_gives():
    # Six epochs of 64: 6 * 63 meetings, of which chance repeats some.
    batches = ShuffledBatches(2280, 64, 0)
    met = set()
    for epoch in range(6):
        met |= next(set(batch.tolist()) for batch in batches.epoch(epoch) if 7 in batch)
    assert len(met - {7}) >= 0.8 * 6 * 63
