"""Skewed samples of a table, and the numbers that say how skewed one is."""

import hashlib
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sharprecl.data.batch_statistics import expected_pairs
from sharprecl.data.checks import training_notes
from sharprecl.data.messages import closest, names_phrase
from sharprecl.data.tables import TextTable
from sharprecl.errors import ConfigError, DataError

Profile = Literal["exponential", "geometric_step"]
_CLOSE = 1.1  # Whole texts leave a small class's ratio some per cent off; only more than a tenth is worth a sentence.


def cap_per_class(table: TextTable, cap: int, seed: int) -> TextTable:
    """Keep at most ``cap`` texts of each class of a training table: ``keep_caps`` with one cap for all.

    Raises:
        ConfigError: a cap below 1.
    """
    if cap < 1:
        raise ConfigError(f"a class cannot be capped at {cap} texts; the least is 1")
    return keep_caps(table, np.full(table.num_classes, cap), seed)


def keep_caps(table: TextTable, caps: np.ndarray, seed: int) -> TextTable:
    """Keep of each class at most as many texts as ``caps``, int ``[C]``, says, in the table's order.

    Texts are ranked by a hash of seed and text. So the choice depends neither on the order of the rows nor on
    other classes, and what a smaller cap keeps, a larger one keeps as well. The notes are those of the sample; rows
    that they name are rows of ``table``.
    """
    ranked: dict[int, list[tuple[bytes, int]]] = defaultdict(list)
    for row, (text, label) in enumerate(zip(table.texts, table.label_ids.tolist(), strict=True)):
        ranked[label].append((hashlib.sha256(f"{seed}\0{text}".encode()).digest(), row))
    kept = sorted(row for label, members in ranked.items() for _, row in sorted(members)[: caps[label]])
    sample = table.select(kept)
    odd = training_notes(sample.texts, sample.label_ids, sample.label_names, rows=table.in_source(kept).tolist())
    return replace(sample, notes=(*table.source_notes, *odd))


def imbalanced_subset(table: TextTable, ratio: float, profile: Profile = "exponential", seed: int = 0) -> TextTable:
    """Make a training table as skewed as ``imbalance_profile`` says, its classes in their order of size.

    A class never falls under one text. Where it has fewer texts than the profile asks for, all are kept; the notes of
    the sample then give the ratio that came out, which may be larger than asked for. Texts are chosen as in
    ``keep_caps``: what a ratio keeps, a smaller one keeps as well, and the order of the rows does not matter.

    Args:
        table: training texts; a class that has none of them keeps none.
        ratio: texts of the largest class over texts of the smallest one, at least 1.
        profile: see ``imbalance_profile``.
        seed: of the choice of texts.

    Raises:
        ConfigError: a ratio below 1 or not finite, or an unknown profile.
        DataError: the table has no text.
    """
    counts, names = table.class_counts.tolist(), table.label_names
    # Classes of one size go by name, so that their numbering does not matter either.
    order = sorted(np.flatnonzero(counts).tolist(), key=lambda label: (-counts[label], names[label]))
    targets = _targets(counts[order[0]] if order else 0, len(order), ratio, profile)
    caps = np.zeros(len(counts), dtype=np.int64)
    caps[order] = np.maximum(1, targets)
    sample = keep_caps(table, caps, seed)
    short = [names[label] for label, target in zip(order, targets, strict=True) if counts[label] < target]
    kept_one = [names[label] for label, target in zip(order, targets, strict=True) if target < 1]
    note = _ratio_note(imbalance_ratio(sample.class_counts), ratio, profile, short, kept_one)
    return replace(sample, notes=(*sample.notes, *note))


def imbalance_profile(sorted_counts: Sequence[int], ratio: float, profile: Profile = "exponential") -> list[int]:
    """Texts of each class, largest first, capped by what is there.

    ``exponential`` is ``int(n_max * ratio^(-i / (C - 1)))`` for class i (Cui et al., CVPR 2019), whose largest and
    smallest class differ by the ratio. ``geometric_step`` divides by the ratio at every class, as the example in
    the SharpReCL paper does; with more than a few classes it ends at 0.

    Raises:
        ConfigError: a ratio below 1 or not finite, or an unknown profile.
    """
    targets = _targets(max(sorted_counts, default=0), len(sorted_counts), ratio, profile)
    return [min(n, target) for n, target in zip(sorted_counts, targets, strict=True)]


