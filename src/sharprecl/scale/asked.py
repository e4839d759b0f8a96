"""What a search is asked for."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sharprecl.config import Dimension, RunConfig, Settings, merge, resolve
from sharprecl.config.space import Choice
from sharprecl.data.tables import TextTable
from sharprecl.files import sha256_json
from sharprecl.runs.claim import SEARCH
from sharprecl.scale.mix import mix_weights
from sharprecl.scale.space import settings_of
from sharprecl.scale.trial import Trial

TRIALS = "trials"
"""Folds of the trials, in the folder of the search while it goes on."""


@dataclass(frozen=True, eq=False)
class Search:
    """What to search.

    Attributes:
        wanted: settings that every trial has; ``training.folds`` among them is a number.
        space: what is tried beside them.
        output: the folder of the run that will be trained; the search has a folder in it.
        trials: how many at most.
        minutes: after which no trial is begun; None for no end.
    """

    table: TextTable
    wanted: Settings
    space: Mapping[str, Dimension]
    output: Path
    trials: int
    minutes: float | None = None
    device: str = "auto"

    @cached_property
    def config(self) -> RunConfig:
        """The defaults: the settings without anything tried."""
        return self.with_values({})

    def with_values(self, values: Mapping[str, Choice], seed: int | None = None) -> RunConfig:
        """The settings with tried values in their places."""
        seeds = {} if seed is None else {"seed": seed}
        return resolve(merge(self.wanted, settings_of(values), seeds), self.table.class_counts)

    @property
    def seed(self) -> int:
        """Deals the folds of the trials and trains on them: not that of the run, whose folds are the fresh ones."""
        return (self.config.seed + 1) % 2**31

    def trial(self, place: int, values: Mapping[str, Choice]) -> Trial:
        """What is to be made of a trial. Its folder is that of its settings too: others never go on in it.

        Args:
            place: 0 is the defaults.
            values: what to try.
        """
        config = self.with_values(values, self.seed)
        folder = self.output / SEARCH / TRIALS / f"{place}-{sha256_json(config.kept())[:12]}"
        return Trial(f"trial {place}", self.table, config, folder, self.device, self.weights_C)

    @cached_property
    def weights_C(self) -> NDArray[np.float64] | None:
        """What a held-out text of each class counts in every trial, as the defaults' answers have it."""
        return mix_weights(self.table, self.config)

    @property
    def folds(self) -> int:
        """How many."""
        number = self.config.training.folds
        assert number != "auto"
        return number
