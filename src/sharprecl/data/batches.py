"""Batches of texts of about one length, both views padded into one forward.

With the views of a text in one tensor, a text costs as much as its longer view. So texts are sorted by that maximum: no
other order pads less. A shuffle before a stable sort breaks ties at random, and with more texts than lengths there
are many ties: companions change from epoch to epoch although the lengths hardly do.

Where to cut the sorted texts matters too. In Ohsumed's 3,357 titles (4 to 91 tokens, 27 batches of 128) full batches
waste 6.8 % even at their best, for a few long titles widen a whole batch. So cuts follow the lengths there.
"""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from sharprecl.data.tokens import TokenizedTexts
from sharprecl.errors import ConfigError

Index = NDArray[np.int64]
_PLANNED_BATCHES = 32
_CELLS = 128  # cuts fall on multiples of a 128th of the batch size: finer ones cost time and save no padding
_SPARE_EVERY = 10  # one batch more than needed for every ten full ones, so that cuts can follow the lengths
_SORTED_TOGETHER = 8  # batches of drawn texts
_LEAST_PART = 8  # no batch is under an eighth of the batch size


class BucketedBatches:
    """Cuts every epoch into batches by length; a function of (seed, epoch) and of nothing else.

    Args:
        lengths: tokens of each text and view, shape [V, N], or [N] for one view.
        batch_size: most texts a batch. Batches of the longest texts may hold fewer, down to an eighth.
        seed: seeds all epochs.

    Raises:
        ConfigError: the batch size is not positive.
    """

    def __init__(self, lengths: NDArray[np.integer], batch_size: int, seed: int) -> None:
        if batch_size < 1:
            raise ConfigError(f"the batch size must be at least 1, but it is {batch_size}")
        self._width_N = np.atleast_2d(np.asarray(lengths, dtype=np.int64)).max(axis=0)
        self._seed = seed
        # Every epoch sorts to the same widths, so one plan serves all.
        self._sizes = _plan_cuts(-np.sort(-self._width_N), batch_size)

    def __len__(self) -> int:
        """Batches an epoch."""
        return len(self._sizes)

    def epoch(self, epoch: int) -> list[Index]:
        """The batches of one epoch, each an array of row numbers; every text stands in exactly one."""
        rng = np.random.Generator(np.random.PCG64([self._seed, epoch]))
        order = rng.permutation(len(self._width_N))
        order = order[np.argsort(-self._width_N[order], kind="stable")]
        ends = np.cumsum(self._sizes, dtype=np.int64)
        return [order[ends[place] - self._sizes[place] : ends[place]] for place in rng.permutation(len(ends))]


