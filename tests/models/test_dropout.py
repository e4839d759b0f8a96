import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from sharprecl.models.dropout import QuickDropout, quicken


@given(p=st.floats(0, 1), shape=st.lists(st.integers(0, 5), max_size=3), seed=st.integers(0, 99))
def test_each_value_is_zero_or_scaled(p: float, shape: list[int], seed: int) -> None:
    torch.manual_seed(seed)
    x = torch.rand(shape, dtype=torch.float64) + 1
    found = QuickDropout(p)(x)
    kept = found != 0
    torch.testing.assert_close(found[kept], x[kept] / (1 - p), rtol=1e-3 if p < 0.98 else 1, atol=0)
    assert found.shape == x.shape


@pytest.mark.parametrize("p", [0.02, 0.1, 0.5])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_the_share_and_the_mean_are_right_and_no_place_is_preferred(p: float, dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    found = QuickDropout(p)(torch.ones(250, 4000, dtype=dtype)).float()
    deviation = (p * (1 - p) / found.numel()) ** 0.5
    assert (found == 0).float().mean().item() == pytest.approx(p, abs=4 * deviation)
    tolerance = 4 * deviation / (1 - p) + (0 if dtype is torch.float32 else 2**-8)
    assert found.mean().item() == pytest.approx(1, abs=tolerance)
    # Four neighbours come from one random number: they must not go together.
    dropped = (found == 0).double().view(-1, 4)
    together = torch.corrcoef(dropped.T) - torch.eye(4)
    assert together.abs().max().item() < 4 / len(dropped) ** 0.5
    following = torch.corrcoef(torch.stack([dropped.flatten()[:-1], dropped.flatten()[1:]]))[0, 1].item()
    assert abs(following) < 4 / found.numel() ** 0.5


def test_gradients_pass_where_values_passed() -> None:
    torch.manual_seed(0)
    layer = QuickDropout(0.3)
    x = torch.randn(4, 7, dtype=torch.float64, requires_grad=True)

    def same_draw(x: torch.Tensor) -> torch.Tensor:
        torch.manual_seed(3)
        return layer(x)

    assert torch.autograd.gradcheck(same_draw, (x,))


def test_equal_states_draw_equally_and_other_states_do_not() -> None:
    layer, x = QuickDropout(0.5), torch.ones(64)
    torch.manual_seed(1)
    first, second = layer(x), layer(x)
    torch.manual_seed(1)
    assert torch.equal(layer(x), first)
    assert not torch.equal(first, second)


@pytest.mark.parametrize("p", [0.0, 0.1, 1.0])
def test_evaluation_leaves_values_alone(p: float) -> None:
    x = torch.randn(5)
    assert torch.equal(QuickDropout(p).eval()(x), x)


def test_only_plain_dropout_is_replaced() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.Dropout(0.2), nn.Dropout1d(0.3)))
    quicken(model)
    inner = model[1]
    assert isinstance(inner, nn.Sequential)
    assert type(inner[0]) is QuickDropout
    assert inner[0].p == 0.2
    assert type(inner[1]) is nn.Dropout1d
