"""Plain-loop versions of what SPCL and DualCL are made of, written from the equations; no code of the library."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor


def cosine(a_H: Tensor, b_H: Tensor) -> Tensor:
    return (a_H * b_H).sum() / torch.sqrt((a_H * a_H).sum() * (b_H * b_H).sum())


def log_sum(values: Sequence[Tensor]) -> Tensor:
    top = max(v.detach() for v in values)
    return top + torch.log(sum((torch.exp(v - top) for v in values), top.new_zeros(())))


def cross_entropy(s_NC: Tensor, y_N: Tensor) -> Tensor:
    return torch.stack([log_sum(list(s_C)) - s_C[y] for s_C, y in zip(s_NC, y_N, strict=True)])


def supervised_prototypical(x_NH: Tensor, c_CH: Tensor, y_N: Tensor, temperature: float, form: str) -> Tensor:
    """l_N, one text and one other item at a time."""
    items = [*x_NH, *c_CH]
    classes = [*y_N.tolist(), *range(len(c_CH))]
    losses = []
    for i in range(len(x_NH)):
        scores = [(1 + cosine(x_NH[i], item)) / 2 / temperature for item in items]
        positives = [s for k, s in enumerate(scores) if classes[k] == classes[i] and k != i]
        negatives = [s for k, s in enumerate(scores) if classes[k] != classes[i]]
        if not positives or (form == "decoupled" and not negatives):
            losses.append((x_NH[i] * 0).sum())
        elif form == "coupled":
            losses.append(log_sum(positives + negatives) - log_sum(positives) + math.log(len(positives)))
        else:
            losses.append(log_sum(negatives) - sum(positives) / len(positives))
    return torch.stack(losses)


def kept_mean(l_N: Tensor, above: float) -> Tensor:
    kept = [value for value in l_N if value > above]
    return torch.stack(kept).mean() if kept else l_N.new_zeros(())


def dual_contrastive(a_NH: Tensor, t_NH: Tensor, y_N: Tensor, temperature: float, own_pair: str) -> Tensor:
    """l_N, one anchor and one target at a time."""
    losses = []
    for i in range(len(y_N)):
        scores = {j: cosine(a_NH[i], t_NH[j]) / temperature for j in range(len(y_N)) if j != i}
        positives = [scores[j] for j in scores if y_N[j] == y_N[i]]
        if not positives:
            losses.append((a_NH[i] * 0).sum())
            continue
        compared = [*scores.values()] + ([a_NH.new_zeros(())] if own_pair == "zero_logit" else [])
        losses.append(torch.stack([log_sum(compared) - s for s in positives]).mean())
    return torch.stack(losses)


def class_means(x_NH: Tensor, y_N: Tensor, num_classes: int) -> Tensor:
    return torch.stack(
        [torch.stack([x for x, y in zip(x_NH, y_N, strict=True) if y == c]).mean(0) for c in range(num_classes)]
    )


def difficulty(x_NH: Tensor, c_CH: Tensor, y_N: Tensor) -> list[float]:
    values = []
    for x, y in zip(x_NH, y_N.tolist(), strict=True):
        distances = [float((1 - cosine(x, c)) / 2) + 1e-8 for c in c_CH]
        values.append(distances[y] / sum(distances))
    return values


def keep_probability(hardness: Sequence[float], epoch: int, epochs: int) -> list[float]:
    """Of each text in the order in which it stands."""
    order = sorted(range(len(hardness)), key=lambda n: hardness[n])
    a, b = 1 - epoch / epochs, epoch / epochs
    chances = [0.0] * len(hardness)
    for rank, n in enumerate(order):
        chances[n] = a + (b - a) * rank / (len(hardness) - 1)
    return chances
