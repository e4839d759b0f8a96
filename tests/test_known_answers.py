"""Our copy of the known answers is the specification's, number for number, where that is at hand."""

import json
import os
from pathlib import Path

import pytest

from known import CASES, NO_SYNTHETIC


def test_copy_equals_the_specification():
    mirror = os.environ.get("SHARPRECL_MIRROR")
    if not mirror:
        pytest.skip("SHARPRECL_MIRROR is not set, so there is no specification to compare with")
    source = Path(mirror) / ".." / ".." / "specs" / "known_answers.json"
    if not source.exists():
        pytest.skip("the mirror holds no specification")
    cases = json.loads(source.read_text(encoding="utf-8"))["cases"]
    assert CASES.keys() == cases.keys()
    for name, case in CASES.items():
        assert case == {field: cases[name][field] for field in case}


@pytest.mark.parametrize("case", CASES)
def test_every_case_is_named_by_a_test(case):
    tests = [path for path in Path(__file__).parent.rglob("test_*.py") if path.name != Path(__file__).name]
    # tests/known.py gives the longest name a short one.
    names = (f'"{case}"', "NO_SYNTHETIC") if case == NO_SYNTHETIC else (f'"{case}"',)
    naming = [path.name for path in tests if any(name in path.read_text(encoding="utf-8") for name in names)]
    assert naming, f"no test names the known answer {case}"


def test_there_are_29_of_them():
    assert len(CASES) == 29
