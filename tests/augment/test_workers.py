"""Several processes give what one gives, tell of errors in the same words, and never outlive their parent."""

import functools
import multiprocessing
import os
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from fake_augmenters import Doomed, Faulty, Telling, Turned
from sharprecl.augment.workers import in_workers
from sharprecl.errors import AssetError, ConfigError

TESTS = Path(__file__).parents[1]
TEXTS = [f"text {number}" for number in range(101)]


def test_one_worker_is_the_augmenter_itself():
    with in_workers(Turned, 1) as augmenter:
        assert type(augmenter) is Turned
    assert multiprocessing.active_children() == []


def test_several_workers_give_the_same_in_the_same_order_and_leave():
    with in_workers(functools.partial(Turned, 0.001), 3) as augmenter:
        assert (augmenter.name, augmenter.version) == ("turned", 1)
        assert (augmenter.settings(), augmenter.seeded) == ({}, True)
        assert multiprocessing.active_children() == [], "nothing starts before the first text"
        for size in (101, 1, 0, 13):
            assert augmenter.augment(TEXTS[:size], 7) == Turned().augment(TEXTS[:size], 7)
    assert multiprocessing.active_children() == []


def test_the_work_is_done_elsewhere():
    with in_workers(Telling, 2) as augmenter:
        assert str(os.getpid()) not in augmenter.augment(TEXTS, 0)


def test_an_error_in_a_worker_keeps_its_kind_and_its_sentence():
    with pytest.raises(AssetError, match=r"^there is no network; plug it in$"), in_workers(Faulty, 2) as augmenter:
        augmenter.augment(TEXTS, 0)
    assert multiprocessing.active_children() == []


def test_a_killed_worker_is_one_sentence():
    with pytest.raises(ConfigError, match="fewer --workers"), in_workers(Doomed, 2) as augmenter:
        augmenter.augment(TEXTS, 0)
    assert multiprocessing.active_children() == []


def test_a_worker_killed_while_the_next_starts_is_the_same_sentence(monkeypatch):
    def too_late(*_):
        raise OSError("handle is closed")

    monkeypatch.setattr(ProcessPoolExecutor, "submit", too_late)
    with pytest.raises(ConfigError, match="fewer --workers"), in_workers(Turned, 2) as augmenter:
        augmenter.augment(TEXTS, 0)


@pytest.mark.parametrize("workers", [0, -1])
def test_no_workers_are_refused(workers):
    with pytest.raises(ConfigError, match="at least 1"), in_workers(Turned, workers):
        pass


BUSY = """
import functools, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs are born deaf to Ctrl-C
sys.path.insert(0, sys.argv[1])
from fake_augmenters import Turned
from sharprecl.augment.workers import in_workers
if __name__ == "__main__":
    with in_workers(functools.partial(Turned, 0.05), 2) as augmenter:
        augmenter.augment(["a"] * 8, 0)
        print("at work", flush=True)
        augmenter.augment(["a"] * 8000, 0)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("death", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_workers_do_not_outlive_a_parent_that_is_stopped(tmp_path, death):
    script = tmp_path / "busy.py"
    script.write_text(BUSY)
    process = subprocess.Popen(
        [sys.executable, str(script), str(TESTS)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    assert process.stdout.readline() == "at work\n"
    if death == signal.SIGINT:  # Ctrl-C reaches every process in front of the terminal
        os.killpg(process.pid, death)
    else:
        process.send_signal(death)
    _, said = process.communicate(timeout=30)  # the workers hold the other ends of these pipes: so all are gone
    assert process.returncode == -death
    assert said.count("Traceback") == (death == signal.SIGINT), "the workers have nothing to say"
