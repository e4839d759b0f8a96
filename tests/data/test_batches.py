"""Batches: every text once, the same for a seed, and little padding."""

import itertools
import json
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.data.batches import BucketedBatches, collate, drawn_batches, inference_batches, padding_waste
from sharprecl.data.tokens import TokenizedTexts
from sharprecl.errors import ConfigError

lengths = st.lists(st.integers(0, 60), max_size=300).map(lambda x: np.array(x, dtype=np.int64))
seeds = st.integers(0, 2**31)


def view_of(rows):
    """Token rows as a TokenizedTexts."""
    offsets = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    return TokenizedTexts(np.array([token for row in rows for token in row], dtype=np.int32), offsets)


def view_of_lengths(length_N):
    return TokenizedTexts(np.ones(int(length_N.sum()), np.int32), np.cumsum([0, *length_N]))


def titles(size, seed):
    """Lengths like those of two views of titles: 5 to 40 tokens, the second within two tokens of the first."""
    rng = np.random.default_rng(seed)
    first = np.clip(rng.gamma(8, 1.8, size).astype(np.int64), 5, 40)
    return np.stack([first, first + rng.choice([-1, 0, 0, 0, 1, 2], size)])


@given(lengths, st.integers(1, 50) | st.integers(120, 260), seeds, st.integers(0, 5))
def test_each_text_once_and_no_tiny_batch(length_N, batch_size, seed, epoch):
    batches = BucketedBatches(length_N, batch_size, seed)
    made = batches.epoch(epoch)
    assert len(made) == len(batches)
    assert sorted(np.concatenate([np.empty(0, int), *made]).tolist()) == list(range(len(length_N)))
    assert all(min(len(length_N), max(1, batch_size // 8)) <= len(batch) <= batch_size for batch in made)
    for one, other in zip(made, BucketedBatches(length_N, batch_size, seed).epoch(epoch), strict=True):
        np.testing.assert_array_equal(one, other)


@given(st.lists(st.integers(1, 30), min_size=1, max_size=12), st.integers(1, 5))
def test_cuts_are_the_cheapest_of_all_with_as_many_batches(widths, batch_size):
    widths.sort(reverse=True)
    batches = BucketedBatches(np.array(widths), batch_size, 0).epoch(0)
    most = max(1, len(widths) // max(1, batch_size // 8))
    assert len(batches) == min(-(-len(widths) // batch_size) + len(widths) // (10 * batch_size), most)
    least = max(1, batch_size // 8)

    def cost(edges):
        return sum((end - start) * widths[start] for start, end in itertools.pairwise(edges))

    every = ((0, *cuts, len(widths)) for cuts in itertools.combinations(range(1, len(widths)), len(batches) - 1))
    allowed = [e for e in every if all(least <= b - a <= batch_size for a, b in itertools.pairwise(e))]
    assert sum(len(b) * max(widths[i] for i in b) for b in batches) == min(map(cost, allowed))


@given(lengths, lengths, st.integers(1, 50))
def test_the_number_of_steps_does_not_depend_on_the_lengths(one, other, batch_size):
    size = min(len(one), len(other))
    first, second = (len(BucketedBatches(x[:size], batch_size, 0)) for x in (one, other))
    assert first == second


@pytest.mark.parametrize("batch_size", [129, 197, 512, 1024])
@pytest.mark.parametrize("share", [0.5, 1.01, 4.99, 20, 60])
def test_large_batches_are_cut_on_a_grid_that_fits_any_size(batch_size, share):
    size = int(batch_size * share)
    length_N = titles(size, 3)[0]
    sizes = [len(batch) for batch in BucketedBatches(length_N, batch_size, 0).epoch(0)]
    assert sum(sizes) == size
    assert max(sizes) <= batch_size
    assert min(sizes) >= min(size, batch_size // 8)
    planned = size if size <= 32 * batch_size else 31 * batch_size + size % batch_size
    assert len(sizes) == -(-size // batch_size) + planned // (10 * batch_size)


def test_the_work_of_planning_does_not_grow_with_the_batch_size():
    length_N = titles(60_000, 4)[0]
    tracemalloc.start()
    try:
        BucketedBatches(length_N, 1024, 0)
        assert tracemalloc.get_traced_memory()[1] < 100e6
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("size", [32 * 4, 32 * 4 + 1, 1000, 1003])
def test_beyond_the_planned_part_batches_are_full(size):
    sizes = [len(b) for b in BucketedBatches(np.full(size, 7), 4, 0).epoch(0)]
    assert sum(sizes) == size
    assert len(sizes) - -(-size // 4) == 3
    assert sizes.count(4) >= (size - 32 * 4) // 4


def test_epochs_are_a_function_of_seed_and_number_only():
    length_VN = titles(1000, 0)
    batches = BucketedBatches(length_VN, 32, seed=5)
    third = batches.epoch(3)
    batches.epoch(0)
    assert all((a == b).all() for a, b in zip(third, batches.epoch(3), strict=True))
    flat = [tuple(np.concatenate(BucketedBatches(length_VN, 32, s).epoch(e))) for s in (5, 6) for e in (0, 3)]
    assert len(set(flat)) == 4


def test_epochs_are_equal_in_another_process_with_other_threads():
    code = (
        "import numpy as np, hashlib; from sharprecl.data.batches import BucketedBatches;"
        "b = BucketedBatches(np.arange(5000) % 37, 64, 9).epoch(2);"
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


def test_companions_change_from_epoch_to_epoch():
    batches = BucketedBatches(titles(4000, 1), 64, 0)
    first, second = ({frozenset(b.tolist()) for b in batches.epoch(e)} for e in (0, 1))
    # The few texts of the rarest lengths always meet each other.
    assert len(first & second) <= len(first) / 20


def test_waste_on_titles_is_under_five_percent():
    length_VN = titles(5452, 2)
    views = [view_of_lengths(row) for row in length_VN]
    bucketed = [padding_waste(views, BucketedBatches(length_VN, 128, s).epoch(0)) for s in range(5)]
    shuffled = np.array_split(np.random.default_rng(0).permutation(5452), 43)
    assert max(bucketed) < 0.05 < 0.3 < padding_waste(views, shuffled)


def test_waste_by_hand():
    views = [view_of([[1, 1], [1]]), view_of([[1, 1, 1], [1]])]
    assert padding_waste(views, [np.array([0, 1])]) == pytest.approx(1 - 7 / 12)
    assert padding_waste(views, [np.array([0]), np.array([1])]) == pytest.approx(1 - 7 / 8)
    assert padding_waste(views, []) == 0.0


@given(
    st.lists(
        st.tuples(st.lists(st.integers(1, 9), max_size=6), st.lists(st.integers(1, 9), max_size=6)),
        min_size=1,
    ),
    st.randoms(),
)
def test_collate_equals_the_loop(pairs, shuffler):
    rows = [[pair[v] for pair in pairs] for v in range(2)]
    index = np.array(shuffler.sample(range(len(pairs)), shuffler.randint(1, len(pairs))))
    batch = collate([view_of(r) for r in rows], index, pad_id=99)
    chosen = [rows[v][i] for v in range(2) for i in index]
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
        BucketedBatches(np.array([1]), bad, 0)
    with pytest.raises(ConfigError, match="max_tokens"):
        inference_batches(np.array([1]), bad)


def waste_with_synonyms(texts, label_names):
    """Largest share of padding in three epochs at B = 128: MiniLM's tokens, WordNet's synonyms."""
    from sharprecl.assets import resolve_encoder
    from sharprecl.augment.views import second_views
    from sharprecl.data.tokens import tokenize
    from sharprecl.models.stock import load_tokenizer

    tokenizer = load_tokenizer(resolve_encoder("minilm"))
    second = second_views(texts, "synonyms", protected=label_names).texts
    views = [tokenize(texts, tokenizer, 128), tokenize(second, tokenizer, 128)]
    batches = BucketedBatches(np.stack([view.lengths for view in views]), 128, seed=0)
    return max(padding_waste(views, batches.epoch(e)) for e in range(3))


@pytest.mark.asset
def test_waste_on_the_first_words_of_r52_with_synonyms_is_under_five_percent():
    from sharprecl.data.benchmarks import load_benchmark

    table = load_benchmark("r52").train
    assert waste_with_synonyms([" ".join(text.split()[:12]) for text in table.texts], table.label_names) < 0.05


@pytest.mark.asset
@pytest.mark.parametrize("name", ["TREC", "ohsumed"])
def test_waste_on_real_titles_with_synonyms_is_under_five_percent(name):
    mirror = os.environ.get("SHARPRECL_MIRROR")
    found = sorted(Path(mirror).rglob(f"{name}_Train_aug.json")) if mirror else []
    if not found:
        pytest.skip(f"SHARPRECL_MIRROR holds no {name}")
    rows = json.loads(found[0].read_text("utf-8"))
    assert waste_with_synonyms([row["text"] for row in rows], {row["label"] for row in rows}) < 0.05


@given(
    st.lists(st.integers(1, 60), min_size=1, max_size=80),
    st.integers(1, 30),
    st.integers(1, 300),
    st.integers(0, 99),
)
def test_drawn_rows_all_come_in_their_numbers_and_no_batch_is_empty(lengths, number, drawn, seed):
    width_N = np.array(lengths)
    rows = np.random.default_rng(seed).integers(len(lengths), size=drawn)
    batches = drawn_batches(rows, number, width_N)
    assert len(batches) == number
    assert all(len(batch) for batch in batches)
    assert {len(batch) for batch in batches} <= {max(drawn, number) // number, -(-max(drawn, number) // number)}
    taken = np.sort(np.concatenate(batches))
    assert np.array_equal(taken, np.sort(np.resize(rows, max(drawn, number))))


def test_drawn_rows_are_sorted_within_eight_batches_and_not_beyond():
    width_N = np.random.default_rng(0).integers(4, 40, size=2000)
    rows = np.random.default_rng(1).integers(2000, size=1024)
    batches = drawn_batches(rows, 32, width_N)

    def waste(cut):
        return 1 - sum(width_N[b].sum() for b in cut) / sum(width_N[b].max() * len(b) for b in cut)

    assert waste(batches) < 0.15 < 0.3 < waste(np.array_split(rows, 32))
    # The first eight batches hold the first 256 rows, and no others.
    assert np.array_equal(np.sort(np.concatenate(batches[:8])), np.sort(rows[:256]))


def test_an_empty_draw_is_refused():
    with pytest.raises(ConfigError, match="drew no text at all"):
        drawn_batches(np.empty(0, dtype=np.int64), 3, np.array([4]))


def test_further_texts_come_behind_all_views():
    one, two = (
        TokenizedTexts(np.array(ids, dtype=np.int32), np.array([0, 2, 3, 6]))
        for ids in ([1, 2, 3, 4, 5, 6], [11, 12, 13, 14, 15, 16])
    )
    batch = collate([one, two], np.array([0, 1]), 0, np.array([2, 2, 1]))
    assert batch["input_ids"].tolist() == [
        [1, 2, 0],
        [3, 0, 0],
        [11, 12, 0],
        [13, 0, 0],
        [4, 5, 6],
        [4, 5, 6],
        [3, 0, 0],
    ]
    assert batch["attention_mask"].sum().item() == 13
