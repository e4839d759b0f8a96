"""Many files: which are read, what stands in the folder afterwards, and what is left of a command that was cut off."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from fake_augmenters import Turned
from sharprecl import TextClassifier
from sharprecl.augment import registry
from sharprecl.data.finished import FILE as RECORD
from sharprecl.data.unfinished import Unfinished
from streamed import TEXTS
from streamed import stream_folder as stream_folder
from streamed import streamed as streamed
from typed import Shell

NAMES = ["a.csv", "b.jsonl", "c.parquet"]


def made(folder: str) -> dict[str, bytes]:
    """All files in and below a folder but the record, whose lines tell in which order things went."""
    paths = sorted(path for path in Path(folder).rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths if path.name != RECORD}


@pytest.fixture
def tickets(streamed: Shell, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Three files in the folder ``tickets``; the list tells which texts a model was asked for."""
    Path("tickets").mkdir()
    for name, source in zip(NAMES, ("new.csv", "new.jsonl", "new.parquet"), strict=True):
        Path("tickets", name).write_bytes(Path(source).read_bytes())
    asked: list[str] = []
    scores = TextClassifier.scores

    def watched(self: TextClassifier, X: list[str]) -> np.ndarray:
        asked.extend(X)
        return scores(self, X)

    monkeypatch.setattr(TextClassifier, "scores", watched)
    return asked


