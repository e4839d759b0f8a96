"""What the frozen lower layers give for every token of the training texts, computed once."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from sharprecl.data.batches import Index
from sharprecl.data.packing import PackedRows
from sharprecl.data.tokens import TokenizedTexts
from sharprecl.models.backbone import Backbone
from sharprecl.models.packed import own_positions
from sharprecl.training.inference import batches_of, evaluation

MOST_BYTES = 2 * 2**30
"""More is not kept."""


class LowerStates:
    """Hidden states [P, H] of all P tokens of some texts' views.

    Always computed in the same batches, so that a training that goes on from a checkpoint computes the same.
    """

    def __init__(self, states_PH: Tensor, views: Sequence[TokenizedTexts]) -> None:
        self._states_PH = states_PH
        self._texts = views[0]
        # Further texts of a batch are a part of their own behind the views, from the first view.
        self._first = np.cumsum([0, *(len(view.ids) for view in views)])
        self._first[-1] = 0

    @classmethod
    @torch.no_grad()
    def of(cls, backbone: Backbone, views: Sequence[TokenizedTexts], pad_id: int) -> "LowerStates | None":
        """Run the lower layers over all texts; None where there are none, or too many states to keep."""
        number = sum(len(view.ids) for view in views)
        width = backbone.model.config.get_text_config().hidden_size
        if backbone.lower is None or number * width * 4 > MOST_BYTES:
            return None
        states_PH, first = None, 0
        with evaluation(backbone):
            for view in views:
                for index, inputs in batches_of(backbone, view, pad_id):
                    with backbone.lower.alone() as given:
                        backbone(**inputs)
                    if states_PH is None:
                        states_PH = given[0].new_empty(number, width)
                    for h_TH, row in zip(given[0], index, strict=True):
                        begin, length = view.offsets[row], view.lengths[row]
                        states_PH[first + begin : first + begin + length] = h_TH[:length]
                first += len(view.ids)
        assert states_PH is not None
        return cls(states_PH, views)

    def at(self, part: PackedRows) -> Tensor:
        """Those of the tokens of packed rows, [R, T, H]; what stands at padding means nothing."""
        begins = torch.from_numpy(part.begins + self._first[part.parts])
        place_RT = begins[part.text_RT] + own_positions(part.text_RT)
        return self._states_PH[place_RT.where(part.text_RT >= 0, 0).to(self._states_PH.device)]

    def of_texts(self, index: Index, length: int) -> Tensor:
        """Those of the first view of texts, one a row of this many tokens, [N, T, H]; what stands at padding means
        nothing.
        """
        place_NT = self._texts.offsets[index][:, None] + np.arange(length)
        place_NT = np.minimum(place_NT, len(self._states_PH) - 1)
        return self._states_PH[torch.from_numpy(place_NT).to(self._states_PH.device)]
