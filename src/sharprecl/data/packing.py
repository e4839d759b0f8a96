"""How the texts of a batch are laid out for the encoder: several texts in a row, so that a mixed batch pads little.

Contrast compares the texts of a batch with one another, so who meets whom must not hang on their lengths. Batches are
drawn at random, and what would be padding is filled with further texts: each attends to itself alone, and its
positions count from its own start. Encoders that cannot be told so get one text a row, the longer ones apart.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from sharprecl.data.batches import Index
from sharprecl.data.tokens import TokenizedTexts

# Measured with MiniLM on a core: a further forward and backward costs as much as this many tokens, and attention over a
# row of so many places as much as all else.
_FORWARD = 80
_WIDE = 384
# Where a cut is tried: before the first text that is shorter than the longest by such a share.
_CUTS = (0.7, 0.5, 0.35, 0.25, 0.15)


@dataclass(frozen=True)
class PackedRows:
    """Rows of tokens for one forward.

    Attributes:
        input_ids: token ids [R, T], int64.
        text_RT: which text of the rows stands at a place, counted from 0; -1 is padding.
        rows: the batch's texts in these rows, in the order in which ``text_RT`` counts them.
        parts: the part of the batch that each of them comes from.
        begins: where it begins among the tokens of its part.
    """

    input_ids: torch.Tensor
    text_RT: torch.Tensor
    rows: Index
    parts: Index
    begins: Index

    @property
    def tokens(self) -> int:
        """Places that hold a token."""
        return int((self.text_RT >= 0).sum())


def lay_out(
    parts: Sequence[tuple[TokenizedTexts, Index]],
    pad_id: int,
    pack: bool,
    chosen: Index | None = None,
    most: int | None = None,
) -> list[PackedRows]:
    """Lay out the texts of one batch.

    Args:
        parts: tokenised texts, and which rows of them are meant, one part after the other.
        pad_id: the tokenizer's padding token.
        pack: several texts may share a row.
        chosen: which of the texts, counted over all parts; None is all.
        most: texts a forward; None leaves that to the lengths.

    Returns:
        Forwards that together hold every chosen text once; ``rows`` count over all parts.
    """
    starts = np.concatenate([texts.offsets[:-1][rows] for texts, rows in parts])
    lengths = np.concatenate([texts.lengths[rows] for texts, rows in parts])
    source = np.repeat(np.arange(len(parts)), [len(rows) for _, rows in parts])
    order = np.argsort(-lengths, kind="stable")
    if chosen is not None:
        order = order[np.isin(order, chosen)]
    portions = [order] if most is None else np.array_split(order, -(-len(order) // most))
    packed = []
    for members, layout in (one for portion in portions for one in _best(portion, lengths, pack)):
        text_RT = np.full((layout.number, layout.width), -1, dtype=np.int64)
        ids_RT = np.full(text_RT.shape, pad_id, dtype=np.int64)
        for number, (member, (row, begin)) in enumerate(zip(members, layout.places, strict=True)):
            there = slice(begin, begin + lengths[member])
            text_RT[row, there] = number
            ids_RT[row, there] = parts[source[member]][0].ids[starts[member] : starts[member] + lengths[member]]
        packed.append(
            PackedRows(torch.from_numpy(ids_RT), torch.from_numpy(text_RT), members, source[members], starts[members])
        )
    return packed


@dataclass(frozen=True)
class _Layout:
    """Row and first column of each text, in rows of one width."""

    places: list[tuple[int, int]]
    width: int

    @property
    def number(self) -> int:
        return 1 + max(row for row, _ in self.places)

    @property
    def cost(self) -> float:
        """Of one forward, in tokens."""
        return _FORWARD + self.number * self.width * (1 + self.width / _WIDE)


def _best(order: Index, lengths: NDArray[np.int64], pack: bool) -> list[tuple[Index, _Layout]]:
    """Cut texts sorted by falling length into forwards, as long as a cut pays."""
    return [] if not len(order) else _cut(order, lengths, pack, _layout(lengths[order], pack))


def _cut(order: Index, lengths: NDArray[np.int64], pack: bool, whole: _Layout) -> list[tuple[Index, _Layout]]:
    falling = lengths[order]
    cuts = []
    for place in {int((falling > falling[0] * share).sum()) for share in _CUTS} - {len(order)}:
        parts = _layout(falling[:place], pack), _layout(falling[place:], pack)
        cuts.append((parts[0].cost + parts[1].cost, place, parts))
    cost, place, parts = min(cuts, key=lambda cut: cut[:2], default=(np.inf, 0, (whole, whole)))
    if cost >= whole.cost:
        return [(order, whole)]
    return [*_cut(order[:place], lengths, pack, parts[0]), *_cut(order[place:], lengths, pack, parts[1])]


def _layout(falling: NDArray[np.int64], pack: bool) -> _Layout:
    """The cheapest layout in one forward.

    Packed, rows of the longest text's width or twice that, as many as it takes; or a number of rows, as wide as it
    takes. Narrow rows read little twice over, and wide ones leave little over at their ends.
    """
    longest, total = max(1, int(falling[0])), int(falling.sum())
    if not pack:
        return _Layout([(row, 0) for row in range(len(falling))], longest)
    lengths = falling.tolist()
    layouts = [_first_fit(lengths, width) for width in (longest, 2 * longest)]
    most = max(1, total // longest)
    layouts += [_fitted(lengths, max(longest, -(-total // number)), number) for number in {most, max(1, most // 2)}]
    return min(layouts, key=lambda layout: layout.cost)


def _fitted(falling: list[int], width: int, number: int) -> _Layout:
    """``number`` rows, as little wider than ``width`` as it takes."""
    while (layout := _first_fit(falling, width)).number > number:
        width += 1
    return layout


def _first_fit(falling: list[int], width: int) -> _Layout:
    """Each text into the first row with room (first-fit decreasing)."""
    left: list[int] = []
    places = []
    for length in falling:
        row = next((row for row, room in enumerate(left) if room >= length), len(left))
        if row == len(left):
            left.append(width)
        places.append((row, width - left[row]))
        left[row] -= length
    return _Layout(places, width)