def test_each_file_of_a_folder_is_answered_as_if_it_were_alone(
    streamed: Shell, tickets: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_SUCCESS", ".a.csv.crc", "old.csv.set_aside.csv", "z.csv.part.json", "README.txt"):
        Path("tickets", name).write_text("x")
    Path("tickets/more").mkdir()
    for name in NAMES:
        assert streamed("predict", "run", f"tickets/{name}", "-o", f"alone/{name}")[0] == 0
    loads, load = [], TextClassifier.load

    def counted(*words: object, **more: object) -> TextClassifier:
        loads.append(words)
        return load(*words, **more)

    monkeypatch.setattr(TextClassifier, "load", counted)
    status, out, err = streamed("predict", "run", "tickets", "-o", "answers")
    assert (status, err) == (0, "")
    for name, data in made("alone").items():
        place = f"_set_aside/{name}" if "set_aside" in name else name
        assert Path("answers", place).read_bytes() == data
    assert len(made("answers")) == len(made("alone")) == 6
    assert len(loads) == 1
    assert "note: 'README.txt' and 'more/' in tickets: no tables by their names, not read" in out
    assert "60 rows classified, 3 of them without an answer (left empty): answers" in out
    assert "rows without a text: answers/_set_aside" in out


def test_a_pattern_and_one_format_for_all(streamed: Shell, tickets: list[str]) -> None:
    assert streamed("predict", "run", "tickets/[ab].*", "-o", "answers/*.parquet")[0] == 0
    assert [name for name in made("answers") if "set_aside" not in name] == ["a.parquet", "b.parquet"]
    assert pl.read_parquet("answers/a.parquet").columns == ["nr", "body", "predicted", "confidence"]
    assert streamed("embed", "run", "tickets", "-o", "features")[0] == 0
    assert np.load("features/b.npy").shape[0] == 20
    assert streamed("embed", "run", "tickets", "-o", "wide/*.parquet")[0] == 0
    assert pl.read_parquet("wide/c.parquet").columns == ["nr", "body", "embedding"]


@pytest.mark.parametrize("blocks", [1, 3, 4, 8])
def test_a_command_that_was_cut_off_goes_on_in_the_shard_where_it_was(
    streamed: Shell, tickets: list[str], monkeypatch: pytest.MonkeyPatch, blocks: int
) -> None:
    assert streamed("predict", "run", "tickets", "-o", "undisturbed")[0] == 0
    append, done = Unfinished.append, 0

    def cut(self: Unfinished, data: bytes, rows: int) -> None:
        nonlocal done
        if done == blocks:
            raise KeyboardInterrupt
        append(self, data, rows)
        done += 1

    monkeypatch.setattr(Unfinished, "append", cut)
    assert streamed("predict", "run", "tickets", "-o", "answers")[0] == 130
    monkeypatch.setattr(Unfinished, "append", append)
    status, _, err = streamed("predict", "run", "tickets", "-o", "answers")
    finished = blocks // 3
    assert (status, f"answers holds {finished} finished shard" in err) == (2, True), err
    status, _, err = streamed("predict", "run", "tickets", "-o", "answers", "--resume", "--prefix", "other_")
    assert (status, "answers was made with other options, and cannot go on with these" in err) == (2, True), err
    tickets.clear()
    status, out, err = streamed("predict", "run", "tickets", "-o", "answers", "--resume")
    assert (status, err) == (0, "")
    # Twenty texts, one of them blank, in blocks of seven: what was done is not done again.
    left = 3 * 20 - 20 * finished - 7 * (blocks % 3)
    assert left - 3 <= len(tickets) <= left
    assert made("answers") == made("undisturbed")
    assert "60 rows classified, 3 of them" in out
    assert (f"going on behind row {7 * (blocks % 3)} of tickets/{NAMES[finished]}" in out) == (blocks % 3 > 0)
    tickets.clear()
    assert streamed("predict", "run", "tickets", "-o", "answers", "--resume")[0] == 0
    assert tickets == []


def test_a_shard_that_was_mended_while_it_was_unfinished_begins_anew(
    streamed: Shell, tickets: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    append = Unfinished.append

    def cut(self: Unfinished, data: bytes, rows: int) -> None:
        append(self, data, rows)
        raise KeyboardInterrupt

    with monkeypatch.context() as once:
        once.setattr(Unfinished, "append", cut)
        assert streamed("predict", "run", "tickets", "-o", "answers")[0] == 130
    assert Path("answers/a.csv.part").exists()
    Path("tickets/a.csv").write_text("body\n" + "".join(f"{text}\n" for text in TEXTS[10:]))
    status, out, err = streamed("predict", "run", "tickets", "-o", "answers", "--resume")
    assert (status, err) == (0, "")
    assert "going on" not in out
    assert pl.read_csv("answers/a.csv")["body"].to_list() == list(TEXTS[10:])


KILLED = """
import sys, time
from sharprecl.data import row_stream
from sharprecl.cli import stream_source
row_stream.ROWS = stream_source.ROWS = 7
from sharprecl import TextClassifier
scores = TextClassifier.scores
def slow(self, X):
    time.sleep(0.15)
    return scores(self, X)
TextClassifier.scores = slow
from sharprecl.cli.main import main
main()
"""


@pytest.mark.parametrize("file", ["a.csv.part.json", "a.csv", "c.parquet.part.json"])
def test_a_killed_command_loses_nothing_and_does_nothing_twice(streamed: Shell, tickets: list[str], file: str) -> None:
    assert streamed("predict", "run", "tickets", "-o", "undisturbed")[0] == 0
    words = [sys.executable, "-c", KILLED, "predict", "run", "tickets", "-o", "answers"]
    running = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 120
    while not Path("answers", file).exists() and time.monotonic() < until and running.poll() is None:
        time.sleep(0.002)
    running.send_signal(signal.SIGKILL)
    assert running.wait() == -signal.SIGKILL
    status, _, err = streamed("predict", "run", "tickets", "-o", "answers", "--resume")
    assert (status, err) == (0, "")
    assert made("answers") == made("undisturbed")


def test_shards_that_cannot_be_read_are_named_in_the_end_and_made_after_repair(
    streamed: Shell, tickets: list[str]
) -> None:
    table = Path("tickets/c.parquet").read_bytes()
    for name, data in (
        ("bad_bytes.jsonl", b'{"body": "a"}\n{"body": "b"}\n\xff\xfe{'),
        ("bad_column.csv", b"nr,text\n1,a\n"),
        ("bad_end.parquet", table[:-9]),
        ("bad_middle.parquet", table[:40] + bytes(90) + table[130:]),
        ("bad_name.csv", b"nr,body,predicted\n1,a,x\n"),
    ):
        Path("tickets", name).write_bytes(data)
    status, out, err = streamed("predict", "run", "tickets", "-o", "answers")
    assert status == 2
    bad = sorted(path.name for path in Path("tickets").glob("bad*"))
    assert err.startswith("sharprecl: 5 of 8 shards could not be done: tickets/bad_bytes.jsonl, tickets/bad_column.csv")
    assert err.endswith("mend them, then run the same command with --resume\n")
    told = [line for line in out.splitlines() if line.startswith("not done: ")]
    assert [name in line for name, line in zip(bad, told, strict=True)] == [True] * 5
    assert "no column 'body' for the texts" in told[1]
    assert "it was cut off: copy or write it anew" in told[2]
    assert "is a damaged Parquet file" in told[3]
    assert [name for name in made("answers") if "set_aside" not in name] == NAMES

    for name in bad:
        Path("tickets", name).unlink()
    Path("tickets/bad_column.csv").write_text("nr,body\n1,a\n")
    tickets.clear()
    status, out, err = streamed("predict", "run", "tickets", "-o", "answers", "--resume")
    assert (status, err, tickets) == (0, "", ["a"])
    assert "61 rows classified" in out


def test_a_shard_with_other_texts_is_made_anew_and_a_changed_answer_is_not_replaced(
    streamed: Shell, tickets: list[str]
) -> None:
    assert streamed("predict", "run", "tickets", "-o", "answers")[0] == 0
    Path("tickets/a.csv").write_text("nr,body\n1,refund\n")
    Path("answers/b.jsonl").write_text("mine")
    Path("answers/c.parquet").unlink()
    tickets.clear()
    status, out, _ = streamed("predict", "run", "tickets", "-o", "answers", "--resume")
    assert (status, len(tickets)) == (2, 20)
    assert "not done: answers/b.jsonl was changed after it was written; move it away" in out
    assert Path("answers/b.jsonl").read_text() == "mine"
    assert len(pl.read_csv("answers/a.csv")) == 1
    assert not Path("answers/_set_aside/a.csv.set_aside.csv").exists()
    assert streamed("predict", "run", "tickets", "-o", "answers", "--overwrite")[0] == 0
    assert Path("answers/b.jsonl").read_text() != "mine"


def test_a_full_disk_ends_it_in_one_sentence_and_keeps_what_is_finished(
    streamed: Shell, tickets: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert streamed("predict", "run", "tickets", "-o", "undisturbed")[0] == 0
    with monkeypatch.context() as full:
        fsync = os.fsync

        def refused(descriptor: int) -> None:
            if os.readlink(f"/proc/self/fd/{descriptor}").endswith("b.jsonl.part"):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            fsync(descriptor)

        full.setattr(os, "fsync", refused)
        status, _, err = streamed("predict", "run", "tickets", "-o", "answers")
    assert status == 2
    assert err == (
        "sharprecl: answers/b.jsonl.part cannot be written (No space left on device); make room, then run the same "
        "command with --resume\n"
    )
    assert Path("answers/a.csv").exists()
    assert streamed("predict", "run", "tickets", "-o", "answers", "--resume")[0] == 0
    assert made("answers") == made("undisturbed")


def test_a_shard_without_rows_is_passed_over(streamed: Shell, tickets: list[str]) -> None:
    pl.read_parquet("tickets/c.parquet").clear().write_parquet("tickets/d.parquet")
    Path("tickets/e.csv").write_text("nr,body\n")
    for more in ((), ("--resume",)):
        status, out, err = streamed("predict", "run", "tickets", "-o", "answers", *more)
        assert (status, err) == (0, "")
        assert "60 rows classified" in out
        assert not Path("answers/d.parquet").exists()
    Path("tickets/d.parquet").write_bytes(b"")
    status, out, _ = streamed("predict", "run", "tickets", "-o", "answers", "--resume")
    assert (status, "not done: tickets/d.parquet is empty; was it written to the end?" in out) == (2, True)


def test_class_shares_are_estimated_from_all_shards_at_once(
    streamed: Shell, tickets: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, for_prior_of = [], TextClassifier.for_prior_of

    def watched(self: TextClassifier, texts: list[str]) -> TextClassifier:
        seen.append(list(texts))
        return for_prior_of(self, texts)

    monkeypatch.setattr(TextClassifier, "for_prior_of", watched)
    assert streamed("predict", "run", "tickets", "-o", "answers", "--prior", "estimate")[0] == 0
    there = [text for text in TEXTS if text != TEXTS[9]]
    assert seen == [[*there, *there, *there]]
    Path("tickets/d.csv").write_text("body\n\0\n")
    status, _, err = streamed("predict", "run", "tickets", "-o", "others", "--prior", "estimate")
    assert (status, "tickets/d.csv has a NUL" in err, Path("others").exists()) == (2, True, False), err
    Path("tickets/d.csv").unlink()
    Path("tickets/b.jsonl").write_text('{"body": "another"}\n')
    status, _, err = streamed("predict", "run", "tickets", "-o", "answers", "--prior", "estimate", "--resume")
    assert (status, "answers was made with other sample of texts" in err) == (2, True), err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("tickets", "-o", "x.csv"), "tickets is many files, so --output is a folder, as in --output answers"),
        (("tickets", "-o", "-"), "tickets is many files, so --output is a folder"),
        (("tickets", "-o", "x/*.doc"), "--output x/*.doc should end in one of *.csv"),
        (("tickets", "-o", "x/y*.csv"), "--output x/y*.csv should end in one of *.csv"),
        (("tickets", "-o", "tickets/*.jsonl"), "tickets holds the files that are read; name another folder"),
        (("tickets/*", "-o", "tickets"), "tickets holds the files that are read; name another folder"),
        (("nothing/*.csv", "-o", "x"), "nothing/*.csv has no file that can be read"),
        (("empty", "-o", "x"), "empty has no file that can be read"),
        (("twins", "-o", "x/*.csv"), "twins/a.csv and twins/a.jsonl would both be written to x/a.csv; rename one"),
        (("tickets", "-o", "there"), "there/a.csv is there already; name another --output, or add --overwrite"),
        (("tickets", "-o", "x", "--format", "csv"), "--format is for standard input"),
        (("tickets", "-o", "x", "--for-excel"), "Excel opens .xlsx, .csv and .tsv, not b.jsonl"),
    ],
)
def test_what_cannot_be_is_one_sentence(
    streamed: Shell, tickets: list[str], words: tuple[str, ...], sentence: str
) -> None:
    for name in ("empty/a.txt", "twins/a.csv", "twins/a.jsonl", "there/a.csv"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text("x")
    before = made("tickets")
    status, _, err = streamed("predict", "run", *words)
    assert (status, sentence in err, len(err.strip().splitlines())) == (2, True, 1), err
    assert made("tickets") == before
    assert tickets == []


def test_each_shard_is_augmented_for_itself(
    streamed: Shell, tickets: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHARPRECL_CACHE", "cache")
    protected = []
    monkeypatch.setattr(registry, "make_augmenter", lambda _, words, *__: protected.append(words) or Turned())
    Path("tickets/d.csv").write_text("nr,body,label\n1,one,first\n")
    Path("tickets/e.jsonl").write_text('{"body": "two", "label": "second"}\n')
    Path("tickets/f.csv").write_text("nr\n1\n")
    words = ("augment", "tickets/[def].*", "--text", "body", "-o", "more")
    status, out, err = streamed(*words)
    assert (status, "1 of 3 shards could not be done: tickets/f.csv" in err) == (2, True), err
    assert "not done: tickets/f.csv has no column 'body'" in out
    assert protected[-1] == ("first", "second"), "also in the file that does not have it"
    assert pl.read_csv("more/d.csv")["body"].to_list() == ["one", "0eno"]
    before = Path("more/d.csv").stat().st_mtime_ns
    Path("tickets/f.csv").write_text("body\nthree\n")
    status, out, err = streamed(*words, "--resume")
    assert (status, err) == (0, "")
    assert "3 new texts from 3 rows: more" in out
    assert Path("more/d.csv").stat().st_mtime_ns == before
    assert json.loads(Path("more/e.jsonl").read_text().splitlines()[1])["augmented_from"] == 1
    for more, sentence in ((("--balance",), "one budget on all rows of one file"), ((), "holds 3 finished shards")):
        status, _, err = streamed(*words, *more)
        assert (status, sentence in err) == (2, True), err
    status, _, err = streamed("augment", "new.csv", "--text", "body", "-o", "x.csv", "--resume")
    assert (status, "--resume is for many files" in err) == (2, True)
