"""How the texts fall into classes: skew, and classes too small to learn from."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sharprecl.config.choice import EVEN_UP_TO
from sharprecl.data.imbalance import imbalance_ratio
from sharprecl.data.messages import plural
from sharprecl.doctor.issues.base import Data, Finding, Issue
from sharprecl.doctor.issues.display import DRAWN, Column, Section
from sharprecl.doctor.spellings import quoted, quoted_names, visible
from sharprecl.report.figures import label_distribution
from sharprecl.report.svg import INK, Chart, drawing, log_ticks, to_svg

FEW = 10
"""Classes below it are rare: a tenth held out leaves no text to judge them by."""
SKEWED = 10.0
"""From this imbalance ratio on, a class that is never answered costs little accuracy, and so goes unseen."""


@dataclass(frozen=True)
class Distribution:
    """How the texts fall into classes.

    Attributes:
        counts: training texts by class name, largest first.
        test_counts: test texts by class name; empty without a test file.
        imbalance_ratio: largest over smallest class.
        effective_classes: the exponential of the entropy of the class shares, the Hill number of order 1 (Hill, 1973):
            how many equally large classes would be as diverse.
        gini: the Gini coefficient of the class sizes, the mean absolute difference of two over twice their mean; 0 for
            equal ones.
        single, pairs, under_ten: classes with exactly one text, exactly two, fewer than ten.
    """

    counts: dict[str, int]
    test_counts: dict[str, int]
    imbalance_ratio: float
    effective_classes: float
    gini: float
    single: int
    pairs: int
    under_ten: int


class ClassSizes(Issue):
    """Skewed and rare classes."""

    key = "distribution"
    figures: Distribution

    @staticmethod
    def find(data: Data) -> Distribution:
        sizes = np.array(list(data.counts.values()), dtype=np.float64)
        shares = sizes / sizes.sum()
        # Sizes fall, so the largest has rank 0: the mean difference is a weighted sum, without a pair being formed.
        ranks = np.arange(len(sizes))
        return Distribution(
            counts=data.counts,
            test_counts=data.test_counts,
            imbalance_ratio=imbalance_ratio(data.train.table.class_counts),
            effective_classes=float(np.exp(-(shares * np.log(shares)).sum())),
            gini=float((shares * (len(sizes) - 1 - 2 * ranks)).sum() / len(sizes)),
            single=int((sizes == 1).sum()),
            pairs=int((sizes == 2).sum()),
            under_ten=int((sizes < FEW).sum()),
        )

    def findings(self) -> Iterator[Finding]:
        found, names = self.figures, list(self.figures.counts)
        ratio = found.imbalance_ratio
        largest, smallest = quoted(names[0]), quoted(names[-1])
        skew = f"the largest class ({largest}) has {ratio:,.1f} times the texts of the smallest ({smallest})"
        if ratio >= SKEWED:
            cure = "judge by macro-F1, not by accuracy, and choose a method that rebalances"
            yield Finding("warning", "labels", skew, cure)
        else:
            yield Finding("note", "labels", f"{'the classes are even: ' if ratio <= EVEN_UP_TO else ''}{skew}")
        if found.single:
            rare = [name for name, count in found.counts.items() if count == 1]
            sentence = f"{plural(found.single, 'class has', 'classes have')} a single text: {quoted_names(rare)}"
            cure = "find more texts or merge them; nothing but a test file can judge such a class"
            yield Finding("warning", "labels", sentence, cure)
        if few := found.under_ten - found.single:
            further = "further " if found.single else ""
            count = plural(few, f"{further}class has", f"{further}classes have")
            yield Finding("warning", "labels", f"{count} under {FEW} texts (of {len(names):,})", "find more texts")

    def section(self) -> Section:
        found = self.figures
        classes, ratio = f"{len(found.counts):,}", f"{found.imbalance_ratio:,.1f}"
        effective, gini = f"{found.effective_classes:,.1f}", f"{found.gini:.2f}"
        return Section(
            "Labels",
            figures=(
                ("imbalance ratio", ratio),
                ("effective number of classes", f"{effective} of {classes}"),
                ("Gini coefficient of the class sizes", gini),
                ("classes with 1 text, with 2, under 10", f"{found.single:,}, {found.pairs:,}, {found.under_ten:,}"),
            ),
            tiles=(
                ("Classes", classes, f"{effective} effective"),
                ("Imbalance ratio", ratio, f"Gini {gini}"),
                ("Under 10 texts", f"{found.under_ten:,}", "classes"),
            ),
            columns=(Column("Texts", found.counts), Column("Test", found.test_counts or None)),
        )

    def charts(self) -> Iterator[tuple[str, Chart]]:
        size_C = np.fromiter(self.figures.counts.values(), dtype=np.int64)
        names = list(map(visible, self.figures.counts))
        drawn = label_distribution(names, size_C) if len(size_C) <= DRAWN else _over_ranks(size_C)
        yield "Training texts of each class", drawn


def _over_ranks(size_C: np.ndarray) -> Chart:
    # Where the size changes: a million classes have a thousand sizes or so.
    corners = np.flatnonzero(np.diff(size_C, append=0))
    ranks = np.concatenate([[0], corners + 1])
    sizes = size_C[np.concatenate([corners, corners[-1:]])]
    with drawing(4.6, 3.4) as figure:
        axes = figure.subplots()
        axes.step(np.maximum(ranks, 0.7), sizes, where="post", color=INK, linewidth=1.4)
        axes.set_xscale("log")
        axes.set_yscale("log")
        # All powers of ten up to a million would run into each other.
        ranks_shown = [100**power for power in range(len(str(len(size_C))) // 2 + 1)]
        axes.xaxis.set_ticks(ranks_shown, [f"{rank:,}" for rank in ranks_shown])
        axes.xaxis.set_ticks([], minor=True)
        log_ticks(axes.yaxis, int(size_C[0]))
        axes.set_ylim(0.6, max(10, size_C[0]) * 1.6)
        axes.set_xlabel("classes, biggest first (log scale)")
        axes.set_ylabel("training texts (log scale)")
        svg = to_svg(figure, "distribution", "Training texts of each class, biggest first")
    biggest = plural(int(size_C[0]), "text", "texts")
    return Chart(svg, f"{len(size_C):,} classes; the biggest has {biggest}, the smallest {size_C[-1]:,}.")
