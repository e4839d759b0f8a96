"""The critical-difference diagram (Demšar 2006): average ranks on a line, bars over methods that may be equal."""

from typing import Any

from sharprecl.evaluation.ranks import Ranking
from sharprecl.experiments.comparisons import rank_lines
from sharprecl.experiments.document import equals
from sharprecl.experiments.figures.drawing import FULL, LEAST_TYPE, Drawing, basis, finish, folded, sheet
from sharprecl.experiments.results import Table
from sharprecl.report.svg import INK, VERMILLION

_STEP = 1.0  # between two names of one line, in units of the drawing
_NAME = 27  # most letters of a line of a name
_BAR = 0.45  # between two bars


def average_ranks(table: Table) -> Drawing | None:
    """The diagram of a table's macro-F1; None where no ranks over so few data sets could be told apart."""
    ranked = rank_lines(table)
    if not ranked.rankings or not ranked.rankings[0].can_reject:
        return None
    name = f"{table.plan.name}-{table.scale}-ranks"
    common = table.common("macro_f1")
    rests_on = basis(table.scale, [table.cells[line, column] for line in common.lines for column in common.columns])
    over, compared = ranked.over, table.plan.compared
    return rank_diagram(name, "Average ranks", table.scale, ranked.rankings[0], over, compared, rests_on)


def rank_diagram(
    name: str, title: str, scale: str, ranking: Ranking, over: str, compared: str | None, rests_on: str
) -> Drawing:
    """Draw a ranking.

    Args:
        name: of the figure's files.
        ranking: of ``evaluation.ranks``.
        over: what was ranked over, in words.
        compared: the method to stand out.
        rests_on: the sentence about the runs.
    """
    k = len(ranking.methods)
    half = -(-k // 2)
    names = {method: folded(method, _NAME) for method in ranking.methods}
    step = _STEP * max(name.count("\n") + 1 for name in names.values())
    below = 0.6 + _BAR * len(ranking.groups)
    lowest = below + step * half
    with sheet(FULL, 0.9 + 0.2 * (lowest + 1)) as figure:
        axes = figure.subplots()
        axes.set_axis_off()
        # Names stand left and right of the ranks, a third of the width each.
        margin = 0.62 * max(1, k - 1)
        axes.set_xlim(1 - margin, k + margin)
        axes.set_ylim(-lowest, 2.4)
        axes.plot([1, k], [0, 0], color=INK, linewidth=1)
        for tick in range(1, k + 1):
            axes.plot([tick, tick], [0, 0.25], color=INK, linewidth=0.8)
            axes.text(tick, 0.4, str(tick), ha="center", va="bottom", fontsize=LEAST_TYPE)
        _ruler(axes, ranking.critical_difference)
        for place, (method, rank) in enumerate(zip(ranking.methods, ranking.average_ranks, strict=True)):
            left = place < half
            y = -below - step * (place if left else k - 1 - place) - 0.3
            edge = 1 - 0.06 * k if left else k + 0.06 * k
            colour = VERMILLION if method == compared else INK
            axes.plot([rank, rank, edge], [0, y, y], color=colour, linewidth=0.8)
            words = f"{names[method]}  {rank:.2f}" if left else f"{rank:.2f}  {names[method]}"
            weight = "bold" if method == compared else "normal"
            apart = f"{words} ".replace("\n", " \n") if left else f" {words}".replace("\n", "\n ")
            axes.text(
                edge, y, apart, ha="right" if left else "left", va="center",
                fontsize=LEAST_TYPE + 0.5, color=colour, fontweight=weight,
            )  # fmt: skip
        where = dict(zip(ranking.methods, ranking.average_ranks, strict=True))
        for place, group in enumerate(ranking.groups):
            y = -0.45 - _BAR * place
            axes.plot([where[group[0]] - 0.06, where[group[-1]] + 0.06], [y, y], color=INK, linewidth=3,
                      solid_capstyle="butt")  # fmt: skip
        caption = f"Average ranks by macro-F1 over {over}, 1 is best. Methods under one bar cannot be told apart at 5 %"
        caption += " (Nemenyi)."
        if ranking.p is not None:
            caption += f" Friedman's test that all are alike: p {equals(ranking.p)}."
        return finish(figure, name, title, scale, f"{caption} {rests_on}")


def _ruler(axes: Any, distance: float) -> None:
    """How far apart two ranks must be, above the axis."""
    axes.plot([1, 1 + distance], [1.7, 1.7], color=INK, linewidth=1, marker="|", markersize=5)
    axes.text(1 + distance / 2, 1.85, f"critical difference {distance:.2f}", ha="center", va="bottom",
              fontsize=LEAST_TYPE)  # fmt: skip
