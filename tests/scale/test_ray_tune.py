"""A search on a Ray cluster of this machine: every trial is what it is without Ray, whoever is killed."""

import csv
from pathlib import Path
from typing import Any

import pytest

from ray_workers import one_killed
from sharprecl.config import Range
from sharprecl.data.tables import TextTable, read_table
from sharprecl.errors import SharpReCLError
from sharprecl.runs.claim import RAY, SEARCH
from sharprecl.scale.asked import TRIALS, Search
from sharprecl.scale.cluster import Cluster
from sharprecl.scale.ray_tune import RayTrials
from sharprecl.scale.search import Found, search
from sharprecl.scale.trial import Trial, run_trial
from sharprecl.training.history import Callback
from tiny import skewed_texts, tiny_encoder
from typed import Shell

ray = pytest.importorskip("ray")
pytestmark = pytest.mark.usefixtures("cluster")
FOLDS = 3


class Said(Callback):
    def __init__(self) -> None:
        self.sentences: list[str] = []

    def on_message(self, sentence: str) -> None:
        self.sentences.append(sentence)


@pytest.fixture(scope="module")
def table() -> TextTable:
    return read_table(skewed_texts())


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return tiny_encoder(tmp_path_factory.mktemp("encoder"), mean_pooling=True)


def make(table: TextTable, encoder: str, output: Path, trials: int = 5, **training: Any) -> Search:
    wanted = {
        "encoder": {"name": encoder, "max_length": 16},
        "method": {"name": "cross_entropy"},
        "training": {"folds": FOLDS, "max_epochs": 3, "batch_size": 16, **training},
    }
    space = {"training.learning_rate": Range(1e-5, 1e-2, log=True)}
    return Search(table, wanted, space, output, trials, device="cpu")


def pair() -> RayTrials:
    return RayTrials(Cluster.joined(None, 1, None, "cpu"), 2)


def assert_as_here(found: Found) -> None:
    """Whole trials have the figures that they have without Ray, and the defaults are one of them."""
    asked = found.search
    assert found.default.macro_f1 is not None
    for one in found.tried:
        if one.macro_f1 is None:
            assert one.why.startswith("stopped after fold "), one
            continue
        here = Trial("here", asked.table, asked.trial(one.place, one.values if one.place else {}).config, None, "cpu")
        assert run_trial(here, Callback()).macro_f1 == one.macro_f1


def test_trials_are_those_of_this_machine_though_a_worker_is_killed(
    table: TextTable, encoder: str, tmp_path: Path
) -> None:
    trials, said = tmp_path / SEARCH / TRIALS, Said()
    asked = make(table, encoder, tmp_path, trials=4, max_epochs=8)
    with one_killed("ImplicitFunc", lambda: any(trials.glob("*/folds/2/history.jsonl"))) as killed:
        found = search(asked, said, pair())
    assert killed
    assert [one.place for one in found.tried] == [0, 1, 2, 3]
    assert sum(sentence.startswith("trial ") and " of 4)" in sentence for sentence in said.sentences) == 4
    assert_as_here(found)
    assert not any((tmp_path / SEARCH / name).exists() for name in (RAY, TRIALS))
    if found.confirmed is not None:
        default = Trial("fresh", table, asked.config, None, "cpu")
        assert run_trial(default, Callback()).macro_f1 == found.confirmed.default
    assert search(asked, Callback(), pair()).tried == found.tried


def test_what_is_wrong_is_told_at_once(table: TextTable, tmp_path: Path) -> None:
    wanted = {"encoder": {"name": str(tmp_path / "none")}, "method": {"name": "frozen"}, "training": {"folds": FOLDS}}
    asked = Search(table, wanted, {"method.C": Range(0.1, 1)}, tmp_path, 30, device="cpu")
    with pytest.raises(SharpReCLError, match="none"):
        search(asked, said := Said(), pair())
    assert not said.sentences


def test_the_command_ends_with_a_model(
    table: TextTable, encoder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with open("data.csv", "w", newline="") as stream:
        csv.writer(stream).writerows([("text", "label"), *zip(table.texts, table.labels, strict=True)])
    command = Shell(monkeypatch, capsys, "tune", "data.csv", "-o", "run", "--encoder", encoder, "--max-length", "16")
    status, _, told = command("--trials", "3", "--workers", "2")
    assert status == 2
    assert "--workers are for a Ray cluster; add --on ray" in told
    status, out, told = command("--method", "frozen", "--trials", "2", "--device", "cpu", "--on", "ray")
    assert (status, told) == (0, "")
    assert "trial 0, the defaults" in out
    assert Path("run/model/model.safetensors").exists()
    assert Path("run/tune.html").exists()
