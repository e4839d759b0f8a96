"""The cache of augmented texts: free the second time, safe against kills, damage and company."""

import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sharprecl.augment import cache
from sharprecl.augment.cache import cached

FILE = "augmented.sqlite3"


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
DAMAGES = st.sampled_from(["text", "checksum", "text type", "number", "null", "other text", "gone"])


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


def damage_entries(folder, damages):
    """Damage stored entries by their places; return how many."""
    with closing(sqlite3.connect(folder / FILE)) as connection, connection:
        keys = [row[0] for row in connection.execute("SELECT key FROM texts_v1 ORDER BY key")]
        harmed = {keys[place]: how for place, how in damages if place < len(keys)}
        for key, how in harmed.items():
            change = {
                "text": "text = CAST('wrong' AS BLOB)",
                "checksum": "checksum = x'00'",
                "text type": "text = CAST(x'ff' AS TEXT)",  # which sqlite3 would refuse to decode
                "number": "text = 3",
                "null": "text = NULL",
                "other text": "(text, checksum) = (SELECT text, checksum FROM texts_v1 WHERE key <> :key)",
            }.get(how)
            order = f"UPDATE texts_v1 SET {change}" if change else "DELETE FROM texts_v1"
            connection.execute(f"{order} WHERE key = :key", {"key": key})
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


def test_a_corrupted_entry_is_made_again(tmp_path):
    cached(Counting(), ["a", "b", "c"], 1, tmp_path)
    with sqlite3.connect(tmp_path / FILE) as connection:
        connection.execute("UPDATE texts_v1 SET text = CAST('wrong' AS BLOB) WHERE text = CAST('1b' AS BLOB)")
        connection.execute("UPDATE texts_v1 SET text = 'not bytes' WHERE text = CAST('1c' AS BLOB)")
    connection.close()
    for asked in (["b", "c"], []):
        counting = Counting()
        assert cached(counting, ["a", "b", "c"], 1, tmp_path) == ["1a", "1b", "1c"]
        assert counting.asked == asked


@pytest.mark.parametrize("damage", ["garbage", "pages"])
def test_a_corrupted_file_is_set_aside_and_rebuilt(tmp_path, damage):
    cached(Counting(), TEXTS, 1, tmp_path)
    path = tmp_path / FILE
    whole = path.read_bytes()
    kept = 0 if damage == "garbage" else 4096
    path.write_bytes(whole[:kept] + b"\xa5" * (len(whole) - kept))
    with pytest.warns(UserWarning, match="set aside as .*damaged") as caught:
        assert cached(Counting(), TEXTS, 1, tmp_path) == EXPECTED
    assert len(caught) == 1
    assert len(list(tmp_path.glob("*.damaged-*"))) == 1
    again = Counting()
    assert cached(again, TEXTS, 1, tmp_path) == EXPECTED
    assert again.asked == []


@pytest.mark.parametrize("obstacle", ["folder is a file", "no permission", "database is a folder"])
def test_where_nothing_can_be_written_there_is_one_warning(tmp_path, obstacle):
    folder = tmp_path / "cache"
    if obstacle == "folder is a file":
        folder.write_text("")
    elif obstacle == "database is a folder":
        (folder / FILE).mkdir(parents=True)
    else:
        if os.geteuid() == 0:
            pytest.skip("permissions do not bind root")
        folder.mkdir(mode=0o555)
    with pytest.warns(UserWarning, match="computed without a cache") as caught:
        assert cached(Counting(), TEXTS, 1, folder) == EXPECTED
    assert len(caught) == 1


def test_a_read_only_database_is_one_warning(tmp_path, monkeypatch):
    real = sqlite3.connect

    def read_only(path, **options):
        return real(f"file:{path}?mode=ro", uri=True, **options)

    cached(Counting(), TEXTS[:5], 1, tmp_path)
    monkeypatch.setattr("sharprecl.augment.store.sqlite3.connect", read_only)
    with pytest.warns(UserWarning, match="computed without a cache") as caught:
        assert cached(Counting(), TEXTS, 1, tmp_path) == EXPECTED
    assert len(caught) == 1


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


def test_processes_that_find_a_damaged_file_agree_on_a_new_one(tmp_path):
    (tmp_path / FILE).write_bytes(b"\xa5" * 100_000)
    processes = [start(tmp_path, 0.001, 300, warnings="ignore") for _ in range(3)]
    outputs = [process.communicate(timeout=60)[0] for process in processes]
    assert [output.split()[-1] for output in outputs] == ["True"] * 3
    assert len(list(tmp_path.glob("*.damaged-*"))) == 1
    counting = Counting()
    cached(counting, TEXTS[:300], 1, tmp_path)
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
