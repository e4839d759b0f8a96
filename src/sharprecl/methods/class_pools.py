"""Pools of recent features, one a class: class centres that are drawn anew at every step come from them."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn


class ClassPools(nn.Module):
    """Features without gradients, of all classes in one buffer, each class with as much room as it can use.

    Args:
        seen_C: most features that a class gets between two calls of ``restart``.
        pool_size: most features of a class; a full pool gives up random ones.
        draws: K, how many features make a centre. A class that never gets K has no pool: it would not be used.
        width: H.
    """

    items_RH: Tensor
    filled_C: Tensor

    def __init__(self, seen_C: np.ndarray, pool_size: int, draws: int, width: int) -> None:
        super().__init__()
        room_C = np.minimum(seen_C + 1, pool_size)
        room_C[room_C < draws] = 0
        self.draws = draws
        self._room = [int(room) for room in room_C]
        self._start = [int(end - room) for end, room in zip(room_C.cumsum(), room_C, strict=True)]
        self.register_buffer("items_RH", torch.zeros(int(room_C.sum()), width))
        self.register_buffer("filled_C", torch.zeros(len(room_C), dtype=torch.int64))

    @torch.no_grad()
    def restart(self, c_CH: Tensor) -> None:
        """Empty all pools but for the class's centre, [C, H]."""
        pooled = [c for c, room in enumerate(self._room) if room > 0]
        self.filled_C.zero_()
        self.filled_C[pooled] = 1
        self.items_RH.zero_()
        self.items_RH[[self._start[c] for c in pooled]] = c_CH[pooled].to(self.items_RH.dtype)

    @torch.no_grad()
    def centres(self, c_CH: Tensor, generator: torch.Generator) -> Tensor:
        """Centres [C, H]: the mean of K random features of the pool; from pools with fewer, the class's row of c_CH."""
        filled = self.filled_C.tolist()
        ready = [c for c, n in enumerate(filled) if n >= self.draws]
        if not ready:
            return c_CH
        u_CR = torch.rand(len(ready), max(filled), generator=generator)
        empty_CR = torch.arange(u_CR.shape[1]) >= torch.tensor([filled[c] for c in ready])[:, None]
        # The K largest of independent uniform numbers are K random places, none of them twice.
        places_CK = u_CR.masked_fill(empty_CR, -1.0).topk(self.draws, dim=1).indices
        rows_CK = places_CK + torch.tensor([self._start[c] for c in ready])[:, None]
        drawn_CH = c_CH.clone()
        # embedding_bag takes the mean without building the [C, K, H] features.
        means_CH = F.embedding_bag(rows_CK.to(self.items_RH.device), self.items_RH, mode="mean")
        drawn_CH[ready] = means_CH.to(drawn_CH.dtype)
        return drawn_CH

    @torch.no_grad()
    def add(self, x_NH: Tensor, y_N: Tensor, generator: torch.Generator) -> None:
        """Put features into their classes' pools. From a pool that overflows, random ones go, old and new alike."""
        filled, labels = self.filled_C.tolist(), y_N.cpu()
        rows, places = [], []
        for c in sorted(set(labels.tolist())):
            if self._room[c] == 0:
                continue
            new = (labels == c).nonzero()[:, 0]
            stays = torch.zeros(filled[c] + len(new), dtype=torch.bool)
            stays[torch.randperm(len(stays), generator=generator)[: self._room[c]]] = True
            taken = torch.zeros(self._room[c], dtype=torch.bool)
            taken[: filled[c]] = stays[: filled[c]]
            new = new[stays[filled[c] :]]
            rows.append(new)
            places.append(self._start[c] + (~taken).nonzero()[: len(new), 0])
            filled[c] = min(len(stays), self._room[c])
        if rows:
            device = self.items_RH.device
            chosen_NH = x_NH.detach()[torch.cat(rows).to(x_NH.device)]
            self.items_RH[torch.cat(places).to(device)] = chosen_NH.to(self.items_RH.dtype)
            self.filled_C.copy_(torch.tensor(filled))
