"""Spans of time, read and written; what is expected of a run follows from the runs that are most like it."""

from dataclasses import replace

import pytest

from sharprecl.errors import ConfigError
from sharprecl.experiments.duration import DurationEstimate, format_duration, parse_duration
from tiny_experiment import record, spec

HERE = {"workers": 2, "threads": 1, "hardware": "2 cores (cpu)"}


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), ("90s", 90), ("10m", 600), ("1h30m", 5400), ("1.5h", 5400), (" 2M ", 120), ("1h0m5s", 3605)],
)
def test_read(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "0", "ten", "-5m", "5 m", "10m1h", "1.2.3s", "10d", "m"])
def test_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="write it like 90s, 10m or 1h30m"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.84, "0.8 s"), (9.96, "10 s"), (59.4, "59 s"), (59.6, "1:00 min"), (187, "3:07 min"), (7500, "2:05 h")],
)
def test_written(seconds: float, words: str) -> None:
    assert format_duration(seconds) == words


def taking(seconds: float, method: str = "bcl", ir: float = 50.0, **place: object):
    made = record(spec=spec(method=method, ir=ir))
    return replace(made, environment={**made.environment, "wall_seconds": seconds, **place})


def test_the_most_alike_count() -> None:
    pace = DurationEstimate(HERE, [taking(10), taking(20), taking(60, "sharprecl"), taking(100, ir=10)])
    assert pace.expected(spec(3, "bcl")) == 15
    assert pace.expected(spec(3, "sharprecl")) == 60
    assert pace.expected(spec(3, "dice")) == 30  # all on the same data
    assert pace.expected(spec(3, "dice", ir=20)) == 47.5  # all


def test_it_learns() -> None:
    pace = DurationEstimate(HERE)
    assert pace.expected(spec()) is None
    pace.learn(taking(10, "cross_entropy"))
    pace.learn(taking(30, "cross_entropy"))
    assert pace.expected(spec()) == 20


def test_runs_of_another_machine_or_scale_say_nothing() -> None:
    pace = DurationEstimate(HERE, [taking(1, hardware="NVIDIA H200"), taking(2, workers=8)])
    assert pace.expected(spec(method="bcl")) is None
    pace.learn(taking(5))
    longer = spec(method="bcl")
    longer.settings["training"] = {"max_epochs": 100}
    assert pace.expected(longer) is None


def test_a_guess_counts_until_a_run_like_it_is_finished() -> None:
    pace = DurationEstimate(HERE)
    pace.guess(spec(method="bcl"), 40.0)
    assert (pace.expected(spec(3, "bcl")), pace.expected(spec(3, "dice"))) == (40, 40)
    pace.learn(taking(20, "dice"))
    assert (pace.expected(spec(3, "bcl")), pace.expected(spec(3, "dice"))) == (40, 20)
    pace.learn(taking(30, "bcl"))
    assert pace.expected(spec(3, "bcl")) == 30
