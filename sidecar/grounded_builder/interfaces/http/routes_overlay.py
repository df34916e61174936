"""Serves the routes that add a tool to the active catalog, or remove an added one."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from grounded_builder.domains.known import DOMAINS
from grounded_builder.interfaces.http.access import requires
from grounded_builder.interfaces.http.errors import ApiError
from grounded_builder.interfaces.http.openapi_params import body_of, refusals
from grounded_builder.interfaces.http.request_body import json_answer, read_object
from grounded_builder.interfaces.http.schemas import catalog as catalog_shapes
from grounded_builder.interfaces.http.state import state_of
from grounded_builder.ir.domain import convert_tool
from grounded_builder.storage import OverlayError, StoredCatalog

router = APIRouter(tags=["tools"])

_STATUS = {
    "unknown-tool": HTTPStatus.NOT_FOUND,
    "not-a-tool": HTTPStatus.BAD_REQUEST,
}


class ToolBody(BaseModel):
    """One tool: a catalog line, or another shape of `docs/tools.md`, which has no `variants`."""

    model_config = ConfigDict(extra="allow")

    id: str = Field("", max_length=300, description="Equal to the id in the address, if given.")
    name: str = ""
    variants: list[dict[str, Any]] | None = Field(None, min_length=1)


@router.put(
    "/v1/{domain}/tools/{tool_id:path}",
    response_model=catalog_shapes.CatalogShape,
    responses=refusals(409, 413),
    openapi_extra=body_of(ToolBody),
    dependencies=[requires("admin")],
)
async def put_tool(domain: str, tool_id: str, request: Request) -> Response:
    """Add a tool to the active catalog; answers with the resulting catalog."""
    state = state_of(request)
    state.registry(domain)
    body = await read_object(request, state.settings.bounds.line_bytes)
    body.setdefault("id", tool_id)
    line = await asyncio.to_thread(convert_tool, body, DOMAINS[domain])
    if line["id"] != tool_id:
        message = f"the body has tool {str(line['id'])[:300]!r}, the address {tool_id[:300]!r}"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, at="/id")
    return await _apply(request, lambda: state.store.put_tool(domain, line))


@router.delete(
    "/v1/{domain}/tools/{tool_id:path}",
    response_model=catalog_shapes.CatalogShape,
    responses=refusals(409),
    dependencies=[requires("admin")],
)
async def remove_tool(domain: str, tool_id: str, request: Request) -> Response:
    """Remove an added tool; answers with the resulting catalog."""
    state = state_of(request)
    state.registry(domain)
    return await _apply(request, lambda: state.store.remove_tool(domain, tool_id))


async def _apply(request: Request, change: Callable[[], StoredCatalog]) -> Response:
    try:
        stored = await asyncio.to_thread(change)
    except OverlayError as error:
        status = _STATUS.get(error.code, HTTPStatus.CONFLICT)
        raise ApiError(status, error.code, str(error), error.help) from error
    await asyncio.to_thread(state_of(request).refresh)
    return json_answer(dataclasses.asdict(stored))
