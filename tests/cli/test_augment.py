"""``sharprecl augment`` as a user types it: files in, files and sentences out, whatever happens in between."""

import csv
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from fake_augmenters import Faulty, Turned
from sharprecl.augment import registry
from sharprecl.data.augmented import split_originals, text_mark
from sharprecl.data.tables import read_table
from typed import Shell

TESTS = Path(__file__).parents[1]
ROWS = [("1", "what city is it ?", "place"), ("2", "who, then, wrote it ?", "person"), ("3", "who was he ?", "person")]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path):
    """Runs ``sharprecl augment ARGUMENTS`` in an empty folder with texts turned round; gives status, out and err."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHARPRECL_CACHE", str(tmp_path / "cache"))
    with Path("in.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([("nr", "text", "label"), *ROWS])
    monkeypatch.setattr(registry, "make_augmenter", lambda *_: Turned())

    return Shell(monkeypatch, capsys, "augment")


def read(path: str) -> list[dict[str, str]]:
    with Path(path).open(newline="") as stream:
        return list(csv.DictReader(stream))


def test_rows_and_their_copies(command) -> None:
    before = Path("in.csv").read_bytes()
    status, out, err = command("in.csv", "--output", "out.csv")
    assert (status, err) == (0, "")
    assert [tuple(row.values()) for row in read("out.csv")] == [
        *[(*row, "", "") for row in ROWS],
        *[(nr, f"0{text[::-1]}", label, nr, text_mark(text)) for nr, text, label in ROWS],
    ]
    assert out.splitlines()[0] == "words of the 2 labels stay as they are"
    assert "3 new texts from 3 rows: out.csv" in out
    assert "training holds no copy out" in out
    assert Path("in.csv").read_bytes() == before


def test_other_formats_only_new_seed_and_copies(command) -> None:
    Path("in.jsonl").write_text('{"body": "ab", "more": [1]}\n{"body": "cd"}\n')
    status, out, err = command(
        "in.jsonl", "--text", "body", "--only-new", "--seed", "5", "--copies", "2", "-o", "new/out.jsonl"
    )
    assert (status, err) == (0, "")
    ab, cd = text_mark("ab"), text_mark("cd")
    assert [json.loads(line) for line in Path("new/out.jsonl").read_text().splitlines()] == [
        {"body": "5ba", "more": [1], "augmented_from": 1, "augmented_from_text": ab},
        {"body": "6ba", "more": [1], "augmented_from": 1, "augmented_from_text": ab},
        {"body": "5dc", "augmented_from": 2, "augmented_from_text": cd},
        {"body": "6dc", "augmented_from": 2, "augmented_from_text": cd},
    ]
    assert "there is no column 'label'" in out
    assert command("in.csv", "-o", "out.parquet")[0] == 0
    assert pl.read_parquet("out.parquet")["augmented_from"].to_list() == [None, None, None, 1, 2, 3]


def test_copies_alone_are_trained_on_as_the_closing_note_says(command) -> None:
    rows = [("text", "label"), *((f"text {n}", "xy"[n % 2]) for n in range(40))]
    with Path("many.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows(rows)
    status, out, _ = command("many.csv", "-o", "new.csv", "--only-new", "--copies", "2")
    assert status == 0
    assert "holds out all copies of a text or none" in " ".join(out.split())
    table = read_table("new.csv")
    fit, held = split_originals(table.label_ids, 0.25, 0, table.texts, table.copies)
    assert len(held) == 20
    assert not {table.texts[row][1:] for row in fit} & {table.texts[row][1:] for row in held}


def test_a_benchmark_by_its_name(command, monkeypatch: pytest.MonkeyPatch) -> None:
    import sharprecl.cli.tables as tables
    from sharprecl.data.tables import read_rows

    monkeypatch.setattr(tables, "rows_of", lambda data, *_: read_rows(pl.DataFrame({"text": [data], "label": ["x"]})))
    assert command("trec", "-o", "out.csv")[0] == 0
    assert [row["text"] for row in read("out.csv")] == ["trec", "0cert"]


def test_a_budget_for_rare_classes(command) -> None:
    rows = [("text", "label"), *((f"text {n}", "common") for n in range(30)), ("one", "rare"), ("two", "rare")]
    with Path("skewed.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows(rows)
    status, out, _ = command("skewed.csv", "-o", "out.csv", "--balance", "--budget", "12", "--copies", "3")
    assert status == 0
    assert "medium, 20 to 100 texts a class: 1 class of 30, now 36; 6 new texts" in out
    assert "tail, under 20 texts a class: 1 class of 2, now 8; 6 new texts" in out
    assert command("skewed.csv", "-o", "all.csv", "--balance")[0] == 0
    assert len(read("all.csv")) == 64, "as many new texts as there are rows"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("in.csv", "-o", "in.csv"), "never changed"),
        (("in.csv", "-o", "in.csv", "--overwrite"), "never changed"),
        (("in.csv", "-o", "link.csv", "--overwrite"), "never changed"),
        (("in.csv", "-o", "there.csv"), "--overwrite"),
        (("there.csv", "-o", "out.csv"), "has been augmented already"),
        (("in.csv", "-o", "out.doc"), "unknown ending '.doc'"),
        (("in.csv", "-o", "folder.csv"), "is a folder"),
        (("in.csv", "-o", "out.csv", "--budget", "3"), "add --balance"),
        (("in.csv", "-o", "out.csv", "--balance", "--budget", "0"), "--budget is 0"),
        (("in.csv", "-o", "out.csv", "--copies", "0"), "--copies is 0"),
        (("in.csv", "-o", "out.csv", "--label", "lable"), "did you mean 'label'"),
        (("in.csv", "-o", "out.csv", "--text", "nr", "--label", "place"), "no column 'place'"),
        (("in.csv", "-o", "out.csv", "--set", "noise.swap=0.1"), "add --augmenter noise"),
        (("in.csv", "-o", "out.csv", "--augmenter", "nose"), "choose among synonyms"),
        (("in.csv", "-o", "out.csv", "--cache", "in.csv"), "--cache in.csv can be no folder, because in.csv is a file"),
        (("in.csv", "-o", "out.csv", "--cache", "in.csv/in/it"), "because in.csv is a file"),
        (("marked.csv", "-o", "out.csv"), "has been augmented already"),
        (("nowhere.csv", "-o", "out.csv"), "does not exist"),
    ],
)
def test_mistakes_are_one_sentence(command, arguments: tuple[str, ...], words: str) -> None:
    Path("there.csv").write_text("text,augmented_from\na,\n")
    Path("marked.csv").write_text("text,augmented_from_text\na,\n")
    Path("link.csv").symlink_to("in.csv")
    Path("folder.csv").mkdir()
    before = Path("in.csv").read_bytes()
    status, _, err = command(*arguments)
    assert (status, len(err.splitlines())) == (2, 1)
    assert words in err
    assert Path("in.csv").read_bytes() == before
    assert not Path("out.csv").exists()


def test_an_augmenter_that_ignores_the_seed_is_asked_once_a_text(command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "make_augmenter", lambda *_: Deaf())
    Deaf.asked = []
    status, out, _ = command("in.csv", "-o", "out.csv", "--copies", "5")
    assert (status, len(read("out.csv")), len(Deaf.asked)) == (0, 6, 3)
    assert "no text got more than 1 of 5 copies" in out


class Deaf(Turned):
    """Has one answer a text."""

    seeded = False
    asked: list[str]

    def augment(self, texts, seed):
        self.asked += texts
        return super().augment(texts, 0)


def test_settings_reach_the_augmenters(command, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(registry, "make_augmenter", lambda *given: asked.append(given) or Turned())
    command("in.csv", "-o", "out.csv", "--augmenter", "synonyms+noise", "--set", "noise.swap=0.1")
    assert asked[0] == (["synonyms", "noise"], (), {"noise": {"swap": 0.1}})
    assert asked[-1] == (("synonyms", "noise"), ("person", "place"), {"noise": {"swap": 0.1}})


def test_an_old_output_is_replaced_only_when_told_to_and_stays_where_the_work_fails(command, monkeypatch) -> None:
    Path("out.csv").write_text("precious")
    monkeypatch.setattr(registry, "make_augmenter", lambda *_: Faulty())
    status, _, err = command("in.csv", "-o", "out.csv", "--overwrite")
    assert (status, err) == (2, "sharprecl: there is no network; plug it in\n")
    assert Path("out.csv").read_text() == "precious"
    monkeypatch.setattr(registry, "make_augmenter", lambda *_: Turned())
    assert command("in.csv", "-o", "out.csv", "--overwrite")[0] == 0
    assert len(read("out.csv")) == 6
    assert sorted(path.name for path in Path().iterdir()) == ["cache", "in.csv", "out.csv"]


def test_the_second_run_asks_for_nothing(command, monkeypatch: pytest.MonkeyPatch) -> None:
    command("in.csv", "-o", "out.csv", "--cache", "own")
    assert entries(Path("own")) == 3
    monkeypatch.setattr(registry, "make_augmenter", lambda *_: Callback())
    status, _, err = command("in.csv", "-o", "again.csv", "--cache", "own")
    assert (status, err) == (0, "")
    assert Path("again.csv").read_bytes() == Path("out.csv").read_bytes()


class Callback(Turned):
    """Only the cache may answer."""

    def augment(self, texts, seed):
        raise AssertionError(texts)


def test_a_cache_that_cannot_be_written_is_one_note(command) -> None:
    command("in.csv", "-o", "first.csv", "--cache", "own")
    [path] = Path("own").glob("*.jsonl")
    path.unlink()
    path.mkdir()
    status, _, err = command("in.csv", "-o", "out.csv", "--cache", "own")
    assert (status, len(err.splitlines())) == (0, 1)
    assert err.startswith("note: augmented texts cannot be cached in own")
    assert len(read("out.csv")) == 6


DRIVER = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs are born deaf to Ctrl-C
sys.path.insert(0, {tests!r})
from fake_augmenters import make_turned
from sharprecl.augment import registry
from sharprecl.cli.main import main
registry.make_augmenter = make_turned
if __name__ == "__main__":
    main()
"""


