"""Finished runs with what they were judged on: what tables, figures and checks are made of."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from sharprecl.runs.record import DataRecord, RunRecord
from sharprecl.runs.spec import RunSpec


@dataclass(frozen=True)
class Records:
    """Runs and data, wherever they were read from.

    Attributes:
        runs: finished runs by key.
        data: by hash.
        features: of the test texts, float16 ``[N, H]`` by the run's key, where they were kept.
    """

    runs: dict[str, RunRecord]
    data: dict[str, DataRecord]
    features: dict[str, np.ndarray] = field(default_factory=dict)

    def find(self, spec: RunSpec) -> RunRecord | None:
        """The run that was asked for; of several, by different code or on data that have changed, the newest one."""
        return self._newest.get(spec.hash)

    @cached_property
    def _newest(self) -> dict[str, RunRecord]:
        return newest(self.runs.values())


def newest(runs: Iterable[RunRecord]) -> dict[str, RunRecord]:
    """Of the runs of each spec the one that began last, by the spec's hash."""
    # The key decides between runs of one second.
    ordered = sorted(runs, key=lambda run: (str(run.environment.get("started", "")), run.key))
    return {run.spec.hash: run for run in ordered}
