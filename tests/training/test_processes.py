"""Several processes take the steps of one, and end well where one of them does not."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from sharprecl import TextClassifier
from sharprecl.cli.train import trains_along
from sharprecl.config import METHODS, TrainingConfig, method_settings, resolve
from sharprecl.data.tables import TextTable, read_table
from sharprecl.errors import ConfigError, SharpReCLError
from sharprecl.training.history import Callback
from sharprecl.training.job import TrainingJob
from sharprecl.training.launch import _store, check_launcher, check_number, started
from sharprecl.training.processes import ALONE, Processes
from sharprecl.training.session import Trained, train
from tiny import skewed_texts, tiny_encoder
from typed import Shell

TRAINED = [name for name in METHODS if method_settings(name).trains_encoder]
COMMAND = [sys.executable, "-m", "sharprecl"]


class Losses(Callback):
    def __init__(self) -> None:
        self.totals: list[float] = []
        self.sentences: list[str] = []

    def on_record(self, record: dict[str, Any], speed: object) -> None:
        if record["kind"] == "step":
            self.totals.append(record["loss"]["total"])

    def on_message(self, sentence: str) -> None:
        self.sentences.append(sentence)


@pytest.fixture(scope="module")
def pair() -> Iterator[Processes]:
    with started(2, "cpu") as processes:
        yield processes


@pytest.fixture(scope="module")
def table() -> TextTable:
    # 55 texts in batches of 16: four batches of 13 and 14.
    texts, labels = skewed_texts()
    return read_table((texts[:55], labels[:55]))


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return tiny_encoder(tmp_path_factory.mktemp("encoder"), mean_pooling=True)


@pytest.fixture(scope="module")
def undropped(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("undropped")
    tiny_encoder(folder, mean_pooling=True)
    settings = json.loads((folder / "config.json").read_text())
    settings |= {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    (folder / "config.json").write_text(json.dumps(settings))
    return str(folder)


def trained(
    table: TextTable, encoder: str, processes: Processes, method: str = "sharprecl", **training: Any
) -> tuple[list[float], Trained]:
    usual = {"max_epochs": 5, "batch_size": 16, "precision": "fp32"}
    wanted = {
        "encoder": {"name": encoder, "max_length": 32},
        "method": {"name": method},
        "training": {**usual, **training},
    }
    losses = Losses()
    return losses.totals, train(TrainingJob(table, resolve(wanted), losses, processes=processes))


def farthest(one: Trained, other: Trained) -> float:
    ours, theirs = one.backbone.state_dict(), other.backbone.state_dict()
    return max(float((ours[name].double() - theirs[name].double()).abs().max()) for name in ours)


@pytest.mark.parametrize("method", TRAINED)
def test_two_processes_take_the_steps_of_one(method: str, table: TextTable, undropped: str, pair: Processes) -> None:
    # Queues, stages, class-balanced draws, label tokens and uneven batches are among them.
    alone, one = trained(table, undropped, ALONE, method)
    together, two = trained(table, undropped, pair, method)
    assert len(alone) == 20
    np.testing.assert_allclose(together, alone, rtol=1e-5)
    assert farthest(one, two) < 1e-5
    assert two.outcome.processes == 2
    assert one.outcome.tokens == two.outcome.tokens


@pytest.mark.parametrize("settings", [{"micro_batch": 3}, {"select_on": "validation", "patience": 1}])
def test_so_they_do_with_other_settings(
    settings: dict[str, Any], table: TextTable, undropped: str, pair: Processes
) -> None:
    alone, one = trained(table, undropped, ALONE, **settings)
    together, two = trained(table, undropped, pair, **settings)
    np.testing.assert_allclose(together, alone, rtol=1e-5)
    assert farthest(one, two) < 1e-5


def test_with_dropout_they_draw_for_themselves_and_always_the_same(
    table: TextTable, encoder: str, pair: Processes
) -> None:
    alone, _ = trained(table, encoder, ALONE)
    first, one = trained(table, encoder, pair)
    second, two = trained(table, encoder, pair)
    assert first != alone
    assert first == second
    assert farthest(one, two) == 0
    assert abs(np.mean(first) - np.mean(alone)) < 0.1 * np.mean(alone)


def test_gradients_of_a_gathered_tensor_are_each_process_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every process has the whole loss: the gradient of its rows is whole, so no factor belongs to it."""
    monkeypatch.setattr("torch.distributed.all_reduce", lambda tensor: tensor.add_(_others))
    _others = torch.tensor([[0.0], [5.0], [0.0]])
    own = torch.tensor([[1.0], [2.0]], requires_grad=True)
    whole = Processes(0, 2).gathered(own, torch.tensor([0, 2]), 3)
    assert whole.tolist() == [[1.0], [5.0], [2.0]]
    (whole.prod()).backward()
    assert own.grad is not None
    assert own.grad.tolist() == [[10.0], [5.0]]


def test_shares_are_even_and_whole() -> None:
    lengths = np.random.default_rng(0).integers(3, 60, 33)
    shares = [Processes(rank, 4).own(lengths) for rank in range(4)]
    assert sorted(np.concatenate(shares)) == list(range(33))
    tokens = [lengths[share].sum() for share in shares]
    assert max(tokens) - min(tokens) <= lengths.max()
    assert ALONE.own(lengths).tolist() == list(range(33))