@pytest.fixture
def start(tmp_path: Path):
    """Starts ``sharprecl augment`` on 4000 texts as a process of its own, which takes ``pause`` seconds a text."""
    (tmp_path / "driver.py").write_text(DRIVER.format(tests=str(TESTS)))
    rows = "".join(f"question number {n},{'abc'[n % 3]}\n" for n in range(4000))
    (tmp_path / "in.csv").write_text("text,label\n" + rows)

    def begin(output: str, cache: str, *arguments: str, pause: float = 0.0) -> subprocess.Popen:
        return subprocess.Popen(
            [sys.executable, "driver.py", "augment", "in.csv", "-o", output, "--cache", cache, *arguments],
            cwd=tmp_path,
            env={**os.environ, "PAUSE": str(pause)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    return begin


def finished(process: subprocess.Popen) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(("workers", "kills"), [("1", 3), ("2", 1)])
def test_after_some_kills_the_next_run_finishes_with_the_same_file(
    start, tmp_path: Path, workers: str, kills: int
) -> None:
    assert finished(start("whole.csv", "other"))[0] == 0
    moments = random.Random(int(workers))
    kept = 0
    for _ in range(kills):
        process = start("out.csv", "cache", "--workers", workers, pause=0.003)
        moment = kept + moments.randint(1, 900)
        wait_until(lambda: entries(tmp_path / "cache") >= moment)  # noqa: B023
        process.kill()
        process.communicate(timeout=60)  # the workers hold these pipes: nobody is left behind
        assert process.returncode == -signal.SIGKILL
        assert not (tmp_path / "out.csv").exists()
        kept = entries(tmp_path / "cache")
        assert moment <= kept < 4000
    status, _, err = finished(start("out.csv", "cache", "--workers", workers))
    assert status == 0, err
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    assert entries(tmp_path / "cache") == 4000


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_ends_it_in_one_sentence(start, tmp_path: Path) -> None:
    process = start("out.csv", "cache", "--workers", "2", pause=0.003)
    wait_until(lambda: entries(tmp_path / "cache") > 0)
    os.killpg(process.pid, signal.SIGINT)
    status, _, err = finished(process)
    assert status == 130
    assert "Traceback" not in err
    assert err.splitlines()[-1].startswith("sharprecl: interrupted")
    assert not (tmp_path / "out.csv").exists()


def entries(cache: Path) -> int:
    return sum(line.endswith(b'"\n') for path in cache.glob("*.jsonl") for line in path.open("rb"))


def wait_until(what, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.asset
def test_real_synonyms_are_the_same_from_two_processes(tmp_path: Path) -> None:
    words = ["what", "city", "has", "a", "large", "hotel", "and", "who", "built", "the", "old", "church", "river"]
    texts = [" ".join(random.Random(n).sample(words, 8)) for n in range(60)]
    (tmp_path / "in.csv").write_text("text,label\n" + "".join(f"{text},church\n" for text in texts))
    made = []
    for workers in ("1", "2"):
        call = [sys.executable, "-m", "sharprecl", "augment", "in.csv", "-o", f"{workers}.csv", "--cache", workers]
        done = subprocess.run([*call, "--workers", workers], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        made.append((tmp_path / f"{workers}.csv").read_bytes())
    assert made[0] == made[1]
    rows = list(csv.DictReader(made[0].decode().splitlines()))
    assert len(rows) > 100
    for row in rows[60:]:
        before, after = texts[int(row["augmented_from"]) - 1], row["text"]
        assert before != after
        assert before.count("church") == after.count("church"), "a label word stays"
