import subprocess
import sys

import pytest

pytest.importorskip("ray")

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
