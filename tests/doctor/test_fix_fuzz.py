"""Hostile tables: a fix is one sentence or whole, and no row is dropped or changed without an entry in the list.

By hand, with 2,000 tables: ``HYPOTHESIS_PROFILE=many pytest tests/doctor/test_fix_fuzz.py``.
"""

import json
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from sharprecl.data.checks import plain
from sharprecl.data.dialect import RECOGNISED
from sharprecl.data.raw_table import RawTable
from sharprecl.data.sources import open_table
from sharprecl.doctor import cleaning
from sharprecl.doctor.cleaning import ASIDE, DECIDED, GONE, MERGED, SPELLED
from sharprecl.doctor.fix import Fixed, fix, paths_of
from sharprecl.doctor.issues.base import LoadedTable
from sharprecl.doctor.issues.label_errors import Suspect
from sharprecl.errors import SharpReCLError

WORDS = (
    "refund",
    "login",
    "Card",
    "café",
    "cafe\u0301",
    "=1+1",
    "-",
    "'x",
    '"',
    ",",
    ";",
    "\t",
    "|",
    "a\nb",
    "\r",
    "12",
    "m1e5",
)
texts = st.one_of(
    st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join),
    st.sampled_from(
        ["", " ", "text", "refund", " refund", "refund\u00a0", "REFUND!", "\u200b", "\ufeff", "x" * 120_000]
    ),
    st.text(max_size=8),
)
labels = st.sampled_from(
    ["a", "a", "b", "b", "A", "a ", "\u0430", "", "label", "keep", "class:x", "1", "1.0", "a\u200b", "ß"]
)
others = st.one_of(st.sampled_from(["", "007", "1", "=x", "text", '"q"']), st.text(max_size=4))
rows = st.lists(st.tuples(texts, labels, others), min_size=1, max_size=25)
loose = st.one_of(
    labels, st.none(), st.integers(0, 2), st.booleans(), st.just(1.0), st.just(float("nan")), st.just([1])
)


def quoted(field: str) -> str:
    return '"' + field.replace('"', '""') + '"'


@st.composite
def files(draw: st.DrawFn) -> tuple[str, bytes]:
    """The ending and the bytes of a file, broken in one way or another now and then."""
    ending = draw(st.sampled_from([".csv", ".csv", ".tsv", ".jsonl", ".parquet", ".xlsx"]))
    found = draw(rows)
    if ending == ".jsonl":
        odd = draw(
            st.lists(st.tuples(st.one_of(texts, st.none(), st.just("a\ud83d"), st.integers()), loose), max_size=4)
        )
        objects: list[dict[str, Any]] = [dict(zip(("text", "label", "id"), row, strict=True)) for row in found]
        objects += [{"text": text, "label": label, "more": {"deep": [None]}} for text, label in odd]
        return ending, "\n".join(map(json.dumps, objects)).encode("utf-8", "surrogatepass")
    if ending in (".parquet", ".xlsx"):
        columns = zip(*[tuple(part.encode("utf-8", "replace").decode() for part in row) for row in found], strict=True)
        frame = pl.DataFrame(dict(zip(("text", "label", "id"), map(list, columns), strict=True)))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"x{ending}"
            try:
                frame.write_parquet(path) if ending == ".parquet" else frame.write_excel(path)
            except Exception:  # what the writer cannot write is no case
                frame[:1].select(pl.lit("x").alias("text"), pl.lit("a").alias("label")).write_parquet(path)
            return ending, path.read_bytes()
    sign = draw(st.sampled_from([",", ";", "\t", "|"]))
    header = draw(st.sampled_from([("text", "label", "id"), ("text", "label", ""), ("id", "label", "text")]))
    order = (2, 1, 0) if header[0] == "id" else (0, 1, 2)
    lines = [sign.join(quoted(part) for part in header)]
    lines += [sign.join(quoted(row[place]) for place in order) for row in found]
    words = draw(st.sampled_from(["\n", "\r\n"])).join(lines)
    encoding = draw(st.sampled_from(["utf-8", "utf-8", "utf-8-sig", "utf-16", "cp1252"]))
    data = words.encode(encoding, "replace")
    cut = draw(st.one_of(st.none(), st.none(), st.none(), st.integers(0, len(data))))
    return ending, data[:cut]


