"""Figures of certainty: whether confidence can be believed, and what answering fewer texts would gain."""

import numpy as np
from numpy.typing import NDArray

from sharprecl.evaluation.reliability import reliability, risk_coverage
from sharprecl.report.svg import BLUE, INK, VERMILLION, Chart, Key, drawing, to_svg

MOST_POINTS = 400


def reliability_chart(confidence_N: NDArray[np.floating], right_N: NDArray[np.bool_]) -> Chart:
    """Accuracy against confidence, in bins of equally many texts."""
    found = reliability(np.asarray(confidence_N, dtype=np.float64), right_N)
    with drawing(4.6, 3.0) as figure:
        axes = figure.subplots()
        axes.plot([0, 100], [0, 100], color=INK, linewidth=0.9, linestyle=(0, (2, 2)))
        axes.plot(100 * found.confidence_B, 100 * found.accuracy_B, color=BLUE, marker="o", markersize=4, linewidth=1.3)
        least = 100 * min(found.confidence_B.min(), found.accuracy_B.min())
        axes.set_xlim(max(0.0, least - 5), 102)
        axes.set_ylim(max(0.0, least - 5), 102)
        axes.set_xlabel("confidence, %")
        axes.set_ylabel("answers that are right, %")
        svg = to_svg(figure, "reliability", "Share of right answers against confidence")
    low, high = (100 * bound for bound in found.interval)
    caption = (
        f"Below the dotted line answers are right less often than their confidence says. Expected calibration error "
        f"{100 * found.error:.1f} points (95 %: {low:.1f}\N{EN DASH}{high:.1f}); {len(found.texts_B)} bins of equally "
        f"many texts."
    )
    return Chart(svg, caption, ())


def risk_chart(confidence_N: NDArray[np.floating], right_N: NDArray[np.bool_], least: float) -> Chart:
    """Wrong answers among the surest texts, against how many those are; the bar of confidence as a point."""
    risk_N, share_N = risk_coverage(np.asarray(confidence_N), right_N)
    kept = np.unique(np.linspace(0, len(risk_N) - 1, MOST_POINTS).round().astype(int))
    keys: list[Key] = []
    with drawing(4.6, 3.0) as figure:
        axes = figure.subplots()
        axes.plot(100 * share_N[kept], 100 * risk_N[kept], color=BLUE, linewidth=1.4)
        answered = int((np.asarray(confidence_N) >= least).sum())
        if least > 0 and answered:
            x, y = 100 * share_N[answered - 1], 100 * risk_N[answered - 1]
            axes.plot(x, y, marker="o", markersize=7, color=VERMILLION)
            keys.append(Key("\N{BLACK CIRCLE}", VERMILLION, f"sure: {x:.1f} % answered, {y:.1f} % of them wrong"))
        axes.set_xlim(0, 101)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("texts that are answered, the surest first, %")
        axes.set_ylabel("wrong answers among them, %")
        svg = to_svg(figure, "risk", "Share of wrong answers against the share of texts that are answered")
    caption = "" if least else "'sharprecl decide --coverage 0.9' makes it say \"not sure\" to the last tenth."
    return Chart(svg, caption, tuple(keys))
