"""A training command for this data, with the reason for each of its options."""

import math
import shlex
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sharprecl.config import EncoderConfig, TrainingConfig
from sharprecl.config.choice import choose_method
from sharprecl.data.dialect import RECOGNISED, Dialect
from sharprecl.data.formats import ENDINGS
from sharprecl.data.messages import plural
from sharprecl.doctor.diagnosis import Recommendation
from sharprecl.doctor.issues.base import Data
from sharprecl.doctor.issues.unread_texts import TextReport

QUANTILE = 2  # of ``TextReport.token_quantiles``: 0.99
STEP = 16
"""Lengths are rounded up to multiples of this: a count of texts is no exact science, and even shapes are fast."""
MOST_TOKENS = 512
"""Where nothing limits the encoder. Attention costs the square of the length, and what texts are about stands early."""


def recommend(
    data: str,
    given: Data,
    texts: TextReport,
    *,
    benchmark: bool = False,
    test: str | None = None,
    leaks: bool = False,
    encoder: str | None = None,
    dialect: Dialect = RECOGNISED,
    chosen_batch: bool = False,
    fixable: Sequence[str] = (),
) -> Recommendation:
    """Put the command together, for the cleaned file where the data should be fixed first.

    Args:
        data: the training file as it was given, or the name of a ``benchmark``, which has no columns to name.
        given: what was examined; ``texts``: what its tokenizer saw.
        test, encoder, dialect: as they were given.
        leaks: whether test texts stand in training, and others do not.
        chosen_batch: whether the user gave the batch size.
        fixable: what a fix would mend.
    """
    first = ""
    if fixable:
        cleaned = cleaned_name(data)
        columns = given.text, given.label, given.seed
        first = fix_command(data, cleaned, *columns, test=test, encoder=encoder, dialect=dialect)
        data, dialect = cleaned, cleaned_dialect(dialect)
    words = ["sharprecl", "train", _path(data)]
    reasons = []
    if not benchmark:
        words += ["--text", given.text, "--label", given.label]
    if test is not None:
        words += ["--test", test]
    words += ["--output", f"runs/{Path(data).stem}"]
    if leaks:
        words.append("--drop-leaks")
        reasons.append("--drop-leaks: test texts that also stand in training flatter every method")
    words += dialect.options
    if encoder not in (None, EncoderConfig().name):
        words += ["--encoder", str(encoder)]
    counts = np.fromiter(given.counts.values(), dtype=np.int64)
    choice = choose_method(counts)
    words += ["--method", choice.name]
    reasons.append(f"--method {choice.name}: {choice.sentence.partition(', for ')[2]}")
    if texts.token_quantiles:
        length, reason = _length(texts.token_quantiles[QUANTILE], given.encoder.longest)
        words += ["--max-length", str(length)]
        reasons.append(f"--max-length {length}: {reason}")
    batch_size = given.batch_size
    steps = plural(math.ceil(int(counts.sum()) / batch_size), "step", "steps")
    if chosen_batch:
        words += ["--batch-size", str(batch_size)]
        reasons.append(f"--batch-size {batch_size}: as you chose: {steps} an epoch")
    else:
        reasons.append(f"no --batch-size: training takes {batch_size} by itself here: {steps} an epoch")
    if given.seed:
        words += ["--seed", str(given.seed)]
    return Recommendation(shlex.join(words), tuple(reasons), first, tuple(fixable) if first else ())


def cleaned_name(data: str) -> str:
    """Where the cleaned file of a table goes: ``tickets.cleaned.csv``."""
    ending = Path(data).suffix
    return f"{Path(data).stem}.cleaned{ending if ending.lower() in ENDINGS else '.jsonl'}"


def fix_command(
    data: str,
    output: str,
    text: str,
    label: str,
    seed: int,
    *,
    test: str | None = None,
    encoder: str | None = None,
    dialect: Dialect = RECOGNISED,
    review: str = "",
) -> str:
    """The command that fixes a file, or carries out what was decided in its review file."""
    words = ["sharprecl", "doctor", _path(data), "--text", text, "--label", label]
    if test is not None:
        words += ["--test", test]
    words += dialect.options
    if encoder not in (None, EncoderConfig().name):
        words += ["--encoder", str(encoder)]
    if seed:
        words += ["--seed", str(seed)]
    words += ["--fix", output]
    if review:
        words += ["--review", review, "--overwrite"]
    return shlex.join(words)


def usual_batch_size(num_texts: int) -> int:
    """The batch size that training takes by itself with so many texts."""
    # It brings PyTorch.
    from sharprecl.training.optimizer import resolve_batch_size

    return resolve_batch_size(TrainingConfig(), num_texts)


def cleaned_dialect(dialect: Dialect) -> Dialect:
    """How a cleaned file is written, and a test file beside it, as far as one can say it of both: in UTF-8, with the
    separator of the original.
    """
    return Dialect(separator=dialect.separator)


def _path(name: str) -> str:
    return f"./{name}" if name.startswith("-") else name


def _length(tokens: float, longest: int | None) -> tuple[int, str]:
    """The length for so many tokens, and why."""
    wanted, most = STEP * max(1, math.ceil(tokens / STEP)), longest or MOST_TOKENS
    if wanted <= most:
        return wanted, f"99 % of the texts have at most {tokens:,.0f} tokens, and shorter batches are faster"
    what = "all that the encoder takes" if longest else "longer ones are slow"
    return most, f"{what}; 99 % of the texts would need {wanted:,}"
