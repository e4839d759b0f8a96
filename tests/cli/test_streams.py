"""``predict`` block by block: pipes, one text, what is decided, and what is left of a killed command."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import polars.testing
import pytest
from typer.testing import CliRunner

from sharprecl import TextClassifier
from sharprecl.cli.main import app
from sharprecl.data.unfinished import Unfinished
from streamed import BLANK, TEXTS, expected, piped, small_blocks
from streamed import stream_folder as stream_folder
from streamed import streamed as streamed
from tiny import skewed_texts
from typed import Shell


def table_of(path: str) -> pl.DataFrame:
    """A table, its numbers of six digits as numbers."""
    read = {".csv": lambda name: pl.read_csv(name, separator=",", infer_schema=False), ".jsonl": pl.read_ndjson}
    table = read.get(Path(path).suffix, pl.read_parquet)(path)
    return table.with_columns(pl.col(name).cast(float) for name in table.columns if name.startswith(("conf", "prob")))


@pytest.mark.parametrize("size", [1, 2, 7])
@pytest.mark.parametrize("name", ["new.csv", "new.jsonl", "new.parquet"])
def test_answers_do_not_depend_on_where_a_block_ends(
    streamed: Shell, monkeypatch: pytest.MonkeyPatch, name: str, size: int
) -> None:
    ending = Path(name).suffix
    for output, rows in (("whole", 4096), ("blocks", size)):
        small_blocks(monkeypatch, rows)
        status, _, err = streamed("predict", "run", name, "-o", output + ending, "--probabilities")
        assert status == 0, err
    whole, blocks = table_of(f"whole{ending}"), table_of(f"blocks{ending}")
    # The last of six digits may be another, for a text in another batch has the same scores to 1e-6 only.
    pl.testing.assert_frame_equal(whole, blocks, abs_tol=2e-6, rel_tol=0)
    assert [label or "" for label in whole["predicted"]] == expected()
    aside = Path(f"blocks{ending}.set_aside.csv").read_text()
    line = {".csv": "11", ".jsonl": "10", ".parquet": ""}[ending]
    assert aside == f"file,row,line,lacks\n{name},{BLANK + 1},{line},text\n"
    assert not [path for path in Path().iterdir() if ".part" in path.name]


@pytest.mark.parametrize(
    ("words", "output"),
    [
        (("predict", "run", "new.csv"), "out.csv"),
        (("predict", "run", "new.jsonl", "--prior", "estimate"), "out.jsonl"),
        (("predict", "run", "new.csv"), "out.parquet"),
        (("predict", "run", "new.csv"), "out.xlsx"),
        (("embed", "run", "new.csv"), "out.npy"),
        (("embed", "run", "new.jsonl"), "out.parquet"),
    ],
)
@pytest.mark.parametrize("blocks", [1, 2])
def test_a_command_that_was_cut_off_goes_on(
    streamed: Shell, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], output: str, blocks: int
) -> None:
    assert streamed(*words, "-o", "undisturbed" + Path(output).suffix)[0] == 0
    append, done = Unfinished.append, 0

    def cut(self: Unfinished, data: bytes, rows: int) -> None:
        nonlocal done
        if done == blocks:
            # As a kill would leave it in the middle of a write.
            self._stream.write(data[: len(data) // 2])
            self._stream.flush()
            raise KeyboardInterrupt
        append(self, data, rows)
        done += 1

    monkeypatch.setattr(Unfinished, "append", cut)
    assert streamed(*words, "-o", output)[0] == 130
    assert not Path(output).exists()
    monkeypatch.setattr(Unfinished, "append", append)
    status, _, err = streamed(*words, "-o", output)
    assert status == 2
    assert f"{output}.part holds the first {7 * blocks} rows of a command that was cut off; add --resume" in err

    texts: list[str] = []
    model = TextClassifier.scores if words[0] == "predict" else TextClassifier.embed

    def watched(self: TextClassifier, X: list[str]) -> np.ndarray:
        texts.extend(X)
        return model(self, X)

    monkeypatch.setattr(TextClassifier, model.__name__, watched)
    status, out, err = streamed(*words, "-o", output, "--resume")
    assert status == 0, err
    assert f"going on behind row {7 * blocks}" in out
    assert len(texts) <= len(TEXTS) - 7 * blocks, "what was done is not done again"
    if output.endswith(".parquet"):
        assert pl.read_parquet(output).equals(pl.read_parquet("undisturbed.parquet"), null_equal=True)
    elif output.endswith(".xlsx"):
        assert pl.read_excel(output).equals(pl.read_excel("undisturbed.xlsx"))
    else:
        assert Path(output).read_bytes() == Path(f"undisturbed{Path(output).suffix}").read_bytes()
    assert Path(f"{output}.set_aside.csv").exists()
    assert not [path for path in Path().iterdir() if ".part" in path.name]


def test_a_part_goes_on_only_with_what_it_was_made_of(streamed: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    append = Unfinished.append

    def cut(self: Unfinished, data: bytes, rows: int) -> None:
        append(self, data, rows)
        raise KeyboardInterrupt

    Path("mine.csv").write_bytes(Path("new.csv").read_bytes())
    monkeypatch.setattr(Unfinished, "append", cut)
    assert streamed("predict", "run", "mine.csv", "-o", "out.csv")[0] == 130
    monkeypatch.setattr(Unfinished, "append", append)
    part = Path("out.csv.part").read_bytes()
    for words, other in (
        (("predict", "decided", "mine.csv"), "weights"),
        (("predict", "run", "new.jsonl"), "texts"),
        (("predict", "run", "mine.csv", "--prefix", "x_"), "options"),
        (("predict", "run", "mine.csv", "--prior", "uniform"), "options"),
    ):
        status, _, err = streamed(*words, "-o", "out.csv", "--resume")
        assert (status, f"was made with other {other}, and cannot go on" in err) == (2, True), err
        assert Path("out.csv.part").read_bytes() == part
        assert not Path("out.csv.part.lock").exists()
    status, _, err = streamed("predict", "run", "mine.csv", "-o", "out.csv", "--overwrite")
    assert status == 0, err
    assert not Path("out.csv.part").exists()
    status, _, err = streamed("predict", "run", "mine.csv", "-o", "out.csv", "--resume")
    assert (status, "out.csv is there already" in err) == (2, True)


def test_two_commands_do_not_write_one_part(streamed: Shell) -> None:
    other = Unfinished(Path("out.csv"))
    other.open({}, resume=False)
    status, _, err = streamed("predict", "run", "new.csv", "-o", "out.csv")
    assert (status, "another command is writing out.csv.part; wait for it" in err) == (2, True)
    other.close()
    assert streamed("predict", "run", "new.csv", "-o", "out.csv")[0] == 0


def test_a_note_is_not_taken_for_one_of_another_part(tmp_path: Path) -> None:
    part = Unfinished(tmp_path / "out.csv")
    part.open({"texts": "a"}, resume=False)
    part.append(b"12345", 1)
    part.close()
    again = Unfinished(tmp_path / "out.csv")
    again.open({"texts": "a"}, resume=False)
    again._stream.write(b"other, and longer")
    again._stream.close()
    again._lock.release()
    third = Unfinished(tmp_path / "out.csv")
    assert third.open({"texts": "a"}, resume=True) is False


def test_a_file_that_changes_meanwhile_is_told(streamed: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("mine.csv").write_bytes(Path("new.csv").read_bytes())
    append = Unfinished.append

    def grow(self: Unfinished, data: bytes, rows: int) -> None:
        with Path("mine.csv").open("a") as stream:
            stream.write("99;more\n")
        append(self, data, rows)

    monkeypatch.setattr(Unfinished, "append", grow)
    status, _, err = streamed("predict", "run", "mine.csv", "-o", "out.csv")
    assert (status, "mine.csv was changed while it was read" in err) == (2, True)
    assert not Path("out.csv").exists()


def test_pipes(streamed: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    piped(monkeypatch, Path("new.csv").read_bytes())
    status, out, err = streamed("predict", "run", "-", "-o", "-")
    assert status == 0, err
    rows = list(csv.DictReader(out.splitlines(), delimiter=";"))
    assert [row["predicted"] for row in rows] == expected()
    assert [row["nr"] for row in rows] == [str(n) for n in range(20)]
    assert "20 rows classified, 1 of them without an answer (left empty)" in err
    assert "note: standard input: 1 row has no text: row 10 (line 11)" in err

    piped(monkeypatch, Path("new.jsonl").read_bytes())
    status, out, err = streamed("predict", "run", "-", "-o", "-", "--prefix", "our_")
    assert status == 0, err
    found = [json.loads(line) for line in out.splitlines()]
    assert [row["our_predicted"] for row in found] == expected()

    piped(monkeypatch, "".join(f"{text}\n" for text in TEXTS[:3]).encode())
    assert streamed("predict", "run", "-", "-o", "out.csv", "--format", "lines")[0] == 0
    rows = list(csv.DictReader(Path("out.csv").read_text().splitlines()))
    assert [(row["body"], row["predicted"]) for row in rows] == list(zip(TEXTS[:3], expected()[:3], strict=True))

    status, out, err = streamed("predict", "run", "new.parquet", "-o", "-")
    assert status == 0, err
    assert [row["predicted"] for row in csv.DictReader(out.splitlines())] == expected()


def test_a_pipe_that_breaks_off_leaves_nothing_behind(streamed: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    small_blocks(monkeypatch, 1)
    for data, sentence in (
        (b'{"body": "a"}\n{"body": "b", "new": 1}\n', "among rows 2 to 2 are the first with the column(s) 'new'"),
        (b'{"body": "a"}\n{"body": "b", "predicted": 1}\n', "already has the column(s) 'predicted'"),
        (b'{"body": "a"}\n{"body": "b"\n', "line 2 is no usable JSON object"),
        (b'{"body": "a"}\n{"body": " "}\n', "1 row has no text"),
    ):
        piped(monkeypatch, data)
        status, _, err = streamed("predict", "run", "-", "-o", "out.csv", "--strict")
        assert (status, sentence in err) == (2, True), err
        assert not [path for path in Path().iterdir() if path.name.startswith("out")]


def test_a_reader_that_goes_away_ends_it_quietly(stream_folder: Path) -> None:
    words = [sys.executable, "-m", "sharprecl", "predict", stream_folder / "run", "-", "-o", "-", "--format", "lines"]
    running = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    running.stdin.write(b"one text\n")
    running.stdin.flush()
    assert running.stdout.readline() == b"body,predicted,confidence\n", "sent at once, though more may come"
    assert running.stdout.readline().startswith(b"one text,")
    running.stdout.close()
    running.stdin.write(b"another\n")
    running.stdin.close()
    assert running.stderr.read() == b""
    assert running.wait() == 1


def test_one_text(streamed: Shell) -> None:
    status, out, err = streamed("predict", "run", "--one-text", TEXTS[0])
    assert status == 0, err
    found = TextClassifier.load("run").answer([TEXTS[0]])
    first, *others = out.splitlines()
    assert first.split()[0] == expected()[0]
    assert f"{100 * found.confidence_N[0]:.1f} %  <- answer" in first
    assert len(others) == 3, "all four classes"

    status, out, err = streamed("predict", "decided", "--one-text", "zzz")
    assert status == 0, err
    assert out.startswith("not sure: no class has the probability of ")
    assert "<- best guess" in out
    assert "set that the right one is among, 80 times in 100: " in out
    status, _, err = streamed("predict", "run", "--one-text", " ")
    assert (status, "has nothing to read" in err) == (2, True)


def test_what_was_decided_has_columns(streamed: Shell) -> None:
    for output in ("out.csv", "out.jsonl"):
        assert streamed("predict", "decided", "new.jsonl", "-o", output)[0] == 0
    found = TextClassifier.load("decided").answer(TEXTS)
    typed = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    words = list(csv.DictReader(Path("out.csv").read_text().splitlines()))
    names = sorted(set(skewed_texts()[1]))
    for row in range(20):
        if row == BLANK:
            assert [words[row][name] for name in ("predicted", "confidence", "not_sure", "set")] == ["", "", "yes", ""]
            continue
        among = [name for name, inside in zip(names, found.sets_NC[row], strict=True) if inside]
        assert typed[row]["set"] == among
        assert words[row]["set"] == " | ".join(among)
        assert typed[row]["not_sure"] is bool(found.abstained_N[row])
        assert words[row]["not_sure"] == ("yes" if found.abstained_N[row] else "no")
    assert {"yes", "no"} == {row["not_sure"] for row in words}


def test_a_column_of_the_input_is_never_replaced(streamed: Shell) -> None:
    assert streamed("predict", "run", "new.csv", "-o", "out.csv")[0] == 0
    status, _, err = streamed("predict", "run", "out.csv", "-o", "again.csv")
    assert status == 2
    assert "already has the column(s) 'predicted' and 'confidence'" in err
    assert "give the new ones a --prefix" in err
    assert streamed("predict", "run", "out.csv", "-o", "again.csv", "--prefix", "again_")[0] == 0
    header = Path("again.csv").read_text().splitlines()[0]
    assert header == "nr,body,predicted,confidence,again_predicted,again_confidence"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("predict", "run"), "give texts and --output"),
        (("predict", "run", "new.csv"), "give texts and --output"),
        (("predict", "run", "new.csv", "-o", "x.csv", "--one-text", "a"), "give either that"),
        (("predict", "run", "--one-text", "a", "--prior", "estimate"), "one text tells nothing"),
        (("predict", "run", "-", "-o", "x.csv", "--prior", "estimate"), "reads all texts before"),
        (("predict", "run", "-", "-o", "x.csv", "--resume"), "--resume needs a file to read and one to write"),
        (("predict", "run", "new.csv", "-o", "-", "--resume"), "--resume needs a file to read and one to write"),
        (("predict", "run", "new.csv", "-o", "x.csv", "--format", "csv"), "--format is for standard input"),
        (("predict", "run", "-", "-o", "x.csv", "--format", "xlsx"), "give one of csv, tsv, jsonl, lines"),
        (("predict", "run", "new.csv", "-o", "x.xls"), "unknown ending '.xls'"),
        (("predict", "run", "new.csv", "-o", "new.csv"), "is the file that is read"),
        (("predict", "run", "new.csv", "-o", "-", "--for-excel"), "Excel opens .xlsx, .csv and .tsv"),
        (("embed", "run", "new.csv", "-o", "x.csv"), "written to .npy or .parquet, not to x.csv: as text they"),
        (("embed", "run", "new.csv", "-o", "-"), "written to .npy or .parquet, not to -"),
        (("embed", "run", "new.csv", "-o", "new.csv/x.npy"), "can be no folder, because new.csv is a file"),
    ],
)
def test_what_cannot_be_is_one_sentence(streamed: Shell, words: tuple[str, ...], sentence: str) -> None:
    status, _, err = streamed(*words)
    assert status == 2
    assert sentence in err
    assert len(err.strip().splitlines()) == 1


def test_help_names_the_commands() -> None:
    for name in ("predict", "embed"):
        assert "--resume" in CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "200"}).output
