"""Serves the routes that list, find and show tools."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from grounded_builder.catalog.likeness import find_nearest
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tool import ToolRow
from grounded_builder.interfaces.http.access import requires
from grounded_builder.interfaces.http.errors import ApiError
from grounded_builder.interfaces.http.openapi_params import refusals
from grounded_builder.interfaces.http.request_body import json_answer
from grounded_builder.interfaces.http.schemas import catalog as catalog_shapes
from grounded_builder.interfaces.http.schemas.base import Shape
from grounded_builder.interfaces.http.state import state_of, stored_registry_of
from grounded_builder.resolve.tool_search import describe_tool, find_tools, summarize_hits

router = APIRouter(tags=["tools"])
_MOST_FOUND = 100
_FIND = ("q", "tool", "kind", "family", "preset", "limit", "catalog")


class Found(Shape):
    """Tools in short: those that match, or one with its operations or parameters."""

    tools: list[dict[str, Any]]
    catalog: str


@router.get(
    "/v1/{domain}/tools",
    response_model=catalog_shapes.Tools,
    responses=refusals(409),
    dependencies=[requires("validate")],
)
async def list_tools(
    domain: str,
    request: Request,
    q: Annotated[
        str, Query(description="Words to search for; all tools by default.", max_length=300)
    ] = "",
    limit: Annotated[int, Query(ge=1, le=500)] = 20,
) -> Response:
    """Tools by name, alias, keyword or description."""
    registry = state_of(request).registry(domain)
    tool_rows = _search(registry, q) if q.strip() else sorted(registry.tools.values(), key=_by_id)
    return json_answer(
        {
            "tools": [_tool_json(tool) for tool in tool_rows[:limit]],
            "total": len(tool_rows),
            "catalog": registry.fingerprint,
        }
    )


@router.get(
    "/v1/{domain}/find",
    response_model=Found,
    responses=refusals(409),
    dependencies=[requires("validate")],
)
async def find(
    domain: str,
    request: Request,
    q: Annotated[str, Query(description="The purpose, in words.", max_length=2_000)] = "",
    tool: Annotated[str, Query(description="Show only this tool.", max_length=300)] = "",
    kind: Annotated[str, Query(description="Only tools of this kind.", max_length=100)] = "",
    family: Annotated[str, Query(description="Only tools of this vendor.", max_length=100)] = "",
    preset: Annotated[list[str] | None, Query(description="key=value, of `tool`.")] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 10,
    catalog: Annotated[str, Query(description="A stored catalog instead of the active one.")] = "",
) -> Response:
    """Tools for a purpose in short, or one tool's operations or parameters."""
    state = state_of(request)
    _expect_known(request)
    if not any(name.strip() for name in (q, tool, kind, family)):
        message = "there is no purpose: none of q, tool, kind and family is given"
        help_text = "send q= with a purpose, or tool= with the id of a tool"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, help_text)
    registry = state.registry(domain)
    if catalog and catalog != registry.fingerprint:
        registry = await asyncio.to_thread(stored_registry_of, state, domain, catalog)
    if tool:
        _expect_tool(tool, registry)
        presets = dict(name.split("=", 1) for name in preset or () if "=" in name)
        description = await asyncio.to_thread(
            describe_tool, tool, presets, state.domain(domain), registry
        )
        return json_answer({"tools": [description], "catalog": registry.fingerprint})
    hits = find_tools(q, registry, limit, kind=kind or None, family=family or None)
    return json_answer({"tools": summarize_hits(hits, registry), "catalog": registry.fingerprint})


@router.get(
    "/v1/{domain}/tools/{tool_id:path}",
    response_model=catalog_shapes.ToolDetail,
    responses=refusals(409),
    dependencies=[requires("validate")],
)
async def show_tool(domain: str, tool_id: str, request: Request) -> Response:
    """The whole catalog entry of one tool."""
    registry = state_of(request).registry(domain)
    _expect_tool(tool_id, registry)
    tool_entry = await asyncio.to_thread(registry.tool, tool_id)
    row = registry.tools[tool_id]
    facts = {"fingerprint": row.fingerprint, "catalog": registry.fingerprint}
    return json_answer({"tool": dict(tool_entry), **facts})


def _expect_known(request: Request) -> None:
    """Raises ApiError for a parameter that the route does not have, which would silently do
    nothing.
    """
    unknown = next(
        (query_param for query_param in request.query_params if query_param not in _FIND), None
    )
    if unknown is not None:
        message = f"query/{unknown[:100]}: the route has no such parameter"
        help_text = f"it has {', '.join(_FIND)}"
        at = f"query/{unknown[:100]}"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, help_text, at=at)


def _expect_tool(tool_id: str, registry: Registry) -> None:
    if tool_id not in registry.tools:
        near = ", ".join(find_nearest(tool_id[:300], registry.tools))
        message = f"no tool {tool_id[:300]!r} is in the catalog"
        help_text = f"nearest: {near}" if near else "GET /v1/{domain}/tools?q= finds tools"
        raise ApiError(HTTPStatus.NOT_FOUND, "unknown-tool", message, help_text)


def _search(registry: Registry, query: str) -> list[ToolRow]:
    """Yields tools with names like the query first, then tools by purpose, then likely
    misspellings.
    """
    names = registry.names
    ids = [*names.by_case(query), *names.by_tail(query), *names.by_plain(query)]
    ids += [hit.tool for hit in find_tools(query, registry, _MOST_FOUND)]
    ids += [hit.id for hit in names.near(query, 10)]
    return [registry.tools[tool_id] for tool_id in dict.fromkeys(ids)]


def _by_id(tool: ToolRow) -> str:
    return tool.id


def _tool_json(tool: ToolRow) -> dict[str, Any]:
    return {
        "id": tool.id,
        "name": tool.name,
        "description": tool.description,
        "versions": list(tool.versions),
        "package": tool.package,
        "availability": tool.availability,
        "operations": [operation.name for operation in tool.operations],
    }
