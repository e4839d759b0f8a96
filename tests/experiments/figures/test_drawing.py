"""What all figures have in common: readable in print, signs that differ, the same bytes each time."""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from made_up_runs import made_up_plan, made_up_records
from sharprecl.experiments.figures import figures_of
from sharprecl.experiments.figures.drawing import PAGE, Drawing, save, signs, size_of
from sharprecl.experiments.results import make_table
from sharprecl.report.svg import GRID, INK

SKILLS = {"cross_entropy": 0.6, "bcl": 0.7, "sharprecl": 0.8}
PNG_START = b"\x89PNG\r\n"


def drawn() -> Iterator[Drawing]:
    plan = made_up_plan(columns=["trec@50", "cr", "r52"])
    return figures_of(make_table(plan, made_up_records(plan, SKILLS), "smoke"), {})


@pytest.fixture(scope="module")
def figures() -> list[Drawing]:
    return list(drawn())


def test_every_figure_is_readable_in_print(figures: list[Drawing]) -> None:
    assert len(figures) == 5  # ranks, cost, and three of frequency
    for figure in figures:
        width, height = (float(size) / 72 for size in re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', figure.svg)[0])
        assert width <= 7
        assert height <= 9.4
        # The unit of the drawing is a point.
        sizes = [
            float(plain or bold)
            for plain, bold in re.findall(r"font-size: ([\d.]+)px|font: (?:\w+ )*([\d.]+)px", figure.svg)
        ]
        assert len(sizes) > 5
        assert min(sizes) >= 7


def test_equal_figures_give_equal_bytes(figures: list[Drawing]) -> None:
    again = list(islice(drawn(), 2))
    assert again == figures[:2]
    for first, second in zip(figures, again, strict=False):
        assert second.png() == first.png()
        assert "date" not in first.svg
        assert b"Software" not in first.png()


def test_the_scale_stands_on_every_figure_and_in_every_caption(figures: list[Drawing]) -> None:
    for figure in figures:
        assert "(scale smoke)" in figure.svg
        assert "Scale smoke: minilm, 3 seeds." in figure.caption
        assert "-smoke-" in figure.name
        # A page says the title by itself, in its own type; only for readers that cannot see is it repeated.
        assert figure.inline.svg.count("(scale smoke)") == 1


def test_no_stand_in_colour_is_left(figures: list[Drawing]) -> None:
    for figure in figures:
        assert not any(colour in text for colour in (INK, GRID) for text in (figure.svg, figure.inline.svg))
        assert "currentColor" in figure.inline.svg
        assert "currentColor" not in figure.svg


def test_ids_of_two_figures_do_not_meet(figures: list[Drawing]) -> None:
    ids = [name for figure in figures for name in set(re.findall(r' id="([^"]+)"', figure.inline.svg))]
    assert len(ids) == len(set(ids))


def test_files_are_an_svg_and_a_png(figures: list[Drawing], tmp_path: Path) -> None:
    svg, png = save(figures[0], tmp_path / "new")
    assert (svg.name, png.name) == ("mine-smoke-ranks.svg", "mine-smoke-ranks.png")
    assert svg.read_text("utf-8") == figures[0].svg
    assert png.read_bytes().startswith(PNG_START)
    assert "@" not in "".join(figure.name for figure in figures)


def test_no_two_methods_look_alike() -> None:
    names = [f"m{place}" for place in range(42)]
    found = signs([*names, "mine"], "mine")
    assert len({(sign.colour, sign.marker) for sign in found.values()}) == 43
    assert list(found) == [*names, "mine"]
    assert found["mine"].marker == "*"
    # Without one that stands out, nothing is starred.
    assert all(sign.marker != "*" for sign in signs(names, None).values())


def test_a_sheet_of_many_panels_still_fits_a_page() -> None:
    assert size_of(1, 2.0) == (3.4, 2.3)
    assert size_of(4, 2.0) == (7.0, 4.3)
    assert size_of(18, 2.0) == (7.0, PAGE)
