"""The cache of augmented texts: free the second time, safe against kills, damage and company."""

import errno
import os
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sharprecl.augment import cache
from sharprecl.augment.cache import cached


class Counting:
    """Turns a text round, and knows what it was asked for."""

    name = "reversed"
    version = 1
    seeded = True

    def __init__(self, **extra):
        self.extra = extra
        self.asked = []

    def settings(self):
        return self.extra

    def augment(self, texts, seed):
        self.asked += texts
        return [f"{seed}{text[::-1]}" for text in texts]


TEXTS = [f"text {number}" for number in range(1300)]
EXPECTED = Counting().augment(TEXTS, 1)


def test_the_second_run_asks_for_nothing(tmp_path):
    first, second = Counting(), Counting()
    assert cached(first, TEXTS, 1, tmp_path) == EXPECTED
    assert first.asked == TEXTS
    assert cached(second, TEXTS[::-1], 1, tmp_path) == EXPECTED[::-1]
    assert second.asked == []


ANY_TEXT = st.one_of(
    st.text(max_size=5),
    st.text(st.characters(categories=["Cs", "So", "Mn"]), max_size=3),  # halves of characters, emoji, marks
    st.sampled_from(["", "\0", "a\ud800b", "👩‍👩‍👧", "مرحبا", "e\u0301", "\u00e9"]),
)
DAMAGES = st.sampled_from(["text", "checksum", "cut off", "no UTF-8", "other text", "gone"])


