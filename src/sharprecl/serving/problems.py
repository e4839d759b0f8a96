"""One form for all that a server refuses: ``{"error": "a sentence"}``."""

from collections.abc import Mapping
from http import HTTPStatus
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


_NOWHERE = {
    404: "there is nothing at this path; /openapi.json lists the paths",
    405: "this path has no such method; /openapi.json lists the methods",
}
# What FastAPI says of such a body, with the status 400.
_UNREADABLE = "There was an error parsing the body"
# What the bounds of the schema are called where they are broken.
_TOO_MUCH = ("string_too_long", "too_long")

_WHEN = {
    408: "The request came too slowly.",
    413: "The body, a text or the number of texts is over the limit.",
    422: "The body is not what is asked for.",
    429: "Too many texts wait already; `Retry-After` says how many seconds that takes.",
    503: "The server is stopping.",
}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """How OpenAPI describes them."""
    return {status: {"model": Problem, "description": _WHEN[status]} for status in statuses}


def problem(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """The response itself."""
    return JSONResponse({"error": sentence}, status, headers)


def tell_problems(app: FastAPI) -> None:
    """Let the application answer its exceptions in this form."""

    @app.exception_handler(HTTPException)
    async def refused(_: Request, error: HTTPException) -> JSONResponse:
        if error.detail == _UNREADABLE:
            return problem(
                422, "the body is no JSON: not in UTF-8, nested too deep, or with a number of too many digits"
            )
        said = error.detail != HTTPStatus(error.status_code).phrase
        sentence = error.detail if said else _NOWHERE.get(error.status_code, error.detail)
        return problem(error.status_code, sentence, error.headers)

    @app.exception_handler(RequestValidationError)
    async def misunderstood(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        if first["type"] == "json_invalid":
            return problem(422, f"the body is no JSON from character {first['loc'][-1] + 1} on")
        where = ".".join(str(part)[:40] for part in first["loc"][1:])
        sentence = first["msg"][0].lower() + first["msg"][1:]
        if first["type"] == "string_unicode":
            sentence = "half a character (a lone surrogate such as \\ud83d); take it out"
        if not where and first["type"] != "one_of_both":
            where, sentence = "the body", "it has to be a JSON object, sent with content-type: application/json"
        status = 413 if first["type"] in _TOO_MUCH else 422
        return problem(status, f"{where}: {sentence}" if where else sentence)

    @app.exception_handler(DataError)
    async def unusable(_: Request, error: DataError) -> JSONResponse:
        return problem(422, str(error))

    @app.exception_handler(Overloaded)
    async def overloaded(_: Request, error: Overloaded) -> JSONResponse:
        return problem(429, str(error), {"Retry-After": str(error.seconds)})
