"""Labels that the texts contradict, and what words alone can tell: the floor that a trained encoder must beat."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sharprecl.data.messages import SHOWN, excerpt, plural
from sharprecl.doctor.confident_learning import Contradicted, contradicted
from sharprecl.doctor.issues.base import Data, Finding, Issue, LoadedTable
from sharprecl.doctor.issues.class_sizes import FEW
from sharprecl.doctor.issues.display import (
    DRAWN,
    Column,
    Example,
    Examples,
    Section,
    Table,
    percent,
    points,
    scatter_over_size,
)
from sharprecl.doctor.spellings import quoted, visible
from sharprecl.doctor.texts import Progress
from sharprecl.doctor.word_model import Answers, ask
from sharprecl.evaluation.metrics import accuracy, confusion_matrix, counts_of, f1, macro_f1
from sharprecl.evaluation.table import DASH
from sharprecl.report.figures import band_keys, side_by_side
from sharprecl.report.svg import INK, Chart, clean, drawing, to_svg

MOST_ROWS = 100_000
"""Rows of each file that are examined; see ``word_model.sample``."""
CHANCE = 0.05
"""Macro-F1 above that of guessing below which a model of words knows nothing."""
NOISE = 0.03
"""Published benchmarks have about 3 % wrong test labels (Northcutt et al., NeurIPS 2021): more is a reason to look."""
TOLD = 0.995
"""Above this, the words give the class away."""
SHOWN_SUSPECTS, SHOWN_RARE, SHOWN_CONFUSIONS, SHOWN_CLASSES, SHOWN_IN_TERMINAL = 100, 25, 20, 5, 10


@dataclass(frozen=True)
class Suspect:
    """A training row whose label looks wrong.

    Attributes:
        row: of the training file.
        label: as given; ``suggested``: the class that the out-of-fold model prefers.
        confidence: that class's probability; ``self_confidence``: the given label's.
        rare: whether the given class has so few texts that the model may just not know it: rare or mislabelled?
        text: shortened.
    """

    row: int
    label: str
    suggested: str
    confidence: float
    self_confidence: float
    rare: bool
    text: str

    @property
    def example(self) -> Example:
        """How it is shown."""
        rare = "rare or mislabelled?" if self.rare else ""
        odds = f"{self.confidence:.0%} against {self.self_confidence:.0%}"
        label, other = (clean(visible(name), 24) for name in (self.label, self.suggested))
        line = f"row {self.row}: {label}, rather {other} ({odds}{rare and ', '}{rare})"
        remark = f"row {self.row:,}; {odds.replace('%', ' %')}{rare and '; '}{rare}"
        return Example(line, (self.label, self.suggested), ", rather ", remark, self.text)


@dataclass(frozen=True)
class LabelErrorReport:
    """Confident learning on out-of-fold probabilities of TF-IDF with logistic regression (Northcutt et al., 2021).

    Attributes:
        examined: rows with an out-of-fold probability: all, or the sample that the limit allows.
        estimated: rows of those whose label is probably wrong; rare classes (under ten texts) are not counted here.
        by_class: for each class name with such rows: how many, most first.
        suspects: the worst of these rows, worst first, then the worst of ``rare``, at most 100 together.
        confusions: (given label, suggested label, rows) of the estimated rows, most frequent first, at most 20.
        macro_f1, accuracy: of the out-of-fold answers: the floor that a trained encoder must beat. Classes that have
            not two different texts are left out: held out, they cannot be known.
        test_macro_f1: the same model on the test texts of every class that was examined, None without any.
        f1_by_class: out-of-fold F1 of every class in ``macro_f1``, largest class first.
        rare: rows of rare classes that look like another class: rare or mislabelled?
    """

    examined: int
    estimated: int
    by_class: dict[str, int]
    suspects: tuple[Suspect, ...]
    confusions: tuple[tuple[str, str, int], ...]
    macro_f1: float
    accuracy: float
    test_macro_f1: float | None
    f1_by_class: dict[str, float]
    rare: int = 0

    @property
    def guesses(self) -> bool:
        """Whether the model hardly beats guessing. Then it would accuse at random, and accuses nobody."""
        return self.macro_f1 <= 1 / len(self.f1_by_class) + CHANCE


class LabelErrors(Issue):
    """What a model that was trained neither on a text nor on an equal one says of its label.

    A class whose only text is held out cannot be known to the model. So classes with a single text, or one text
    several times, have no F1 and do not count in ``macro_f1`` and ``accuracy``; a row of theirs is listed where the
    model is sure of another class. In ``test_macro_f1`` every class counts that was examined.

    ``figures`` are None where fewer than two classes have two different texts, or no text has a word: there is nothing
    to train on.
    """

    key = "label_errors"
    figures: LabelErrorReport | None

    @staticmethod
    def find(data: Data) -> LabelErrorReport | None:
        answers = _ask(data.originals, data.seed, data.progress)
        if answers is None:
            return None
        report = _report(data.originals, answers, SHOWN_SUSPECTS)
        if data.tested is not None:
            told = answers.macro_f1_on(data.tested, data.seed % 2**32, MOST_ROWS, data.progress)
            report = replace(report, test_macro_f1=told)
        return report

    def findings(self) -> Iterator[Finding]:
        found = self.figures
        if found is None:
            why = "fewer than two classes have two different texts, or no text holds a word"
            sentence = f"labels were not examined, and there is no floor: {why}"
            yield Finding("note", "label errors", sentence)
            return
        floor = f"words alone (TF-IDF with logistic regression) reach macro-F1 {percent(found.macro_f1)}"
        if found.guesses:
            cure = "is the right column named as the label? no encoder will do much better"
            yield Finding("warning", "floor", f"{floor}, hardly more than guessing", cure)
            return
        if found.estimated:
            share = found.estimated / found.examined
            most = list(found.by_class.items())[:SHOWN_CLASSES]
            worst = ", ".join(f"{quoted(name)} ({count:,})" for name, count in most)
            count = plural(found.estimated, "label looks", "labels look")
            sentence = f"{count} wrong ({percent(share)} of {found.examined:,} examined), most in: {worst}"
            cure = f"read them, worst first{self.data.by_fix('lists all for review')}: a person decides, not this model"
            rows = tuple(suspect.row for suspect in found.suspects[:SHOWN])
            yield Finding("warning" if share >= NOISE else "note", "label errors", sentence, cure, rows)
        if found.rare:
            rows = tuple(suspect.row for suspect in found.suspects if suspect.rare)
            count = plural(found.rare, "text of a rare class looks", "texts of rare classes look")
            cure = f"read each{self.data.by_fix('lists all for review')}: of a rare class every single label counts"
            sentence = f"{count} like another class: rare or mislabelled?"
            yield Finding("note", "label errors", sentence, cure, rows[:SHOWN])
        if found.macro_f1 >= TOLD:
            sentence = f"{floor}: no encoder is needed, or the label stands in the text"
            yield Finding("note", "floor", sentence, "does the text contain its label?")
        else:
            test = found.test_macro_f1
            where = "" if test is None else f" out of fold, {percent(test)} on the test file"
            yield Finding("note", "floor", f"{floor}{where}: what a trained encoder must beat")

    def section(self) -> Section:
        found, f1_heading = self.figures, "F1 of words"
        if found is None:
            unknown = "not examined"
            tiles = (("Labels look wrong", DASH, unknown), ("Floor: macro-F1", DASH, unknown))
            columns = (Column(f1_heading, None),)
            return Section("Label errors", (("examined", "no: a finding says why"),), tiles, columns)
        wrong, share = f"{found.estimated:,}", percent(found.estimated / max(1, found.examined))
        figures = [
            ("labels that look wrong", f"{wrong} of {found.examined:,} examined"),
            ("macro-F1 of words alone, out of fold", percent(found.macro_f1)),
            ("accuracy of words alone, out of fold", percent(found.accuracy)),
        ]
        if found.guesses:
            figures[0] = (figures[0][0], "cannot be told: words alone hardly beat guessing")
            wrong, share = DASH, "words alone cannot tell"
        if found.test_macro_f1 is not None:
            figures.append(("macro-F1 of words alone, test file", percent(found.test_macro_f1)))
        shown = (
            f"{len(found.suspects):,} of {found.estimated + found.rare:,}, worst first; those of rare classes may just "
            "be rare. The model knows words only: read before you change."
        )
        suspects = [suspect.example for suspect in found.suspects]
        swapped = [(visible(one), visible(other), count) for one, other, count in found.confusions]
        return Section(
            "Label errors, and the floor to beat",
            figures,
            tiles=(
                ("Labels look wrong", wrong, share),
                ("Floor: macro-F1", points(found.macro_f1), "of words alone"),
            ),
            columns=(
                Column(f1_heading, found.f1_by_class, None, page=points, terminal=points),
                Column("Look wrong", found.by_class, terminal=None),
            ),
            examples=Examples("Labels that look wrong", shown, suspects, SHOWN_IN_TERMINAL),
            table=Table("Labels that may be swapped", ("Given", "Rather", "Texts"), swapped),
        )

    def charts(self) -> Iterator[tuple[str, Chart]]:
        found = self.figures
        if found is None:
            return
        names = [name for name in self.data.counts if name in found.f1_by_class]
        drawn = np.linspace(0, len(names) - 1, min(len(names), DRAWN)).astype(int)
        shown = [names[place] for place in drawn]
        sizes = np.array([self.data.counts[name] for name in shown])
        with drawing(4.6, 3.4) as figure:
            axes = figure.subplots()
            percents = [100 * found.f1_by_class[name] for name in shown]
            scatter_over_size(axes, side_by_side(sizes), percents, sizes, "classes")
            axes.axhline(100 * found.macro_f1, color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
            axes.set_ylabel("F1 of the class, %")
            titles = [
                f"{clean(visible(name), 40)}: F1 {points(found.f1_by_class[name])}, "
                f"{plural(int(size), 'text', 'texts')}"
                for name, size in zip(shown, sizes, strict=True)
            ]
            svg = to_svg(figure, "words", "F1 of words alone against class size", {"classes": titles})
        some = f" {DRAWN:,} of {len(names):,} classes." if len(shown) < len(names) else ""
        caption = (
            "TF-IDF with logistic regression, each text judged by a model that has not seen it. Dashed: their mean, "
            f"macro-F1 {percent(found.macro_f1)}. Point at a class or tap it for its name.{some}"
        )
        yield "What words alone reach", Chart(svg, caption, band_keys(sizes))


def all_suspects(file: LoadedTable, seed: int, progress: Progress) -> tuple[int, tuple[Suspect, ...]]:
    """How many rows were examined, and every one whose label looks wrong, worst first, then those of rare classes."""
    answers = _ask(file, seed, progress)
    return (0, ()) if answers is None else (len(answers.rows), _report(file, answers, len(file.table)).suspects)


def _ask(file: LoadedTable, seed: int, progress: Progress) -> Answers | None:
    return ask(file.table, seed % 2**32, MOST_ROWS, progress)


def _report(file: LoadedTable, answers: Answers, most: int) -> LabelErrorReport:
    """What the answers say of the rows that are examined, with ``most`` suspects at most."""
    table, names = file.table, file.table.label_names
    found = contradicted(answers.probabilities, answers.labels)
    known = answers.labels >= 0
    counts = counts_of(confusion_matrix(answers.labels[known], found.suggested[known], len(answers.classes)))
    scores = f1(counts)
    rare = table.class_counts[answers.given] < FEW
    wrong = np.flatnonzero(found.doubtful & ~rare)
    unsure = np.flatnonzero(found.doubtful & rare & found.certain)
    shown = _worst(found, wrong)[: most - min(len(unsure), SHOWN_RARE)]
    shown += _worst(found, unsure)[: most - len(shown)]
    largest = np.argsort(-table.class_counts[answers.classes], kind="stable")
    suggested = answers.classes[found.suggested]
    pairs = _most_common(zip(answers.given[wrong].tolist(), suggested[wrong].tolist(), strict=True))
    report = LabelErrorReport(
        examined=len(answers.rows),
        estimated=len(wrong),
        by_class={names[label]: count for label, count in _most_common(answers.given[wrong].tolist())},
        suspects=tuple(
            Suspect(
                row=int(file.rows[answers.rows[place]]),
                label=names[answers.given[place]],
                suggested=names[suggested[place]],
                confidence=float(found.confidence[place]),
                self_confidence=float(found.own[place]),
                rare=bool(rare[place]),
                text=excerpt(table.texts[answers.rows[place]]),
            )
            for place in shown
        ),
        confusions=tuple((names[one], names[other], count) for (one, other), count in pairs[:SHOWN_CONFUSIONS]),
        macro_f1=float(macro_f1(counts)),
        accuracy=float(accuracy(counts)),
        test_macro_f1=None,
        f1_by_class={names[answers.classes[place]]: float(scores[place]) for place in largest},
        rare=len(unsure),
    )
    if report.guesses:
        return replace(report, estimated=0, rare=0, suspects=(), by_class={}, confusions=())
    return report


def _worst(found: Contradicted, places: NDArray[np.int64]) -> list[int]:
    """Those whose label is least probable beside the suggestion first."""
    odds = found.own[places] / found.confidence[places]
    return [int(place) for place in places[np.lexsort((-found.confidence[places], odds))]]


def _most_common(values: Iterable[Any]) -> list[tuple[Any, int]]:
    """The different values and how often each is there, most frequent first, equal ones in order."""
    return sorted(Counter(values).items(), key=lambda item: (-item[1], item[0]))