@settings(max_examples=40, deadline=None)
@given(st.lists(ANY_TEXT), st.lists(ANY_TEXT), st.lists(st.tuples(st.integers(0, 9), DAMAGES)), st.integers(1, 7))
def test_whatever_is_there_already_and_however_damaged_the_result_is_the_augmenters(before, texts, damages, most):
    """Any texts in any order, with repetitions; some stored before, some of those damaged; batches of any size."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(cache, "_FIRST_BATCH", most)
        patch.setattr(cache, "_LARGEST_BATCH", most)
        cached(Counting(), before, 7, Path(folder))
        harmed = damage_entries(Path(folder), damages)
        counting = Counting()
        assert cached(counting, texts, 7, Path(folder)) == Counting().augment(texts, 7)
        assert len(counting.asked) == len(set(counting.asked)), "each distinct text once"
        assert len(set(texts) - set(before)) <= len(counting.asked) <= len(set(texts) - set(before)) + harmed
        again = Counting()
        cached(again, texts[::-1], 7, Path(folder))
        assert again.asked == []


def file_of(folder):
    """The file of the only augmenter and seed that a folder knows."""
    [path] = folder.glob("*.jsonl")
    return path


def damage_entries(folder, damages):
    """Damage stored entries by their places; return how many."""
    if not list(folder.glob("*.jsonl")):
        return 0
    lines = [line for line in file_of(folder).read_bytes().split(b"\n") if line]
    whole = list(lines)
    harmed = {place: how for place, how in damages if place < len(lines)}
    for place, how in harmed.items():
        checksum, key, text = whole[place].split(b" ", 2)
        other = whole[place - 1].split(b" ", 2)
        lines[place] = {
            "text": b" ".join([checksum, key, b'"wrong"']),
            "checksum": b" ".join([b"0" * 16, key, text]),
            "cut off": whole[place][:-2],
            "no UTF-8": b" ".join([checksum, key, b"\xff"]),
            "other text": b" ".join([other[0], key, other[2]]) if len(whole) > 1 else b"",
            "gone": b"",
        }[how]
    file_of(folder).write_bytes(b"\n".join(lines) + b"\n")
    return len(harmed)


@pytest.mark.parametrize("change", ["seed", "settings", "version", "name"])
def test_whatever_decides_the_result_is_in_the_key(tmp_path, change):
    cached(Counting(), ["a"], 1, tmp_path)
    other = Counting(x=1) if change == "settings" else Counting()
    if change in ("version", "name"):
        setattr(other, change, "2")
    cached(other, ["a"], 2 if change == "seed" else 1, tmp_path)
    assert other.asked == ["a"]


def test_what_ignores_the_seed_is_made_once_for_all_seeds(tmp_path):
    first, second = Counting(), Counting()
    first.seeded = second.seeded = False
    made = cached(first, ["a"], 1, tmp_path)
    assert cached(second, ["a"], 2, tmp_path) == made
    assert second.asked == []


def test_progress_counts_distinct_texts_up_to_all(tmp_path):
    seen = []
    cached(Counting(), TEXTS[:100], 1, tmp_path)
    cached(Counting(), [*TEXTS, *TEXTS], 1, tmp_path, lambda done, total: seen.append((done, total)))
    assert seen[0] == (100, 1300)
    assert seen[-1] == (1300, 1300)
    assert sorted(set(seen)) == seen


class Clock(Counting):
    """Works ``pause`` seconds a text and ``load`` seconds at first, by its own clock."""

    now = 0.0

    def __init__(self, pause, load=0.0):
        super().__init__()
        self.pause, self.load, self.batches = pause, load, []

    def augment(self, texts, seed):
        self.now += self.load + self.pause * len(texts)
        self.load = 0.0
        self.batches.append(len(texts))
        return super().augment(texts, seed)


@pytest.mark.parametrize(
    ("pause", "load", "batches"),
    [
        (30.0, 0.0, [16, 4, 1, 1]),  # a language model: no batch lasts longer than a text, once that is known
        (0.03, 0.0, [16, 33, 33, 33]),  # a translation
        (0.03, 20.0, [16, 4, 16, 33, 33]),  # a translation that loads a model first
        (0.0002, 0.0, [16, 64, 256, 964]),  # synonyms
        (0.0, 0.0, [16, 64, 256, 964]),
    ],
)
def test_a_commit_follows_a_second_of_work_whatever_a_text_takes(tmp_path, monkeypatch, pause, load, batches):
    clock = Clock(pause, load)
    monkeypatch.setattr("sharprecl.augment.cache.time.perf_counter", lambda: clock.now)
    cached(clock, TEXTS, 1, tmp_path)
    assert clock.batches[: len(batches)] == batches


def test_a_batch_has_a_largest_size():
    assert cache._next_size(16384, 1e-12) == 16384
    assert cache._next_size(10**9, 1.0) == 16384


def test_a_damaged_file_loses_its_damaged_lines_only_and_is_mended(tmp_path):
    cached(Counting(), TEXTS, 1, tmp_path)
    path = file_of(tmp_path)
    whole = path.read_bytes()
    for damaged in (b"\xa5" * len(whole), whole[:-20], whole[:4096] + b"\xa5" * 500 + whole[4596:]):
        path.write_bytes(damaged)
        first, second = Counting(), Counting()
        assert cached(first, TEXTS, 1, tmp_path) == EXPECTED
        assert cached(second, TEXTS, 1, tmp_path) == EXPECTED
        assert (len(first.asked) == 1300) == damaged.startswith(b"\xa5")
        assert first.asked
        assert not second.asked


@pytest.mark.parametrize("obstacle", ["folder is a file", "file is a folder", "no permission", "no locks"])
def test_where_nothing_can_be_kept_there_is_one_warning(tmp_path, obstacle, monkeypatch):
    folder = tmp_path / "cache"
    if obstacle == "folder is a file":
        folder.write_text("")
    elif obstacle == "file is a folder":
        cached(Counting(), ["a"], 1, folder)
        path = file_of(folder)
        path.unlink()
        path.mkdir()
    elif obstacle == "no locks":

        def refuse(*_, **__):
            raise NotImplementedError("FileSystem does not appear to support flock")

        monkeypatch.setattr(cache, "FileLock", refuse)
    else:
        if os.geteuid() == 0:
            pytest.skip("permissions do not bind root")
        folder.mkdir(mode=0o555)
    with pytest.warns(UserWarning, match="computed without a cache") as caught:
        assert cached(Counting(), TEXTS, 1, folder) == EXPECTED
    assert len(caught) == 1


def test_a_full_disk_is_one_warning_and_leaves_no_wrong_text(tmp_path, monkeypatch):
    cached(Counting(), TEXTS[:5], 1, tmp_path)

    def half(path, made):
        with path.open("ab") as file:
            file.write(b"\n" + b"0" * 90)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(cache, "_append", half)
        with pytest.warns(UserWarning, match=r"cannot be cached in .* \(No space left on device\)") as caught:
            assert cached(Counting(), TEXTS, 1, tmp_path) == EXPECTED
    assert len(caught) == 1
    counting = Counting()
    assert cached(counting, TEXTS, 1, tmp_path) == EXPECTED
    assert counting.asked == TEXTS[5:]
    assert cached(Counting(), TEXTS, 1, tmp_path) == EXPECTED


SLOW = """
import sys, time
from pathlib import Path
from sharprecl.augment.cache import cached
class Slow:
    name, version, seeded = "reversed", 1, True
    def settings(self): return {}
    def augment(self, texts, seed):
        time.sleep(float(sys.argv[2]) * len(texts))
        return [f"{seed}{text[::-1]}" for text in texts]
