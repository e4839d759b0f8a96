"""The mean of the weights over the last steps of a training, in place of the last step's own.

Source: Izmailov et al., UAI 2018 (stochastic weight averaging), here over steps of one falling learning rate.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn


class RunningMean:
    """Mean of some parameters over the steps since ``update`` was first called."""

    def __init__(self, parameters: Sequence[nn.Parameter]) -> None:
        self._parameters = list(parameters)
        self._means: list[torch.Tensor] = []
        self._steps = 0

    @torch.no_grad()
    def update(self) -> None:
        """Count the parameters' present values in."""
        self._steps += 1
        values = [parameter.detach() for parameter in self._parameters]
        if self._steps == 1:
            self._means = [value.clone() for value in values]
        else:
            torch._foreach_lerp_(self._means, values, 1 / self._steps)

    @torch.no_grad()
    def write(self) -> None:
        """Write the means into the parameters; without a step, nothing."""
        for parameter, mean in zip(self._parameters, self._means, strict=False):
            parameter.copy_(mean)

    def state_dict(self) -> dict[str, Any]:
        """All that a checkpoint needs."""
        return {"means": self._means, "steps": self._steps}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        self._steps = state["steps"]
        self._means = [mean.to(p.device) for mean, p in zip(state["means"], self._parameters, strict=False)]
