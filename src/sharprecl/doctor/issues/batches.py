"""What a batch of these texts will look like to a contrastive loss: classes whose texts meet no positive."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sharprecl.config.sharprecl import SharpReCLConfig
from sharprecl.data.batch_statistics import chance_alone, expected_classes, expected_pairs, largest_over_smallest
from sharprecl.data.messages import plural
from sharprecl.doctor.issues.base import Data, Finding, Issue
from sharprecl.doctor.issues.display import Column, Section, percent, points, scatter_over_size
from sharprecl.doctor.spellings import visible
from sharprecl.evaluation.table import DASH
from sharprecl.report.figures import band_keys
from sharprecl.report.svg import GREEN, INK, Chart, Key, clean, drawing, to_svg

LOST = 0.5
"""A class whose texts meet no other of their class in more batches than not learns little from contrast."""
BUILT = ", by construction"
"""After figures that are what a method makes of any data, and not found in this."""
NAMED = 4


@dataclass(frozen=True)
class BatchOutlook:
    """What a batch of training texts looks like on average, drawn without replacement.

    Attributes:
        batch_size: texts a batch.
        expected_classes: classes with at least one text in the batch.
        alone: for each class name, largest first: the chance that a text of it that is in the batch meets no other of
            its class there.
        pair_ratio: expected positive pairs of the largest class over those of the smallest class that has any, with one
            view a text; the batch size does not matter then.
        two_view_pair_ratio: the same with two views of every text, each the other's positive.
        balanced_pair_ratio: positive pairs with prototypes and targets: the same with two views, a prototype of every
            class in every batch and SharpReCL's default number of synthetic positives for every anchor.
        rebalanced_pair_ratio: of SharpReCL's targets alone, which every class gets the same number of: not measured,
            1 by construction.
        classes_with_prototypes: classes that the contrastive branch sees where every batch has a prototype of every
            class: not measured, all by construction.
    """

    batch_size: int
    expected_classes: float
    alone: dict[str, float]
    pair_ratio: float | None
    two_view_pair_ratio: float
    balanced_pair_ratio: float
    rebalanced_pair_ratio: float
    classes_with_prototypes: int


class Batches(Issue):
    """Classes that a batch cannot teach by contrast."""

    key = "batches"
    figures: BatchOutlook

    @staticmethod
    def find(data: Data) -> BatchOutlook:
        """Compute the figures of a batch, exactly: training draws its batches at random.

        Raises:
            ConfigError: a batch size below 1.
        """
        count_C, size = np.fromiter(data.counts.values(), dtype=np.int64), data.batch_size
        two_views = largest_over_smallest(expected_pairs(count_C, size, views=2))
        balanced = largest_over_smallest(expected_pairs(count_C, size, 2, True, SharpReCLConfig().n_pos))
        assert two_views is not None, "with two views every text has a positive"
        assert balanced is not None, "and with prototypes every class has one"
        return BatchOutlook(
            batch_size=size,
            expected_classes=expected_classes(count_C, size),
            alone=dict(zip(data.counts, chance_alone(count_C, size).tolist(), strict=True)),
            pair_ratio=largest_over_smallest(expected_pairs(count_C, size)),
            two_view_pair_ratio=two_views,
            balanced_pair_ratio=balanced,
            # In SharpReCL every anchor faces n_pos + n_neg synthetic samples of every class, however rare.
            rebalanced_pair_ratio=1.0,
            classes_with_prototypes=len(count_C),
        )

    def findings(self) -> Iterator[Finding]:
        found = self.figures
        if lost := sum(chance > LOST for chance in found.alone.values()):
            sentence = (
                f"in batches of {found.batch_size}, a text of {lost:,} of {len(found.alone):,} classes mostly meets no "
                f"other of its class, and a batch holds {found.expected_classes:.1f} classes on average"
            )
            cure = (
                "sharprecl and bcl do not mind, for they have a prototype of every class in every batch; other "
                "contrastive methods need larger batches"
            )
            yield Finding("warning" if 2 * lost >= len(found.alone) else "note", "batches", sentence, cure)

    def section(self) -> Section:
        found = self.figures
        smallest, chance = list(found.alone.items())[-1]
        return Section(
            f"Batches of {found.batch_size:,}",
            figures=(
                ("classes in a batch", f"{found.expected_classes:,.1f}"),
                ("... with prototypes", f"{found.classes_with_prototypes:,}{BUILT}"),
                (f"a text of {clean(visible(smallest), 18)} meets no positive", percent(chance)),
                ("... with prototypes", percent(0.0) + BUILT),
                ("positive pairs, largest class over smallest", _times(found.pair_ratio)),
                ("... with two views of each text", _times(found.two_view_pair_ratio)),
                ("positive pairs with prototypes and targets", _times(found.balanced_pair_ratio)),
                ("... of the targets, rebalanced", _times(found.rebalanced_pair_ratio) + BUILT),
            ),
            tiles=(("No positive", percent(chance), f"smallest class, batch {found.batch_size:,}"),),
            columns=(Column("No positive, %", found.alone, page=points, terminal=percent),),
        )

    def charts(self) -> Iterator[tuple[str, Chart]]:
        by_count: dict[int, list[str]] = defaultdict(list)
        for name, count in self.data.counts.items():
            by_count[count].append(name)
        sizes = np.array(list(by_count))
        chances = [self.figures.alone[names[0]] for names in by_count.values()]
        percents = [100 * chance for chance in chances]
        with drawing(4.6, 3.4) as figure:
            axes = figure.subplots()
            axes.axhline(0, color=GREEN, linewidth=2, zorder=1)
            axes.plot(sizes, percents, color=INK, linewidth=0.8, alpha=0.5, zorder=2)
            scatter_over_size(axes, sizes, percents, sizes, "sizes")
            axes.set_ylabel("chance of no positive, %")
            titles = [
                f"{plural(size, 'text', 'texts')}: {_some(names)}: {percent(chance)}"
                for (size, names), chance in zip(by_count.items(), chances, strict=True)
            ]
            svg = to_svg(figure, "alone", "Chance of meeting no positive against class size", {"sizes": titles})
        caption = (
            f"In batches of {self.figures.batch_size:,}, drawn at random, one point a class size; point at one or tap "
            "it for its classes. Where a method has prototypes, every class has one in every batch."
        )
        never = Key("\N{EM DASH}", GREEN, "with prototypes: never, by construction")
        keys = (Key("\N{BLACK CIRCLE}", "currentColor", "as drawn"), never)
        bands = band_keys(np.fromiter(self.data.counts.values(), dtype=np.int64))
        yield "Who meets a positive", Chart(svg, caption, (*keys, *bands))


def _times(ratio: float | None) -> str:
    if ratio is None:
        return DASH
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.1f}"


def _some(names: list[str]) -> str:
    shown = ", ".join(clean(visible(name), 24) for name in names[:NAMED])
    return f"{shown} and {len(names) - NAMED:,} more" if len(names) > NAMED else shown
