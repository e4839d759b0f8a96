"""What a fix did, in numbers and in sentences."""

from dataclasses import asdict, dataclass
from typing import Any

from sharprecl.data.messages import plural
from sharprecl.doctor.cleaning import CONTRADICTION, DECIDED, DROPPED, MERGED, REPEAT, SPELLED, SUSPECT, UNUSABLE

_WORDS = {
    MERGED: ("label merged into its most frequent spelling", "labels merged into their most frequent spelling"),
    SPELLED: ("label written as text", "labels written as text"),
    DECIDED: ("label changed as decided", "labels changed as decided"),
    REPEAT: ("repeat taken out", "repeats taken out"),
    UNUSABLE: ("row that cannot be used taken out", "rows that cannot be used taken out"),
    DROPPED: ("row dropped as decided", "rows dropped as decided"),
    CONTRADICTION: ("row for review: equal texts, several labels", "rows for review: equal texts, several labels"),
    SUSPECT: ("row for review: the label looks wrong", "rows for review: the label looks wrong"),
}


@dataclass(frozen=True)
class Fixed:
    """What was done to a file. ``rows = cleaned + taken_out + for_review``.

    Attributes:
        output, changes: the cleaned file and the list of changes.
        review: the review file, written now or given; empty where there is nothing to review.
        rows: of the source; ``cleaned``: of the cleaned file.
        taken_out: rows that are in neither of the two, each in the list of changes.
        for_review: rows that are set aside until a person decides.
        doubtful: rows of rare classes that are listed for review and yet stay.
        examined, unexamined: rows whose labels were, and were not examined: of many rows, a sample is.
        counts: how often each kind of change was made.
    """

    output: str
    changes: str
    review: str
    rows: int
    cleaned: int
    taken_out: int
    for_review: int
    doubtful: int
    examined: int
    unexamined: int
    counts: dict[str, int]

    @property
    def lines(self) -> list[str]:
        """What was done, in sentences."""
        sums = (
            f"{plural(self.rows, 'row', 'rows')} = {self.cleaned:,} cleaned + {self.taken_out:,} taken out + "
            f"{self.for_review:,} for review"
        )
        told = [plural(self.counts[what], *words) for what, words in _WORDS.items() if self.counts.get(what)]
        if self.doubtful:
            stay = "of a rare class stays and is listed for review", "of rare classes stay and are listed for review"
            told.append(plural(self.doubtful, f"row {stay[0]}", f"rows {stay[1]}"))
        if self.unexamined:
            why = (
                f"of so many, a sample of {self.examined:,} is, by --seed another"
                if self.examined
                else "there is too little to learn from"
            )
            told.append(f"{plural(self.unexamined, 'label was', 'labels were')} not examined: {why}")
        return [sums, *told]

    def to_json(self) -> dict[str, Any]:
        """JSON-ready values."""
        return asdict(self)
