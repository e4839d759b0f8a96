"""What the page asks of its server, and what must not happen when others ask."""

import asyncio
import json
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from sharprecl.data.tables import read_table
from sharprecl.serving import page
from sharprecl.serving.app import create_app
from sharprecl.serving.limits import Limits
from sharprecl.serving.page.uploads import MOST_BYTES
from sharprecl.serving.service import Model, Service
from tiny import WORDS, skewed_texts

TEXT = "refund invoice the card"


@pytest.fixture
def client(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app, base_url="http://here") as client:
        yield client


def send_file(client: TestClient, name: str, data: bytes, **headers: str) -> Any:
    return client.post("/page/file", content=data, headers={"x-file-name": name, **headers})


@pytest.mark.parametrize("path", ["/", "/page/script.js", "/page/style.css", "/page/icon.svg", "/page/about"])
def test_every_part_is_under_a_strict_policy(client: TestClient, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 200
    policy = response.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["cache-control"] == "no-store"


def test_the_page_needs_nothing_from_elsewhere_and_nothing_inline(client: TestClient) -> None:
    html, script = client.get("/").text, client.get("/page/script.js").text
    assert not re.search(r"https?:|//[a-z]|<style|style=|<script>|\bon\w+=", html)
    assert not re.search(r"https?://|innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b", script)
    assert not re.search(r"@import|url\(", client.get("/page/style.css").text)
    for part in re.findall(r'(?:src|href)="([^"]+)"', html):
        assert client.get(part).status_code == 200


def test_what_the_page_is_told_about_the_server(client: TestClient, model: Model, corrections: Path) -> None:
    about = client.get("/page/about").json()
    assert about["labels"] == ["access", "billing", "hardware", "shipping"]
    assert (about["name"], about["neighbours"], about["corrections"]) == (model.folder.name, True, corrections.name)
    bare = Service(model)
    with TestClient(create_app(bare, page.router(bare))) as other:
        about = other.get("/page/about").json()
        assert (about["neighbours"], about["corrections"]) == (False, None)
        assert other.post("/page/corrections", json={"text": TEXT, "label": "access"}).status_code == 404
        assert other.post("/page/neighbours", json={"text": TEXT}).status_code == 404
    with TestClient(create_app(bare)) as other:
        assert {other.get(path).status_code for path in ("/", "/page/about", "/page/script.js")} == {404}


def test_words_and_neighbours_are_the_models(client: TestClient, model: Model) -> None:
    pieces = client.post("/page/words", json={"text": TEXT}).json()
    assert "".join(piece["text"] for piece in pieces) == TEXT
    chance = model.classifier.predict_proba(["invoice the card"])[0, 1]
    assert pieces[0]["without"] == pytest.approx(chance, abs=1e-5)
    long = " ".join(WORDS[:20] * 50)
    found = [piece for piece in client.post("/page/words", json={"text": long}).json() if piece["effect"] is not None]
    assert len(found) == 32, "no more words than the model reads tokens"
    [given] = model.classifier.predict([long])
    chances = model.classifier.predict_proba([long.removeprefix("alpha"), long])[
        :, list(model.label_names).index(given)
    ]
    assert found[0]["without"] == pytest.approx(chances[0], abs=1e-5)
    odds = np.log(chances / (1 - chances))
    assert found[0]["effect"] == pytest.approx(odds[1] - odds[0], abs=1e-4)
    for _ in range(100):
        found = client.post("/page/neighbours", json={"text": TEXT}).json()
        if found["texts"] is not None:
            break
        time.sleep(0.05)
    texts, labels = skewed_texts()
    assert len(found["texts"]) == 5
    for one in found["texts"]:
        assert labels[texts.index(one["text"])] == one["label"]


@pytest.mark.filterwarnings("ignore::sharprecl.errors.BlankRowsWarning")
def test_a_file_gets_the_answers_of_single_texts(client: TestClient, model: Model) -> None:
    texts = [*skewed_texts()[0], "", "<script>alert(1)</script>"]
    data = "text\n" + "".join(f'"{text}"\n' for text in texts)
    response = send_file(client, "x%C3%A9.csv", data.encode())
    assert response.headers["content-security-policy"]
    parts = [json.loads(line) for line in response.text.splitlines()]
    told = [row for part in parts[1:] for row in part["rows"]]
    assert [row[0] for row in told] == texts
    labels = [label for _, label, _, _ in told]
    assert labels[-2] is None
    del texts[-2], labels[-2]
    assert labels == model.classifier.predict(texts).tolist()
    chosen = send_file(client, "x.csv", b"a,b\nx,y\n", **{"x-column": "b"})
    assert json.loads(chosen.text.splitlines()[1])["rows"][0][0] == "y"
    assert send_file(client, "x.csv", b"a,b\nx,y\n").json() == {"columns": ["a", "b"]}


@pytest.mark.parametrize(
    ("name", "data", "headers", "status", "why"),
    [
        ("x.csv", b"text\n\"a\n", {}, 422, "never closed"),
        ("x.csv", b"a,b\nx,y\n", {"x-column": "c"}, 422, "has no column 'c'"),
        ("x.csv", b"text\n" + b"a" * 20_001, {}, 413, "a text of 20,001 characters"),
        ("x.csv", b"a" * (MOST_BYTES + 1), {}, 413, "more than"),
        ("x.csv", b"text\na\n", {"origin": "http://elsewhere"}, 403, "another site"),
    ],
)  # fmt: skip
def test_a_file_that_is_refused(
    client: TestClient, name: str, data: bytes, headers: dict[str, str], status: int, why: str
) -> None:
    response = send_file(client, name, data, **headers)
    assert response.status_code == status
    assert why in response.json()["error"]


def test_one_large_body_is_read_at_a_time(app: FastAPI) -> None:
    asked = {"type": "http", "method": "POST", "path": "/page/file", "query_string": b"", "headers": []}

    async def statuses() -> list[int]:
        sent: list[int] = []

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                sent.append(message["status"])

        def client(ready: asyncio.Event) -> Any:
            """Sends an empty body when it is ready, and then waits for the answer."""
            parts = iter([{"type": "http.request", "body": b""}])

            async def receive() -> Any:
                await ready.wait()
                part = next(parts, None)
                return part or await asyncio.Event().wait()

            return receive

        slow, fast = asyncio.Event(), asyncio.Event()
        fast.set()
        first = asyncio.create_task(app(dict(asked), client(slow), send))
        await asyncio.sleep(0)
        await app(dict(asked), client(fast), send)
        slow.set()
        await first
        return sent

    assert asyncio.run(statuses()) == [429, 422]


def test_a_correction_is_kept_and_replaced(client: TestClient, corrections: Path) -> None:
    hostile = '=cmd|"/c calc"!A1,\n<script>\u202eabc🙂'
    for label in ("access", "billing"):
        assert client.post("/page/corrections", json={"text": hostile, "label": label}).json() == {"number": 1}
    table = read_table(corrections, label_names=["access", "billing"])
    assert (table.texts, table.label_ids.tolist()) == ((hostile,), [1])


@pytest.mark.parametrize(
    ("path", "body", "headers", "status"),
    [
        ("corrections", {"text": "a", "label": "none of them"}, {}, 422),
        ("corrections", {"text": " ", "label": "access"}, {}, 422),
        ("corrections", {"text": "a" * 20_001, "label": "access"}, {}, 413),
        ("corrections", {"text": "a", "label": "access", "path": "/etc/passwd"}, {}, 422),
        ("corrections", {"text": "a", "label": "access"}, {"origin": "http://elsewhere"}, 403),
        ("corrections", {"text": "a", "label": "access"}, {"origin": "null"}, 403),
        ("corrections", {"text": "a", "label": "access"}, {"sec-fetch-site": "cross-site"}, 403),
        ("words", {"text": "a"}, {"sec-fetch-site": "same-site", "origin": "http://here"}, 403),
        # What a form of another site can send without being asked whether it may.
        ("corrections", {"text": "a", "label": "access"}, {"content-type": "text/plain"}, 422),
        ("words", {"text": 3}, {}, 422),
        ("words", {"text": "a" * 20_001}, {}, 413),
        ("neighbours", {"text": "half \ud83d"}, {}, 422),
        ("neighbours", {"text": " "}, {}, 422),
        ("words", {"text": "half \ud83d character"}, {}, 422),
    ],
)
def test_requests_that_are_refused(
    client: TestClient, corrections: Path, path: str, body: dict[str, Any], headers: dict[str, str], status: int
) -> None:
    sent = json.dumps(body).encode()
    response = client.post(f"/page/{path}", content=sent, headers={"content-type": "application/json", **headers})
    assert response.status_code == status, response.text
    assert list(response.json()) == ["error"]
    assert not corrections.exists()


@pytest.mark.parametrize(
    "headers",
    [{"origin": "http://here"}, {"sec-fetch-site": "same-origin", "origin": "https://in.front.of.it"}, {}],
    ids=["plain", "behind a proxy", "no browser"],
)
def test_the_page_of_the_server_itself_may_ask(client: TestClient, headers: dict[str, str]) -> None:
    assert client.post("/page/words", json={"text": TEXT}, headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("reached", "asked", "status"),
    [
        ("http://127.0.0.1:8000", "127.0.0.1:8000", 200),
        ("http://127.0.0.1:8000", "localhost:8000", 200),
        ("http://[::1]:8000", "[::1]:8000", 200),
        ("http://127.0.0.1:8000", "evil.example:8000", 421),
        ("http://127.0.0.1:8000", "localhost.evil.example", 421),
        ("http://127.0.0.1:8000", "", 421),
        ("http://127.0.0.1:8000", "tickets.example", 200),
        ("http://10.0.0.7:8000", "tickets.inside", 200),
    ],
)
def test_a_name_that_came_to_mean_this_machine_is_refused(
    service: Service, reached: str, asked: str, status: int
) -> None:
    app = create_app(service, page.router(service, names=["tickets.example"]))
    with TestClient(app, base_url=reached) as client:
        assert client.get("/page/about", headers={"host": asked}).status_code == status


def test_others_may_link_to_the_page(client: TestClient) -> None:
    assert client.get("/", headers={"sec-fetch-site": "cross-site"}).status_code == 200


def test_small_limits_hold_for_the_page_too(model: Model) -> None:
    service = Service(model, Limits(texts=2, queue=2, batch=2))
    asked = []
    answer = service.answer

    async def counted(texts: Any, model: Any = None) -> Any:
        asked.append(len(texts))
        return await answer(texts, model)

    service.answer = counted  # type: ignore[method-assign]
    with TestClient(create_app(service, page.router(service))) as client:
        assert client.post("/page/words", json={"text": TEXT}).status_code == 200
        assert "error" not in send_file(client, "x.csv", b"text\na\nb\nc\n").text
    assert asked == [2, 1]


_opened: list[str] | None = None


def _watch(event: str, values: tuple[Any, ...]) -> None:
    writes = event == "tempfile.mkstemp" or (event == "open" and {*str(values[1])} & {*"wax+"})
    if _opened is not None and writes:
        _opened.append(str(values[0]))


def test_nothing_that_is_asked_reaches_a_disk(client: TestClient, tmp_path: Path) -> None:
    global _opened
    sys.addaudithook(_watch)
    _opened = []
    try:
        assert client.post("/page/words", json={"text": TEXT}).status_code == 200
        assert client.post("/page/neighbours", json={"text": TEXT}).status_code == 200
        # More than Starlette keeps of a form before it writes to a disk.
        assert send_file(client, "x.csv", b"text\n" + b"%b\n" % (b"refund " * 1000) * 300).status_code == 200
        assert _opened == []
        client.post("/page/corrections", json={"text": TEXT, "label": "access"})
        assert _opened  # the watch works
    finally:
        _opened = None
    assert sorted(path.name for path in tmp_path.iterdir()) == [".corrections.csv.lock", "corrections.csv"]