@settings(suppress_health_check=list(HealthCheck))
@given(
    files(),
    st.sampled_from([None, 2, 3]),
    st.sampled_from([".csv", ".tsv", ".jsonl", ".parquet", ".xlsx"]),
    st.sampled_from(["drop", "keep", "a", "A"]),
)
def test_a_hostile_table_is_fixed_whole_or_refused_in_a_sentence(
    file: tuple[str, bytes], doubted: int | None, output: str, decision: str
) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        if doubted is not None:
            patch.setattr(cleaning, "all_suspects", partial(doubts, doubted))
        source = Path(folder) / f"source{file[0]}"
        source.write_bytes(file[1])
        target = Path(folder) / "out" / f"cleaned{output}"
        try:
            first = fix(source, target)
        except SharpReCLError as error:
            sentence = str(error)
            event(f"refused: {sentence.rpartition('source' + file[0])[2][:30]}")
            assert "\n" not in sentence
            assert not target.parent.exists() or not list(target.parent.iterdir())
            return
        finally:
            assert source.read_bytes() == file[1]
        told(source, first)
        for what in first.counts:
            event(what)
        before = [path.read_bytes() for path in paths_of(target) if path.exists() and path.suffix != ".xlsx"]
        again = fix(source, target, overwrite=True)
        assert again == first
        assert before == [path.read_bytes() for path in paths_of(target) if path.exists() and path.suffix != ".xlsx"]
        if not first.review:
            return
        review = open_table(first.review, "text", "label", RECOGNISED)
        lines = [{**record, "decision": decision} for record in review.records()]
        filled = Path(folder) / "review.jsonl"
        filled.write_text("".join(json.dumps(line) + "\n" for line in lines))
        try:
            done = fix(source, Path(folder) / "done" / target.name, review=filled)
        except SharpReCLError as error:
            sentence = str(error)
            assert "is no class of the file" in sentence
            assert decision in "aA"
            return
        told(source, done)
        assert (done.for_review, done.review) == (0, "")
        assert done.rows == first.rows
        if decision == "keep":
            assert done.cleaned == first.cleaned + first.for_review


def doubts(share: int, file: LoadedTable, *_: Any) -> tuple[int, tuple[Suspect, ...]]:
    """Accuses every second or third row: so small tables give the model of words no reason to."""
    table = file.table
    found = [(int(row), table.label_names[label]) for row, label in zip(file.rows, table.label_ids, strict=True)]
    return len(found), tuple(
        Suspect(row, name, "b", 0.9, 0.1, row % 2 == 0, "") for row, name in found if not row % share
    )


def told(source: Path, fixed: Fixed) -> None:
    """Every row of the source is in the cleaned file as it was, but for what the list of changes says."""
    raw = open_table(source, "text", "label", RECOGNISED)
    assert fixed.rows == raw.size == fixed.cleaned + fixed.taken_out + fixed.for_review
    gone: list[int] = []
    names = [str(value) for value in plain(raw.column("label"))]
    if fixed.counts:
        listed = open_table(fixed.changes, "text", "label", RECOGNISED)
        for row, what, after in zip(*(map(str, listed.column(name)) for name in ("row", "what", "after")), strict=True):
            if what in (MERGED, DECIDED):
                names[int(row) - 1] = bare(after)
            elif what != SPELLED:
                assert what in (*GONE, *ASIDE)
                gone.append(int(row) - 1)
    assert len(set(gone)) == len(gone) == fixed.rows - fixed.cleaned
    kept = [row for row in range(raw.size) if row not in gone]
    assert [bare(names[row]) for row in kept] == [bare(value) for value in column(fixed, "label", len(kept))]
    for name in raw.names:
        if name != "label":
            values = plain(raw.column(name))
            assert [spelled(values[row]) for row in kept] == [
                spelled(value) for value in column(fixed, name, len(kept))
            ]


def column(fixed: Fixed, name: str, size: int) -> list[Any]:
    if not size:
        return []
    cleaned: RawTable = open_table(fixed.output, "text", "label", RECOGNISED)
    return plain(cleaned.column(name))


def spelled(value: Any) -> str:
    if isinstance(value, list | dict):
        return json.dumps(value)
    return "" if value is None else str(value)


def bare(value: Any) -> str:
    """Without the apostrophe before what a spreadsheet would run, and with the sign that stands for NUL."""
    return str(value).removeprefix("'").replace("\0", "␀")
