"""The whole server as one FastAPI application."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import APIRouter, FastAPI

from sharprecl.serving import predict, watching
from sharprecl.serving.guard import Guard
from sharprecl.serving.page.uploads import FILE_ROUTE, MOST_BYTES
from sharprecl.serving.problems import tell_problems
from sharprecl.serving.service import Service
from sharprecl.version import __version__


def create_app(service: Service, page: APIRouter | None = None) -> FastAPI:
    """An application that answers with a service; while it runs, it looks for new models.

    Args:
        service: answers.
        page: routes for people (``serving.page``).
    """

    @asynccontextmanager
    async def watched(_: FastAPI) -> AsyncIterator[None]:
        watch = asyncio.create_task(service.watch())
        yield
        watch.cancel()

    # FastAPI's own pages of the interface load scripts from elsewhere.
    app = FastAPI(
        title="SharpReCL",
        description="A trained text classifier.",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        lifespan=watched,
    )
    app.add_middleware(Guard, service=service, larger={FILE_ROUTE: MOST_BYTES} if page else {})
    tell_problems(app)
    app.include_router(predict.router(service))
    app.include_router(watching.router(service))
    if page is not None:
        app.include_router(page)
    return app
