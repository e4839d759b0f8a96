"""Checkpoints are whole or ignored, and a disk that refuses leaves the last good one."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch

from sharprecl.errors import CheckpointError
from sharprecl.training.checkpoint import CheckpointFolder, remove_checkpoints


def payload(value: float) -> dict[str, Any]:
    return {"weights": torch.full((1000,), value), "state": {"step": int(value)}}


@contextmanager
def disk_of(size: int) -> Iterator[None]:
    """Let the kernel refuse writes beyond a file size, as a full disk would."""
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, old[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)


def test_the_newest_is_found_and_two_are_kept(tmp_path: Path) -> None:
    folder = CheckpointFolder(tmp_path / "c", "run")
    assert folder.latest() is None
    for step in (1, 2, 3):
        folder.save(step, payload(step), best=None, best_is_new=False)
    assert folder.steps() == [2, 3]
    found = CheckpointFolder(tmp_path / "c", "run").latest()
    assert found is not None
    assert found["state"] == {"step": 3}
    assert torch.equal(found["weights"], torch.full((1000,), 3.0))
    assert found["best"] is None


def test_best_weights_stay_with_the_checkpoints_that_mean_them(tmp_path: Path) -> None:
    folder = CheckpointFolder(tmp_path / "c", "run")
    folder.save(1, payload(1), best={"w": torch.tensor(1.0)}, best_is_new=True)
    folder.save(2, payload(2), best={"w": torch.tensor(1.0)}, best_is_new=False)
    inodes = {path.stat().st_ino for path in (tmp_path / "c").glob("*/best.pt")}
    assert len(inodes) == 1, "unchanged best weights are linked, not written again"
    for step in (3, 4):
        folder.save(step, payload(step), best={"w": torch.tensor(1.0)}, best_is_new=False)
    folder.save(5, payload(5), best={"w": torch.tensor(5.0)}, best_is_new=True)
    found = folder.latest()
    assert found is not None
    assert found["best"]["w"] == 5.0
    (tmp_path / "c" / "step-00000005" / "state.pt").write_bytes(b"lost by the disk")
    found = folder.latest()
    assert found is not None
    assert (found["state"]["step"], float(found["best"]["w"])) == (4, 1.0)


def test_the_same_step_can_be_saved_again(tmp_path: Path) -> None:
    folder = CheckpointFolder(tmp_path / "c", "run")
    folder.save(7, payload(1), best=None, best_is_new=False)
    folder.save(7, payload(2), best={"w": torch.tensor(0.0)}, best_is_new=True)
    found = folder.latest()
    assert found is not None
    assert found["state"] == {"step": 2}
    assert found["best"] is not None


def test_leftovers_of_a_killed_run_are_removed(tmp_path: Path) -> None:
    half = tmp_path / "c" / ".step-00000009"
    half.mkdir(parents=True)
    (half / "state.pt").write_bytes(b"half")
    folder = CheckpointFolder(tmp_path / "c", "run")
    assert folder.latest() is None
    assert not half.exists()


def test_another_runs_checkpoint_is_refused(tmp_path: Path) -> None:
    CheckpointFolder(tmp_path, "one run").save(1, payload(1), best=None, best_is_new=False)
    with pytest.raises(CheckpointError, match="other settings or other data"):
        CheckpointFolder(tmp_path, "another run").latest()


def test_a_full_disk_leaves_the_last_good_checkpoint(tmp_path: Path) -> None:
    folder = CheckpointFolder(tmp_path, "run")
    folder.save(1, payload(1), best=None, best_is_new=False)
    with disk_of(1000), pytest.raises(CheckpointError, match=r"last good checkpoint is at step 1; free some space"):
        folder.save(2, payload(2), best=None, best_is_new=False)
    assert folder.steps() == [1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["step-00000001"]
    found = folder.latest()
    assert found is not None
    assert found["state"] == {"step": 1}


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(CheckpointError, match="there is no earlier checkpoint"):
        CheckpointFolder(tmp_path / "file" / "checkpoints", "run")


def test_after_falling_back_the_best_weights_are_those_of_the_older_checkpoint(tmp_path: Path) -> None:
    folder = CheckpointFolder(tmp_path, "run")
    folder.save(50, payload(50), best={"w": torch.tensor(1.0)}, best_is_new=True)
    folder.save(100, payload(100), best={"w": torch.tensor(2.0)}, best_is_new=True)
    (tmp_path / "step-00000100" / "state.pt").write_bytes(b"lost by the disk")
    folder = CheckpointFolder(tmp_path, "run")
    found = folder.latest()
    assert found is not None
    assert (found["state"]["step"], float(found["best"]["w"])) == (50, 1.0)
    assert folder.steps() == [50], "a damaged checkpoint must not take the place of a good one"
    folder.save(60, payload(60), best={"w": torch.tensor(1.0)}, best_is_new=False)
    again = folder.latest()
    assert again is not None
    assert (again["state"]["step"], float(again["best"]["w"])) == (60, 1.0)


def test_a_new_run_does_not_keep_an_old_runs_checkpoints(tmp_path: Path) -> None:
    CheckpointFolder(tmp_path, "old").save(90, payload(90), best=None, best_is_new=False)
    folder = CheckpointFolder(tmp_path, "new")
    folder.start_anew()
    folder.save(1, payload(1), best=None, best_is_new=False)
    assert folder.steps() == [1]
    found = folder.latest()
    assert found is not None
    assert found["state"] == {"step": 1}


def test_foreign_names_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "step-abc").mkdir()
    folder = CheckpointFolder(tmp_path, "run")
    folder.save(1, payload(1), best=None, best_is_new=False)
    assert folder.steps() == [1]


def test_only_our_own_checkpoints_go(tmp_path: Path) -> None:
    folder = CheckpointFolder(tmp_path / "checkpoints", "run")
    folder.save(1, payload(1), None, False)
    (tmp_path / "checkpoints" / ".step-00000002").mkdir()
    remove_checkpoints(tmp_path / "checkpoints")
    assert not (tmp_path / "checkpoints").exists()
    folder = CheckpointFolder(tmp_path / "checkpoints", "run")
    folder.save(1, payload(1), None, False)
    (tmp_path / "checkpoints" / "mine").write_text("mine")
    with pytest.raises(CheckpointError, match="holds 'mine', which no training of ours left there"):
        CheckpointFolder(tmp_path / "checkpoints", "run")
    remove_checkpoints(tmp_path / "checkpoints")
    assert [path.name for path in (tmp_path / "checkpoints").iterdir()] == ["mine"]
