"""Plain-loop versions of the losses of Hybrid-SC/PSC, BCL and TSC, one anchor and one pair at a time, from vectors.

Written from the equations of the papers, sharing no code with the library. Small temperatures are safe here because
tests run them in float64.
"""

import itertools
from collections.abc import Sequence

import torch
from torch import Tensor


def unit(v: Tensor) -> Tensor:
    return v / torch.sqrt((v * v).sum())


def log_of_sum(terms: Sequence[Tensor]) -> Tensor:
    return torch.log(torch.stack(list(terms)).sum())


def mean(values: Sequence[Tensor]) -> Tensor:
    return torch.stack(list(values)).mean(0)


def prototypical(x_ND: Tensor, p_CD: Tensor, y_N: Sequence[int], tau: float, include_own: bool = False) -> Tensor:
    losses = []
    for x, y in zip(x_ND, y_N, strict=True):
        scores = [unit(x) @ unit(p) / tau for p in p_CD]
        below = [torch.exp(s) for c, s in enumerate(scores) if include_own or c != y]
        losses.append(log_of_sum(below) - scores[y])
    return torch.stack(losses)


def balanced(x_ND: Tensor, c_CD: Tensor, y_N: Sequence[int], tau: float) -> Tensor:
    """Class by class: the average over its items in the anchor's denominator, the anchor itself left out."""
    items = [unit(v) for v in (*x_ND, *c_CD)]
    labels = [*y_N, *range(len(c_CD))]
    losses = []
    for i, y in enumerate(y_N):
        averages = []
        for c in range(len(c_CD)):
            members = [k for k in range(len(items)) if labels[k] == c and k != i]
            averages.append(mean([torch.exp(items[i] @ items[k] / tau) for k in members]))
        below = log_of_sum(averages)
        positives = [k for k in range(len(items)) if labels[k] == y and k != i]
        losses.append(mean([below - items[i] @ items[k] / tau for k in positives]))
    return torch.stack(losses)


def targeted(
    anchors: Sequence[Tensor],
    candidates: Sequence[Sequence[Tensor]],
    positives: Sequence[Sequence[int]],
    targets: Sequence[Tensor] = (),
    own: Sequence[int] = (),
    tau: float = 0.1,
    weight: float = 0.0,
    normalizer: str = "paper",
) -> Tensor:
    """TSC of unit vectors; without targets it is KCL.

    Args:
        candidates: for each anchor, what it is compared with.
        positives: for each anchor, which of those are its positives.
        own: for each anchor, which target is that of its class.
    """
    losses = []
    for i, anchor in enumerate(anchors):
        below = log_of_sum([torch.exp(anchor @ v / tau) for v in (*candidates[i], *targets)])
        class_sum = anchor.new_zeros(())
        for k in positives[i]:
            class_sum = class_sum + below - anchor @ candidates[i][k] / tau
        pull = below - anchor @ targets[own[i]] / tau if len(targets) else anchor.new_zeros(())
        k = len(positives[i]) - 1
        if normalizer == "code":
            losses.append((class_sum + weight * pull) / (k + 2))
        else:
            losses.append(class_sum / max(k + 1, 1) + weight * pull)
    return torch.stack(losses)


def in_batch(z_ND: Tensor, y_N: Sequence[int]) -> tuple[list[Tensor], list[list[Tensor]], list[list[int]]]:
    """Anchors, candidates and positives of views that are compared with each other: all of the same class."""
    anchors = list(z_ND)
    others = [[k for k in range(len(anchors)) if k != i] for i in range(len(anchors))]
    candidates = [[anchors[k] for k in rows] for rows in others]
    positives = [[place for place, k in enumerate(rows) if y_N[k] == y_N[i]] for i, rows in enumerate(others)]
    return anchors, candidates, positives


def best_assignment(centroids_CD: Tensor, targets_CD: Tensor) -> list[int]:
    """By trying every permutation."""
    classes = range(len(centroids_CD))
    return list(
        max(
            itertools.permutations(classes),
            key=lambda order: sum(float(centroids_CD[c] @ targets_CD[order[c]]) for c in classes),
        )
    )
