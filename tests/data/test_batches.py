"""Batches: every text once, the same for a seed, whatever the lengths."""

import os
import subprocess
import sys

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.data.batches import ShuffledBatches, collate, drawn_batches, inference_batches
from sharprecl.data.tokens import TokenizedTexts
from sharprecl.errors import ConfigError

lengths = st.lists(st.integers(0, 60), max_size=300).map(lambda x: np.array(x, dtype=np.int64))
seeds = st.integers(0, 2**31)


def view_of(rows):
    """Token rows as a TokenizedTexts."""
    offsets = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    return TokenizedTexts(np.array([token for row in rows for token in row], dtype=np.int32), offsets)


@given(st.integers(0, 300), st.integers(1, 50) | st.integers(120, 260), seeds, st.integers(0, 5))
def test_each_text_once_in_batches_of_about_one_size(size, batch_size, seed, epoch):
    batches = ShuffledBatches(size, batch_size, seed)
    made = batches.epoch(epoch)
    assert len(made) == len(batches) == -(-size // batch_size)
    assert sorted(np.concatenate([np.empty(0, int), *made]).tolist()) == list(range(size))
    assert max(map(len, made), default=0) <= batch_size
    assert max(map(len, made), default=0) - min(map(len, made), default=0) <= 1
    for one, other in zip(made, ShuffledBatches(size, batch_size, seed).epoch(epoch), strict=True):
        np.testing.assert_array_equal(one, other)


def test_epochs_are_a_function_of_seed_and_number_only():
    batches = ShuffledBatches(1000, 32, seed=5)
    third = batches.epoch(3)
    batches.epoch(0)
    assert all((a == b).all() for a, b in zip(third, batches.epoch(3), strict=True))
    flat = [tuple(np.concatenate(ShuffledBatches(1000, 32, s).epoch(e))) for s in (5, 6) for e in (0, 3)]
    assert len(set(flat)) == 4


def test_epochs_are_equal_in_another_process_with_other_threads():
    code = (
        "import numpy as np, hashlib; from sharprecl.data.batches import ShuffledBatches;"
        "b = ShuffledBatches(5000, 64, 9).epoch(2);"
        "print(hashlib.sha256(np.concatenate(b).astype('<i8').tobytes()).hexdigest())"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "OMP_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    ]
    assert runs[0] == runs[1]
    assert len(runs[0].strip()) == 64


@given(st.lists(st.lists(st.integers(1, 9), max_size=6), min_size=1), st.randoms())
def test_collate_equals_the_loop(rows, shuffler):
    index = np.array(shuffler.sample(range(len(rows)), shuffler.randint(1, len(rows))))
    batch = collate(view_of(rows), index, pad_id=99)
    chosen = [rows[i] for i in index]
    width = max(1, *map(len, chosen))
    assert batch["input_ids"].tolist() == [row + [99] * (width - len(row)) for row in chosen]
    assert batch["attention_mask"].tolist() == [[1] * len(row) + [0] * (width - len(row)) for row in chosen]
    assert batch["input_ids"].dtype == batch["attention_mask"].dtype == torch.int64


@given(lengths, st.integers(1, 200))
def test_inference_batches(length_N, max_tokens):
    batches = inference_batches(length_N, max_tokens)
    flat = np.concatenate([np.empty(0, int), *batches])
    np.testing.assert_array_equal(np.sort(flat), np.arange(len(length_N)))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * length_N[batch].max() <= max_tokens
    assert (np.diff(length_N[flat]) <= 0).all()


@pytest.mark.parametrize("bad", [0, -3])
def test_senseless_sizes_are_refused(bad):
    with pytest.raises(ConfigError, match="batch size"):
        ShuffledBatches(1, bad, 0)
    with pytest.raises(ConfigError, match="max_tokens"):
        inference_batches(np.array([1]), bad)


@given(st.integers(1, 80), st.integers(1, 30), st.integers(1, 300), st.integers(0, 99))
def test_drawn_rows_all_come_in_their_numbers_and_no_batch_is_empty(size, number, drawn, seed):
    rows = np.random.default_rng(seed).integers(size, size=drawn)
    batches = drawn_batches(rows, number)
    assert len(batches) == number
    assert all(len(batch) for batch in batches)
    assert {len(batch) for batch in batches} <= {max(drawn, number) // number, -(-max(drawn, number) // number)}
    assert np.array_equal(np.concatenate(batches), np.resize(rows, max(drawn, number)))


def test_an_empty_draw_is_refused():
    with pytest.raises(ConfigError, match="drew no text at all"):
        drawn_batches(np.empty(0, dtype=np.int64), 3)
