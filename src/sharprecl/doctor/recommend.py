"""A training command for this data, with the reason for each of its options."""

import math
import shlex
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sharprecl.config import EncoderConfig, TrainingConfig
from sharprecl.config.choice import choose_method
from sharprecl.data.messages import plural
from sharprecl.doctor.diagnosis import Recommendation
from sharprecl.doctor.issues.unread_texts import TextReport

QUANTILE = 2  # of ``TextReport.token_quantiles``: 0.99
STEP = 16
"""Lengths are rounded up to multiples of this: a count of texts is no exact science, and even shapes are fast."""
MOST_TOKENS = 512
"""Where nothing limits the encoder. Attention costs the square of the length, and what texts are about stands early."""

_FIELDS = EncoderConfig.model_fields


def recommend(
    data: str,
    counts: Sequence[int],
    texts: TextReport,
    batch_size: int,
    *,
    text: str | None = "text",
    label: str | None = "label",
    test: str | None = None,
    leaks: bool = False,
    encoder: str = "minilm",
    longest: int | None = None,
    encoding: str = "utf-8",
    seed: int = 0,
    chosen_batch: bool = False,
) -> Recommendation:
    """Put the command together.

    Args:
        data: the training file as it was given.
        counts: training texts of each class, each at least 1.
        texts: what the tokenizer saw.
        batch_size: texts a step.
        text, label: the columns; None for a benchmark, which has none.
        test, encoder, encoding, seed: as they were given.
        leaks: whether test texts stand in training, and others do not.
        longest: most tokens that the encoder takes; None where that is not known or nothing limits it.
        chosen_batch: whether the user gave the batch size.
    """
    words = ["sharprecl", "train", _path(data)]
    reasons = []
    for option, value in (("--text", text), ("--label", label), ("--test", test)):
        if value is not None:
            words += [option, value]
    words += ["--output", f"runs/{Path(data).stem}"]
    if leaks:
        words.append("--drop-leaks")
        reasons.append("--drop-leaks: test texts that also stand in training flatter every method")
    if encoding != "utf-8":
        words += ["--encoding", encoding]
    if encoder != _FIELDS["name"].default:
        words += ["--encoder", encoder]
    choice = choose_method(np.asarray(counts))
    words += ["--method", choice.name]
    reasons.append(f"--method {choice.name}: {choice.sentence.partition(', for ')[2]}")
    if texts.token_quantiles:
        length, reason = _length(texts, longest)
        words += ["--max-length", str(length)]
        reasons.append(f"--max-length {length}: {reason}")
    steps = plural(math.ceil(sum(counts) / batch_size), "step", "steps")
    if chosen_batch:
        words += ["--batch-size", str(batch_size)]
        reasons.append(f"--batch-size {batch_size}: as you chose: {steps} an epoch")
    else:
        reasons.append(f"no --batch-size: training takes {batch_size} by itself here: {steps} an epoch")
    if seed:
        words += ["--seed", str(seed)]
    return Recommendation(shlex.join(words), tuple(reasons))


def usual_batch_size(num_texts: int) -> int:
    """The batch size that training takes by itself with so many texts."""
    # It brings PyTorch.
    from sharprecl.training.optimizer import resolve_batch_size

    return resolve_batch_size(TrainingConfig(), num_texts)


def _path(name: str) -> str:
    return f"./{name}" if name.startswith("-") else name


def _length(texts: TextReport, longest: int | None) -> tuple[int, str]:
    """The length, and why."""
    wanted = STEP * max(1, math.ceil(texts.token_quantiles[QUANTILE] / STEP))
    most = longest or MOST_TOKENS
    if wanted <= most:
        tokens = f"{texts.token_quantiles[QUANTILE]:,.0f} tokens"
        return wanted, f"99 % of the texts have at most {tokens}, and shorter batches are faster"
    what = "all that the encoder takes" if longest else "longer ones are slow"
    return most, f"{what}; 99 % of the texts would need {wanted:,}"
