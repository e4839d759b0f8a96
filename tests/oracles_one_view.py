"""Plain-loop versions of the one-view losses, written from the equations and sharing no code with the library."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor


def probabilities(s_C: Tensor) -> list[Tensor]:
    """The softmax of one row; plain, so the logits must be small."""
    powers = [torch.exp(s) for s in s_C]
    return [power / sum(powers) for power in powers]


def log_complement(s_NC: Tensor) -> Tensor:
    rows = []
    for s_C in s_NC:
        p = probabilities(s_C)
        rows.append(torch.stack([torch.log(sum(p[k] for k in range(len(p)) if k != c)) for c in range(len(p))]))
    return torch.stack(rows)


def focal(s_NC: Tensor, y_N: Tensor, gamma: float, alpha: Sequence[float] | None = None) -> Tensor:
    losses = []
    for s_C, y in zip(s_NC, y_N.tolist(), strict=True):
        p = probabilities(s_C)[y]
        losses.append(-(1.0 if alpha is None else alpha[y]) * (1 - p) ** gamma * torch.log(p))
    return torch.stack(losses)


def dice(s_NC: Tensor, y_N: Tensor, alpha: float, smooth: float, form: str) -> Tensor:
    """l_N; for ``set_level`` l_C."""
    q = [[(1 - p) ** alpha * p for p in probabilities(s_C)] for s_C in s_NC]
    true = [[float(y == c) for c in range(s_NC.shape[1])] for y in y_N.tolist()]
    texts, classes = range(len(s_NC)), range(s_NC.shape[1])
    if form == "set_level":
        both = [sum(q[n][c] * true[n][c] for n in texts) for c in classes]
        size = [sum(q[n][c] + true[n][c] for n in texts) for c in classes]
        return torch.stack([1 - (2 * both[c] + smooth) / (size[c] + smooth) for c in classes])
    losses = []
    for n in texts:
        loss = s_NC.new_zeros(())
        for c in classes:
            below = {
                "square": q[n][c] * q[n][c] + true[n][c] * true[n][c],
                "paper": q[n][c] + true[n][c],
                "code": sum(q[m][c] + true[m][c] for m in texts),
            }[form]
            loss = loss + 1 - (2 * q[n][c] * true[n][c] + smooth) / (below + smooth)
        losses.append(loss)
    return torch.stack(losses)


def cosine(a: Tensor, b: Tensor) -> Tensor:
    return (a * b).sum() / (torch.sqrt((a * a).sum()) * torch.sqrt((b * b).sum()))


def cosines(a_ND: Tensor, b_MD: Tensor) -> Tensor:
    return torch.stack([torch.stack([cosine(a, b) for b in b_MD]) for a in a_ND])


def log_sum_exp(values: Sequence[Tensor]) -> Tensor:
    top = max(v.item() for v in values)
    return top + torch.log(sum(torch.exp(v - top) for v in values))


def info_nce(first_BD: Tensor, second_BD: Tensor, temperature: float, symmetric: bool = False) -> Tensor:
    losses = []
    for i in range(len(first_BD)):
        scores = [cosine(first_BD[i], v) / temperature for v in second_BD]
        losses.append(log_sum_exp(scores) - scores[i])
    l_B = torch.stack(losses)
    return (l_B + info_nce(second_BD, first_BD, temperature)) / 2 if symmetric else l_B


def supervised_contrastive(x_ND: Tensor, y_N: Tensor, temperature: float) -> Tensor:
    labels, losses = y_N.tolist(), []
    for i in range(len(labels)):
        others = [k for k in range(len(labels)) if k != i]
        positives = [k for k in others if labels[k] == labels[i]]
        if not positives:
            losses.append(x_ND.new_zeros(()))
            continue
        scores = {k: cosine(x_ND[i], x_ND[k]) / temperature for k in others}
        bottom = log_sum_exp(list(scores.values()))
        losses.append(sum(bottom - scores[k] for k in positives) / len(positives))
    return torch.stack(losses)


def class_weights(kind: str, counts: Sequence[int], beta: float = 0.9999) -> list[float]:
    """Weights that sum to C."""
    raw = [1 / n if kind == "inverse_frequency" else 1 / sum(beta**k for k in range(n)) for n in counts]
    return [w * len(raw) / sum(raw) for w in raw]


def margins(counts: Sequence[int], max_margin: float) -> list[float]:
    widths = [1 / math.sqrt(math.sqrt(n)) for n in counts]
    return [max_margin * w / max(widths) for w in widths]


def ldam(x_NH: Tensor, w_CH: Tensor, y_N: Tensor, counts: Sequence[int], max_margin: float, scale: float) -> Tensor:
    margin, losses = margins(counts, max_margin), []
    for cos_C, y in zip(cosines(x_NH, w_CH), y_N.tolist(), strict=True):
        scores = [scale * (cos - margin[y] * (c == y)) for c, cos in enumerate(cos_C)]
        losses.append(log_sum_exp(scores) - scores[y])
    return torch.stack(losses)
