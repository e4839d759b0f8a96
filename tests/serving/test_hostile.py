"""Whatever comes over the wire: no fault of the server, no text in its log, nothing left behind, others undisturbed."""

import json
import logging
import os
import random
import socket
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import psutil
import pytest

from sharprecl.serving.service import Service

# By hand: HOSTILE_REQUESTS=2000.
REQUESTS = int(os.environ.get("HOSTILE_REQUESTS", "40"))
SECRET = "sesame"

BODIES: list[Any] = [
    b"", b"{", b"[]", b"null", b"0", b'"text"', b"{}", b"\xff\xfe{\x00}\x00", b"\xef\xbb\xbf{}", b"\x00" * 100,
    b'{"text": "sesame\\ud83d"}', b'{"text": "\\u0000sesame"}', b'{"text": "\xe9sesame"}', b'{"texts": "sesame"}',
    b'{"text": NaN}', b'{"text": "sesame", "top_k": Infinity}', b'{"text": "sesame", "top_k": -1e999}',
    b'{"text": "sesame", "top_k": ' + b"9" * 5000 + b"}", b'{"top_k": 1e-400, "text": "sesame"}',
    b'{"texts": ' + b"[" * 4000 + b"]" * 4000 + b"}", b'{"a":' * 1500 + b"1" + b"}" * 1500,
    b'{"text": "sesame", "text": ["sesame"]}', b'{"text": "sesame", "__proto__": {}}',
    json.dumps({"texts": ["sesame"] * 257}).encode(), json.dumps({f"sesame{n}": n for n in range(700)}).encode(),
    json.dumps({"texts": [["sesame"], {"sesame": 1}, None, 1.5]}).encode(),
    json.dumps({"text": "sesame" * 1500}).encode(), json.dumps({"text": "sesame" * 3000}).encode(),
    json.dumps({"texts": ["sesame"] * 200, "top_k": 1000, "sets": True}).encode(),
    json.dumps({"text": "\u202esesame\u0300\u0000\U0001f4a9\ufffe"}).encode(),
    json.dumps({"texts": ["../../sesame", "sesame; rm -rf /", "${jndi:sesame}", "%00%n%s", "{0.__class__}"]}).encode(),
]  # fmt: skip
TYPES = [b"application/json"] * 6 + [
    b"text/plain",
    b"application/x-www-form-urlencoded",
    b"multipart/form-data",
    b"\xff",
]
HEADS = [
    b"\x16\x03\x01\x00sesame", b"sesame\r\n\r\n", b"GET /sesame HTTP/9.9\r\n\r\n", b"GET  / HTTP/1.1\r\n\r\n",
    b"GET /%ff%00/../sesame HTTP/1.1\r\nHost: a\r\n\r\n", b"SESAME / HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET /metrics?sesame HTTP/1.0\r\n\r\n", b"GET /readyz HTTP/1.1\r\n\r\n",
    b"CONNECT sesame:1 HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET http://sesame/ HTTP/1.1\r\nHost: a\r\n\r\n", b"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", b"\r\n" * 1000,
    b"GET /" + b"sesame" * 20000 + b" HTTP/1.1\r\nHost: a\r\n\r\n", b"HEAD /healthz HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    b"POST /predict HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"POST /predict HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nsesame",
    b"POST /predict HTTP/1.1\r\nHost: a\r\nContent-Length: +3\r\n\r\nsesame",
    b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n" * 30, b"GET / HTTP/1.1\r\nHost: a\r\nsesame : 1\r\n\r\n",
]  # fmt: skip


def attack(draws: random.Random) -> tuple[list[bytes], float]:
    """Pieces to send, and the seconds between them."""
    if draws.random() < 0.25:
        return [draws.choice(HEADS)], 0.0
    body = draws.choice(BODIES)
    if draws.random() < 0.3:
        place = draws.randrange(len(body) + 1)
        body = body[:place] + draws.randbytes(draws.randrange(4)) + body[place + draws.randrange(3) :]
    size = b"Content-Length: %d" % max(0, len(body) + draws.choice([0, 0, 0, 0, -1, 5]))
    sent = [body]
    if draws.random() < 0.3:
        size, step = b"Transfer-Encoding: chunked", draws.choice([7, 1000, 100_000])
        parts = [body[at : at + step] for at in range(0, len(body), step)] + [b""] * draws.choice([0, 1, 1, 1])
        sent = [b"%x\r\n%b\r\n" % (len(part) + draws.choice([0] * 50 + [3]), part) for part in parts]
    extra = draws.choice(
        [b""] * 6 + [b"Expect: 100-continue\r\n", b"Content-Encoding: gzip\r\n", b"X: " + b"a" * 9000 + b"\r\n"]
    )
    head = b"POST /predict HTTP/1.%d\r\nHost: a\r\nContent-Type: %b\r\n%b%b\r\n\r\n" % (
        draws.choice([1, 1, 1, 0]), draws.choice(TYPES), extra, size,
    )  # fmt: skip
    return [head, *sent], draws.choice([0.0] * 12 + [0.1])


def outcome(address: tuple[str, int], seed: int) -> str:
    """Attack once; the first status, or how the connection ended."""
    draws = random.Random(seed)
    pieces, pause = attack(draws)
    found = b""
    with socket.create_connection(address, timeout=5) as client:
        try:
            for piece in pieces[:50]:
                client.sendall(piece)
                time.sleep(pause)
            if draws.random() < 0.1:
                return "left"
            client.settimeout(0.8)  # on a connection that is kept, nothing more may come
            while got := client.recv(65536):
                found += got
        except TimeoutError:
            pass
        except ConnectionError:
            return "reset" if not found else found[9:12].decode()
    if not found:
        return "closed"
    head, _, body = found.removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n").partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 "), head
    assert b"Traceback" not in body
    if head[9:10] == b"4" and body:
        assert list(json.JSONDecoder().raw_decode(body.decode())[0]) == ["error"], body
    return head[9:12].decode()


def test_hostile_requests(on_a_socket: tuple[tuple[str, int], Service], caplog: pytest.LogCaptureFixture) -> None:
    address, service = on_a_socket
    caplog.set_level(logging.INFO)
    url = f"http://127.0.0.1:{address[1]}"
    process, memory = psutil.Process(), []
    expected = httpx.post(f"{url}/predict", json={"text": "my parcel is late"}).json()
    # Idle connections are the client's to close here.
    before = len(process.net_connections())
    found: Counter[str] = Counter()
    with ThreadPoolExecutor(16) as pool:
        for at in range(0, REQUESTS, 20):
            found += Counter(pool.map(lambda seed: outcome(address, seed), range(at, min(at + 20, REQUESTS))))
            answer = httpx.post(f"{url}/predict", json={"text": "my parcel is late"}, timeout=5).json()["answers"][0]
            assert answer["confidence"] == pytest.approx(expected["answers"][0]["confidence"], abs=1e-5)
            memory.append(process.memory_info().rss / 2**20)
    print(found, [round(memory[place * (len(memory) - 1) // 9]) for place in range(10)])
    deadline = time.monotonic() + 5
    while (service.in_flight or len(process.net_connections()) > before) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert service.in_flight == service.batcher.waiting == 0
    assert len(process.net_connections()) <= before
    assert not [status for status in found if status.startswith("5")], found
    assert {"200", "413", "422", "400"} <= set(found), found
    assert max(memory[-3:]) - memory[len(memory) // 3] < 30
    logged = "\n".join(record.getMessage() for record in caplog.records if not record.name.startswith("httpx"))
    assert SECRET not in logged.lower()
    assert "Traceback" not in caplog.text
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []
