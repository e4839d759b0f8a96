"""What is expected of a run follows from the runs that are most like it."""

from dataclasses import replace

from sharprecl.experiments.duration_estimate import DurationEstimate
from tiny_experiment import record, spec

HERE = {"workers": 2, "threads": 1, "hardware": "2 cores (cpu)"}


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
