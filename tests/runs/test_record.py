"""What a run is called by, and its way through JSON."""

import pytest

from sharprecl.runs.record import Failure, RunRecord, measure
from sharprecl.runs.spec import RunSpec
from tiny_experiment import record, spec


def test_a_run_keeps_its_hash_for_good() -> None:
    # Of the code that made the first committed runs. Another value would have every run made anew.
    asked = RunSpec("trec", 50.0, None, None, {"method": {"name": "dice"}}, 0)
    assert asked.hash == "f85f79e72abb9fb618400ee553d0bbc81926c47b3d691dcd37599d18f6b4786b"


@pytest.mark.parametrize("encoding", [None, "cp1252"])
def test_there_and_back(encoding: str | None) -> None:
    asked = spec(encoding=encoding)
    run, failure = record(spec=asked), Failure(asked, "d", "c", "ValueError: no")
    assert RunSpec.from_json(asked.to_json()) == asked
    assert RunRecord.from_json(run.to_json()) == run
    assert Failure.from_json(failure.to_json()) == failure
    for values in (asked.to_json(), run.to_json()["spec"], failure.to_json()["spec"]):
        assert values.get("encoding") == encoding
        assert ("encoding" in values) == (encoding is not None)


def test_an_encoding_is_part_of_what_is_asked_for() -> None:
    assert spec(encoding="cp1252").hash != spec().hash


def test_by_hand() -> None:
    # Class 0: 2 right of 3, nothing wrongly given. Class 1: 1 of 2, one false positive. Class 2: not answered.
    metrics, f1 = measure((0, 0, 0, 1, 1, 2), (0, 0, 1, 1, 0, -1), (150, 30, 3))
    assert f1 == pytest.approx((2 * 2 / (2 * 2 + 1 + 1), 2 / (2 + 1 + 1), 0.0))
    assert metrics["accuracy"] == pytest.approx(3 / 6)
    assert metrics["macro_f1"] == pytest.approx(sum(f1) / 3)
    assert metrics["balanced_accuracy"] == pytest.approx((2 / 3 + 1 / 2 + 0) / 3)
    assert [metrics[name] for name in ("head", "medium", "tail")] == pytest.approx(list(f1))


def test_a_band_without_classes_has_no_figure() -> None:
    metrics, _ = measure((0, 1), (0, 1), (150, 200))
    assert metrics["head"] == 1.0
    assert metrics["medium"] is None
    assert metrics["tail"] is None
