"""A server on a socket: slow and broken clients, and the end under load."""

import asyncio
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from sharprecl.errors import ConfigError
from sharprecl.serving import server as serving
from sharprecl.serving.app import create_app
from sharprecl.serving.service import Model, Service

SECONDS = 0.3
"""That the servers here give a client."""

Address = tuple[str, int]


@pytest.fixture(scope="module")
def address(on_a_socket: tuple[Address, Service]) -> Address:
    address, service = on_a_socket
    assert service.limits.client_seconds == SECONDS
    return address


def said(address: Address, *parts: bytes, wait: float = 0.0) -> bytes:
    """All that the server says to a client that sends these parts with a pause between, and then only listens."""
    found = b""
    with socket.create_connection(address, timeout=5) as client:
        try:
            for part in parts:
                client.sendall(part)
                time.sleep(wait)
            while got := client.recv(65536):
                found += got
        except ConnectionError:
            pass
    return found


HEAD = b"POST /predict HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize(
    ("parts", "start"),
    [
        ((b"",), b""),
        ((b"POST /pre",), b""),
        ((HEAD + b"Content-Length: 20\r\n\r\n", b'{"te'), b"HTTP/1.1 408"),
        ((HEAD + b"Content-Length: 99999999999999999999\r\n\r\n{",), b"HTTP/1.1 413"),
        ((HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"4\r\nabcd\r\n", b"oops\r\n"), b"HTTP/1.1 400"),
        ((HEAD + b"Content-Length: -1\r\n\r\n",), b"HTTP/1.1 400"),
        ((b"\x16\x03\x01\x02\x00",), b"HTTP/1.1 400"),
        ((b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20_000,), b"HTTP/1.1 400"),
    ],
    ids=["silent", "half a head", "half a body", "huge", "bad chunk", "bad length", "TLS", "endless head"],
)
def test_slow_and_broken_clients_are_let_go(
    address: Address, parts: tuple[bytes, ...], start: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    begun = time.monotonic()
    answer = said(address, *parts, wait=0.02)
    assert answer.startswith(start)
    assert time.monotonic() - begun < 10 * SECONDS
    assert "Traceback" not in caplog.text
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []
    if answer:
        assert list(json.loads(answer.partition(b"\r\n\r\n")[2])) == ["error"]


def test_a_large_body_is_refused_before_it_is_there(address: Address) -> None:
    """The client sees the refusal although it goes on sending."""

    def body() -> Iterator[bytes]:
        for _ in range(50):
            yield b"x" * 1000

    found = httpx.post(f"http://127.0.0.1:{address[1]}/predict", content=body())
    assert found.status_code == 413


def test_a_client_that_takes_no_answer_is_let_go(model: Model) -> None:
    """It asks again and again on one connection and never reads."""

    async def run() -> None:
        import uvicorn

        lost = asyncio.Event()

        class Watched(serving.Connection):
            def connection_lost(self, exc: Exception | None) -> None:
                super().connection_lost(exc)
                lost.set()

        service = Service(model)
        config = uvicorn.Config(create_app(service), ws="none", log_config=None, access_log=False)
        config.load()
        state = uvicorn.server.ServerState()
        loop = asyncio.get_running_loop()
        listening = await loop.create_server(
            lambda: Watched(SECONDS, config=config, server_state=state, app_state={}), "127.0.0.1", 0
        )
        address = listening.sockets[0].getsockname()
        with socket.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.setblocking(False)
            await loop.sock_connect(client, address)
            asking = asyncio.create_task(loop.sock_sendall(client, b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n" * 5000))
            await asyncio.wait_for(lost.wait(), 20)
            asking.cancel()
        listening.close()

    asyncio.run(run())


def test_a_taken_port_is_one_sentence() -> None:
    with serving.bind("127.0.0.1", 0) as taken:
        taken.listen()
        with pytest.raises(ConfigError, match=r"cannot listen on 127\.0\.0\.1 port .* name another --port"):
            serving.bind("127.0.0.1", taken.getsockname()[1])


@pytest.fixture
def process(trained: Path, tmp_path: Path) -> Iterator[tuple["subprocess.Popen[str]", Path]]:
    """``sharprecl serve`` and its log."""
    command = [sys.executable, "-m", "sharprecl", "serve", str(trained), "--port", "0", "--threads", "1"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with (
        (tmp_path / "log").open("w") as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, env=environment) as process,
    ):
        try:
            yield process, tmp_path / "log"
        finally:
            process.kill()


def test_told_to_stop_under_load_it_answers_all_that_it_accepted(process: tuple["subprocess.Popen[str]", Path]) -> None:
    """Every request that got onto a connection gets an answer: 200 before and while it drains, 503 from then on."""
    server, log = process
    assert server.stdout is not None
    line = server.stdout.readline()
    assert "http://127.0.0.1:" in line
    url = line.split()[3]
    answers, readiness, told = Counter[int | str](), Counter[int | str](), asyncio.Event()

    async def client() -> None:
        async with httpx.AsyncClient(base_url=url, timeout=20) as session:
            while True:
                try:
                    found = await session.post("/predict", json={"texts": ["sesame refund", "late parcel"] * 10})
                except (httpx.ConnectError, httpx.ReadError):  # nobody listens any more, or did not come to accept it
                    answers["not accepted"] += 1
                    return
                answers[found.status_code] += 1
                assert found.status_code in (200, 503), found.text
                if found.status_code == 503:
                    assert found.headers["connection"] == "close"
                    await asyncio.sleep(0.05)

    async def probe() -> None:
        async with httpx.AsyncClient(base_url=url, timeout=20) as session:
            await told.wait()
            readiness[(await session.get("/readyz")).status_code] += 1

    async def load() -> None:
        work = [asyncio.create_task(client()) for _ in range(20)]
        work.append(asyncio.create_task(probe()))
        while (before := answers[200]) < 40:
            await asyncio.sleep(0.01)
        server.send_signal(signal.SIGTERM)
        told.set()
        await asyncio.gather(*work)
        assert answers[200] > before, "what waited when it was told to stop"

    asyncio.run(load())
    assert server.wait(20) == 0
    assert answers["not accepted"] == 20
    assert answers[503] > 0
    assert readiness == {503: 1}
    logged = log.read_text()
    assert "Traceback" not in logged
    assert "sesame" not in logged
    heard = [logged.count("POST /predict 200"), logged.count("POST other 503")]
    assert heard == [answers[200], answers[503]], "all that the server answered was heard, and it failed nobody"
    assert logged.count("POST") == sum(heard)
