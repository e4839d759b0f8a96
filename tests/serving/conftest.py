"""One tiny trained classifier for all tests of the server, and a way to ask it without a socket."""

import asyncio
import gc
import signal
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from sharprecl import TextClassifier
from sharprecl.serving import server as serving
from sharprecl.serving.app import create_app
from sharprecl.serving.limits import Limits
from sharprecl.serving.service import Model, Service
from tiny import skewed_texts, tiny_encoder


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run's folder. Not to be written to."""
    folder = tmp_path_factory.mktemp("serving")
    encoder = tiny_encoder(folder / "encoder", mean_pooling=True)
    classifier = TextClassifier(
        encoder=encoder, max_epochs=10, batch_size=16, learning_rate=2e-3, max_length=32, view="dropout"
    )
    classifier.fit(*skewed_texts()).save(folder / "run")
    return folder / "run"


@pytest.fixture(scope="session")
def model(trained: Path) -> Model:
    return Model.load(trained, "cpu")


@pytest.fixture
def service(model: Model) -> Service:
    return Service(model, Limits(texts=8, characters=100, body_bytes=2000, queue=16, batch=4, client_seconds=0.2))


Ask = Callable[..., list[httpx.Response]]


@pytest.fixture
def ask(service: Service) -> Ask:
    """Sends requests to the service all at once; a body may be JSON or bytes."""

    async def together(bodies: tuple[Any, ...], path: str) -> list[httpx.Response]:
        transport = httpx.ASGITransport(create_app(service))
        async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
            return await asyncio.gather(*(_sent(client, body, path) for body in bodies))

    return lambda *bodies, path="/predict": asyncio.run(together(bodies, path))


def _sent(client: httpx.AsyncClient, body: Any, path: str) -> Awaitable[httpx.Response]:
    if body is None:
        return client.get(path)
    if isinstance(body, bytes):
        return client.post(path, content=body, headers={"content-type": "application/json"})
    return client.post(path, json=body)


@pytest.fixture(scope="session")
def on_a_socket(model: Model) -> Iterator[tuple[tuple[str, int], Service]]:
    """A server in a thread: its address, and what answers."""
    taken = serving.bind("127.0.0.1", 0)
    running: list[serving.Server] = []

    class Kept(serving.Server):
        def __init__(self, *values: Any) -> None:
            super().__init__(*values)
            running.append(self)

    service = Service(model, Limits(body_bytes=10_000, client_seconds=0.3))
    address = taken.getsockname()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(serving, "Server", Kept)
        thread = threading.Thread(target=lambda: serving.serve(service, taken, drain_seconds=0))
        thread.start()
        while not (running and running[0].started):
            time.sleep(0.01)
    yield address, service
    running[0].handle_exit(signal.SIGTERM, None)
    thread.join(10)
    gc.unfreeze()  # whatever the tests before had left
    assert not thread.is_alive()
