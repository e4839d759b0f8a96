"""The page's routes."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from importlib.resources import files
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import unquote, urlsplit
from weakref import WeakSet

from fastapi import APIRouter, Depends, FastAPI, Header, HTTPException, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel, ConfigDict

from sharprecl.classifier.given import texts_of
from sharprecl.data.tables import Rows, TextTable
from sharprecl.decision.policy import Answers
from sharprecl.errors import DataError
from sharprecl.export.onnx_predictor import is_onnx
from sharprecl.serving.batching import Overloaded
from sharprecl.serving.page import uploads
from sharprecl.serving.page.corrections import Corrections
from sharprecl.serving.page.neighbours import Neighbours
from sharprecl.serving.page.words import MOST_FORWARDS, words_that_carry
from sharprecl.serving.service import Model, Service

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
_FILES_AT_ONCE = 2


class Asked(BaseModel):
    """A text."""

    model_config = ConfigDict(extra="forbid", strict=True)
    text: str


class Corrected(Asked):
    """A text and its right label."""

    label: str


def router(
    service: Service,
    training: TextTable | None = None,
    corrections: Corrections | None = None,
    names: Sequence[str] = (),
) -> APIRouter:
    """The page at ``/``.

    Args:
        service: answers.
        training: texts whose nearest are shown; None shows none.
        corrections: where corrected answers go; None offers no correction.
        names: further names by which a server on a loopback address may be asked, as by a proxy.
    """
    neighbours = None if training is None else Neighbours(training, partial(_embed, service))
    reading, open_files = asyncio.Semaphore(_FILES_AT_ONCE), WeakSet[Rows]()

    @asynccontextmanager
    async def following(_: FastAPI) -> AsyncIterator[None]:
        if neighbours is not None:
            neighbours.follow(service.model)
        yield
        if neighbours is not None:
            neighbours.close()

    routes = APIRouter(
        include_in_schema=False, dependencies=[Depends(partial(_guarded, frozenset(names)))], lifespan=following
    )
    _serve_files(routes)

    @routes.get("/page/about")
    async def about() -> dict[str, Any]:
        model = service.model
        return {
            "name": _title(model.folder.resolve()),
            "labels": model.label_names,
            "set_level": model.classifier.policy_.set_level,
            "neighbours": neighbours is not None,
            "corrections": None if corrections is None else corrections.path.name,
            "file_bytes": uploads.MOST_BYTES,
            "file_endings": uploads.ENDINGS,
        }

    @routes.post("/page/words")
    async def words(asked: Asked) -> list[dict[str, Any]]:
        model = service.model
        _check(asked.text, service)
        read = model.classifier.config_.encoder.max_length
        pieces = await words_that_carry(
            asked.text, partial(service.answer, model=model), read, min(MOST_FORWARDS, service.limits.texts - 1)
        )
        return [vars(piece) for piece in pieces]

    @routes.post("/page/neighbours")
    async def nearest(asked: Asked) -> dict[str, Any]:
        _check(asked.text, service)
        if neighbours is None:
            raise HTTPException(404, "the server has no training texts; start it with --neighbours FILE")
        found = await neighbours.nearest(service.model, asked.text)
        if found is None:
            return {"progress": neighbours.progress, "texts": None}
        return {"progress": 1.0, "texts": [one._asdict() for one in found]}

    @routes.post("/page/corrections")
    async def correct(corrected: Corrected) -> dict[str, int]:
        if corrections is None:
            raise HTTPException(404, "the server keeps no corrections; start it with --corrections FILE")
        if corrected.label not in service.model.label_names:
            raise DataError(f"{corrected.label!r} is none of the classes")
        _check(corrected.text, service)
        return {"number": await asyncio.to_thread(corrections.save, corrected.text, corrected.label)}

    @routes.post(uploads.FILE_ROUTE)
    async def answer_file(
        request: Request, x_file_name: Annotated[str, Header()], x_column: Annotated[str | None, Header()] = None
    ) -> Response:
        if reading.locked() or len(open_files) >= _FILES_AT_ONCE:
            raise HTTPException(429, "other files are being answered; try again later", {"Retry-After": "10"})
        model, classifier = service.model, service.model.classifier
        async with reading:
            name, column = unquote(x_file_name), None if x_column is None else unquote(x_column)
            data, usual, policy = await request.body(), classifier.text_column, classifier.policy_
            rows = await asyncio.to_thread(uploads.read_upload, name, data, column, usual, policy)
        if not isinstance(rows, Rows):
            return JSONResponse({"columns": rows})
        for text in rows.texts:
            _check_length(text, service)
        open_files.add(rows)
        answer, at_once = partial(_patiently, service, model), service.limits.texts
        parts = uploads.answered(rows, answer, policy, model.label_names, at_once)
        return StreamingResponse(_lines(parts), headers=HEADERS, media_type="application/x-ndjson")

    return routes


def _guarded(names: frozenset[str], request: Request, response: Response) -> None:
    """Nothing of another site may ask in a visitor's name, and nothing is kept by a browser."""
    asked, (reached, _) = request.headers.get("host", ""), request.scope.get("server") or ("", 0)
    # A site whose name comes to mean this machine is, to the browser, the site of the page (DNS rebinding).
    name = urlsplit(f"//{asked}").hostname or ""
    if _is_loopback(reached) and not (_is_loopback(name) or name in names):
        raise HTTPException(
            421, f"this server is asked as localhost; if a proxy calls it {name[:80]}, start it with --name {name[:80]}"
        )
    origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site")
    # Over plain HTTP, a browser tells the origin alone; a proxy in front may change the host.
    ours = origin is None or urlsplit(origin).netloc == asked
    if request.method == "POST" and not (ours if site is None else site in ("same-origin", "none")):
        raise HTTPException(403, "this request comes from the page of another site")
    response.headers.update(HEADERS)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _serve_files(routes: APIRouter) -> None:
    """The parts of the page; its looks are those of the reports, and then its own."""
    here, reports = files(__package__), files("sharprecl.report")
    looks = reports.joinpath("style.css").read_bytes() + here.joinpath("page.css").read_bytes()
    parts = {
        "/": ("text/html", here.joinpath("page.html").read_bytes()),
        "/page/script.js": ("text/javascript", here.joinpath("page.js").read_bytes()),
        "/page/style.css": ("text/css", looks),
        "/page/icon.svg": ("image/svg+xml", here.joinpath("icon.svg").read_bytes()),
    }
    for path, (kind, content) in parts.items():
        routes.get(path)(_sends(content, kind))


