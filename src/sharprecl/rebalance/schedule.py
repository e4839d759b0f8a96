"""How many of the synthetic samples come from hard-mixup as training goes on: r = 0.5 + 0.5 t / T."""


def mixup_ratio(done_fraction: float, start: float = 0.5, end: float = 1.0) -> float:
    """Share of hard-mixup among the synthetic samples: ``start`` at first, changing linearly to ``end``.

    Args:
        done_fraction: t / T, the done part of the training; beyond 1 counts as 1.
        start, end: the shares at t = 0 and t = T, in [0, 1].
    """
    return start + (end - start) * min(done_fraction, 1.0)


def count_hard(ratio: float, n: int) -> int:
    """``int(ratio * n)``, but 29 and not 28 for 0.58 of 50, whose product is 28.999999999999996."""
    return int(ratio * n + 1e-9)
