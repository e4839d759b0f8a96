"""What waiting threads cost: a training alone and two at once on the same cores, by how long threads wait spinning.

python benchmarks/busy_cores.py

OpenMP's threads meet at the end of every operation. One that waits there keeps its core busy (spins), which saves a
wake-up on a free machine; on a busy one it keeps away the very thread that it waits for. MiniLM, SharpReCL, B = 32, as
many threads as cores in each training. Appends dated JSON lines to results/busy_cores.jsonl and prints a table.
"""

import multiprocessing
import os
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.synchronize import Barrier
from pathlib import Path

import torch

from sharprecl.training import hardware
from training_speed import Line, append, stepper

LOG = Path(__file__).parent / "results" / "busy_cores.jsonl"
SETTINGS: dict[str, dict[str, str]] = {
    "as OpenMP has it": {},
    "3,000 times, as sharprecl has it": {"GOMP_SPINCOUNT": "3000"},
    "never": {"OMP_WAIT_POLICY": "PASSIVE"},
}
SECONDS = 8.0


def main() -> None:
    """Measure, print, append."""
    precision = hardware.pick_precision("auto", torch.device("cpu"))
    append(LOG, {"threads": torch.get_num_threads(), "precision": precision}, lines())


def lines(rounds: int = 2) -> Iterator[Line]:
    """Milliseconds a step by setting, the least and the most of rounds over all of them."""
    taken: dict[tuple[str, int], list[float]] = {}
    for _ in range(rounds):
        for name, wanted in SETTINGS.items():
            for trainings in (1, 2):
                taken.setdefault((name, trainings), []).append(step_ms(trainings, wanted))
    for name in SETTINGS:
        found = {label: taken[name, trainings] for trainings, label in ((1, "alone"), (2, "two at once"))}
        yield {
            "threads spin": name,
            **{f"{label}: ms, least": round(min(each)) for label, each in found.items()},
            **{f"{label}: ms, most": round(max(each)) for label, each in found.items()},
        }


def step_ms(trainings: int, wanted: dict[str, str]) -> float:
    """Milliseconds a step of so many trainings side by side, in processes with this environment."""
    os.environ.update(wanted)
    spawned = multiprocessing.get_context("spawn")
    try:
        with ProcessPoolExecutor(trainings, spawned, _meet, (spawned.Barrier(trainings),)) as pool:
            made = [pool.submit(_train) for _ in range(trainings)]
            return sum(each.result() for each in made) / trainings
    finally:
        for name in wanted:
            del os.environ[name]


def _meet(barrier: Barrier) -> None:
    global _barrier
    _barrier = barrier


def _train() -> float:
    step = stepper({}, 32)
    for _ in range(3):
        step()
    _barrier.wait()
    began, steps = time.perf_counter(), 0
    while time.perf_counter() - began < SECONDS:
        step()
        steps += 1
    return 1000 * (time.perf_counter() - began) / steps


if __name__ == "__main__":
    main()
