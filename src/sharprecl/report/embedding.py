"""A map of the test texts: t-SNE of their embeddings."""

import numpy as np
from numpy.typing import NDArray

from sharprecl.extras import require
from sharprecl.report.svg import (
    BLUE,
    GREEN,
    INK,
    ORANGE,
    PINK,
    SKY,
    VERMILLION,
    Chart,
    Key,
    clean,
    drawing,
    to_svg,
)  # fmt: skip

Ints = NDArray[np.int64]
MOST_POINTS = 2000
FEWEST_POINTS = 8
MOST_DIMENSIONS = 50
BIG_COLOURS = (BLUE, ORANGE, GREEN, PINK, SKY)
RARE_MARKS = (("^", "\N{BLACK UP-POINTING TRIANGLE}"), ("s", "\N{BLACK SQUARE}"), ("D", "\N{BLACK DIAMOND}"))


def embed_2d(vectors: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """Lay vectors [n, D] out in the plane by t-SNE, [n, 2] (van der Maaten and Hinton 2008; openTSNE).

    Perplexity is 30, or a third of the texts where they are few; more than 50 dimensions are first reduced to their 50
    principal components. One thread and exact neighbours: equal input, equal map.
    """
    opentsne = require("openTSNE", "report", "the map of the test texts")
    if vectors.shape[1] > MOST_DIMENSIONS:
        centred = vectors - vectors.mean(axis=0)
        _, axes = np.linalg.eigh(centred.T @ centred)
        vectors = centred @ axes[:, -MOST_DIMENSIONS:]
    perplexity = min(30.0, (len(vectors) - 1) / 3)
    tsne = opentsne.TSNE(perplexity=perplexity, neighbors="exact", n_jobs=1, random_state=seed)
    return np.asarray(tsne.fit(vectors))


def can_be_laid_out(x_NH: NDArray[np.floating] | None) -> bool:
    """Whether there are vectors of at least 8 texts, all of finite numbers and not all alike."""
    if x_NH is None or len(x_NH) < FEWEST_POINTS:
        return False
    return bool(np.isfinite(x_NH).all() and (x_NH != x_NH[:1]).any())


def drawn_rows(number: int, seed: int) -> Ints:
    """Which of so many texts are shown, in ascending order: all, or 2000 of them at random."""
    if number <= MOST_POINTS:
        return np.arange(number)
    generator = np.random.Generator(np.random.PCG64(seed))
    return np.sort(generator.choice(number, MOST_POINTS, replace=False))


def named_classes(label_N: Ints, train_count_C: Ints) -> tuple[Ints, Ints]:
    """Of the classes that are shown, the five with the most training texts, and of the others the three rarest."""
    present = np.unique(label_N)
    order = present[np.argsort(-train_count_C[present], kind="stable")]
    big = order[: len(BIG_COLOURS)]
    return big, order[len(big) :][::-1][: len(RARE_MARKS)]


def embedding_map(
    label_names: list[str],
    train_counts: Ints,
    embeddings: NDArray[np.floating] | None,
    y_true: Ints,
    seed: int = 0,
) -> Chart | None:
    """Scatter of the test texts by true class: the five biggest and the three rarest named, the others grey.

    None where there is nothing to lay out: no embeddings, fewer than 8 texts, all alike, or numbers not finite.
    """
    if embeddings is not None:
        # Rows without a text have no vector.
        there_N = ~np.isnan(embeddings).all(1)
        embeddings, y_true = embeddings[there_N], y_true[there_N]
    if embeddings is None or not can_be_laid_out(embeddings):
        return None
    rows = drawn_rows(len(embeddings), seed)
    vectors = np.asarray(embeddings, dtype=np.float64)[rows]
    labels = y_true[rows]
    points = embed_2d(vectors, seed)
    big, rare = named_classes(labels, train_counts)
    others = ~np.isin(labels, [*big, *rare])
    keys = [Key("\N{BLACK CIRCLE}", "#8a8f98", "other classes")] if others.any() else []
    with drawing(4.6, 4.4) as figure:
        axes = figure.subplots()
        axes.scatter(*points[others].T, s=5, color="#8a8f98", alpha=0.6, linewidths=0, rasterized=True)
        for label, colour in zip(big, BIG_COLOURS, strict=False):
            mine = points[labels == label]
            axes.scatter(*mine.T, s=6, color=colour, alpha=0.75, linewidths=0, rasterized=True)
            keys.append(Key("\N{BLACK CIRCLE}", colour, _name(label_names, train_counts, label)))
        for label, (marker, sign) in zip(rare, RARE_MARKS, strict=False):
            mine = points[labels == label]
            axes.scatter(*mine.T, s=44, marker=marker, color=VERMILLION, edgecolors=INK, linewidths=0.6)
            keys.append(Key(sign, VERMILLION, _name(label_names, train_counts, label)))
        axes.set_aspect("equal", adjustable="datalim")
        axes.spines[:].set_visible(False)
        axes.set(xticks=[], yticks=[])
        axes.grid(visible=False)
        markup = to_svg(figure, "map", "Map of the test texts, coloured by true class")
    sampled = f" {MOST_POINTS:,} of {len(embeddings):,} texts, drawn at random." if len(rows) < len(embeddings) else ""
    caption = (
        "t-SNE of the model's vectors, coloured by true class. Neighbours mean something; distances between far "
        f"groups and the sizes of groups do not.{sampled}"
    )
    return Chart(markup, caption, tuple(keys))


def _name(label_names: list[str], train_counts: Ints, label: int) -> str:
    return f"{clean(label_names[label], 26)} ({train_counts[label]:,} in training)"
