"""Figures over a setting: bands, and points that lack seeds."""

import re

from made_up_runs import made_up_plan, made_up_records
from sharprecl.experiments.figures.curves import curves
from sharprecl.experiments.figures.drawing import Drawing
from sharprecl.experiments.plan import Job
from sharprecl.experiments.results import make_table

ROWS = {
    "mu": {"method": "sharprecl", "vary": "method.mu", "values": [0.3, 1, 0]},
    "tau": {"method": "sharprecl", "vary": "method.temperature", "values": [0.1, 0.5]},
}
WHITE = "fill: #ffffff; stroke: #0072b2"


def drawn(without=None, **changes: object) -> list[Drawing]:
    plan = made_up_plan(kind="curve", rows=ROWS, compared=None, **changes)
    records = made_up_records(plan, lambda job: 0.5 + 0.3 * (job.x or 0), without=without)
    return list(curves(make_table(plan, records, "smoke")))


def test_a_figure_a_setting_and_a_panel_a_data_set() -> None:
    mu, tau = drawn()
    assert (mu.name, tau.name) == ("mine-smoke-mu", "mine-smoke-tau")
    words = re.findall(r">([^<>]+)</text>", tau.svg)
    assert {"trec@50", "cr", "tau (method.temperature)", "0.1", "0.5", "macro-F1", "accuracy"} <= set(words)
    assert "bands are one standard deviation" in tau.caption
    assert "FillBetweenPolyCollection" in tau.svg
    assert WHITE not in tau.svg
    # The values of a row stand in ascending order, whatever the plan's.
    assert "method.mu" not in mu.svg


def test_a_point_that_lacks_a_seed_is_hollow() -> None:
    def missing(job: Job) -> bool:
        return (job.row, job.x, job.seed, job.column) == ("mu", 1.0, 2, "cr")

    mu, tau = drawn(missing)
    assert mu.svg.count(WHITE) == 1
    assert "Hollow points lack seeds. Scale smoke: minilm, 2 to 3 seeds. Some seeds are missing." in mu.caption
    assert "Hollow" not in tau.caption


def test_one_seed_has_no_band() -> None:
    mu, _ = drawn(seeds=1)
    assert "bands" not in mu.caption


def test_a_column_without_runs_takes_no_room() -> None:
    (mu,) = drawn(lambda job: job.column == "cr" or job.row == "tau")
    assert ">cr<" not in mu.svg
    assert 'viewBox="0 0 244.8 ' in mu.svg  # one printed column
