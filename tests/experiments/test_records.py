"""What a run is called by, and its way through JSON."""

import pytest

from sharprecl.experiments.records import RunRecord, RunSpec
from sharprecl.experiments.run_folder import Failure
from tiny_experiment import record, spec


def test_a_run_keeps_its_hash_for_good() -> None:
    # Of the code that made the first committed runs. Another value would have every run made anew.
    asked = RunSpec("trec", 50.0, None, None, {"method": {"name": "dice"}}, 0)
    assert asked.hash == "f85f79e72abb9fb618400ee553d0bbc81926c47b3d691dcd37599d18f6b4786b"


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_there_and_back(encoding: str) -> None:
    asked = spec(encoding=encoding)
    run, failure = record(spec=asked), Failure(asked, "d", "c", "ValueError: no")
    assert RunSpec.from_json(asked.to_json()) == asked
    assert RunRecord.from_json(run.to_json()) == run
    assert Failure.from_json(failure.to_json()) == failure
    for values in (asked.to_json(), run.to_json()["spec"], failure.to_json()["spec"]):
        assert values.get("encoding", "utf-8") == encoding
        assert ("encoding" in values) == (encoding != "utf-8")


def test_an_encoding_is_part_of_what_is_asked_for() -> None:
    assert spec(encoding="cp1252").hash != spec().hash
