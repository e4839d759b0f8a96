"""Plain-loop versions of every loss and of the rebalancing, with every synthetic vector built.

Slow on purpose, written from the equations, sharing no code with the library. Gradients come from autograd
through the loops. ``sharprecl_by_class`` is also what ``benchmarks/rebalancing.py`` measures the library against.
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor


def cross_entropy(s_NC: Tensor, y_N: Tensor) -> Tensor:
    """l_N, one row at a time."""
    rows = []
    for s_C, y in zip(s_NC, y_N, strict=True):
        rows.append(torch.log(sum((torch.exp(s - s_C.max()) for s in s_C), s_C.new_zeros(()))) + s_C.max() - s_C[y])
    return torch.stack(rows)


def compensated_cross_entropy(
    s_NC: Tensor, y_N: Tensor, counts: Sequence[int], tau: float = 1.0, normalize_logits: bool = False
) -> Tensor:
    rows = []
    for s_C in s_NC:
        row = s_C / torch.sqrt((s_C * s_C).sum()) if normalize_logits else s_C
        rows.append(torch.stack([s + tau * math.log(n / sum(counts)) for s, n in zip(row, counts, strict=True)]))
    return cross_entropy(torch.stack(rows), y_N)


def anchor_weights(kind: str, counts: Sequence[int], beta: float = 0.9999) -> list[float]:
    effective = [sum(beta**k for k in range(n)) for n in counts]
    rare = [sum(effective) / len(effective) / e for e in effective]
    prior = [math.log(n / sum(counts)) for n in counts]
    return {
        "none": [1.0] * len(counts),
        "effective_number": rare,
        "code_scalar": [rare[0]] * len(counts),
        "neg_log_prior": [-p for p in prior],
        "log_prior": prior,
    }[kind]


def contrastive(
    x_MD: Tensor,
    y_M: Tensor,
    x_CSD: Tensor,
    n_pos: int,
    temperature: float,
    positives: str = "mean",
) -> Tensor:
    """l_M, one anchor and one positive at a time, from vectors."""
    losses = []
    for m in range(len(y_M)):
        others = [k for k in range(len(y_M)) if k != m]
        own = x_CSD[y_M[m]]
        scores = [x_MD[m] @ x_MD[k] / temperature for k in others] + [x_MD[m] @ v / temperature for v in own]
        is_positive = [bool(y_M[k] == y_M[m]) for k in others] + [s < n_pos for s in range(len(own))]
        if not any(is_positive):
            losses.append(x_MD.new_zeros(()))
            continue
        top = torch.stack(scores).max().detach()
        log_sum = top + torch.log(torch.stack([torch.exp(s - top) for s in scores]).sum())
        terms = [log_sum - s for s, yes in zip(scores, is_positive, strict=True) if yes]
        losses.append(torch.stack(terms).sum() / (len(terms) if positives == "mean" else 1))
    return torch.stack(losses)


def materialise(x_MD: Tensor, i_CS: Tensor, j_CS: Tensor, a_CS: Tensor) -> Tensor:
    """The synthetic vectors x_CSD of a plan, built and made unit-length one by one."""
    classes = []
    for i_S, j_S, a_S in zip(i_CS, j_CS, a_CS, strict=True):
        samples = []
        for i, j, a in zip(i_S, j_S, a_S, strict=True):
            v = a * x_MD[i] + (1 - a) * x_MD[j]
            samples.append(v / torch.sqrt((v * v).sum()))
        classes.append(torch.stack(samples) if samples else x_MD.new_zeros(0, x_MD.shape[1]))
    return torch.stack(classes)


def hard_set(x_MD: Tensor, y_M: Tensor, c: int, num_classes: int, k: int, positive: bool) -> list[int]:
    """Row numbers of a class's hard items, hardest first."""
    prototype = x_MD[len(y_M) - num_classes + c]
    rows = [m for m in range(len(y_M)) if bool(y_M[m] == c) == positive]
    return sorted(rows, key=lambda m: float(x_MD[m] @ prototype) * (1 if positive else -1))[:k]


def sharprecl_by_class(
    x_MD: Tensor,
    y_M: Tensor,
    num_classes: int,
    u_3CS: Tensor,
    n_pos: int,
    top_k: int,
    ratio: float,
    temperature: float,
    positives: str = "mean",
) -> Tensor:
    """l_M of the whole method, one class at a time: sample, mix (Beta(1/2, 1/2)), build, score its anchors.

    Within a class everything is one tensor operation, as a careful implementation of the loop would have it.
    """
    order = torch.argsort(y_M, stable=True)
    first_prototype = len(y_M) - num_classes
    l_M = x_MD.new_zeros(len(y_M))
    for c in range(num_classes):
        members, others = order[y_M[order] == c], order[y_M[order] != c]
        near = (x_MD.detach() @ x_MD[first_prototype + c].detach()).squeeze()
        built = []
        for pool, sign, u in ((members, 1, u_3CS[:, c, :n_pos]), (others, -1, u_3CS[:, c, n_pos:])):
            hard = pool[torch.argsort(sign * near[pool])[:top_k]]
            n_hard = math.floor(ratio * u.shape[1] + 1e-9)
            i, j = ((v[:n_hard] * len(hard)).long() for v in u[:2])
            a = torch.sin(u[2, :n_hard] * math.pi / 2).square().to(x_MD.dtype)[:, None]
            simple = pool[(u[0, n_hard:] * len(pool)).long()]
            built += [a * x_MD[hard[i]] + (1 - a) * x_MD[hard[j]], x_MD[simple]]
        x_SD = torch.cat(built)
        x_SD = x_SD / x_SD.norm(dim=1, keepdim=True)
        scores = torch.cat([x_MD[members] @ x_MD.T, x_MD[members] @ x_SD.T], dim=1) / temperature
        itself = torch.zeros_like(scores, dtype=torch.bool)
        itself[torch.arange(len(members)), members] = True
        positive = torch.zeros_like(itself)
        positive[:, members] = True
        positive[:, len(y_M) : len(y_M) + n_pos] = True
        positive &= ~itself
        log_p = torch.log_softmax(scores.masked_fill(itself, -torch.inf), dim=1)
        l_c = -log_p.masked_fill(~positive, 0).sum(1)
        count = positive.sum(1).clamp(min=1)
        l_M = l_M.index_put((members,), l_c / count if positives == "mean" else l_c)
    return l_M
