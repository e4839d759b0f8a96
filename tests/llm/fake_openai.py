"""A provider on this machine: files, fine-tuning jobs and chat completions over HTTP, with faults on demand.

``Provider`` is the provider's memory and outlives a restart of the server in front of it; ``late`` lists do not know
the newest thing yet. Its trained models know
their training file by heart, and say ``otherwise`` to any other prompt.
"""

import email
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

KEY = "sk-fake-0123456789abcdefSECRET"
BASE_MODEL = "gpt-3.5-turbo-0125"


@dataclass
class Fault:
    """Something that goes wrong with the next requests of a kind.

    ``drop`` closes the connection before the request takes effect; ``lose`` lets it take effect and breaks off in the
    middle of the answer.
    """

    method: str
    path: str
    kind: str = "status"
    times: int = 1
    skip: int = 0
    status: int = 500
    code: str | None = None
    message: str = "made up by the test"
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Provider:
    """What the provider knows and has been asked."""

    script: tuple[str, ...] = ("validating_files", "queued", "running", "succeeded")
    page_size: int = 100
    otherwise: str = "no idea"
    error: dict[str, str] | None = None
    late: int = 0
    files: dict[str, dict[str, Any]] = field(default_factory=dict)
    contents: dict[str, bytes] = field(default_factory=dict)
    jobs: dict[str, dict[str, Any]] = field(default_factory=dict)
    looks: dict[str, int] = field(default_factory=dict)
    memory: dict[str, dict[str, str]] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    requests: list[tuple[str, str]] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    lock: threading.RLock = field(default_factory=threading.RLock)

    def count(self, method: str, path: str) -> int:
        """How many such requests arrived, failed ones included."""
        return sum(1 for known in self.requests if known == (method, path))

    def fault(self, method: str, path: str) -> Fault | None:
        """The fault that is due for this request, used up by the asking."""
        with self.lock:
            for known in self.faults:
                if known.method == method and path.startswith(known.path) and known.times:
                    if known.skip:
                        known.skip -= 1
                        return None
                    known.times -= 1
                    return known
        return None

    def upload(self, name: str, purpose: str, data: bytes) -> dict[str, Any]:
        number = f"file-{len(self.files) + 1}"
        self.contents[number] = data
        self.files[number] = {
            "id": number,
            "object": "file",
            "bytes": len(data),
            "created_at": 1_700_000_000 + len(self.files),
            "filename": name,
            "purpose": purpose,
            "status": "processed",
        }
        return self.files[number]

    def start(self, body: dict[str, Any]) -> dict[str, Any]:
        rows = [json.loads(line)["messages"] for line in self.contents[body["training_file"]].decode().splitlines()]
        assert len(rows) >= 10
        assert body["method"]["type"] == "supervised"
        number = f"ftjob-{len(self.jobs) + 1}"
        asked = body["method"]["supervised"]["hyperparameters"]
        self.memory[f"ft:{number}"] = {row[1]["content"]: row[2]["content"] for row in rows}
        self.jobs[number] = {
            "id": number,
            "object": "fine_tuning.job",
            "created_at": 1_700_000_100,
            "finished_at": None,
            "error": None,
            "fine_tuned_model": None,
            "hyperparameters": {**asked, "batch_size": 4 if asked["batch_size"] == "auto" else asked["batch_size"]},
            "model": body["model"],
            "organization_id": "org-fake",
            "result_files": [],
            "seed": body["seed"],
            "status": self.script[0],
            "trained_tokens": None,
            "training_file": body["training_file"],
            "validation_file": None,
        }
        self.looks[number] = 0
        return self.jobs[number]

    def look(self, number: str) -> dict[str, Any]:
        job = self.jobs[number]
        self.looks[number] = min(self.looks[number] + 1, len(self.script) - 1)
        job["status"] = self.script[self.looks[number]]
        if job["status"] == "succeeded":
            job.update(fine_tuned_model=f"ft:{number}", finished_at=job["created_at"] + 600, trained_tokens=4321)
        if job["status"] == "failed":
            job.update(error=self.error)
        return job

    def answer(self, body: dict[str, Any]) -> dict[str, Any] | None:
        memory = self.memory.get(body["model"])
        if memory is None:
            return None
        content = memory.get(body["messages"][-1]["content"], self.otherwise)
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1_700_000_800,
            "model": body["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}],
        }

    def pages(self, known: list[dict[str, Any]], query: dict[str, list[str]]) -> dict[str, Any]:
        """A page of a list, newest first, behind the one that the cursor names."""
        newest = known[::-1]
        if self.late and newest:
            self.late -= 1
            newest = newest[1:]
        if after := query.get("after"):
            newest = newest[[item["id"] for item in newest].index(after[0]) + 1 :]
        page = newest[: self.page_size]
        return {"object": "list", "data": page, "has_more": len(newest) > len(page)}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Else the second part of each answer waits for the client's delayed acknowledgement of the first.
    disable_nagle_algorithm = True
    provider: Provider

    def do_GET(self) -> None:
        self._serve("GET")

    def do_POST(self) -> None:
        self._serve("POST")

    def log_message(self, format: str, *args: Any) -> None:
        del format, args

    def _serve(self, method: str) -> None:
        parts = urlsplit(self.path)
        path = parts.path.removeprefix("/v1")
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        provider = self.provider
        with provider.lock:
            provider.requests.append((method, path))
        fault = provider.fault(method, path)
        if fault is not None and fault.kind == "drop":
            return self._hang_up()
        if fault is not None and fault.kind == "html":
            return self._send(200, b"<html>please log in</html>", {"content-type": "text/html"})
        given = self.headers.get("authorization", "").removeprefix("Bearer ")
        if given != KEY:
            return self._refuse(401, f"Incorrect API key provided: {given}.", "invalid_api_key")
        if fault is not None and fault.kind == "status":
            return self._refuse(fault.status, fault.message, fault.code, fault.headers)
        with provider.lock:
            status, value = self._route(method, path, parse_qs(parts.query), body)
        if status != 200:
            return self._refuse(status, value, "model_not_found")
        return self._send(200, json.dumps(value).encode(), {}, whole=fault is None)

    def _route(self, method: str, path: str, query: dict[str, list[str]], body: bytes) -> tuple[int, Any]:
        provider = self.provider
        if (method, path) == ("POST", "/files"):
            return 200, provider.upload(*self._form(body))
        if (method, path) == ("GET", "/files"):
            wanted = [file for file in provider.files.values() if file["purpose"] == query["purpose"][0]]
            return 200, provider.pages(wanted, query)
        if (method, path) == ("POST", "/fine_tuning/jobs"):
            provider.bodies.append(json.loads(body))
            return 200, provider.start(json.loads(body))
        if (method, path) == ("GET", "/fine_tuning/jobs"):
            return 200, provider.pages(list(provider.jobs.values()), query)
        if method == "GET" and path.startswith("/fine_tuning/jobs/"):
            number = path.rpartition("/")[2]
            return (200, provider.look(number)) if number in provider.jobs else (404, f"no job {number}")
        if (method, path) == ("POST", "/chat/completions"):
            provider.bodies.append(json.loads(body))
            answer = provider.answer(json.loads(body))
            return (200, answer) if answer else (404, "The model does not exist")
        return 404, f"no such address: {path}"

    def _form(self, body: bytes) -> tuple[str, str, bytes]:
        head = f"Content-Type: {self.headers['content-type']}\r\n\r\n".encode()
        parts = email.message_from_bytes(head + body).get_payload()
        fields = {part.get_param("name", header="content-disposition"): part for part in parts}
        file = fields["file"]
        return file.get_filename(), fields["purpose"].get_payload().strip(), file.get_payload(decode=True)

    def _refuse(self, status: int, message: str, code: str | None, headers: dict[str, str] | None = None) -> None:
        value = {"error": {"message": message, "type": "fake", "param": None, "code": code}}
        self._send(status, json.dumps(value).encode(), headers or {})

    def _send(self, status: int, data: bytes, headers: dict[str, str], whole: bool = True) -> None:
        self.send_response(status)
        for name, value in {"content-type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data if whole else data[: len(data) // 2])
        if not whole:
            self._hang_up()

    def _hang_up(self) -> None:
        self.wfile.flush()
        self.close_connection = True


class FakeOpenAI:
    """A server in front of a provider; stopped and started again it has the same address."""

    def __init__(self, provider: Provider | None = None) -> None:
        self.provider = provider or Provider()
        self._port = 0
        self._server: ThreadingHTTPServer | None = None
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    def start(self) -> None:
        handler = type("Handler", (_Handler,), {"provider": self.provider})
        self._server = ThreadingHTTPServer(("127.0.0.1", self._port), handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self._port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def stop_for(self, seconds: float, then: Callable[[], None] | None = None) -> None:
        """Stop now and start again later, from another thread."""
        self.stop()

        def again() -> None:
            self.start()
            if then is not None:
                then()

        threading.Timer(seconds, again).start()
