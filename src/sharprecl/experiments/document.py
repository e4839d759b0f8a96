"""What a table's page says, before it is written in any format: sheets of entries, with notes below."""

from dataclasses import dataclass, replace

from sharprecl.experiments.recipe import Provenance

DASH = "\N{EN DASH}"


@dataclass(frozen=True)
class Entry:
    """One cell as shown.

    Attributes:
        text: the figure, or words.
        spread: what stands behind a plus-minus sign.
        difference: what stands in brackets behind all of it.
        best, runner_up: bold, underlined.
        marks: raised signs behind the figure; the notes say what they mean.
    """

    text: str
    spread: str = ""
    best: bool = False
    runner_up: bool = False
    marks: tuple[str, ...] = ()
    difference: str = ""


EMPTY = Entry(DASH)


@dataclass(frozen=True)
class Sheet:
    """One rectangle.

    Attributes:
        words: how many columns at the left hold words; the others hold figures.
        rows: each as long as ``headings``.
        aside: notes that a page folds away: what is odd about printed figures.
    """

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]
    notes: tuple[str, ...] = ()
    words: int = 1
    aside: tuple[str, ...] = ()


@dataclass(frozen=True)
class LongFormValue:
    """One number of a document in long form; what does not apply to it is empty."""

    part: str
    quantity: str
    value: float | str
    metric: str = ""
    row: str = ""
    column: str = ""
    seed: int | None = None


@dataclass(frozen=True)
class Document:
    """All that a table's file says.

    Attributes:
        caption: sentences that hold for all sheets; ``notes``: what the signs in them mean.
        figures: every number, unrounded, for the long form.
        command: what makes it.
        headline: what it comes to, for a page that shows several.
        paper: the paper's name of it; empty where it has none.
        overview: what rows come to over many columns; stands before all other sheets.
    """

    title: str
    caption: tuple[str, ...]
    sheets: tuple[Sheet, ...]
    summary: tuple[str, ...]
    figures: tuple[LongFormValue, ...]
    provenance: Provenance
    notes: tuple[str, ...] = ()
    headline: tuple[str, ...] = ()
    overview: Sheet | None = None
    paper: str = ""

    @property
    def all_sheets(self) -> tuple[Sheet, ...]:
        """The overview, where there is one, and the sheets."""
        return (*([self.overview] if self.overview else []), *self.sheets)

    def as_format(self, name: str) -> "Document":
        """The same, to be written in another format."""
        return replace(self, provenance=replace(self.provenance, format=name))

    @property
    def command(self) -> str:
        """What makes this file."""
        return self.provenance.recipe.command(self.provenance.format)


def probability(p: float) -> str:
    """``0.032``, and ``< 0.001``."""
    return f"{p:.3f}" if p >= 0.001 else "< 0.001"


def equals(p: float) -> str:
    """The same behind a p: ``= 0.032``, and ``< 0.001``."""
    return f"= {probability(p)}" if p >= 0.001 else probability(p)
