"""Our copy of the known answers is the specification's, number for number, where that is at hand."""

import json
import os
from pathlib import Path

import pytest

from known import CASES


def test_copy_equals_the_specification():
    mirror = os.environ.get("SHARPRECL_MIRROR")
    if not mirror:
        pytest.skip("SHARPRECL_MIRROR is not set, so there is no specification to compare with")
    source = Path(mirror) / ".." / ".." / "specs" / "known_answers.json"
    if not source.exists():
        pytest.skip("the mirror holds no specification")
    cases = json.loads(source.read_text(encoding="utf-8"))["cases"]
    assert len(CASES) >= 9
    for name, case in CASES.items():
        assert case == {field: cases[name][field] for field in case}
