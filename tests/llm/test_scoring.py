"""Scores by cached reading against whole forwards, one prompt and label at a time."""

import numpy as np
import pytest
import torch

from sharprecl.llm import scoring
from sharprecl.llm.scoring import common_start, label_scores, padded, positions
from tiny_llm import encoder, tiny_llama

WORDS = ("refund", "late parcel", "late", "human error screen")
TEXTS = [
    "my order",
    "the box is late again today",
    "help",
    "a broken screen with a cable and not my battery please",
    "help",
]


def by_whole_forwards(model, prompts, label_ids):
    """No cache, no padding, no batch."""
    scores = np.zeros((len(prompts), len(label_ids)))
    for row, prompt in enumerate(prompts):
        for column, label in enumerate(label_ids):
            with torch.no_grad():
                logits = model(input_ids=torch.tensor([prompt + label])).logits[0].double()
            for place, token in enumerate(label, start=len(prompt)):
                scores[row, column] += float(logits[place - 1].log_softmax(-1)[token])
    return scores


@pytest.mark.parametrize("kind", ["llama", "bloom"])
@pytest.mark.parametrize("form", ["chat", "plain"])
def test_score_is_the_sum_of_log_probabilities(form, kind):
    made, model = encoder(WORDS, form), tiny_llama(kind=kind)
    prompts, _ = made.prompts(TEXTS)
    expected = by_whole_forwards(model, prompts, made.label_ids)
    found = label_scores(model, prompts, made.label_ids, 0)
    np.testing.assert_allclose(found, expected, atol=1e-5, rtol=1e-6)
    # The test means nothing where all labels are about as probable.
    assert expected.std(0).min() > 1e-3
    assert expected.std(1).min() > 1e-2


def test_mean_divides_by_the_tokens_and_their_end():
    made, model = encoder(WORDS), tiny_llama()
    prompts, _ = made.prompts(TEXTS)
    total = label_scores(model, prompts, made.label_ids, 0)
    np.testing.assert_allclose(
        label_scores(model, prompts, made.label_ids, 0, mean=True), total / [2, 3, 2, 4], rtol=1e-6
    )


def test_all_continuations_are_as_probable_as_anything():
    model = tiny_llama()
    tokens = range(model.config.vocab_size)
    scores = label_scores(model, [[2, 9, 8]], [[first] for first in tokens], 0)
    assert np.exp(scores.astype(np.float64)).sum() == pytest.approx(1.0, abs=1e-5)


def test_companions_and_padding_change_nothing():
    made, model = encoder(WORDS), tiny_llama()
    prompts, _ = made.prompts(TEXTS)
    together = label_scores(model, prompts, made.label_ids, 0)
    alone = np.concatenate([label_scores(model, [prompt], made.label_ids, 0) for prompt in prompts])
    np.testing.assert_allclose(together, alone, atol=1e-5)
    np.testing.assert_allclose(label_scores(model, prompts, made.label_ids, 7), together, atol=1e-6)
    np.testing.assert_allclose(label_scores(model, prompts[::-1], made.label_ids, 0)[::-1], together, atol=1e-5)


def test_prompts_without_a_common_start():
    model, labels = tiny_llama(), [[5, 3], [6, 8, 3]]
    prompts = [[2, 9], [4, 8, 7, 9, 10], [11]]
    assert common_start(prompts) == 0
    np.testing.assert_allclose(
        label_scores(model, prompts, labels, 0), by_whole_forwards(model, prompts, labels), atol=1e-5
    )


def test_several_batches(monkeypatch):
    made, model = encoder(WORDS), tiny_llama()
    prompts, _ = made.prompts(TEXTS)
    whole = label_scores(model, prompts, made.label_ids, 0)
    monkeypatch.setitem(scoring._TOKENS_A_BATCH, "cpu", 1)
    np.testing.assert_allclose(label_scores(model, prompts, made.label_ids, 0), whole, atol=1e-5)


def test_no_prompts():
    assert label_scores(tiny_llama(), [], [[5], [6]], 0).shape == (0, 2)


@pytest.mark.parametrize(
    ("prompts", "common"),
    [
        ([[1, 2, 3], [1, 2, 4]], 2),
        ([[1, 2], [1, 2]], 1),
        ([[1, 2], [1, 2, 3]], 1),
        ([[1], [1, 2]], 0),
        ([[1, 5, 9], [1, 5, 2, 3], [1, 4, 9]], 1),
        ([[1, 2, 3]], 0),
    ],
)
def test_common_start_leaves_a_token_of_every_prompt(prompts, common):
    assert common_start(prompts) == common


def test_padding_on_the_left_counts_for_no_position():
    ids, mask = padded([[5, 6, 7], [8]], 9)
    assert ids.tolist() == [[5, 6, 7], [9, 9, 8]]
    assert mask.tolist() == [[1, 1, 1], [0, 0, 1]]
    assert positions(mask).tolist() == [[0, 1, 2], [0, 0, 0]]
