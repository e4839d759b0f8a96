"""One training on a Ray cluster of this machine: the same bytes as several processes make, whoever is killed."""

import csv
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ray_workers import one_killed
from sharprecl.config import resolve
from sharprecl.data.tables import TextTable, read_table
from sharprecl.errors import AssetError, CheckpointError, ConfigError, SharpReCLError
from sharprecl.runs.claim import RAY
from sharprecl.runs.run import Run
from sharprecl.runs.train import train
from sharprecl.scale.cluster import Cluster
from sharprecl.scale.ray_train import RayTraining
from sharprecl.training.history import Callback
from tiny import skewed_texts, tiny_encoder
from typed import Shell

ray = pytest.importorskip("ray")
pytestmark = pytest.mark.usefixtures("cluster")
TRAINING = {"max_epochs": 15, "batch_size": 16, "checkpoint_seconds": 0, "folds": 0}
EQUAL = ("model/model.safetensors", "metrics.json", "history.jsonl")


class Said(Callback):
    def __init__(self) -> None:
        self.sentences: list[str] = []
        self.steps = 0
        self.ended = False

    def on_record(self, record: dict[str, Any], speed: object) -> None:
        self.steps += record["kind"] == "step"

    def on_message(self, sentence: str) -> None:
        self.sentences.append(sentence)

    def on_end(self) -> None:
        self.ended = True


@pytest.fixture(scope="module")
def table() -> TextTable:
    return read_table(skewed_texts())


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    encoder = tiny_encoder(tmp_path_factory.mktemp("encoder"), mean_pooling=True)
    return {"encoder": {"name": encoder, "max_length": 32}, "view": "dropout", "training": TRAINING}


@pytest.fixture(scope="module")
def run(table: TextTable, settings: dict[str, Any]) -> Run:
    return Run(table, resolve(settings, table.class_counts), Path("nowhere"), test=table, device="cpu")


