import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_one_view as oracles
from known import CASES, expected, tensor
from sharprecl.losses.dice import dice, set_level_dice

FORMS = ["square", "paper", "code"]
KEYS = {"square": "square_per_sample", "paper": "paper_per_sample", "code": "official_code_without_square"}


def known(case):
    inputs, params = CASES[case]["inputs"], CASES[case]["params"]
    return tensor(inputs["logits"]), torch.tensor(inputs["labels"]), params["alpha"], params["smooth"]


def problem(seed, n=7, classes=4):
    generator = torch.Generator().manual_seed(seed)
    s_NC = 2 * torch.randn(n, classes, generator=generator, dtype=torch.float64)
    return s_NC, torch.randint(classes, (n,), generator=generator)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", ["dice", "dice_alpha0"])
def test_known_answers(case, form):
    loss = dice(*known(case), form).mean().item()
    assert loss == pytest.approx(expected(case, KEYS[form]), rel=1e-6)


def test_known_answer_of_the_set_level():
    assert set_level_dice(*known("dice")).sum().item() == pytest.approx(expected("dice", "batch_level_DL"), rel=1e-6)


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    classes=st.integers(2, 5),
    alpha=st.sampled_from([0.0, 0.01, 0.6, 2.0]),
    smooth=st.sampled_from([1e-4, 1.0]),
)
def test_equals_the_oracle(form, seed, classes, alpha, smooth):
    s_NC, y_N = problem(seed, classes=classes)
    theirs = oracles.dice(s_NC, y_N, alpha, smooth, form)
    torch.testing.assert_close(dice(s_NC, y_N, alpha, smooth, form), theirs, rtol=0, atol=1e-10)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), alpha=st.sampled_from([0.0, 0.01, 0.6]))
def test_the_set_level_equals_the_oracle(seed, alpha):
    s_NC, y_N = problem(seed)
    theirs = oracles.dice(s_NC, y_N, alpha, 1.0, "set_level")
    torch.testing.assert_close(set_level_dice(s_NC, y_N, alpha, 1.0), theirs, rtol=0, atol=1e-10)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), order=st.permutations(range(7)), form=st.sampled_from(FORMS))
def test_permuting_the_texts_permutes_the_losses(seed, order, form):
    s_NC, y_N = problem(seed)
    permuted = dice(s_NC[order], y_N[order], 0.01, 1.0, form)
    torch.testing.assert_close(permuted, dice(s_NC, y_N, 0.01, 1.0, form)[order], rtol=0, atol=1e-12)
    sets = [set_level_dice(s, y, 0.01, 1.0) for s, y in ((s_NC, y_N), (s_NC[order], y_N[order]))]
    torch.testing.assert_close(*sets, rtol=0, atol=1e-12)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), form=st.sampled_from(FORMS), smooth=st.sampled_from([1e-4, 1.0]))
def test_is_between_0_and_the_number_of_classes(seed, form, smooth):
    s_NC, y_N = problem(seed)
    l_N = dice(s_NC, y_N, 0.01, smooth, form)
    assert (l_N >= 0).all()
    assert (l_N <= s_NC.shape[1]).all()


@pytest.mark.parametrize("form", ["square", "paper"])
def test_a_perfect_prediction_costs_nothing(form):
    s_NC = torch.tensor([[60.0, 0.0, 0.0]], dtype=torch.float64)
    assert dice(s_NC, torch.tensor([0]), 0.0, 1.0, form).item() == pytest.approx(0.0, abs=1e-12)
    assert set_level_dice(s_NC, torch.tensor([0]), 0.0, 1.0).sum().item() == pytest.approx(0.0, abs=1e-12)


def test_one_text_is_a_set_of_its_own():
    s_NC, y_N = problem(3, n=1)
    l_C = set_level_dice(s_NC, y_N, 0.01, 1.0)
    for form in ("paper", "code"):
        assert dice(s_NC, y_N, 0.01, 1.0, form).item() == pytest.approx(l_C.sum().item(), abs=1e-12)


def test_vanishing_smoothing_without_alpha_is_the_dice_coefficient():
    # An absent class costs 1 whatever its probability is; the label's own 1 - 2p/(p+1), or with squares 1 - 2p/(p^2+1).
    s_NC, y_N = problem(8, n=1, classes=3)
    p = s_NC.softmax(1)[0, y_N[0]].item()
    assert dice(s_NC, y_N, 0.0, 1e-15, "paper").item() == pytest.approx(3 - 2 * p / (p + 1), rel=1e-9)
    assert dice(s_NC, y_N, 0.0, 1e-15, "square").item() == pytest.approx(3 - 2 * p / (p * p + 1), rel=1e-9)


@pytest.mark.parametrize("form", FORMS)
def test_gradcheck(form):
    s_NC, y_N = problem(3)
    s_NC.requires_grad_()
    assert torch.autograd.gradcheck(lambda s: dice(s, y_N, 0.01, 1.0, form), [s_NC])
    assert torch.autograd.gradcheck(lambda s: set_level_dice(s, y_N, 0.01, 1.0), [s_NC])


@pytest.mark.parametrize("form", [*FORMS, "set_level"])
@pytest.mark.parametrize("size", [40.0, 1e4])
@pytest.mark.parametrize("alpha", [0.0, 0.01, 2.0])
def test_certainty_is_finite_forward_and_backward(form, size, alpha):
    s_NC = torch.tensor([[size, -size, 0.0], [size, -size, 0.0]], requires_grad=True)
    y_N = torch.tensor([0, 1])
    loss = set_level_dice(s_NC, y_N, alpha, 1e-4) if form == "set_level" else dice(s_NC, y_N, alpha, 1e-4, form)
    loss.sum().backward()
    assert loss.isfinite().all()
    assert s_NC.grad.isfinite().all()


@pytest.mark.parametrize("form", FORMS)
def test_float32_agrees_with_float64(form):
    s_NC, y_N = problem(5)
    single = dice(s_NC.float(), y_N, 0.01, 1.0, form)
    torch.testing.assert_close(single.double(), dice(s_NC, y_N, 0.01, 1.0, form), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("form", FORMS)
def test_bfloat16_agrees_roughly(form):
    # Each of the four classes' terms is rounded to 8 bits next to 1.
    s_NC, y_N = problem(5)
    half = dice(s_NC.bfloat16(), y_N, 0.01, 1.0, form)
    torch.testing.assert_close(half.double(), dice(s_NC, y_N, 0.01, 1.0, form), rtol=0.05, atol=0.05)
