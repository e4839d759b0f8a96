"""What the encoder will see of the texts: how much it cuts, what it knows nothing of, and what script they are in."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sharprecl.data.tables import TextTable
from sharprecl.doctor.diagnosis import TextFacts
from sharprecl.doctor.keys import least, text_keys
from sharprecl.doctor.loading import LONGEST
from sharprecl.doctor.scripts import NONE, scripts
from sharprecl.doctor.slices import Progress, silent, slices

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

MOST_READ = 200_000
"""Texts of a file that are tokenised: of so many, a share is known to 0.2 points, in a minute."""
QUANTILES = (0.5, 0.9, 0.99, 1.0)
SHOWN_ROWS = 50


class _Tokens(NamedTuple):
    """Of N texts: their tokens, special ones included, ``[N]``, and whether none of them means anything, ``[N]``."""

    lengths: NDArray[np.int64]
    empty: NDArray[np.bool_]


def texts(
    table: TextTable,
    test: TextTable | None,
    tokenizer: "PreTrainedTokenizerBase | None",
    encoder: str,
    max_length: int,
    *,
    most_read: int = MOST_READ,
    progress: Progress = silent,
) -> TextFacts:
    """Count tokens and look at scripts. Every text's script is looked at; of tokens see ``most_read``.

    Args:
        table: training texts, as ``admit`` gives them: none is longer than ``LONGEST``, and one as long was cut.
        test: test texts, or None.
        tokenizer: the encoder's; None leaves out all that needs one, and ``examined`` is 0.
        encoder: the encoder's name.
        max_length: tokens that a text may have, special tokens included.
        most_read: texts of each file that are tokenised; of more, a random sample, the same one each time.
        progress: is told what is being done.
    """
    written = scripts(table.texts, progress)
    foreign = np.flatnonzero(written.of_texts > 0)
    shares = np.bincount(written.of_texts[written.of_texts != NONE], minlength=len(written.names)) / len(table)
    rows, train = _sampled(table, tokenizer, most_read, progress)
    empty = rows[train.empty]
    tested = None if test is None else _sampled(test, tokenizer, most_read, progress)[1]
    return TextFacts(
        encoder=encoder if tokenizer is not None else "",
        max_length=max_length,
        truncated=_longer(train, max_length),
        truncated_test=None if tested is None else _longer(tested, max_length),
        empty=_shown(empty),
        empty_count=len(empty),
        token_quantiles=_quantiles(train),
        scripts=dict(zip(written.names, shares.tolist(), strict=True)),
        foreign=_shown(foreign),
        foreign_count=len(foreign),
        examined=len(rows),
    )


def _sampled(
    table: TextTable, tokenizer: "PreTrainedTokenizerBase | None", most: int, progress: Progress
) -> tuple[NDArray[np.int64], _Tokens]:
    """The tokenised rows, and their tokens."""
    if tokenizer is None:
        return np.empty(0, dtype=np.int64), _Tokens(np.empty(0, dtype=np.int64), np.empty(0, dtype=bool))
    rows = np.arange(len(table))
    if len(table) > most:
        rows = least(text_keys(table.texts, progress, "choosing texts to tokenise"), most)
    return rows, _tokens([table.texts[row] for row in rows], tokenizer, progress)


def _tokens(some: Sequence[str], tokenizer: "PreTrainedTokenizerBase", progress: Progress) -> _Tokens:
    blank = {tokenizer.convert_tokens_to_ids(mark) for mark in ("▁", "Ġ")}  # a space before what is unknown
    meaningless = {*tokenizer.all_special_ids, *blank}
    special = tokenizer.num_special_tokens_to_add()
    lengths = np.empty(len(some), dtype=np.int64)
    empty = np.empty(len(some), dtype=bool)
    for part in slices(some, "counting tokens", progress):
        found = tokenizer(
            list(some[part]),
            add_special_tokens=False,
            return_attention_mask=False,
            return_token_type_ids=False,
            verbose=False,  # or it warns of every text that is too long for the encoder
        )["input_ids"]
        lengths[part] = [len(row) + special for row in found]
        # Of a text that was cut nobody knows the rest; WordPiece takes a line without spaces for one unknown word.
        empty[part] = [
            len(text) < LONGEST and meaningless.issuperset(row) for text, row in zip(some[part], found, strict=True)
        ]
    return _Tokens(lengths, empty)


def _longer(tokens: _Tokens, max_length: int) -> float | None:
    return float((tokens.lengths > max_length).mean()) if len(tokens.lengths) else None


def _quantiles(tokens: _Tokens) -> tuple[float, ...]:
    if not len(tokens.lengths):
        return ()
    return tuple(float(value) for value in np.quantile(tokens.lengths, QUANTILES, method="higher"))


def _shown(rows: NDArray[np.int64]) -> tuple[int, ...]:
    return tuple((rows[:SHOWN_ROWS] + 1).tolist())