def _sends(content: bytes, kind: str) -> Callable[[], Awaitable[Response]]:
    async def send() -> Response:
        return Response(content, media_type=kind, headers=HEADERS)

    return send


def _check(text: str, service: Service) -> None:
    if not text.strip():
        raise DataError("there is no text")
    _check_length(text, service)
    texts_of([text], "text")


def _check_length(text: str, service: Service) -> None:
    if len(text) > service.limits.characters:
        raise HTTPException(413, f"a text of {len(text):,} characters; the server takes {service.limits.characters:,}")


async def _embed(service: Service, model: Model, texts: Sequence[str]) -> Any:
    return await service.batcher.call(model.classifier.embed, texts)


async def _patiently(service: Service, model: Model, texts: Sequence[str]) -> Answers:
    """Answers of a part of a file, which waits while single texts fill the queue."""
    while not service.draining:
        try:
            return await service.answer(texts, model)
        except Overloaded as error:
            await asyncio.sleep(error.seconds)
    raise DataError("the server is stopping; drop the file again later")


async def _lines(parts: AsyncIterator[dict[str, Any]]) -> AsyncIterator[str]:
    """A line of JSON each; what goes wrong on the way is the last one."""
    try:
        async for part in parts:
            yield json.dumps(part) + "\n"
    except DataError as error:
        yield json.dumps({"error": str(error)}) + "\n"


def _title(folder: Path) -> str:
    """A run's name; an export within it is called after both."""
    return f"{folder.parent.name}/{folder.name}" if is_onnx(folder) else folder.name
