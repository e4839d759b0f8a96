"""What the doctor found: the terminal, the JSON file and the page all show this and nothing else."""

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, NamedTuple, get_args

from sharprecl.data.messages import plural
from sharprecl.doctor.issues.base import Finding, Issue, Kind, Severity, of_kind
from sharprecl.doctor.issues.display import Column, Section
from sharprecl.report.svg import clean


class Recommendation(NamedTuple):
    """A command line that fits this data, and why, one reason an option."""

    command: str
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Diagnosis:
    """All of it.

    Attributes:
        name: the table as it was given.
        rows, usable: before and after the rows that cannot be used were set aside.
        counts: training texts by class name, largest class first.
        issues: what was found of each kind of issue; ``diagnosis[Duplicates]`` is one of them.
        recommendation: how to train on the data.
        seconds: that the examination took.
    """

    name: str
    rows: int
    usable: int
    counts: dict[str, int]
    issues: tuple[Issue, ...]
    recommendation: Recommendation
    seconds: float

    def __getitem__(self, kind: type[Kind]) -> Kind:
        """What was found of one kind of issue."""
        return of_kind(self.issues, kind)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Problems first, then warnings, then notes, each kind in the order of the issues."""
        every = [finding for issue in self.issues for finding in issue.findings()]
        return tuple(sorted(every, key=lambda finding: get_args(Severity).index(finding.severity)))

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """What is shown of the issues beside the findings."""
        return tuple(section for issue in self.issues if (section := issue.section()) is not None)

    @property
    def columns(self) -> tuple[Column, ...]:
        """Of the table of classes."""
        return tuple(column for section in self.sections for column in section.columns)

    @property
    def headline(self) -> str:
        """What was examined, in a line."""
        used = f"{self.usable:,} of {self.rows:,} rows usable" if self.usable < self.rows else f"{self.rows:,} rows"
        return f"{clean(self.name)}: {used}, {plural(len(self.counts), 'class', 'classes')}"

    @property
    def verdict(self) -> str:
        """How many problems and warnings there are, in a line."""
        problems, warnings = (sum(one.severity == kind for one in self.findings) for kind in ("problem", "warning"))
        if problems + warnings == 0:
            return "nothing to mend"
        return f"{plural(problems, 'problem', 'problems')}, {plural(warnings, 'warning', 'warnings')}"

    def to_json(self) -> dict[str, Any]:
        """JSON-ready values; the figures of each issue stand under its key."""
        figures = {issue.key: issue.figures for issue in self.issues if issue.key}
        return {
            "name": self.name,
            "rows": self.rows,
            "usable": self.usable,
            "findings": [asdict(finding) for finding in self.findings],
            **{key: None if found is None else asdict(found) for key, found in figures.items()},
            "recommendation": self.recommendation._asdict(),
            "seconds": self.seconds,
        }