@pytest.fixture(scope="module")
def calm(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What two processes without Ray leave."""
    folder = tmp_path_factory.mktemp("calm")
    train(replace(run, output=folder, processes=2), [])
    return folder


def pair() -> RayTraining:
    return RayTraining(Cluster.joined(None, 1, None, "cpu"), 2)


def assert_equal(one: Path, other: Path) -> None:
    for name in EQUAL:
        assert (one / name).read_bytes() == (other / name).read_bytes(), name


def test_killed_workers_lose_nothing(run: Run, calm: Path, tmp_path: Path) -> None:
    history, said = tmp_path / "run" / "history.jsonl", Said()

    def after(lines: int) -> Callable[[], bool]:
        return lambda: history.exists() and history.read_bytes().count(b"\n") > lines

    with (
        one_killed("RayTrainWorker", after(15), place=1) as along,
        one_killed("RayTrainWorker", after(45), place=0) as first,
    ):
        pair().train(replace(run, output=tmp_path / "run"), said)
    assert along
    assert first
    assert said.sentences.count("a worker was lost or has come; the training goes on with 2 workers") == 2
    assert sum("resumed at step" in sentence for sentence in said.sentences) == 2
    assert_equal(calm, tmp_path / "run")


def test_a_cluster_trains_what_this_machine_trains(run: Run, calm: Path, tmp_path: Path) -> None:
    # Four have no room, and two are enough to begin.
    said, four = Said(), RayTraining(Cluster.joined(None, 1, None, "cpu"), 4, 2)
    judged = four.train(replace(run, output=tmp_path / "run"), said)
    assert_equal(calm, tmp_path / "run")
    assert '"processes": 2' in (tmp_path / "run" / "environment.json").read_text()
    assert judged.evaluation.macro_f1 > 0.5
    assert (said.steps, said.ended) == ((calm / "history.jsonl").read_text().count('"kind": "step"'), True)
    assert not any("goes on" in sentence for sentence in said.sentences)
    assert not (tmp_path / "run" / RAY).exists()


def test_no_other_machine_can_take_the_commands_ear_with_it(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(actor_options: dict[str, Any]) -> None:
        asked.append(actor_options["scheduling_strategy"])
        raise ConfigError("far enough")

    asked: list[Any] = []
    monkeypatch.setattr("ray.util.queue.Queue", refuse)
    with pytest.raises(ConfigError, match="far enough"):
        pair().train(replace(run, output=tmp_path / "run"), Said())
    assert [(where.node_id, where.soft) for where in asked] == [(ray.get_runtime_context().get_node_id(), False)]


def test_what_is_wrong_is_told_at_once(run: Run, tmp_path: Path) -> None:
    config = run.config.model_copy(
        update={"encoder": run.config.encoder.model_copy(update={"name": str(tmp_path / "no")})}
    )
    with pytest.raises(AssetError, match="no"):
        pair().train(replace(run, config=config, output=tmp_path / "run"), said := Said())
    assert not said.sentences, "it was not tried again"


def test_a_storage_that_fails_in_the_middle_ends_all_workers_at_once(run: Run, calm: Path, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "checkpoints").write_text("no folder")
    began = time.monotonic()
    with pytest.raises(CheckpointError, match=r"could not write to .*checkpoints.*free some space.*--resume"):
        pair().train(replace(run, output=tmp_path / "run"), Said())
    assert time.monotonic() - began < 60
    (tmp_path / "run" / "checkpoints").unlink()
    pair().train(replace(run, output=tmp_path / "run"), Said())
    assert_equal(calm, tmp_path / "run")


@pytest.mark.parametrize(
    ("words", "cure"),
    [
        ("--workers 2", "add --on ray, or give --processes"),
        ("--on ray --processes 2", "give --workers with --on ray"),
        ("--on ray --workers 3", "do not fit into this cluster, which has room for 2; give fewer --workers"),
        ("--on ray --workers 2 --threads 2", "which has room for 1"),
        ("--on ray --workers 2 --min-workers 3", "--min-workers 3 is more than the 2 that train"),
        ("--on ray --method frozen", "frozen is not trained by several processes; leave --on ray out"),
        ("--on ray --workers 2 --batch-size 2", "processes share batches of"),
        ("--on spark", "--on 'spark' is not known"),
    ],
)
def test_what_cannot_be_is_one_sentence(
    words: str,
    cure: str,
    table: TextTable,
    settings: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    with open("data.csv", "w", newline="") as stream:
        csv.writer(stream).writerows([("text", "label"), *zip(table.texts, table.labels, strict=True)])
    command = Shell(monkeypatch, capsys, "train", "data.csv", "-o", "run", "--encoder", settings["encoder"]["name"])
    status, _, told = command(*words.split())
    assert status == 2
    assert cure in told
    assert not Path("run").exists()


def test_a_killed_command_goes_on_where_it_was(
    table: TextTable, settings: dict[str, Any], cluster: str, calm: Path, tmp_path: Path
) -> None:
    with (tmp_path / "data.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([("text", "label"), *zip(table.texts, table.labels, strict=True)])
    command = [sys.executable, "-m", "sharprecl", "train", "data.csv", "--device", "cpu"]
    # A relative encoder: Ray's workers live elsewhere.
    encoder = os.path.relpath(settings["encoder"]["name"], tmp_path)
    command += ["--encoder", encoder, "--set", "view=dropout", "--max-length", "32"]
    command += [word for name, value in TRAINING.items() for word in ("--set", f"training.{name}={value}")]
    there = ["--on", "ray", "--address", cluster, "--workers", "2", "--output", "there"]
    struck = subprocess.Popen([*command, *there], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    history, until = tmp_path / "there" / "history.jsonl", time.monotonic() + 120
    while not (history.exists() and history.read_bytes().count(b"\n") > 20):
        assert time.monotonic() < until, struck.communicate(timeout=5)
        time.sleep(0.02)
    os.kill(struck.pid, signal.SIGKILL)
    struck.communicate()
    again = subprocess.run([*command, *there, "--resume"], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert again.returncode == 0, again.stderr
    assert "resumed at step" in again.stdout
    assert "Macro-F1" in again.stdout
    for name in ("model/model.safetensors", "history.jsonl"):
        assert (calm / name).read_bytes() == (tmp_path / "there" / name).read_bytes(), name


# The last one: without its dashboard, Ray keeps the room of workers that died as they began.
def test_a_worker_that_always_dies_ends_the_command(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def dies(task: object) -> None:
        import os

        os._exit(1)

    monkeypatch.setattr("sharprecl.scale.ray_train._loop", dies)
    with pytest.raises(SharpReCLError, match="started 3 times and ended each time, last because of: "):
        pair().train(replace(run, output=tmp_path / "run"), Said())
