"""Several texts in one row of tokens: who attends to whom, at which positions, and one feature a text.

``text_RT`` says which text, counted from 0 to N - 1, stands at each place; -1 is padding. A text's places are
consecutive.
"""

import torch
from torch import Tensor

from sharprecl.models.pooling import normalized


def own_attention(text_RT: Tensor, dtype: torch.dtype) -> Tensor:
    """The mask added to attention scores, [R, 1, T, T]: 0 within a text, practically -inf between texts."""
    same_RTT = text_RT[:, :, None] == text_RT[:, None, :]
    # Padding attends to padding, so that no row of the softmax is empty.
    return torch.zeros_like(same_RTT, dtype=dtype).masked_fill(~same_RTT, torch.finfo(dtype).min)[:, None]


def own_positions(text_RT: Tensor) -> Tensor:
    """Positions [R, T] that count from 0 at the start of each text."""
    place_RT = torch.arange(text_RT.shape[1], device=text_RT.device).expand_as(text_RT)
    begins_RT = torch.ones_like(text_RT, dtype=torch.bool)
    begins_RT[:, 1:] = text_RT[:, 1:] != text_RT[:, :-1]
    return place_RT - place_RT.where(begins_RT, 0).cummax(1).values


def texts_mean(h_RTH: Tensor, text_RT: Tensor) -> Tensor:
    """Mean of each text's hidden states, normalised as ``pooling.masked_mean``. Returns [N, H]."""
    # A product with a 0/1 matrix, whose sums have a fixed order on every device.
    number_N1 = torch.arange(int(text_RT.max()) + 1, device=text_RT.device)[:, None]
    member_NP = (text_RT.reshape(1, -1) == number_N1).to(h_RTH.dtype)
    mean_NH = member_NP @ h_RTH.flatten(0, 1) / member_NP.sum(1, keepdim=True)
    return normalized(mean_NH)


def texts_first(h_RTH: Tensor, text_RT: Tensor) -> Tensor:
    """The hidden state of each text's first token. Returns [N, H]."""
    begins_P = ((own_positions(text_RT) == 0) & (text_RT >= 0)).flatten()
    place_N = torch.empty(int(text_RT.max()) + 1, dtype=torch.long, device=text_RT.device)
    place_N[text_RT.flatten()[begins_P]] = begins_P.nonzero()[:, 0]
    return h_RTH.flatten(0, 1)[place_N]
