"""The comparison table at terminal widths of 80 and 120."""

import io

import pytest
from rich.console import Console

from sharprecl.evaluation.judge import evaluate
from sharprecl.evaluation.table import comparison_table

TRUE = [0] * 40 + [1] * 10
GOOD, BAD = [*TRUE[:-2], 0, 0], [0] * 50
ROWS = {
    "SharpReCL": evaluate(TRUE, GOOD, [500, 15], ["a", "b"]),
    "a|b [bold]": evaluate(TRUE, BAD, [500, 15], ["a", "b"]),
}


def printed(width):
    console = Console(file=io.StringIO(), width=width, force_terminal=False)
    console.print(comparison_table(ROWS))
    return console.file.getvalue()


@pytest.mark.parametrize("width", [80, 120])
def test_terminal_shows_every_figure_whole(width):
    text = printed(width)
    assert max(map(len, text.splitlines())) <= width
    assert "SharpReCL" in text
    assert "a|b [bold]" in text  # a name is never read as markup
    assert "on 50 test texts. Macro-F1 within head (over 100 training texts: 1 class" in " ".join(text.split())
    for low, high in ROWS["SharpReCL"].intervals.values():
        assert f"{100 * low:.1f}\u2013{100 * high:.1f}".replace("100.0", "100") in text


def test_the_terminal_leaves_out_bands_without_classes():
    text = printed(80)
    assert "Head F1" in text
    assert "Medium F1" not in text
    rows = {"balanced_softmax": evaluate(TRUE, TRUE, [500, 15], ["a", "b"])}
    console = Console(file=io.StringIO(), width=80, force_terminal=False)
    console.print(comparison_table(rows))
    text = console.file.getvalue()
    assert "balanced_softmax" in text  # on one line, though every interval is as long as can be
    assert text.count("100\u2013100") == 5
