"""A process that serves: its socket, connections that must not be slow, and an end that loses nothing accepted."""

import asyncio
import functools
import math
import socket
import time
from types import FrameType
from typing import Any

import h11
import uvicorn
from fastapi import APIRouter
from uvicorn.protocols.http.h11_impl import H11Protocol

from sharprecl.errors import ConfigError
from sharprecl.serving.app import create_app
from sharprecl.serving.service import Service

# Seconds in which the request comes for which a connection was made.
_LAST_MOMENT = 0.2


def bind(host: str, port: int) -> socket.socket:
    """Take an address before anything is loaded; 0 is any free port.

    Raises:
        ConfigError: it cannot be had.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        taken = socket.socket(family, kind, protocol)
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(address)
    except OSError as error:
        raise ConfigError(
            f"cannot listen on {host} port {port} ({error.strerror}); name another --port, or another --host"
        ) from error
    return taken


def serve(service: Service, taken: socket.socket, page: APIRouter | None = None, *, drain_seconds: float = 1.0) -> None:
    """Answer until SIGTERM or Ctrl-C, then answer what was accepted.

    Args:
        service: what answers.
        taken: by ``bind``.
        page: routes for people.
        drain_seconds: at least so long the end takes, in which ``/readyz`` and new requests get 503.
    """
    seconds = service.limits.client_seconds
    connection: Any = functools.partial(Connection, seconds)
    config = uvicorn.Config(
        create_app(service, page),
        http=connection,
        ws="none",
        lifespan="on",
        log_config=None,
        server_header=False,
        timeout_keep_alive=30,
        # Only connections that take none of their answer are left by then.
        timeout_graceful_shutdown=math.ceil(seconds),
    )
    Server(config, service, drain_seconds).run([taken])


class Server(uvicorn.Server):
    """Told to stop, it goes on listening and says so, until all that it had accepted is answered."""

    def __init__(self, config: uvicorn.Config, service: Service, drain_seconds: float) -> None:
        super().__init__(config)
        self._service, self._drain_seconds, self._end = service, drain_seconds, 0.0

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for taken in sockets or ():
            host, port = taken.getsockname()[:2]
            shown = f"[{host}]" if ":" in host else host
            print(f"model {self._service.model.version} on http://{shown}:{port} (Ctrl-C stops it)", flush=True)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to drain; told again, leave at once."""
        del sig, frame
        if self._service.draining:
            self.should_exit = self.force_exit = True
        self._service.draining = True
        self._end = time.monotonic() + self._drain_seconds

    async def on_tick(self, counter: int) -> bool:
        service = self._service
        if service.draining and not service.in_flight and time.monotonic() >= self._end:
            self.should_exit = True
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen no longer, tell those who connected in the last moment, then close."""
        for listening in self.servers:
            listening.close()
        await asyncio.sleep(_LAST_MOMENT)
        while self._service.in_flight and not self.force_exit:
            await asyncio.sleep(_LAST_MOMENT)
        await super().shutdown(sockets)


class Connection(H11Protocol):
    """A connection that ends when its client neither finishes the head of a request nor takes its answer."""

    def __init__(self, seconds: float, *values: Any, **named: Any) -> None:
        super().__init__(*values, **named)
        # It would tell paths and queries; config.access_log only takes away its handlers, not those of the root.
        self.access_log = False
        self._seconds = seconds
        self._timers: dict[str, Any] = {}

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._start("head")

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.cycle is None or self.cycle.response_complete:
            self._start("head")
        else:
            self._stop("head")

    def pause_writing(self) -> None:
        super().pause_writing()
        self._start("answer")

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop("answer")

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop("head")
        self._stop("answer")
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        del msg
        body = b'{"error": "the request is no valid HTTP"}'
        headers = [("content-type", "application/json"), ("content-length", str(len(body))), ("connection", "close")]
        try:
            for event in (
                h11.Response(status_code=400, headers=headers, reason=b"Bad Request"),
                h11.Data(data=body),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(event) or b"")
        except h11.LocalProtocolError:  # an answer had begun
            pass
        self.transport.close()

    def _start(self, timer: str) -> None:
        if timer not in self._timers and not self.transport.is_closing():
            self._timers[timer] = self.loop.call_later(self._seconds, self.transport.abort)

    def _stop(self, timer: str) -> None:
        if running := self._timers.pop(timer, None):
            running.cancel()
