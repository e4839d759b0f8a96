"""Scores by cached reading against whole forwards, one prompt and label at a time."""

import numpy as np
import pytest
import torch

from sharprecl.llm import scoring
from sharprecl.llm.scoring import common_start, head_logits, label_scores, padded, positions
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


def rounded(model):
    """In float32, the weights as bfloat16 has them."""
    return model.to(torch.bfloat16).float()


@pytest.mark.parametrize("kind", ["llama", "bloom"])
def test_a_model_in_bf16_scores_without_the_steps_of_bf16(kind):
    """A vocabulary of 4,000 words with logits near 20, as large models have them, where bfloat16 steps by 1/8."""
    coarse, exact = tiny_llama(kind=kind).to(torch.bfloat16), rounded(tiny_llama(kind=kind))
    for model in (coarse, exact):
        head = torch.nn.Linear(model.config.hidden_size, 4000, bias=False)
        with torch.random.fork_rng():
            torch.manual_seed(5)
            torch.nn.init.normal_(head.weight, std=1.0)
        head.weight.data = head.weight.data.to(torch.bfloat16).to(model.dtype)
        model.set_output_embeddings(head.requires_grad_(False))
    made = encoder(WORDS)
    prompts, _ = made.prompts(TEXTS[:4])
    labels = [[token] for token in range(400)]
    found = label_scores(coarse, prompts, labels, 0)
    assert found.dtype == np.float32
    for row in found:
        # Steps of bfloat16 would leave under 260 values; two of float32 may fall together by chance.
        assert len(set(row.tolist())) > 390
    expected = label_scores(exact, prompts, labels, 0)
    # What is left is the rounding of hidden states: 3 digits of states that make logits of about 6.
    assert np.abs(found - expected).mean() < 0.1


def test_the_last_layer_in_float32_changes_nothing_where_all_is():
    made, model = encoder(WORDS), tiny_llama()
    prompts, _ = made.prompts(TEXTS)
    assert model.get_output_embeddings()._forward_hooks == {}
    label_scores(model, prompts, made.label_ids, 0)
    assert model.get_output_embeddings()._forward_hooks == {}, "the model is left as it was"


@pytest.mark.parametrize("bias", [False, True])
def test_head_logits_and_their_gradient_are_those_of_a_linear_layer(monkeypatch, bias):
    monkeypatch.setattr("sharprecl.llm.scoring._ROWS", 7)
    head = torch.nn.Linear(5, 24, bias=bias).to(torch.bfloat16).requires_grad_(False)
    hidden = torch.randn(2, 3, 5, requires_grad=True)
    with torch.autocast("cpu", torch.bfloat16):
        logits = head_logits(hidden, head.weight, head.bias)
    twin = hidden.detach().double().requires_grad_()
    expected = torch.nn.functional.linear(twin, head.weight.double(), head.bias.double() if bias else None)
    torch.testing.assert_close(logits.double(), expected, rtol=1e-6, atol=1e-6)
    ours, theirs = (value.softmax(-1)[..., 3].sum() for value in (logits, expected))
    ours.backward()
    theirs.backward()
    torch.testing.assert_close(hidden.grad.double(), twin.grad, rtol=1e-5, atol=1e-7)
