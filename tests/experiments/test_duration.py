"""Spans of time, read and written."""

import pytest

from sharprecl.errors import ConfigError
from sharprecl.experiments.duration import format_duration, parse_duration


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
