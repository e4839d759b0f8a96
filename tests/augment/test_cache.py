"""The cache of augmented texts: free the second time, safe against kills, damage and company."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
import warnings

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sharprecl.augment.cache import cached

FILE = "augmented.sqlite3"


class Counting:
    """Turns a text round, and knows what it was asked for."""

    name = "reversed"
    version = 1

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


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(max_size=5)))
def test_any_text_any_order_each_distinct_text_once(tmp_path, texts):
    counting = Counting()
    assert cached(counting, texts, 7, tmp_path) == Counting().augment(texts, 7)
    assert len(counting.asked) == len(set(counting.asked))


def test_lone_surrogates_survive(tmp_path):
    for _ in range(2):
        assert cached(Counting(), ["a\ud800b"], 0, tmp_path) == ["0b\ud800a"]


@pytest.mark.parametrize("change", ["seed", "settings", "version", "name"])
def test_whatever_decides_the_result_is_in_the_key(tmp_path, change):
    cached(Counting(), ["a"], 1, tmp_path)
    other = Counting(x=1) if change == "settings" else Counting()
    if change in ("version", "name"):
        setattr(other, change, "2")
    cached(other, ["a"], 2 if change == "seed" else 1, tmp_path)
    assert other.asked == ["a"]


def test_progress_counts_distinct_texts_up_to_all(tmp_path):
    seen = []
    cached(Counting(), [*TEXTS, *TEXTS], 1, tmp_path, lambda done, total: seen.append((done, total)))
    assert seen == [(0, 1300), (512, 1300), (1024, 1300), (1300, 1300)]


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
    name, version = "reversed", 1
    def settings(self): return {}
    def augment(self, texts, seed):
        time.sleep(float(sys.argv[2]))
        return [f"{seed}{text[::-1]}" for text in texts]
texts = [f"text {number}" for number in range(int(sys.argv[3]))]
print(cached(Slow(), texts, 1, Path(sys.argv[1]), lambda d, n: print(d, flush=True)) == Slow().augment(texts, 1))
"""


def start(folder, pause, size):
    command = [sys.executable, "-c", SLOW, str(folder), str(pause), str(size)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_a_killed_run_goes_on_where_it_was(tmp_path):
    process = start(tmp_path, 0.5, 1300)
    while process.stdout.readline().strip() not in ("512", ""):
        pass
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    counting = Counting()
    assert cached(counting, TEXTS, 1, tmp_path) == EXPECTED
    assert counting.asked == TEXTS[len(TEXTS) - len(counting.asked) :]
    assert len(counting.asked) in (1300 - 512, 1300 - 1024)


def test_two_processes_share_a_folder(tmp_path):
    processes = [start(tmp_path, 0.01, 20000) for _ in range(2)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        outputs = [process.communicate(timeout=60)[0] for process in processes]
    assert [output.split()[-1] for output in outputs] == ["True", "True"]
    counting = Counting()
    began = time.perf_counter()
    cached(counting, [f"text {number}" for number in range(20000)], 1, tmp_path)
    assert counting.asked == []
    assert time.perf_counter() - began < 10


def test_another_release_does_not_serve_the_old_ones_texts(tmp_path, monkeypatch):
    """Regression: texts made by an earlier rule were served after the rule had changed, and a training differed."""

    class Rule:
        name, version = "rule", 1

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
