"""A run that is killed with SIGKILL and resumed ends with the bytes of the undisturbed run.

Dropout, hard-mixup, WordNet synonyms, packing, bf16 (where the processor has it) and early selection are all on.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tiny import skewed_texts, tiny_encoder

DRIVER = Path(__file__).parent / "interrupted.py"
COMPARED = ("model/model.safetensors", "model/config.json", "metrics.json", "history.jsonl", "sharprecl.json")


@dataclass
class Ended:
    """How a command ended, and what it printed."""

    returncode: int
    stdout: str
    stderr: str


class Driver:
    """Runs commands in forks of one process, see ``interrupted.py``."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(DRIVER)],
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def __call__(self, folder: Path, output: str, point: str, passing: int, *more: str) -> Ended:
        arguments = ["train", "data.csv", "--output", output, "--config", "run.yaml", *more]
        request = {"folder": str(folder), "arguments": arguments, "point": point, "passing": passing}
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return Ended(*json.loads(self.process.stdout.readline()))


@pytest.fixture(scope="module")
def run() -> Iterator[Driver]:
    driver = Driver()
    yield driver
    driver.process.kill()
    driver.process.wait()


@pytest.fixture(scope="module")
def folder(run: Driver, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table, an encoder, settings, and the undisturbed run in ``calm``."""
    folder = tmp_path_factory.mktemp("resume")
    tiny_encoder(folder / "encoder", mean_pooling=True)
    texts, labels = skewed_texts()
    lines = ["text,label", *(f"{text},{label}" for text, label in zip(texts, labels, strict=True))]
    (folder / "data.csv").write_text("\n".join(lines))
    (folder / "run.yaml").write_text(
        "encoder: {name: encoder, max_length: 32}\n"
        "view: synonyms\n"
        "training: {max_epochs: 3, batch_size: 16, checkpoint_seconds: 0}\n"
    )
    finished = run(folder, "calm", "never", 0)
    assert finished.returncode == 0, finished.stderr
    return folder


@pytest.mark.asset
@pytest.mark.parametrize(
    ("point", "passing"),
    [("mid_epoch", 1), ("mid_epoch", 6), ("epoch_edge", 2), ("half_checkpoint", 5), ("before_judging", 1)],
)
def test_killed_and_resumed_is_byte_equal(run: Driver, folder: Path, point: str, passing: int) -> None:
    output = f"{point}-{passing}"
    killed = run(folder, output, point, passing)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert not (folder / output / "metrics.json").exists()
    resumed = run(folder, output, "never", 0, "--resume")
    assert resumed.returncode == 0, resumed.stderr
    if passing > 1 or point == "before_judging":
        assert "resumed at step" in resumed.stdout
    for name in COMPARED:
        assert (folder / output / name).read_bytes() == (folder / "calm" / name).read_bytes(), name
    assert not (folder / output / "checkpoints").exists(), "a finished run needs no checkpoints"


@pytest.mark.asset
def test_above_frozen_layers_it_is_byte_equal_too(run: Driver, folder: Path) -> None:
    frozen = "--set", "encoder.trainable_layers=1"
    assert run(folder, "frozen-calm", "never", 0, *frozen).returncode == 0
    assert run(folder, "frozen", "mid_epoch", 6, *frozen).returncode == -signal.SIGKILL
    resumed = run(folder, "frozen", "never", 0, "--resume", *frozen)
    assert "resumed at step" in resumed.stdout, resumed.stderr
    for name in COMPARED:
        assert (folder / "frozen" / name).read_bytes() == (folder / "frozen-calm" / name).read_bytes(), name


FOLDS = "--folds", "2", "--set", "training.select_on=last"


@pytest.fixture(scope="module")
def calm_folds(run: Driver, folder: Path) -> Path:
    """The undisturbed run with two folds: 6 and 9 steps, then 15 on all texts, and a checkpoint after each."""
    calm = run(folder, "calm-folds", "never", 0, *FOLDS)
    assert calm.returncode == 0, calm.stderr
    assert "out-of-fold scores of 2 trainings on half of the texts each" in calm.stdout
    return folder / "calm-folds"


@pytest.mark.asset
@pytest.mark.parametrize(
    ("point", "passing", "said"),
    [
        ("mid_epoch", 4, "fold 1 of 2: resumed at step 3 of 6"),
        ("half_checkpoint", 10, "fold 2 of 2: resumed at step 2 of 9"),
        ("mid_epoch", 18, "\nresumed at step 2 of 15"),
        ("before_judging", 3, "\nresumed at step 15 of 15"),
    ],
)
def test_killed_with_folds_and_resumed_is_byte_equal(
    run: Driver, folder: Path, calm_folds: Path, point: str, passing: int, said: str
) -> None:
    output = f"folds-{point}-{passing}"
    killed = run(folder, output, point, passing, *FOLDS)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    resumed = run(folder, output, "never", 0, "--resume", *FOLDS)
    assert resumed.returncode == 0, resumed.stderr
    assert said in resumed.stdout
    for name in (*COMPARED, "scores.npz"):
        assert (folder / output / name).read_bytes() == (calm_folds / name).read_bytes(), name
    assert not (folder / output / "folds").exists()


@pytest.mark.asset
def test_without_resume_a_cut_off_run_is_not_overwritten(run: Driver, folder: Path) -> None:
    killed = run(folder, "again", "mid_epoch", 6)
    assert killed.returncode == -signal.SIGKILL
    refused = run(folder, "again", "never", 0)
    assert refused.returncode == 2
    assert "add --resume to finish it, --overwrite to start anew" in refused.stderr
    other = run(folder, "again", "never", 0, "--resume", "--seed", "5")
    assert other.returncode == 2
    assert "holds a run with other settings" in other.stderr
    assert "seed: 0" in (folder / "again" / "config.yaml").read_text(), "a refused resume changes nothing"
    other = run(folder, "again", "never", 0, "--resume", "--view", "dropout")
    assert "holds a run with other settings" in other.stderr
    anew = run(folder, "again", "mid_epoch", 2, "--overwrite", "--seed", "5")
    assert anew.returncode == -signal.SIGKILL
    resumed = run(folder, "again", "never", 0, "--resume", "--seed", "5")
    assert resumed.returncode == 0, resumed.stderr
    assert "resumed at step 1 of" in resumed.stdout, "the old run's later checkpoints are gone"


@pytest.mark.asset
def test_a_full_disk_ends_in_one_sentence_and_can_be_resumed(run: Driver, folder: Path) -> None:
    full = run(folder, "full", "full_disk", 4)
    assert full.returncode == 2, full.stderr
    assert len(full.stderr.strip().splitlines()) == 1
    assert "last good checkpoint is at step 3; free some space" in full.stderr
    resumed = run(folder, "full", "never", 0, "--resume")
    assert resumed.returncode == 0, resumed.stderr
    assert "resumed at step 3" in resumed.stdout
    for name in COMPARED:
        assert (folder / "full" / name).read_bytes() == (folder / "calm" / name).read_bytes(), name