def _plan_cuts(width_N: NDArray[np.int64], batch_size: int) -> list[int]:
    """Sizes of the batches of texts sorted by falling width: as few padded tokens as their number allows.

    The number of batches follows from N and the batch size alone, one in ten above the least possible: two
    trainings on the same texts make equally many steps, however long their views are. The longest texts, some 32
    batches of them, are cut by dynamic programming; the others, where lengths lie dense, into full batches.
    Batches above 128 texts are cut on a grid, so the work has a bound that no batch size lifts.
    """
    size = len(width_N)
    if size == 0:
        return []
    long = size if size <= _PLANNED_BATCHES * batch_size else (_PLANNED_BATCHES - 1) * batch_size + size % batch_size
    fewest = -(-long // batch_size)
    least = max(1, batch_size // _LEAST_PART) if fewest > 1 else 1
    number = min(fewest + long // (_SPARE_EVERY * batch_size), max(1, long // least))
    # Cuts may fall before text grid[k]; so many cells on, exactly a full batch lies between, whatever its size.
    cells = min(batch_size, _CELLS)
    grid = np.append(np.arange(-(-long * cells // batch_size)) * batch_size // cells, long)
    # Row e: the batch that ends at grid[e] may begin at these places; its width is that of its first text.
    ends = np.arange(len(grid))[:, None]
    starts = np.maximum(0, ends - np.arange(1, cells + 1)[None])
    texts = grid[ends] - grid[starts]
    tokens = np.where(texts >= least, texts * width_N[np.minimum(grid[starts], size - 1)], np.inf)
    cost = np.full(len(grid), np.inf)
    cost[0] = 0.0
    begins = []
    for _ in range(number):
        costs = cost[starts] + tokens
        best = costs.argmin(axis=1)
        begins.append(starts[ends[:, 0], best])
        cost = costs[ends[:, 0], best]
    sizes, end = [], len(grid) - 1
    for begin in reversed(begins):
        sizes.append(int(grid[end] - grid[begin[end]]))
        end = int(begin[end])
    return sizes[::-1] + [batch_size] * ((size - long) // batch_size)


def drawn_batches(rows: Index, number: int, width_N: NDArray[np.integer]) -> list[Index]:
    """Cut rows that a method's own sampler drew into ``number`` batches of about one size, none of them empty.

    Within every eight batches the texts are sorted by length, which halves the padding, and in them repeats of a text,
    which have one length, meet. Over a whole epoch they must not be sorted: all repeats would meet in one batch. (With
    eight batches or fewer they do.)

    Args:
        rows: row numbers in the order in which they were drawn.
        number: of batches.
        width_N: tokens of each text, [N].

    Raises:
        ConfigError: nothing was drawn.
    """
    if len(rows) == 0:
        raise ConfigError("the method's sampler drew no text at all; this is a mistake of the method's `draw`")
    batches = np.array_split(np.resize(rows, max(len(rows), number)), number)
    for start in range(0, number, _SORTED_TOGETHER):
        window = batches[start : start + _SORTED_TOGETHER]
        together = np.concatenate(window)
        ends = np.cumsum([len(batch) for batch in window])[:-1]
        batches[start : start + _SORTED_TOGETHER] = np.split(
            together[np.argsort(width_N[together], kind="stable")], ends
        )
    return batches


def collate(
    views: Sequence[TokenizedTexts], index: Index, pad_id: int, extra: Index | None = None
) -> dict[str, torch.Tensor]:
    """Pad the chosen texts of all views to the right, into one batch.

    Args:
        views: V tokenised views of the same N texts.
        index: row numbers of the batch's B texts.
        pad_id: the tokenizer's padding token.
        extra: row numbers of E further texts, of which only the first view is taken.

    Returns:
        ``input_ids`` and ``attention_mask``, both [V * B + E, T] int64: all first views, then all second views, then
        the further texts.
    """
    parts = [(view, index) for view in views] + ([] if extra is None else [(views[0], extra)])
    start_N = np.concatenate([view.offsets[:-1][rows] for view, rows in parts])
    length_N = np.concatenate([view.offsets[1:][rows] for view, rows in parts]) - start_N
    width = max(1, int(length_N.max(initial=0)))
    mask_NT = np.arange(width) < length_N[:, None]
    ids_NT = np.full(mask_NT.shape, pad_id, dtype=np.int64)
    end = 0
    for view, chosen in parts:
        rows = slice(end, end + len(chosen))
        end = rows.stop
        mask_BT = mask_NT[rows]
        # Row by row, a mask's true places are the text's tokens in order.
        ids_NT[rows][mask_BT] = view.ids[(start_N[rows, None] + np.arange(width))[mask_BT]]
    return {
        "input_ids": torch.from_numpy(ids_NT),
        "attention_mask": torch.from_numpy(mask_NT.astype(np.int64)),
    }


def padding_waste(views: Sequence[TokenizedTexts], batches: Sequence[Index]) -> float:
    """Share of padding among all tokens of ``batches`` when all views of a batch are padded in one forward."""
    length_VN = np.stack([view.lengths for view in views])
    real = padded = 0
    for index in batches:
        length_VB = length_VN[:, index]
        real += int(length_VB.sum())
        padded += int(length_VB.max(initial=0)) * length_VB.size
    return 1.0 - real / padded if padded else 0.0


def inference_batches(lengths: NDArray[np.integer], max_tokens: int) -> list[Index]:
    """Batches for prediction, longest texts first: if the memory does not suffice, the first batch says so.

    Args:
        lengths: tokens of each text, shape [N].
        max_tokens: most tokens a batch, padding included; a longer text stands alone.
    """
    if max_tokens < 1:
        raise ConfigError(f"max_tokens must be at least 1, but it is {max_tokens}")
    order = np.argsort(-np.asarray(lengths, dtype=np.int64), kind="stable")
    batches = []
    start = 0
    while start < len(order):
        size = max(1, max_tokens // max(1, int(lengths[order[start]])))
        batches.append(order[start : start + size])
        start += size
    return batches
