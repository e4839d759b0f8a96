"""t-SNE of the test texts, a panel a method: which classes the encoder has told apart."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from sklearn.neighbors import NearestNeighbors

from sharprecl.evaluation.metrics import Floats
from sharprecl.experiments.figures.drawing import GREY, Drawing, basis, filled, finish, folded, panels, sheet, size_of
from sharprecl.experiments.results import Table
from sharprecl.report.embedding import (
    BIG_COLOURS,
    RARE_MARKS,
    Ints,
    can_be_laid_out,
    drawn_rows,
    embed_2d,
    named_classes,
)
from sharprecl.report.svg import INK, VERMILLION, clean
from sharprecl.runs.record import DataRecord

_NAME = 30
NEIGHBOURS = 10


def clusters(table: Table, features: Mapping[str, np.ndarray]) -> Iterator[Drawing]:
    """One figure for each column, of each method's first run whose features were kept.

    Args:
        features: of the test texts, [N, H], by the run's key.
    """
    for column in table.columns:
        data, cells = table.data_of(column), filled(table, column)
        kept = {}
        for line, cell in cells.items():
            runs = [run for run in cell.runs.values() if can_be_laid_out(features.get(run.key))]
            if runs:
                kept[line] = runs[0]
        if not kept or data is None:
            continue
        label_N = np.array(data.gold)
        rows = drawn_rows(len(label_N), seed=0)
        big, rare = named_classes(label_N[rows], np.array(data.train_counts))
        with sheet(*size_of(len(kept), 2.45, 0.6)) as figure:
            for axes, (line, run) in zip(panels(figure, len(kept)), kept.items(), strict=True):
                x_NH = np.asarray(features[run.key], dtype=np.float64)
                _panel(axes, embed_2d(x_NH[rows], seed=0), label_N[rows], big, rare, data)
                purity_C = neighbour_purity(x_NH, label_N, len(data.train_counts))
                of_rare = f", rare {_percent(purity_C[rare])}" if len(rare) else ""
                axes.set_title(f"{folded(line.title)}\npurity {_percent(purity_C)}{of_rare}")
            handles, labels = axes.get_legend_handles_labels()
            figure.legend(handles, labels, loc="outside lower center", ncols=3 if len(kept) > 1 else 2)
            seeds = ", ".join(map(str, sorted({run.spec.seed for run in kept.values()})))
            drawn_at_random = f"{len(rows):,} of the {len(label_N):,}" if len(rows) < len(label_N) else "the"
            caption = (
                f"t-SNE of the encoders' vectors of {drawn_at_random} test texts of {column}, by true class, training "
                "texts in brackets. Neighbours mean something; distances between far groups and the sizes of groups do "
                f"not. Purity: of a text's {NEIGHBOURS} nearest test texts by cosine, the share of its own class, mean "
                f"over the classes, and over those drawn as rare. Seed {seeds}. "
                f"{basis(table.scale, [cells[line] for line in kept])}"
            )
            plan = table.plan
            yield finish(figure, f"{plan.name}-{table.scale}-{column}", f"{plan.title}: {column}", table.scale, caption)


def neighbour_purity(x_NH: Floats, label_N: np.ndarray, n_classes: int) -> Floats:
    """Share of a text's nearest others that are of its own class, a mean for each class, [C].

    Cosine; 10 neighbours, or as many as the class has other texts, so that 1 can be reached. NaN for classes with fewer
    than two texts.
    """
    size_C = np.bincount(label_N, minlength=n_classes)
    nearest = NearestNeighbors(n_neighbors=min(NEIGHBOURS, len(x_NH) - 1), metric="cosine").fit(x_NH)
    same_NK = label_N[nearest.kneighbors(return_distance=False)] == label_N[:, None]
    purity_C = np.full(n_classes, np.nan)
    for label in np.flatnonzero(size_C > 1):
        purity_C[label] = same_NK[label_N == label, : size_C[label] - 1].mean()
    return purity_C


def _percent(share_C: Floats) -> str:
    known = share_C[~np.isnan(share_C)]
    return f"{100 * known.mean():.0f} %" if len(known) else "unknown"


def _panel(axes: Any, point_N2: np.ndarray, label_N: np.ndarray, big: Ints, rare: Ints, data: DataRecord) -> None:
    """The five biggest classes and the three rarest in their own signs, all others grey."""
    count_C = np.array(data.train_counts)
    others = ~np.isin(label_N, [*big, *rare])
    if others.any():
        axes.scatter(*point_N2[others].T, s=4, color=GREY, alpha=0.6, linewidths=0, rasterized=True, label="others")
    styles = [{"s": 5, "color": colour, "alpha": 0.8, "linewidths": 0, "rasterized": True} for colour in BIG_COLOURS]
    marks = [
        {"s": 26, "marker": marker, "color": VERMILLION, "edgecolors": INK, "linewidths": 0.5}
        for marker, _ in RARE_MARKS
    ]
    for chosen, style in (*zip(big, styles, strict=False), *zip(rare, marks, strict=False)):
        label = f"{clean(data.label_names[chosen], _NAME)} ({count_C[chosen]:,})"
        axes.scatter(*point_N2[label_N == chosen].T, label=label, **style)
    axes.spines[:].set_visible(False)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xticks([])
    axes.set_yticks([])
    axes.grid(visible=False)