def test_what_cannot_be_is_one_sentence(table: TextTable) -> None:
    with pytest.raises(ConfigError, match="share batches of 13 texts, so some would have none"):
        check_number(14, TrainingConfig(batch_size=16), 55)
    check_number(13, TrainingConfig(batch_size=16), 55)
    with pytest.raises(ConfigError, match="0 processes cannot train"):
        check_number(0, TrainingConfig(), 55)
    with pytest.raises(ConfigError, match="asks for DeepSpeed, which is not supported"):
        check_launcher({"ACCELERATE_USE_DEEPSPEED": "true"})
    with pytest.raises(ConfigError, match="asks for fp16 or fp8"):
        check_launcher({"ACCELERATE_MIXED_PRECISION": "fp16"})
    check_launcher({"ACCELERATE_MIXED_PRECISION": "bf16", "ACCELERATE_DYNAMO_BACKEND": "NO"})
    with pytest.raises(ConfigError, match="frozen is not trained by several processes"):
        TextClassifier(method="frozen", processes=2).fit(list(table.texts), list(table.labels))


def test_a_program_that_a_launcher_started_several_times_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLD_SIZE", "3")
    monkeypatch.setenv("RANK", "1")
    with pytest.raises(ConfigError, match="each would train; start it once, with processes=3"), started(1, "cpu"):
        pass
    monkeypatch.setenv("RANK", "0")
    with pytest.raises(ConfigError, match="leave --processes 2 out"), started(2, "cpu"):
        pass


@pytest.fixture(scope="module")
def folder(encoder: str, table: TextTable, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("commands")
    lines = ["text,label", *(f"{text},{label}" for text, label in zip(table.texts, table.labels, strict=True))]
    (folder / "data.csv").write_text("\n".join(lines))
    (folder / "run.yaml").write_text(
        f"encoder: {{name: '{encoder}', max_length: 32}}\n"
        "training: {max_epochs: 15, batch_size: 16, checkpoint_seconds: 0, folds: 0}\n"
    )
    return folder


def command(folder: Path, output: str, *more: str, before: tuple[str, ...] = tuple(COMMAND)) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*before, "train", "data.csv", "--config", "run.yaml", "--device", "cpu", "--output", output, *more],
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_one_killed_process_ends_all_and_the_run_goes_on_to_the_same_end(folder: Path) -> None:
    calm = command(folder, "calm", "--processes", "2")
    struck = command(folder, "struck", "--processes", "2")
    history = folder / "struck" / "history.jsonl"
    until = time.monotonic() + 120
    while not (history.exists() and history.read_bytes().count(b"\n") > 20):
        assert time.monotonic() < until, struck.communicate(timeout=5)
        time.sleep(0.02)
    (child,) = map(int, Path(f"/proc/{struck.pid}/task/{struck.pid}/children").read_text().split())
    os.kill(child, signal.SIGKILL)
    _, told = struck.communicate(timeout=30)
    assert struck.returncode == 2
    assert "another process of this training has ended" in told
    assert "Traceback" not in told
    again = command(folder, "struck", "--processes", "2", "--resume")
    out, told = again.communicate(timeout=120)
    assert again.returncode == 0, told
    assert "resumed at step" in out
    assert "drawn differently" not in out
    assert calm.communicate(timeout=120)
    assert calm.returncode == 0
    for name in ("model/model.safetensors", "metrics.json", "history.jsonl"):
        assert (folder / "calm" / name).read_bytes() == (folder / "struck" / name).read_bytes(), name
    assert json.loads((folder / "calm" / "environment.json").read_text())["processes"] == 2


def test_torchrun_starts_the_command_and_only_the_first_prints(folder: Path) -> None:
    launcher = (
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--standalone",
        "--nproc-per-node",
        "2",
        "-m",
        "sharprecl",
    )
    # With folds, so that the floors are judged too: in the first process alone.
    ran = command(folder, "launched", "--max-epochs", "2", "--folds", "2", before=launcher)
    out, told = ran.communicate(timeout=120)
    assert ran.returncode == 0, told
    assert out.count("report.html") == 1
    assert "logistic regression" in " ".join(out.split())
    assert json.loads((folder / "launched" / "environment.json").read_text())["processes"] == 2


def test_another_number_goes_on_and_says_so(folder: Path, table: TextTable, encoder: str, pair: Processes) -> None:
    wanted = {
        "encoder": {"name": encoder, "max_length": 32},
        "training": {"max_epochs": 3, "batch_size": 16, "precision": "fp32", "checkpoint_seconds": 0},
    }
    job = TrainingJob(table, resolve(wanted), Losses(), output=folder / "number")
    train(job)
    heard = Losses()
    train(replace(job, callback=heard, resume=True, processes=pair))
    assert any("begun with 1 process, resumed with 2" in sentence for sentence in heard.sentences)


def test_one_that_cannot_start_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "false")
    with pytest.raises(SharpReCLError, match="process 1 of the training did not start"), started(2, "cpu"):
        pass


def test_nobody_else_can_join() -> None:
    store = _store(2)
    lines = [line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()]
    # 0A: it listens.
    listening = [line[1] for line in lines if line[3] == "0A" and line[1].endswith(f":{store.port:04X}")]
    assert listening == [f"0100007F:{store.port:04X}"]


def test_a_rank_without_others_trains_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "3")
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    assert not trains_along("cpu")


def test_a_floor_is_fitted_beside_a_launched_training(
    table: TextTable, encoder: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("RANK", "0")
    settings = {"encoder": {"name": encoder, "max_length": 32}, "method": {"name": "frozen"}}
    assert len(TextClassifier(config=settings, device="cpu").fit(table).predict(table.texts)) == len(table)
    data, output = str(folder / "data.csv"), str(folder / "alone")
    status, _, told = Shell(monkeypatch, capsys)(
        "train", data, "-o", output, "--encoder", encoder, "--method", "frozen"
    )
    assert status == 2
    assert "frozen is not trained by several processes; start it without a launcher" in told
