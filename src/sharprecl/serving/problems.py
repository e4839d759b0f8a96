"""One form for all that a server refuses: ``{"error": "a sentence"}``."""

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from sharprecl.errors import DataError
from sharprecl.serving.batching import Overloaded


class Problem(BaseModel):
    """Why there is no answer."""

    error: str = Field(description="One sentence: what is wrong, and how it is mended.")


_WHEN = {
    400: "The request is no HTTP, or its body no JSON.",
    408: "The request came too slowly.",
    413: "The body, a text or the number of texts is over the limit.",
    422: "The body is not what is asked for.",
    429: "Too many texts wait already; `Retry-After` says how many seconds that takes.",
    503: "The server is stopping.",
}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """How OpenAPI describes them."""
    return {status: {"model": Problem, "description": _WHEN[status]} for status in statuses}


def problem(status: int, sentence: str, headers: dict[str, str] | None = None) -> JSONResponse:
    """The response itself."""
    return JSONResponse({"error": sentence}, status, headers)


def tell_problems(app: FastAPI) -> None:
    """Let the application answer its exceptions in this form."""

    @app.exception_handler(HTTPException)
    async def refused(_: Request, error: HTTPException) -> JSONResponse:
        return problem(error.status_code, str(error.detail), dict(error.headers or {}))

    @app.exception_handler(RequestValidationError)
    async def misunderstood(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:]) or "the body"
        return problem(422, f"{where}: {first['msg']}")

    @app.exception_handler(DataError)
    async def unusable(_: Request, error: DataError) -> JSONResponse:
        return problem(422, str(error))

    @app.exception_handler(Overloaded)
    async def overloaded(_: Request, error: Overloaded) -> JSONResponse:
        return problem(429, str(error), {"Retry-After": str(error.seconds)})
