import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from sharprecl.errors import ConfigError
from sharprecl.scale.cluster import connect

ray = pytest.importorskip("ray")

SCRIPT = """
import sys
from sharprecl.scale.cluster import connect
try:
    connect(sys.argv[1])
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize("address", ["127.0.0.1:1", "nowhere.invalid:6379", "nonsense"])
def test_a_wrong_address_is_one_sentence(address: str) -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT, address], capture_output=True, text=True, timeout=120)
    assert done.stdout.startswith("ConfigError no Ray cluster answers at " + address), done.stdout + done.stderr[-2000:]


def test_a_token_that_is_missing_is_one_sentence(tmp_path: Path) -> None:
    environment = {**os.environ, "RAY_AUTH_MODE": "token", "HOME": str(tmp_path)}
    with socket.create_server(("127.0.0.1", 0)) as server:
        command = [sys.executable, "-c", SCRIPT, f"127.0.0.1:{server.getsockname()[1]}"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert "ConfigError this machine has no token for the Ray cluster; copy ~/.ray/auth_token" in done.stdout


DIFFERENT = """Version mismatch: The cluster was started with:
    Ray: 2.59.0
    Python: 3.11.7
This process on node 192.0.2.2 was started with:
    Ray: 2.60.0
    Python: 3.11.7
"""


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (DIFFERENT, "has Ray 2.59.0 on Python 3.11.7, and this command Ray 2.60.0 on Python 3.11.7; they must be"),
        ("no port is free.\nTraceback", r"Ray did not start \(no port is free\); leave --address out"),
    ],
)
def test_what_ray_says_becomes_one_sentence(words: str, sentence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise RuntimeError(words)

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", refuse)
    with pytest.raises(ConfigError, match=sentence):
        connect()
