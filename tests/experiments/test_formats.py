"""Tables as text: what is bold, what is escaped, what a reader of each format gets."""

import csv
import io
import re
from html.parser import HTMLParser

import pytest

from made_up_runs import made_up_plan, made_up_records
from sharprecl.data.messages import signed
from sharprecl.errors import ConfigError
from sharprecl.experiments.document import Document, Entry, Sheet, probability
from sharprecl.experiments.formats import FORMATS, check_format, write_document
from sharprecl.experiments.recipe import Provenance, Recipe
from sharprecl.experiments.tables import make_document

NASTY = "a_b & <i>50 % of {#1} \\ | [x] *y* `z` ~^$ ε ± 'q' \"r\""


def _document(name: str, words: str = NASTY) -> Document:
    row = (
        Entry(words),
        Entry("84.1", "0.5", best=True, marks=("*", "2/3")),
        Entry("83.0", runner_up=True, difference="+1.7"),
    )
    sheet = Sheet(words, ("Row", words, "cr"), (row,), (words,), aside=(words,))
    return Document(words, (words,), (sheet,), (words,), (), Provenance(Recipe("mine", "small"), name, "f"), (words,))


@pytest.fixture(scope="module")
def made_up() -> Document:
    plan = made_up_plan()
    records = made_up_records(plan, {"cross_entropy": 0.7, "bcl": 0.8, "sharprecl": 0.9})
    return make_document(plan, records, Recipe("mine", "smoke"))


@pytest.mark.parametrize("name", FORMATS)
def test_equal_documents_give_equal_bytes(name: str, made_up: Document) -> None:
    plan = made_up_plan()
    records = made_up_records(plan, {"sharprecl": 0.9, "bcl": 0.8, "cross_entropy": 0.7})
    records = type(records)(dict(reversed(records.runs.items())), dict(reversed(records.data.items())))
    again = make_document(plan, records, Recipe("mine", "smoke"))
    assert write_document(again.as_format(name)) == write_document(made_up.as_format(name))


def _words(document: Document) -> set[str]:
    text = write_document(document)
    return set(re.findall(r"\w+", "\n".join(line for line in text.splitlines() if "sharprecl" not in line)))


def test_seconds_are_shown_on_demand_only(made_up: Document) -> None:
    plan = made_up_plan()
    records = made_up_records(plan, {"cross_entropy": 0.7, "bcl": 0.8, "sharprecl": 0.9})
    timed = make_document(plan, records, Recipe("mine", "smoke", seconds=True))
    assert (timed.sheets[0].headings[-1], timed.sheets[0].rows[0][-1].text) == ("Seconds", "11")
    for name in FORMATS:
        assert not {"Seconds", "seconds"} & _words(made_up.as_format(name))
        assert {"Seconds", "seconds"} & _words(timed.as_format(name))


@pytest.mark.parametrize("name", ["markdown", "latex", "html"])
def test_a_plan_s_notes_stand_below_its_table(name: str) -> None:
    plan = made_up_plan(notes=["The texts are made up."])
    records = made_up_records(plan, {"cross_entropy": 0.7, "bcl": 0.8, "sharprecl": 0.9})
    text = write_document(make_document(plan, records, Recipe("mine", "smoke"), name))
    assert text.index("The texts are made up.") > text.index("bcl")
    nothing_run = make_document(plan, type(records)({}, {}), Recipe("mine", "smoke"), name)
    assert "made up" not in write_document(nothing_run)


def test_markdown() -> None:
    text = write_document(_document("markdown"))
    assert "**84.1** ± 0.5<sup>\\*</sup><sup>2/3</sup> | <ins>83.0</ins> (+1.7) |" in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in rows} == {4}
    assert "<i>" not in text.replace("\\<i\\>", "")
    assert "a_b" in text


def test_html_is_escaped_and_closed() -> None:
    text = write_document(_document("html"))
    assert "<strong>84.1</strong>" in text
    assert "<u>83.0</u> <small>(+1.7)</small>" in text
    assert "<i>" not in text
    seen: list[str] = []
    words: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            seen.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert seen.pop() == tag

        def handle_data(self, data: str) -> None:
            words.append(data)

    reader = Reader()
    reader.feed(text)
    reader.close()
    assert not seen
    assert words.count(NASTY) == 9


def test_latex_is_escaped_and_balanced() -> None:
    text = write_document(_document("latex"))
    body = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    assert r"\textbf{84.1} {\scriptsize $\pm$ 0.5}\textsuperscript{$*$}\textsuperscript{2/3} &" in body
    assert r"& \underline{83.0} {\scriptsize (+1.7)} \\" in body
    bare = re.sub(r"\\[&%$#_{}\\]", "", body.replace("!}{%", "!}{"))
    depth = 0
    for char in bare:
        depth += {"{": 1, "}": -1}.get(char, 0)
        assert depth >= 0
    assert depth == 0
    assert not set("#%~^<|") & set(bare.replace(r"\ifdim\width>\linewidth", ""))
    assert bare.count("$") % 2 == 0
    row = next(line for line in body.splitlines() if line.endswith(r"\\") and "84.1" in line)
    assert len(re.findall(r"(?<!\\)&", row)) == 2
    environments = re.findall(r"\\(begin|end)\{(\w+)\}", body)
    assert environments == [("begin", "table"), ("begin", "tabular"), ("end", "tabular"), ("end", "table")]


def test_csv_holds_every_number(made_up: Document) -> None:
    rows = list(csv.DictReader(io.StringIO(write_document(made_up.as_format("csv")))))
    assert {row["plan"] for row in rows} == {"mine"}

    def values(**wanted: str) -> list[dict[str, str]]:
        return [row for row in rows if wanted.items() <= row.items()]

    place = {"metric": "macro_f1", "row": "bcl", "column": "cr"}
    scores = [float(row["value"]) for row in values(part="run", **place)]
    (middle,) = [float(row["value"]) for row in values(part="cell", quantity="mean", **place)]
    assert len(scores) == 3
    assert middle == pytest.approx(sum(scores) / 3, abs=1e-11)
    best = values(part="cell", quantity="place", value="1", metric="accuracy")
    assert [row["row"] for row in best] == ["sharprecl", "sharprecl"]
    assert len(values(part="test", quantity="p")) == 4


def test_an_unknown_format() -> None:
    with pytest.raises(ConfigError, match="did you mean 'markdown'"):
        check_format("markdwn")


def test_words_for_numbers() -> None:
    assert [signed(value) for value in (0.34, -1.25, 0.0, -0.04)] == ["+0.3", "\u22121.2", "0.0", "0.0"]
    assert [probability(p) for p in (0.0321, 0.0009, 1.0)] == ["0.032", "< 0.001", "1.000"]
