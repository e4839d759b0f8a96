"""The whole of what was found: in its order, in a line, and as JSON."""

import io
import json
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from rich.console import Console

from diagnoses import BLANK, COUNTS, data, diagnosis, label_errors
from sharprecl.data.messages import excerpt
from sharprecl.doctor.issues.base import Data, Finding, Issue
from sharprecl.doctor.issues.display import Column, Section, percent
from sharprecl.doctor.issues.duplicates import Duplicates
from sharprecl.doctor.issues.label_errors import LabelErrors
from sharprecl.doctor.page import write_page
from sharprecl.doctor.terminal import show


def test_headline_and_verdict() -> None:
    found = diagnosis()
    assert found.headline == "tickets.csv: 472 of 475 rows usable, 5 classes"
    assert found.verdict == "1 problem, 7 warnings"
    clean = diagnosis(usable=475, issues=())
    assert (clean.headline, clean.verdict) == ("tickets.csv: 475 rows, 5 classes", "nothing to mend")


def test_findings_go_by_their_severity_and_then_by_the_order_of_the_issues() -> None:
    severities = ("note", "problem", "warning", "problem")
    found = diagnosis(findings=tuple(Finding(kind, "x", str(place)) for place, kind in enumerate(severities)))
    assert [one.sentence for one in found.findings[:3]] == ["1", "3", "2"]
    assert next(one.sentence for one in found.findings if one.severity == "note") == "0"


def test_what_was_found_of_one_kind() -> None:
    found = diagnosis(errors=label_errors())
    assert found[Duplicates].figures.exact_train == 2
    assert found[LabelErrors].figures == label_errors()
    assert len(found.sections) == 5


def test_json_has_the_figures_of_each_issue_under_its_key() -> None:
    found = json.loads(json.dumps(diagnosis().to_json()))
    assert list(found) == [
        "name", "rows", "usable", "findings", "distribution", "batches", "duplicates", "texts", "label_errors",
        "recommendation", "seconds",
    ]  # fmt: skip
    assert found["findings"][0] == {
        "severity": "problem", "about": "rows", "sentence": BLANK.sentence, "cure": "fill in or delete", "rows": [1]
    }  # fmt: skip
    assert found["distribution"]["counts"] == COUNTS
    assert found["duplicates"]["groups"][0]["rows"] == [3, 9]
    assert found["label_errors"] is None
    assert list(found["recommendation"]) == ["command", "reasons", "first", "first_reasons"]


def test_columns_of_the_table_of_classes() -> None:
    def row(found) -> list[str | None]:
        return [None if (value := column.value("other")) is None else column.page(value) for column in found.columns]

    assert row(diagnosis(errors=label_errors())) == ["1", None, "100.0", "0.0", "1"]
    assert row(diagnosis(data(COUNTS, {"billing": 3}))) == ["1", "0", "100.0", None]


@dataclass(frozen=True)
class Lengths:
    shortest: int


class ShortTexts(Issue):
    """An issue that nothing but the list of issues knows."""

    key = "short_texts"

    @staticmethod
    def find(data: Data) -> Lengths:
        return Lengths(min(map(len, data.train.table.texts)))

    def findings(self) -> list[Finding]:
        return [Finding("warning", "texts", f"the shortest text has {self.figures.shortest} letters")]

    def section(self) -> Section:
        return Section("Short texts", [("letters", "4")], columns=[Column("Shortest", {"other": 4}, None)])


def test_a_new_kind_of_issue_is_shown_everywhere(tmp_path: Path) -> None:
    found = diagnosis()
    found = replace(found, issues=(*found.issues, ShortTexts(data(), ShortTexts.find(data()))))
    stream = io.StringIO()
    show(Console(file=stream, width=80), found)
    write_page(found, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    for shown in (stream.getvalue(), page):
        assert "the shortest text has 4 letters" in shown
        assert "Short texts" in shown
        assert "Shortest" in shown
    assert found.to_json()["short_texts"] == {"shortest": 4}


@pytest.mark.parametrize(
    ("share", "words"),
    [(0, "0.0 %"), (1e-6, "under 0.1 %"), (0.0005, "0.1 %"), (0.123, "12.3 %"), (1, "100.0 %")],
)
def test_percent(share: float, words: str) -> None:
    assert percent(share) == words


def test_excerpt() -> None:
    assert excerpt(" one\n two ") == "one two"
    assert excerpt("x" * 160) == "x" * 160
    assert excerpt("x" * 161) == "x" * 159 + "…"
    assert excerpt("x" + " " * 10**7 + "y") == "x…"
