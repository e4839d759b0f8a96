"""What a server gives at rising load, and whether its memory stays flat over 50,000 requests (locust, loopback).

Starts ``sharprecl serve`` on a trained run, then locust with 1, 2, 4, ... users who ask without a pause, one text a
request, and at last 16 users until all requests are answered. Server and locust share the machine's cores. Appends a
dated line for each step to results/serving_load.jsonl.

    pip install locust
    python benchmarks/serving_load.py runs/r52 --texts r52
"""

import argparse
import csv
import importlib.util
import json
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "serving_load.jsonl"
USERS = (1, 2, 4, 8, 16, 32, 64, 128, 640)


class Memory(threading.Thread):
    """Resident megabytes of a process, each second."""

    def __init__(self, process: int) -> None:
        super().__init__(daemon=True)
        self._process, self.found = psutil.Process(process), list[float]()
        self._over = threading.Event()
        self.start()

    def run(self) -> None:
        """Look until told to stop."""
        while not self._over.wait(1.0):
            self.found.append(round(self._process.memory_info().rss / 2**20, 1))

    def stop(self) -> list[float]:
        """All that was seen, the last first to be trusted: by twelfths of the time."""
        self._over.set()
        self.join()
        places = [part * (len(self.found) - 1) // 12 for part in range(13)]
        return [self.found[place] for place in places]


def step(url: str, texts: str, users: int, *, seconds: int = 0, requests: int = 0) -> dict[str, Any]:
    """One run of locust: what it says of answers and refusals."""
    environment = {**os.environ, "SERVING_TEXTS": texts, "SERVING_REQUESTS": str(requests)}
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "locust", "-f", str(HERE / "serving_locustfile.py"), "--headless"]
        command += [
            "--host",
            url,
            "-u",
            str(users),
            "-r",
            str(max(users, 1)),
            "--csv",
            f"{folder}/of",
            "--only-summary",
        ]
        command += ["--loglevel", "ERROR", "--stop-timeout", "30"]
        if seconds:
            command += ["-t", f"{seconds}s"]
        said = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        with open(f"{folder}/of_stats.csv", encoding="utf-8") as stream:
            rows = {row["Name"]: row for row in csv.DictReader(stream)}
    if "/predict" not in rows:
        raise SystemExit(f"nothing was answered: {said.stderr[-2000:]}")
    answered = rows["/predict"]
    return {
        "users": users,
        "seconds": round(time.monotonic() - begun, 1),
        "answered": int(answered["Request Count"]) - int(answered["Failure Count"]),
        "failed": int(answered["Failure Count"]),
        "refused": int(rows["refused"]["Request Count"]) if "refused" in rows else 0,
        "answers_a_second": round(float(answered["Requests/s"]), 1),
        "milliseconds": {share: int(answered[share]) for share in ("50%", "95%", "99%", "100%")},
    }


def main() -> None:
    """Serve, ask, write down."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="folder of a trained classifier")
    parser.add_argument("--texts", default="r52", help="benchmark whose test texts are asked about")
    parser.add_argument("--seconds", type=int, default=20, help="of each step")
    parser.add_argument("--requests", type=int, default=50_000, help="of the last step; 0 leaves it out")
    parser.add_argument("--options", default="", help="of sharprecl serve, as in '--batch 16'")
    given = parser.parse_args()
    if importlib.util.find_spec("locust") is None:
        raise SystemExit("locust is not installed; pip install locust")
    command = [sys.executable, "-m", "sharprecl", "serve", str(given.run), "--port", "0", *given.options.split()]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert server.stdout is not None
    try:
        url = server.stdout.readline().split()[3]
        steps = [{"users": users, "seconds": given.seconds} for users in USERS]
        if given.requests:
            steps.append({"users": 16, "requests": given.requests})
        for asked in steps:
            memory = Memory(server.pid)
            found = step(url, given.texts, **asked)
            found |= {"texts": given.texts, "run": given.run.name, "options": given.options, "rss_mb": memory.stop()}
            machine = (
                f"{platform.machine()}, {os.cpu_count()} cores shared with locust, Python {platform.python_version()}"
            )
            line = {"date": datetime.now(UTC).isoformat(timespec="seconds"), **found, "machine": machine}
            print(json.dumps(line), flush=True)
            with RESULTS.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(line) + "\n")
    finally:
        server.terminate()
        server.wait(60)


if __name__ == "__main__":
    main()
