"""Confident learning (Northcutt, Jiang and Chuang, JAIR 2021): which labels the held-out answers contradict."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

ODDS = 10.0
"""The other class must be ten times as probable as the label: strong evidence (Jeffreys, 1961).

With the paper's rule alone, 2 % of the labels of TREC are called wrong and 16 % of those of Ohsumed, whose titles do
not tell their class; with the odds 1 % and 4 %. Of 10 % flipped labels 64 in a hundred are named on R52, 60 on TREC and
49 on Ohsumed; of the rows that are named 94, 84 and 56 in a hundred are flipped ones, of the hundred worst 100, 99, 76.
"""


class Contradicted(NamedTuple):
    """What is said of each of N rows.

    Attributes:
        suggested: the most probable class, int64 ``[N]``.
        confidence: its probability, ``[N]``; ``own``: that of the label, 0 for a label that no class stands for.
        doubtful: whether the label looks wrong, ``[N]``.
        certain: whether the suggestion is as probable as in half of the cases in which it is right, ``[N]``.
    """

    suggested: NDArray[np.int64]
    confidence: NDArray[np.float64]
    own: NDArray[np.float64]
    doubtful: NDArray[np.bool_]
    certain: NDArray[np.bool_]


def contradicted(probabilities: NDArray[np.floating], labels: NDArray[np.int64]) -> Contradicted:
    """Hold held-out probabilities against the labels.

    A class is claimed with confidence where its probability reaches its threshold: the mean of that probability over
    the rows that bear its label (the paper's equation 2). A row off the diagonal of the confident joint bears one
    label and is claimed by another class. It is doubtful if that class is the most probable one and ODDS as
    probable as the label.

    ``probabilities``, ``[N, C]``, come from models that were not trained on their row; ``labels``, ``[N]``, are -1
    where the model does not know them. Every class has a row.
    """
    rows, classes = np.arange(len(labels)), probabilities.shape[1]
    known = labels >= 0
    own = np.where(known, probabilities[rows, labels], 0.0)
    threshold = np.bincount(labels[known], own[known], classes) / np.bincount(labels[known], minlength=classes)
    suggested = probabilities.argmax(axis=1)
    confidence = probabilities[rows, suggested].astype(np.float64)
    doubtful = (suggested != labels) & (confidence >= threshold[suggested]) & (confidence >= ODDS * own)
    right = known & (suggested == labels)
    usual = np.ones(classes)
    for place in np.flatnonzero(np.bincount(labels[right], minlength=classes)):
        usual[place] = np.median(own[right & (labels == place)])
    return Contradicted(suggested, confidence, own, doubtful, confidence >= usual[suggested])
