"""Progress in stages: lines in a pipe, a bar on a terminal, and no word of a stage taken as markup."""

import io

from rich.console import Console

from sharprecl.cli import stages as module
from sharprecl.cli.stages import stages


def test_a_pipe_gets_a_line_for_each_stage_and_one_now_and_then(monkeypatch) -> None:
    clock = iter([0.0, 1.0, 9.0, 12.0, 13.0])
    monkeypatch.setattr(module.time, "monotonic", lambda: next(clock))
    stream = io.StringIO()
    with stages(Console(file=stream)) as tell:
        tell("reading [/x]", 0, 1)
        tell("near duplicates", 0, 2000)
        tell("near duplicates", 1500, 2000)
        tell("near duplicates", 1600, 2000)
        tell("label errors", 0, 5)
    assert stream.getvalue().splitlines() == [
        "reading [/x]",
        "near duplicates",
        "near duplicates: 1,600 of 2,000",
        "label errors",
    ]


def test_a_terminal_gets_a_bar_that_goes_away() -> None:
    stream = io.StringIO()
    with stages(Console(file=stream, force_terminal=True, width=80)) as tell:
        tell("reading [/x]", 0, 1)
        tell("near duplicates", 5, 10)
    assert "near duplicates" in stream.getvalue()
    assert "5/10" in stream.getvalue()
