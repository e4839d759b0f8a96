"""A sweep on a Ray cluster of this machine: the same runs, whoever is killed."""

import os
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from sharprecl.errors import ConfigError
from sharprecl.experiments.exchange import export
from sharprecl.experiments.plan import Plan
from sharprecl.experiments.store import Store
from sharprecl.experiments.sweep import sweep
from sharprecl.experiments.task import Options
from sharprecl.scale.ray_worker import ray_workers
from tiny_experiment import Said, timeless, tiny_plan

ray = pytest.importorskip("ray")
pytestmark = pytest.mark.usefixtures("cluster")
LONG = {"max_epochs": 12, "checkpoint_seconds": 0.2, "learning_rate": 2e-3}


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    folder = tmp_path_factory.mktemp("plan")
    encoder = {"max_length": 16, "name": str(folder / "encoder")}
    return tiny_plan(folder, settings={"encoder": encoder, "view": "dropout", "training": LONG}, seeds=1)


def exported(store: Store, path: Path) -> list[dict[str, Any]]:
    export(store, path, full=True)
    return timeless(path)


@pytest.fixture(scope="module")
def undisturbed(plan: Plan, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    folder = tmp_path_factory.mktemp("undisturbed")
    sweep(plan.jobs("smoke"), Store(folder / "results"), Options(2, device="cpu"), Said())
    return exported(Store(folder / "results"), folder / "lines.jsonl")


def test_runs_on_ray_are_those_of_this_machine(plan: Plan, undisturbed: list[dict[str, Any]], tmp_path: Path) -> None:
    options, store, said = Options(2, device="cpu"), Store(tmp_path / "results"), Said()
    outcome = sweep(plan.jobs("smoke"), store, options, said, ray_workers(None, None, options))
    assert (outcome.made, outcome.failed, outcome.waiting) == (2, [], [])
    assert exported(store, tmp_path / "lines.jsonl") == undisturbed
    again = sweep(plan.jobs("smoke"), store, options, said, ray_workers(None, None, options))
    assert (again.done, again.made) == (2, 0)


def test_a_run_whose_worker_is_killed_is_made_once_more(
    plan: Plan, undisturbed: list[dict[str, Any]], tmp_path: Path
) -> None:
    options, store, said = Options(2, device="cpu"), Store(tmp_path / "results"), Said()
    killed: list[int] = []

    def kill_one() -> None:
        while not any(run.state == "begun" for run in store.runs()):
            time.sleep(0.02)
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if (process / "cmdline").read_bytes().startswith(b"ray::_Maker"):
                    os.kill(int(process.name), signal.SIGKILL)
                    killed.append(int(process.name))
                    return

    thread = threading.Thread(target=kill_one)
    thread.start()
    outcome = sweep(plan.jobs("smoke"), store, options, said, ray_workers(None, None, options))
    thread.join()
    assert killed
    assert (outcome.made, outcome.failed, outcome.waiting) == (2, [], [])
    # Whichever it was: one that made a run, or one that was about to begin.
    assert any("was lost" in sentence for sentence in said)
    assert exported(store, tmp_path / "lines.jsonl") == undisturbed


def test_the_deadline_leaves_the_rest(plan: Plan, tmp_path: Path) -> None:
    options = Options(2, device="cpu", deadline=time.monotonic())
    outcome = sweep(plan.jobs("smoke"), Store(tmp_path), options, Said(), ray_workers(None, None, options))
    assert (outcome.made, len(outcome.waiting)) == (0, 2)


def test_a_folder_that_a_machine_does_not_see_is_named(tmp_path: Path) -> None:
    options = Options(device="cpu")
    worker = ray_workers(None, None, options)(tmp_path / "elsewhere", options)
    assert worker.future is not None
    with pytest.raises(ConfigError, match="a folder that all machines of the cluster share"):
        worker.future.result(60)
    worker.leave()


@pytest.mark.parametrize(
    ("options", "gpu_share", "cure"),
    [
        (Options(threads=3, device="cpu"), None, "needs 3 CPUs, and no machine of this cluster has more than 2"),
        (Options(), 0.5, "needs 0.5 GPUs, and no machine of this cluster has more than 0; give a smaller --gpu-share"),
        (Options(), -1.0, "cannot be negative"),
    ],
)
def test_what_no_machine_could_hold_is_refused(options: Options, gpu_share: float | None, cure: str) -> None:
    with pytest.raises(ConfigError, match=cure):
        ray_workers(None, gpu_share, options)
