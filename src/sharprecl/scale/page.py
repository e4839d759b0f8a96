"""What a search has found, as one HTML page that needs no network, in the style of the training report."""

from pathlib import Path
from typing import Any

from sharprecl.report.render import render
from sharprecl.report.svg import BLUE, INK, ORANGE, Chart, Key, drawing, to_svg
from sharprecl.scale.mix import mix_sentence
from sharprecl.scale.search import Found
from sharprecl.scale.space import rounded
from sharprecl.scale.study import best_of


def write_page(found: Found, path: Path, data: str) -> None:
    """Write the page to ``path``, whole or not at all; equal searches give equal bytes.

    Args:
        data: what the texts are called.

    Raises:
        MissingExtraError: matplotlib or jinja2 is not installed.
    """
    sentence = found.sentence
    context: dict[str, Any] = {
        "title": f"Settings of {found.config.method.name} for {data}",
        "sentence": sentence[0].upper() + sentence[1:],
        "found": found,
        "table": found.search.table,
        "folds": found.search.folds,
        "mix": mix_sentence(found.search.table, found.search.weights_C),
        "tiles": _tiles(found),
        "curve": trials_chart(found),
        "importances": importance_chart(found) if found.importances else None,
        "settings": list(found.start),
        "rounded": rounded,
    }
    render("sharprecl.scale", context, path, "the page of the search")


def trials_chart(found: Found) -> Chart:
    """Macro-F1 of the trials in their order, the best one so far, and the defaults."""
    whole = [trial for trial in found.tried if trial.macro_f1 is not None]
    stopped = [trial for trial in found.tried if trial.macro_f1 is None]
    so_far = [100 * best_of(found.tried[: place + 1]).score for place in range(len(found.tried))]
    with drawing(4.6, 3.2) as figure:
        axes = figure.subplots()
        axes.axhline(100 * found.default.score, color=INK, linewidth=0.8, linestyle=(0, (2, 3)))
        axes.step(range(len(so_far)), so_far, where="post", color=ORANGE, linewidth=1.4)
        points = axes.scatter(
            [trial.place for trial in whole], [100 * trial.score for trial in whole], s=26, color=BLUE, zorder=3
        )
        points.set_gid("whole")
        titles = {"whole": [f"trial {trial.place}: {100 * trial.score:.1f}" for trial in whole]}
        if stopped:
            low = axes.get_ylim()[0]
            marks = axes.scatter(
                [trial.place for trial in stopped], [low] * len(stopped), s=22, marker="x", color=INK, linewidths=0.9
            )
            marks.set_gid("stopped")
            titles["stopped"] = [f"trial {trial.place}: {trial.why}" for trial in stopped]
        axes.set_xlabel("trial")
        axes.set_ylabel("macro-F1 on the search's folds, %")
        svg = to_svg(figure, "trials", "Macro-F1 of the trials in their order", titles)
    keys = [
        Key("\N{BLACK CIRCLE}", BLUE, "a trial"),
        Key("\N{EM DASH}", ORANGE, "the best so far"),
        Key("\N{HORIZONTAL ELLIPSIS}", "currentColor", "the defaults"),
        *([Key("\N{MULTIPLICATION SIGN}", "currentColor", "stopped early")] if stopped else []),
    ]
    caption = "The highest of many points is partly lucky; only fresh folds tell how much of its lead is left."
    return Chart(svg, caption, tuple(keys))


def importance_chart(found: Found) -> Chart:
    """Share of each setting in the differences between trials."""
    names = list(found.importances)
    shares = [100 * found.importances[name] for name in names]
    with drawing(4.6, 0.8 + 0.3 * len(names)) as figure:
        axes = figure.subplots()
        rows = range(len(names))
        axes.barh(rows, shares, color=BLUE, height=0.66)
        axes.set_yticks(rows, names)
        axes.set_ylim(len(names) - 0.4, -0.6)
        axes.grid(visible=False, axis="y")
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("share of the differences between trials, %")
        svg = to_svg(figure, "importance", "How much each setting matters")
    return Chart(
        svg,
        "By fANOVA over the trials, stopped ones by what they reached: rough, for these ranges.",
    )


def _tiles(found: Found) -> list[tuple[str, str, str]]:
    """Title, figure and what it is about."""
    tiles = [
        ("Defaults", f"{100 * found.default.score:.1f}", "macro-F1, the search's folds"),
        ("Best trial", f"{100 * found.best.score:.1f}", f"trial {found.best.place}, the same folds"),
    ]
    if found.confirmed is None:
        return tiles
    again = [
        ("Defaults again", f"{100 * found.confirmed.default:.1f}", "fresh folds"),
        ("Best trial again", f"{100 * found.confirmed.best:.1f}", "fresh folds"),
    ]
    # What is taken stands last.
    return [*tiles, *(again if found.confirmed.sure else again[::-1])]
