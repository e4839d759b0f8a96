"""Many files on a Ray cluster of this machine: the same bytes, whoever is killed."""

import os
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest

from sharprecl.data.finished import FILE as RECORD
from sharprecl.data.row_stream import ROWS
from sharprecl.errors import SharpReCLError
from sharprecl.scale.cluster import Cluster
from sharprecl.scale.ray_pool import RayPool
from streamed import small_blocks
from streamed import stream_folder as stream_folder
from streamed import streamed as streamed
from typed import Shell

ray = pytest.importorskip("ray")
pytestmark = pytest.mark.usefixtures("cluster")
NAMES = ("a.csv", "b.jsonl", "c.parquet")


@pytest.fixture
def tickets(streamed: Shell, monkeypatch: pytest.MonkeyPatch) -> Shell:
    small_blocks(monkeypatch, ROWS)  # the actors' blocks
    Path("tickets").mkdir()
    for name, source in zip(NAMES, ("new.csv", "new.jsonl", "new.parquet"), strict=True):
        Path("tickets", name).write_bytes(Path(source).read_bytes())
    return streamed


def made(folder: str) -> dict[str, bytes]:
    paths = sorted(path for path in Path(folder).rglob("*") if path.is_file() and path.name != RECORD)
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def told(err: str) -> list[str]:
    """What stands on standard error but progress."""
    return [line for line in err.splitlines() if not line.startswith(("classifying", "embedding", "augmenting"))]


@pytest.mark.parametrize(
    "command",
    [
        ("predict", "run", "TICKETS", "--probabilities"),
        ("embed", "run", "TICKETS"),
        ("augment", "TICKETS", "--text", "body", "--augmenter", "noise"),
    ],
    ids=lambda words: words[0],
)
def test_a_cluster_writes_what_this_machine_writes(tickets: Shell, command: tuple[str, ...]) -> None:
    command = tuple(str(Path("tickets").absolute()) if word == "TICKETS" else word for word in command)
    output = "*.parquet" if command[0] == "embed" else ""
    assert tickets(*command, "-o", f"here/{output}")[0] == 0
    status, _, err = tickets(*command, "-o", f"there/{output}", "--on", "ray", "--workers", "2")
    assert (status, told(err)) == (0, [])
    assert made("there") == made("here")
    assert len(made("here")) >= 3
    status, again, _ = tickets(*command, "-o", f"there/{output}", "--resume")
    assert status == 0
    assert "3 of 3 shards recorded as finished" in again
    assert made("there") == made("here")


def test_a_bad_shard_is_named_and_the_others_are_kept(tickets: Shell) -> None:
    Path("tickets/b.jsonl").write_text("{")
    status, out, err = tickets("predict", "run", str(Path("tickets").absolute()), "-o", "answers", "--on", "ray")
    assert status == 2
    assert "not done: " in out
    assert "1 of 3 shards could not be done: " in err
    assert "tickets/b.jsonl" in err
    assert {"a.csv", "c.parquet"} <= set(made("answers"))
    assert "b.jsonl" not in made("answers")


def test_a_killed_actor_loses_nothing(tickets: Shell) -> None:
    texts = [f"refund for order {number}" for number in range(20000)]
    for number in range(4):
        pl.DataFrame({"body": texts[number:]}).write_csv(f"tickets/long{number}.csv")
    assert tickets("predict", "run", str(Path("tickets").absolute()), "-o", "here")[0] == 0
    killed: list[str] = []

    def kill() -> None:
        """Kill the first actor that has begun to write."""
        until = time.monotonic() + 60
        while not killed and time.monotonic() < until:
            time.sleep(0.02)
            writing = [path for path in Path("there").glob("long*.part") if path.stat().st_size]
            for command in Path("/proc").glob("[0-9]*/cmdline") if writing and not killed else []:
                with suppress(OSError):
                    if command.read_bytes().startswith(b"ray::MapWorker"):
                        os.kill(int(command.parent.name), signal.SIGKILL)
                        killed.append(writing[0].name)
                        break

    killer = threading.Thread(target=kill)
    killer.start()
    status, _, err = tickets(
        "predict", "run", str(Path("tickets").absolute()), "-o", "there", "--on", "ray", "--workers", "2"
    )
    killer.join()
    assert killed
    assert (status, told(err)) == (0, [])
    assert made("there") == made("here")


def test_a_worker_that_always_dies_ends_the_command(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    pool = RayPool(Cluster.joined(None, 1, None, "cpu"), 1)
    with pytest.raises(SharpReCLError, match="a worker died 3 times over one file; its memory probably"):
        list(pool.map(lambda: lambda item: os._exit(item), [1], tmp_path))
    assert not [warning for warning in recwarn if "ray" in warning.category.__name__.lower()]


def test_one_file_is_no_work_for_a_cluster(tickets: Shell) -> None:
    status, _, err = tickets("predict", "run", "tickets/a.csv", "-o", "answers.csv", "--on", "ray")
    assert status == 2
    assert "on Ray every worker takes a file at a time; give a folder of files, or leave --on ray out" in err
    status, _, err = tickets("predict", "run", "tickets", "-o", "answers", "--on", "mars")
    assert "--on 'mars' is not known" in err
    status, _, err = tickets("predict", "run", "tickets", "-o", "answers", "--address", "x:1")
    assert "add --on ray" in err
    status, _, err = tickets("predict", "run", "tickets", "-o", "answers", "--on", "ray", "--threads", "99")
    assert "every worker needs 99 CPUs" in err
