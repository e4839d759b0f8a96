"""What the doctor found: the terminal, the JSON file and the page all show this and nothing else."""

from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, get_args

from sharprecl.data.messages import plural
from sharprecl.doctor.fixed import Fixed
from sharprecl.doctor.issues.base import Finding, Issue, Kind, Severity, of_kind
from sharprecl.doctor.issues.display import Column, Section
from sharprecl.report.svg import clean


class Recommendation(NamedTuple):
    """A command line that trains on this data, and why, one reason an option; ``first`` is one to run before, with its
    reasons, empty where none is needed: the training command may then name a file that it writes.
    """

    command: str
    reasons: tuple[str, ...]
    first: str = ""
    first_reasons: tuple[str, ...] = ()

    @property
    def commands(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Each command with its reasons, in the order in which they are to be run."""
        both = ((self.first, self.first_reasons), (self.command, self.reasons))
        return tuple(one for one in both if one[0])


@dataclass(frozen=True)
class Diagnosis:
    """All of it.

    Attributes:
        name: the table as it was given.
        rows, usable: before and after the rows that cannot be used were set aside.
        counts: training texts by class name, largest class first.
        issues: what was found of each kind of issue; ``diagnosis[Duplicates]`` is one of them.
        recommendation: how to train on the data, or on the cleaned file where there is one.
        seconds: that the examination took.
        fixed: what was done to the file, if anything.
        left: what is wrong with the cleaned file; None without one, or where it cannot be examined.
        why_not: why it cannot be examined.
    """

    name: str
    rows: int
    usable: int
    counts: dict[str, int]
    issues: tuple[Issue, ...]
    recommendation: Recommendation
    seconds: float
    fixed: Fixed | None = None
    left: "Diagnosis | None" = None
    why_not: str = ""

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

    def after_fix(self, fixed: Fixed, left: "Diagnosis | None", why_not: str, again: str) -> "Diagnosis":
        """This diagnosis of the original, with what was done to it, and the recommendation for the cleaned file.

        Args:
            fixed: what was done.
            left: the diagnosis of the cleaned file; None where it cannot be examined, ``why_not`` then says why.
            again: the command that carries out what is decided about rows for review.
        """
        advice = Recommendation("", ()) if left is None else left.recommendation
        if fixed.review:
            how = f"--review: first write keep, drop or a class into the column 'decision' of {fixed.review}"
            advice = advice._replace(first=again, first_reasons=(how,))
        return replace(self, recommendation=advice, fixed=fixed, left=left, why_not=why_not)

    @property
    def after(self) -> list[str]:
        """What was done to the file and what is left to mend in the cleaned one, in sentences; none where nothing was
        done.
        """
        if self.fixed is None:
            return []
        if self.left is None:
            return [*self.fixed.lines, f"left: {self.why_not}"]
        told = [finding for finding in self.left.findings if finding.severity != "note"]
        left = f"left in {clean(self.fixed.output)}: {self.left.verdict}"
        return [*self.fixed.lines, left, *(f"{finding.severity}: {finding.sentence}" for finding in told)]

    def to_json(self) -> dict[str, Any]:
        """JSON-ready values; the figures of each issue stand under its key."""
        figures = {issue.key: issue.figures for issue in self.issues if issue.key}
        left = None if self.left is None else self.left.to_json()
        after = {} if self.fixed is None else {"fixed": self.fixed.to_json(), "left": left}
        return {
            "name": self.name,
            "rows": self.rows,
            "usable": self.usable,
            "findings": [asdict(finding) for finding in self.findings],
            **{key: None if found is None else asdict(found) for key, found in figures.items()},
            "recommendation": self.recommendation._asdict(),
            "seconds": self.seconds,
            **after,
        }
