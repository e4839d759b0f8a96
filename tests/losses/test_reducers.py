import torch

from sharprecl.losses import reducers

L_N = torch.tensor([1.0, 2.0, 6.0], dtype=torch.float64)


def test_mean_and_sum():
    assert reducers.mean(L_N).item() == 3.0
    assert reducers.sum(L_N).item() == 9.0


def test_mean_of_valid_leaves_the_others_out():
    assert reducers.mean_of_valid(L_N, torch.tensor([True, False, True])).item() == 3.5


def test_mean_of_valid_ignores_even_nan():
    l_N = torch.tensor([1.0, torch.nan], requires_grad=True)
    loss = reducers.mean_of_valid(l_N, torch.tensor([True, False]))
    loss.backward()
    assert loss.item() == 1.0
    assert l_N.grad.tolist() == [1.0, 0.0]


def test_mean_of_no_valid_anchor_is_zero_with_zero_gradient():
    l_N = L_N.clone().requires_grad_()
    loss = reducers.mean_of_valid(l_N, torch.zeros(3, dtype=torch.bool))
    loss.backward()
    assert loss.item() == 0.0
    assert l_N.grad.tolist() == [0.0, 0.0, 0.0]
