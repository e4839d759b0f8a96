"""What a person reads while something is counted."""

import io

import pytest
from rich.console import Console

from sharprecl.cli import counter as module
from sharprecl.cli.counter import counter


def test_without_a_terminal_there_is_a_line_every_ten_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(module.time, "monotonic", lambda: now)
    stream = io.StringIO()
    with counter(Console(file=stream), "[b]augmenting", "texts") as count:
        for now, done in ((0.0, 300), (0.5, 400), (5.0, 490), (10.5, 600), (11.0, 700), (20.5, 800)):  # noqa: B007
            count(done, 2000)
    assert stream.getvalue().splitlines() == [
        "[b]augmenting 600/2000 20 texts/s, 1:10 left",  # what the cache had in the beginning says nothing of the pace
        "[b]augmenting 800/2000 20 texts/s, 1:00 left",
    ]


def test_what_is_loaded_before_the_first_batch_does_not_slow_the_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(module.time, "monotonic", lambda: now)
    stream = io.StringIO()
    with counter(Console(file=stream), "augmenting", "texts") as count:
        for now, done in ((0.0, 0), (60.0, 16), (61.0, 80), (71.0, 720)):  # noqa: B007
            count(done, 2000)
    assert stream.getvalue().splitlines() == [
        "augmenting 16/2000 texts",
        "augmenting 720/2000 64 texts/s, 0:20 left",
    ]


def test_on_a_terminal_there_is_a_bar_that_goes_away() -> None:
    stream = io.StringIO()
    with counter(Console(file=stream, force_terminal=True, width=100), "augmenting", "texts") as count:
        count(3, 40)
        count(40, 40)
    assert "augmenting" in stream.getvalue()
    assert "40/40" in stream.getvalue()
    assert stream.getvalue().endswith("\x1b[1A\x1b[2K"), "the line is taken back"


def test_an_error_inside_leaves_no_bar_behind() -> None:
    stream = io.StringIO()
    with pytest.raises(ZeroDivisionError), counter(Console(file=stream, force_terminal=True), "x", "y"):
        raise ZeroDivisionError
    assert "\x1b[?25h" in stream.getvalue(), "the cursor is shown again"