texts = [f"text {number}" for number in range(int(sys.argv[3]))]
print(cached(Slow(), texts, 1, Path(sys.argv[1]), lambda d, n: print(d, flush=True)) == Slow().augment(texts, 1))
"""


def start(folder, pause, size, warnings="error"):
    command = [sys.executable, "-W", warnings, "-c", SLOW, str(folder), str(pause), str(size)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_a_killed_run_goes_on_where_it_was(tmp_path):
    process = start(tmp_path, 0.001, 1300)
    told = 0
    while told < 500:
        told = int(process.stdout.readline())
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    counting = Counting()
    assert cached(counting, TEXTS, 1, tmp_path) == EXPECTED
    assert counting.asked == TEXTS[len(TEXTS) - len(counting.asked) :]
    assert len(counting.asked) <= len(TEXTS) - told


def test_processes_share_a_folder(tmp_path):
    processes = [start(tmp_path, 0.0001, 5000) for _ in range(2)]
    outputs = [process.communicate(timeout=60)[0] for process in processes]
    assert [output.split()[-1] for output in outputs] == ["True"] * 2
    assert [process.returncode for process in processes] == [0] * 2, "a warning would have been an error"
    counting = Counting()
    cached(counting, [f"text {number}" for number in range(5000)], 1, tmp_path)
    assert counting.asked == []


def test_another_release_does_not_serve_the_old_ones_texts(tmp_path, monkeypatch):
    """Regression: texts made by an earlier rule were served after the rule had changed, and a training differed."""

    class Rule:
        name, version, seeded = "rule", 1, True

        def __init__(self, ending):
            self.ending = ending

        def settings(self):
            return {}

        def augment(self, texts, seed):
            return [text + self.ending for text in texts]

    assert cached(Rule(" old"), ["a"], 0, tmp_path) == ["a old"]
    assert cached(Rule(" new"), ["a"], 0, tmp_path) == ["a old"]
    monkeypatch.setattr("sharprecl.augment.cache.__version__", "99.0")
    assert cached(Rule(" new"), ["a"], 0, tmp_path) == ["a new"]


def test_made_texts_are_for_their_user_alone(tmp_path):
    """They tell the training texts."""
    usual = os.umask(0)
    try:
        cached(Counting(), ["a"], 1, tmp_path / "above" / "views")
        cached(Counting(), ["a", "b"], 1, tmp_path / "above" / "views")
    finally:
        os.umask(usual)
    assert stat.S_IMODE((tmp_path / "above" / "views").stat().st_mode) == 0o700
    assert stat.S_IMODE(file_of(tmp_path / "above" / "views").stat().st_mode) == 0o600
