"""Serves the health routes: alive, ready, metrics."""

from __future__ import annotations

import asyncio
from http import HTTPStatus

from fastapi import APIRouter, Request
from starlette.responses import Response

from grounded_builder import __version__
from grounded_builder.interfaces.http.access import requires
from grounded_builder.interfaces.http.errors import ApiError
from grounded_builder.interfaces.http.request_body import json_answer
from grounded_builder.interfaces.http.schemas import bodies as shapes
from grounded_builder.interfaces.http.state import state_of
from grounded_builder.storage import timestamps

router = APIRouter(tags=["health"])


@router.get("/healthz", response_model=shapes.Health)
async def healthz() -> Response:
    """The process answers."""
    time = round(timestamps.now().timestamp(), 3)
    return json_answer({"status": "ok", "version": __version__, "time": time})


@router.get("/readyz", response_model=shapes.Readiness, responses={503: {"model": shapes.Error}})
async def readyz(request: Request) -> Response:
    """The database answers and a catalog is active."""
    state = state_of(request)
    await asyncio.to_thread(state.store.ping)
    if not state.registries:
        raise ApiError(
            HTTPStatus.SERVICE_UNAVAILABLE,
            "no-catalog",
            "no catalog is loaded",
            "push one with node-catalog-sync, or run `grounded catalog load FILE`",
        )
    active = {name: registry.fingerprint for name, registry in sorted(state.registries.items())}
    return json_answer({"status": "ready", "catalogs": active})


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}}, 401: {"model": shapes.Error}},
    dependencies=[requires("validate", "uncounted")],
)
async def metrics(request: Request) -> Response:
    """Numbers of this process for Prometheus."""
    text = state_of(request).metrics.text()
    return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")
