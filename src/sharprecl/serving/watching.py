"""Whether the server is alive, whether it takes requests, and its figures."""

from fastapi import APIRouter, HTTPException, Response
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import BaseModel

from sharprecl.serving.problems import problems
from sharprecl.serving.service import Service


class Health(BaseModel):
    """The server is there."""

    status: str


def router(service: Service) -> APIRouter:
    """Routes for whatever watches over a server."""
    routes = APIRouter(tags=["watching"])

    @routes.get("/healthz", summary="Is the server alive?")
    async def healthz() -> Health:
        return Health(status="alive")

    @routes.get("/readyz", summary="Does the server take requests?", responses=problems(503))
    async def readyz() -> Health:
        """503 as soon as the server has been told to stop."""
        if service.draining:
            raise HTTPException(503, "the server is stopping")
        return Health(status="ready")

    @routes.get(
        "/metrics",
        summary="Figures for Prometheus",
        response_class=Response,
        responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
    )
    async def metrics() -> Response:
        return Response(service.metrics.page(), media_type=CONTENT_TYPE_LATEST)

    return routes
