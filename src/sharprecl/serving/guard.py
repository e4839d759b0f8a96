"""What holds for every request: its body is bounded in size and time, and it is counted, logged and answered once.

Logs and figures know methods, routes, statuses and times, nothing else of a request.
"""

import asyncio
import logging
import time
import traceback
from collections.abc import Mapping

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sharprecl.serving.problems import problem
from sharprecl.serving.service import Service

log = logging.getLogger(__name__)

WATCHING = ("/healthz", "/readyz", "/metrics")
"""Answered also while the server drains."""

_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"}
_CLIENT_LEFT = 499
# So many times the largest body is read and thrown away, since a connection that is closed with something unread is
# reset, and then the client may never see why.
_THROWN_AWAY = 8


class Guard:
    """ASGI middleware in front of all routes.

    Args:
        app: what it stands before.
        service: answers, and has limits.
        larger: most bytes of a body by the path, where it may be larger than elsewhere; one such is read at a time.
    """

    def __init__(self, app: ASGIApp, service: Service, larger: Mapping[str, int] | None = None) -> None:
        self.app, self.service, self.limits = app, service, service.limits
        self._larger, self._reading = larger or {}, asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun, status = time.perf_counter(), _CLIENT_LEFT

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                if self.service.draining:
                    message["headers"] = [*message.get("headers", []), (b"connection", b"close")]
            await send(message)

        self.service.in_flight += 1
        try:
            await self._answer(scope, receive, sending)
        except Exception as error:
            # Not its message, which may quote a text.
            place = "".join(traceback.format_tb(error.__traceback__))
            log.error("%s, whose message is kept out of the log, at\n%s", type(error).__name__, place.rstrip())
            if status == _CLIENT_LEFT:
                await problem(500, "the server failed on this request; its log says where")(scope, receive, sending)
        finally:
            self.service.in_flight -= 1
            method = scope["method"] if scope["method"] in _METHODS else "other"
            route, seconds = getattr(scope.get("route"), "path", "other"), time.perf_counter() - begun
            self.service.metrics.requests.labels(route, str(status)).inc()
            self.service.metrics.seconds.labels(route).observe(seconds)
            log.info("%s %s %d %.1f ms", method, route, status, 1000 * seconds)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        watching = scope["path"] in WATCHING
        stopping = self.service.draining and not watching
        try:
            if self.service.in_flight > self.limits.requests and not watching:
                raise HTTPException(429, "too many requests at once; try again in 1 s", {"Retry-After": "1"})
            body = await self._body(scope, receive)
        except HTTPException as error:
            await self._refuse(problem(error.status_code, error.detail, error.headers), scope, receive, send)
            return
        if stopping:
            sentence = "the server is stopping; send the request to another one"
            await problem(503, sentence, {"Retry-After": "1"})(scope, receive, send)
        elif body is not None:
            await self._let_in(body, scope, receive, send)

    async def _body(self, scope: Scope, receive: Receive) -> bytes | None:
        """The whole body; None if the client left."""
        most = self._larger.get(scope["path"])
        if most is None:
            return await self._read(scope, receive, self.limits.body_bytes)
        if self._reading.locked():
            raise HTTPException(429, "another file is being sent; try again in 5 s", {"Retry-After": "5"})
        async with self._reading:
            return await self._read(scope, receive, most)

    async def _read(self, scope: Scope, receive: Receive, most: int) -> bytes | None:
        seconds = self.limits.client_seconds
        body, size = bytearray(), int(dict(scope["headers"]).get(b"content-length", b"0"))
        try:
            async with asyncio.timeout(seconds):
                while size <= most:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return None
                    body += message.get("body", b"")
                    size = max(size, len(body))
                    if not message.get("more_body") and size <= most:
                        return bytes(body)
        except TimeoutError:
            sentence = f"the body did not come within {seconds:g} s; send it faster, or less at once"
            raise HTTPException(408, sentence) from None
        raise HTTPException(413, f"a body of more than {most:,} bytes; send the texts in several requests")

    async def _refuse(self, response: Response, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer at once, and take in some of what is still being sent."""
        response.headers["connection"] = "close"

        async def unfinished(message: Message) -> None:
            await send({**message, "more_body": True} if message["type"] == "http.response.body" else message)

        await response(scope, receive, unfinished)
        left = _THROWN_AWAY * self.limits.body_bytes
        try:
            async with asyncio.timeout(min(1.0, self.limits.client_seconds)):
                while left > 0:
                    message = await receive()
                    left -= len(message.get("body", b""))
                    if not message.get("more_body"):
                        break
        except TimeoutError:
            pass
        await send({"type": "http.response.body", "body": b""})

    async def _let_in(self, body: bytes, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the application answer, unless the client leaves before."""
        started = given = False

        async def replay() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def starting(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        async def left() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass

        answering = asyncio.ensure_future(self.app(scope, replay, starting))
        leaving = asyncio.ensure_future(left())
        try:
            await asyncio.wait({answering, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if started or answering.done():
                await answering
        finally:
            answering.cancel()
            leaving.cancel()
