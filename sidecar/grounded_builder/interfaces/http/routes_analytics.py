"""Serves the route that returns unresolved and corrected names, and outcomes of runs, by day."""

from __future__ import annotations

import asyncio
import contextlib
from datetime import UTC, date, datetime, timedelta
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from grounded_builder.interfaces.http.access import requires
from grounded_builder.interfaces.http.errors import ApiError
from grounded_builder.interfaces.http.openapi_params import refusals
from grounded_builder.interfaces.http.request_body import json_answer
from grounded_builder.interfaces.http.schemas.base import Shape, with_fields_of
from grounded_builder.interfaces.http.state import state_of
from grounded_builder.storage import StorageError
from grounded_builder.storage.analytics import Analytics, analytics

router = APIRouter(tags=["runs"])

_PERIOD = timedelta(days=30)


@with_fields_of(Analytics)
class AnalyticsShape(Shape):
    """The names and runs of the days (UTC) from `since` to `until`; `open` runs have no outcome."""


@router.get(
    "/v1/analytics",
    response_model=AnalyticsShape,
    responses=refusals(),
    dependencies=[requires("draft")],
)
async def read_analytics(
    request: Request,
    domain: Annotated[str, Query(max_length=64)] = "n8n",
    since: Annotated[
        str, Query(max_length=10, description="The first day; 30 days ago by default.")
    ] = "",
    until: Annotated[str, Query(max_length=10, description="The last day; today by default.")] = "",
    limit: Annotated[int, Query(ge=0, le=1_000, description="Maximum number of names.")] = 20,
) -> Response:
    """Unresolved names, corrected names, and outcomes of runs, by day."""
    state = state_of(request)
    known = state.domain(domain)
    last = _parse_day(until, "until") if until else datetime.now(UTC).date()
    first = _parse_day(since, "since") if since else last - _PERIOD

    def read() -> dict[str, Any]:
        with contextlib.suppress(StorageError):
            # Counts that cannot be written now are read later.
            state.flush()
        engine = state.store.engine
        result = analytics(engine, known.name, first.isoformat(), last.isoformat(), limit)
        return result.as_json()

    return json_answer(await asyncio.to_thread(read))


def _parse_day(text: str, name: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        message = f"{name} is not a day such as 2026-01-31"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message) from error
