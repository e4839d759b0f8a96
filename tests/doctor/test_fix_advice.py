"""A fix is recommended where it mends something, and nowhere else: advice that does nothing is not given."""

import json
from pathlib import Path
from typing import Any

import pytest

from diagnoses import data, duplicates, loaded
from doctor_files import Row, clean_rows, write
from sharprecl.data.tables import read_table
from sharprecl.doctor.diagnosis import Diagnosis
from sharprecl.doctor.examine import examine
from sharprecl.doctor.fix import fix
from sharprecl.doctor.issues.base import Data
from sharprecl.doctor.issues.duplicates import Duplicates

pytestmark = pytest.mark.asset
GOOD = clean_rows(12)
TEXT, LABEL = GOOD[0]
OTHER = "access" if LABEL != "access" else "billing"
CASES: dict[str, tuple[list[Row], bool]] = {
    "nothing": ([], False),
    "the same text and label": ([(f" {TEXT}\u00a0", LABEL)], True),
    "a text that is equal to the doctor alone": ([(TEXT.upper(), LABEL)], False),
    "a nearly equal text": ([(f"{TEXT} again", LABEL)], False),
    "two labels": ([(f"{TEXT}!", OTHER)], True),
    "two spellings of one label": ([(f"{TEXT}!", LABEL.title())], True),
    "no text": ([("", LABEL)], True),
    "no label": ([("some words", "")], True),
    "the header": ([("body", "queue")], True),
}


def examined(path: Path, **options: Any) -> Diagnosis:
    return examine(path, "body", "queue", **options)


def cures(found: Diagnosis) -> str:
    return " ".join(finding.cure for finding in found.findings)


@pytest.mark.parametrize("case", CASES)
def test_a_fix_is_recommended_where_it_changes_something(case: str, tmp_path: Path) -> None:
    rows, mended = CASES[case]
    path = write(tmp_path / "tickets.csv", GOOD + rows)
    found = examined(path)
    done = fix(path, tmp_path / "cleaned.csv", "body", "queue")
    assert bool(found.recommendation.first) == mended == bool(done.counts)
    assert ("cleaned" in found.recommendation.command) == mended
    assert ("--fix" in cures(found)) <= mended
    left = examined(Path(done.output))
    assert left.recommendation.first == "", "one fix is enough"
    assert "--fix" not in cures(left)


def test_what_only_the_test_file_contradicts_is_not_for_a_fix(tmp_path: Path) -> None:
    path = write(tmp_path / "tickets.csv", GOOD)
    found = examined(path, test=write(tmp_path / "test.csv", [(TEXT, OTHER), ("some other words", LABEL)]))
    assert found[Duplicates].figures.conflicts == 1
    assert found.recommendation.first == ""
    assert "--fix" not in cures(found)


def test_no_fix_where_none_can_be_had(tmp_path: Path) -> None:
    rows = [*GOOD, GOOD[0], (GOOD[1][0], "other"), (GOOD[2][0], "other ")]
    table = read_table(write(tmp_path / "tickets.csv", rows), "body", "queue")
    found = examine(table, name="mine")
    assert found.recommendation.first == ""
    assert "--fix" not in cures(found)
    lines = [{"body": text, "queue": label, "augmented_from": None} for text, label in rows]
    lines.append({"body": "a copy of it", "queue": rows[5][1], "augmented_from": 6})
    copies = tmp_path / "copies.jsonl"
    copies.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = examined(copies)
    assert found.recommendation.first == ""
    assert "--fix" not in cures(found)


def test_the_cure_of_repeats_says_how_many_a_fix_takes_out() -> None:
    given = data({"a": 100, "b": 20})
    (repeats,) = [
        finding for finding in Duplicates(given, duplicates(conflicts=0)).findings() if "repeat" in finding.sentence
    ]
    assert "(sharprecl doctor --fix takes out 2 with one label and the same letters)" in repeats.cure
    figures = duplicates(conflicts=0, exact_train=0, near_train=0, exact_test=3, identical_train=0)
    tested = Data(given.train, test=loaded(given.train.table), text="body")
    (repeats,) = Duplicates(tested, figures).findings()
    assert (repeats.sentence.partition(" repeat")[0], repeats.cure) == ("3 test texts", "")
