"""Files of a browser: read in memory, answered in parts, given back as a .csv file."""

import asyncio
import io
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from sharprecl.data.sources import FileInMemory
from sharprecl.data.tables import Rows, read_rows
from sharprecl.decision.policy import NEUTRAL, Answers, Policy
from sharprecl.errors import DataError
from sharprecl.serving.page import uploads
from sharprecl.serving.page.uploads import answered, read_upload


def test_every_format_is_read(tmp_path: Path) -> None:
    frame = pl.DataFrame({"id": ["1", "2"], "text": ['a "b",\nc', "é"]})
    frame.write_csv(tmp_path / "x.csv")
    frame.write_csv(tmp_path / "x.tsv", separator="\t")
    frame.write_ndjson(tmp_path / "x.jsonl")
    frame.write_json(tmp_path / "x.json")
    frame.write_excel(tmp_path / "x.xlsx")
    for path in sorted(tmp_path.iterdir()):
        rows = read_upload(path.name, path.read_bytes(), None, "text", NEUTRAL)
        assert isinstance(rows, Rows)
        assert rows.texts == ('a "b",\nc', "é"), path.name
        assert rows.origin == path.name


def test_the_column_is_asked_for_where_it_is_not_clear() -> None:
    two = b"a,b\nx,y\n"
    assert read_upload("x.csv", two, None, "text", NEUTRAL) == ("a", "b")
    chosen, only, usual = (
        read_upload("x.csv", two, "b", "text", NEUTRAL),
        read_upload("x.csv", b"a\nx\n", None, "text", NEUTRAL),
        read_upload("x.csv", two, None, "a", NEUTRAL),
    )
    assert [rows.texts for rows in (chosen, only, usual) if isinstance(rows, Rows)] == [("y",), ("x",), ("x",)]


def bomb(told: int) -> bytes:
    """A workbook, as far as its table of contents goes, of 130 MB of zeros, whatever size is told."""
    file, size = io.BytesIO(), 130 * 2**20
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", bytes(size))
    return file.getvalue().replace(size.to_bytes(4, "little"), told.to_bytes(4, "little"))


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("x.parquet", b"PAR1", "the page takes .csv, .tsv, .xlsx"),
        ("x", b"a", "has the ending ''"),
        ("../../etc/passwd", b"a", "has the ending"),
        ("x.csv", b"", "is empty"),
        ("x.csv", b"PK\x03\x04", "is a zip archive"),
        ("x.csv", b'text\n"a\n', "the quote that opens in line 2 is never closed"),
        ("x.csv", b"text\n" + b"a\n" * 20_001, "20,001 rows, and the page takes 20,000"),
        ("x.csv", b"text,predicted\na,b\n", "already has the column\\(s\\) 'predicted'"),
        ("x.jsonl", b'{"text": "a", "b": "half \\ud83d"}\n', "half a character"),
        ("x.xlsx", b"PK\x03\x04", "is no workbook that can be read"),
        ("x.xlsx", b"PK\x05\x06" + bytes(18), "several sheets|nothing|no workbook"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(name: str, data: bytes, why: str) -> None:
    with pytest.raises(DataError, match=why):
        read_upload(name, data, None, "text", NEUTRAL)


@pytest.mark.parametrize("told", [130 * 2**20, 1000])
def test_a_workbook_that_fills_the_memory_is_not_unpacked(told: int) -> None:
    with pytest.raises(DataError, match="unpacks to more than 128 MB; answer it with 'sharprecl predict'"):
        read_upload("x.xlsx", bomb(told), None, "text", NEUTRAL)


POLICY = Policy(least_confidence=0.8, set_bar_C=np.array([0.15, 0.15]), set_level=0.9)


async def by_length(texts: Sequence[str]) -> Answers:
    """Class 1 for texts of more than one character; sure of long ones only."""
    scores = [[np.nan] * 2 if not text.strip() else [0.0, len(text) - 1.5] for text in texts]
    return POLICY.answers(np.array(scores))


def test_answers_and_download(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "_TEXTS_AT_ONCE", 2)
    rows = read_upload("x.csv", 'text;id\na;1\n=1+1;2\n;3\n"é\n""";4\n'.encode(), None, "text", NEUTRAL)
    assert isinstance(rows, Rows)

    async def parts() -> list[dict[str, Any]]:
        return [part async for part in answered(rows, by_length, POLICY, ["short", "long"], 256)]

    told = asyncio.run(parts())
    assert told[0]["total"] == 4
    assert [len(part["rows"]) for part in told[1:]] == [2, 2]
    assert [row for part in told[1:] for row in part["rows"]] == [
        ("a", "short", 0.622459, True),
        ("=1+1", "long", 0.924142, False),
        ("", None, None, True),
        ('é\n"', "long", 0.817574, False),
    ]
    download = "".join(part["lines"] for part in told)
    # As Excel opens it: the delimiter of the country, and nothing that would be run.
    assert download.startswith("\ufefftext;id;predicted;confidence;not_sure;set\na;1;short;0.622459;yes;short | long\n")
    assert "\n'=1+1;2;long;0.924142;no;long\n" in download
    back = read_rows(FileInMemory("y.csv", download.encode()))
    assert back.texts == ("a", "'=1+1", "", 'é\n"')
    assert [record["predicted"] for record in back.records] == ["short", "long", "", "long"]
