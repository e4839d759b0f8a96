"""What all issues have in common: the data in which they are looked for, and what each says of what it found.

A new issue is a subclass of ``Issue`` in a file of its own and a line in ``issues.ISSUES``: the terminal, the page and
the JSON file then show it.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from sharprecl.config import EncoderConfig
from sharprecl.data.tables import TextTable
from sharprecl.doctor.encoder import Encoder
from sharprecl.doctor.issues.display import Section
from sharprecl.doctor.texts import Progress, silent
from sharprecl.report.svg import Chart

Severity = Literal["problem", "warning", "note"]

POINT = 0.01
"""One percent of the texts is a point of accuracy: what the methods of this field differ by."""


@dataclass(frozen=True)
class Finding:
    """One sentence about the data.

    Attributes:
        severity: ``problem`` makes results wrong or training fail; ``warning`` makes them worse; ``note`` is worth
            knowing.
        about: what it is about, such as ``labels`` or ``duplicates``.
        sentence: what was found, with numbers.
        cure: what to do about it; empty where nothing need be done.
        rows: the first few rows that it is about.
    """

    severity: Severity
    about: str
    sentence: str
    cure: str = ""
    rows: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class LoadedTable:
    """The usable rows of a file.

    Attributes:
        table: their texts, each cut to ``texts.LONGEST`` characters, and their labels; a test file may have none.
            Those of training texts that ``sharprecl augment`` made are marked in ``copies``.
        rows: where each of them stands in the file, counted from 1, int64 ``[N]``.
        size: rows of the file, usable or not.
        findings: what reading has found, such as what is wrong with the others, a kind of fault each.
    """

    table: TextTable
    rows: NDArray[np.int64]
    size: int
    findings: tuple[Finding, ...] = ()

    def in_file(self, places: Sequence[int] | NDArray[np.int64]) -> tuple[int, ...]:
        """The rows of the file that these rows of the table, counted from 0, stand in."""
        return tuple(self.rows[np.asarray(places, dtype=np.int64)].tolist())


@dataclass(frozen=True, eq=False)
class Data:
    """The files and their columns, and how they are examined: see ``examine``; and whether a fix can be had."""

    train: LoadedTable
    test: LoadedTable | None = None
    text: str = "text"
    label: str = "label"
    encoder: Encoder = field(default_factory=Encoder)
    max_length: int = EncoderConfig().max_length
    batch_size: int = 16
    seed: int = 0
    progress: Progress = silent
    fixable: bool = True

    @property
    def tested(self) -> TextTable | None:
        """The usable test texts; None where there are none."""
        return self.test.table if self.test is not None and len(self.test.table) else None

    @cached_property
    def originals(self) -> LoadedTable:
        """The training rows that stand for themselves: what is wrong with a copy is wrong with its original. Where all
        are copies, the first one of each text.
        """
        copies = self.train.table.copies
        if copies is None:
            return self.train
        first = np.sort(np.unique(copies.groups, return_index=True)[1])
        kept = first if copies.is_copy.all() else np.flatnonzero(~copies.is_copy)
        return replace(self.train, table=self.train.table.select(kept), rows=self.train.rows[kept])

    def by_fix(self, does: str) -> str:
        """What a fix does about a finding, in parentheses, to be put into its cure; nothing where none can be had."""
        return f" (sharprecl doctor --fix {does})" if self.fixable else ""

    @cached_property
    def counts(self) -> dict[str, int]:
        """Training texts by class name, largest class first."""
        return _by_size(self.train.table)

    @cached_property
    def test_counts(self) -> dict[str, int]:
        """Test texts by class name, largest class first; empty where there are none."""
        return {} if self.tested is None else _by_size(self.tested)


def _by_size(table: TextTable) -> dict[str, int]:
    """Names without a text do not count as classes; equal classes keep the order of their ids."""
    counts = table.class_counts
    order = np.argsort(-counts, kind="stable")
    return {table.label_names[place]: int(counts[place]) for place in order.tolist() if counts[place]}


class Issue(ABC):
    """One kind of issue, and what was found of it.

    Attributes:
        key: of ``figures`` in the JSON file; empty where an issue has none.
        data: in which it was looked for.
        figures: a dataclass of plain values. Shares lie in 0 to 1. Rows are counted from 1, without the header, in the
            file that was given. None means: not examined, and a finding says why.
    """

    key: ClassVar[str] = ""
    figures: Any

    def __init__(self, data: Data, figures: Any = None) -> None:
        self.data, self.figures = data, figures

    @staticmethod
    def find(data: Data) -> Any:
        """The figures: whatever takes time is done here, once."""
        return None

    @abstractmethod
    def findings(self) -> Iterable[Finding]:
        """Sentences about what was found, and what to do about it."""

    def section(self) -> Section | None:
        """What the terminal and the page show of it beside the findings, if anything."""
        return None

    def charts(self) -> Iterable[tuple[str, Chart]]:
        """The pictures that the page shows, with their titles."""
        return ()


Kind = TypeVar("Kind", bound=Issue)


def of_kind(issues: Iterable[Issue], kind: type[Kind]) -> Kind:
    """The one of a kind."""
    return next(issue for issue in issues if type(issue) is kind)
