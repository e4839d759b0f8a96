"""What the frozen lower layers give for every token of the training texts, computed once."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from sharprecl.data.batches import collate, inference_batches
from sharprecl.data.packing import PackedRows
from sharprecl.data.tokens import TokenizedTexts
from sharprecl.models.backbone import Backbone
from sharprecl.models.packed import own_positions

MOST_BYTES = 2 * 2**30
"""More is not kept."""

_TOKENS_A_BATCH = 4096


class LowerStates:
    """Hidden states [P, H] of all P tokens of some texts' views.

    Always computed in the same batches, so that a training that goes on from a checkpoint computes the same.
    """

    def __init__(self, states_PH: Tensor, views: Sequence[TokenizedTexts]) -> None:
        self._states_PH = states_PH
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
        device, was_training = backbone.classifier.weight.device, backbone.training
        states_PH, first = None, 0
        backbone.eval()
        for view in views:
            for index in inference_batches(view.lengths, _TOKENS_A_BATCH):
                inputs = {name: tensor.to(device) for name, tensor in collate(view, index, pad_id).items()}
                with backbone.lower.alone() as given:
                    backbone(**inputs)
                if states_PH is None:
                    states_PH = torch.empty(number, width, dtype=given[0].dtype, device=device)
                for h_TH, row in zip(given[0], index, strict=True):
                    begin, length = view.offsets[row], view.lengths[row]
                    states_PH[first + begin : first + begin + length] = h_TH[:length]
            first += len(view.ids)
        backbone.train(was_training)
        assert states_PH is not None
        return cls(states_PH, views)

    def at(self, part: PackedRows) -> Tensor:
        """Those of the tokens of packed rows, [R, T, H]; what stands at padding means nothing."""
        begins = torch.from_numpy(part.begins + self._first[part.parts])
        place_RT = begins[part.text_RT] + own_positions(part.text_RT)
        return self._states_PH[place_RT.where(part.text_RT >= 0, 0).to(self._states_PH.device)]