def _targets(largest: int, num_classes: int, ratio: float, profile: Profile) -> list[int]:
    """What the profile asks of each class, largest first, whether or not there are so many texts."""
    if profile not in get_args(Profile):
        raise ConfigError(
            f"there is no imbalance profile {profile!r}{closest(str(profile), get_args(Profile))}; "
            f"choose from {names_phrase(get_args(Profile))}"
        )
    if not 1 <= ratio < math.inf:
        raise ConfigError(
            f"the imbalance ratio is {ratio:g}, but it is the largest class over the smallest: finite and at least 1"
        )
    exponent = 1.0 / max(1, num_classes - 1) if profile == "exponential" else 1.0
    # The tolerance keeps a product of exactly a whole number from falling to the one below, on any machine.
    return [int(largest * ratio ** (-i * exponent) * (1 + 1e-12)) for i in range(num_classes)]


def _ratio_note(
    achieved: float, ratio: float, profile: Profile, short: Sequence[str], kept_one: Sequence[str]
) -> tuple[str, ...]:
    """One sentence where the data does not allow the profile, or the ratio is another one than asked for; else none."""
    stepwise = profile == "geometric_step"
    close = ratio / _CLOSE < achieved < ratio * _CLOSE
    if close and not short and not kept_one:
        return ()
    reasons = []
    if stepwise:
        reasons.append(f"the geometric_step profile divides by {ratio:g} at every class")
    if short:
        kind, has = ("class", "has") if len(short) == 1 else ("classes", "have")
        reasons.append(f"the {kind} {names_phrase(short)} {has} fewer texts than the {profile} profile asks for")
    if kept_one:
        reasons.append(f"the profile leaves less than one text for {names_phrase(kept_one)}, and a class keeps one")
    asked = "" if stepwise else ", about as asked" if close else f", not {ratio:g}"
    why = "; ".join(reasons) or "the profile is rounded down to whole texts"
    return (f"the imbalance ratio is {achieved:.1f}{asked}: {why}",)


def imbalance_ratio(counts: Sequence[int] | np.ndarray) -> float:
    """Texts of the largest class over texts of the smallest one; classes without a text do not count.

    Raises:
        DataError: no class has a text.
    """
    present = _present(counts)
    return float(present.max() / present.min())


def squared_imbalance_ratio(counts: Sequence[int] | np.ndarray) -> float:
    """The SharpReCL paper's approximation of ``contrastive_imbalance_ratio`` (Eq. 3-4): ``imbalance_ratio`` squared.

    It takes n (n - 1) for n^2, so it is too small where the smallest class has few texts. It knows neither two views
    nor the batch size, so it is too large where there are two views and small batches. Errors as there.
    """
    return imbalance_ratio(counts) ** 2


def contrastive_imbalance_ratio(
    counts: Sequence[int] | np.ndarray, batch_size: int | None = None, views: int = 1
) -> float | None:
    """Expected positive pairs of the largest class over those of the smallest one, in a batch of plain supervised
    contrastive learning; exact, see ``batch_statistics.expected_pairs``.

    With one view it is ``n_max (n_max - 1) / (n_min (n_min - 1))``, whatever the batch size. With two, every text meets
    its own other view, and small batches have hardly any other pairs: the ratio then falls towards that of the texts.

    Args:
        counts: texts of each class; classes without a text do not count.
        batch_size: texts a batch, at least 1; None takes all texts as one batch.
        views: of each text.

    Returns:
        Infinity where only the smallest class has no pair, because it has one text and that one view; None where no
        class has a pair, so that there is nothing to compare.

    Raises:
        ConfigError: a batch size below 1.
        DataError: no class has a text.
    """
    present = _present(counts)
    pairs = expected_pairs(present, int(present.sum()) if batch_size is None else batch_size, views)
    most, least = float(pairs[present.argmax()]), float(pairs[present.argmin()])
    if least > 0:
        return most / least
    return math.inf if most > 0 else None


def _present(counts: Sequence[int] | np.ndarray) -> NDArray[np.int64]:
    every = np.asarray(counts, dtype=np.int64)
    present: NDArray[np.int64] = every[every > 0]
    if not len(present):
        raise DataError("the imbalance ratio of a table without texts is undefined; give at least one text")
    return present
