"""Routes of tools: find, show."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from grounded_builder.api import shapes
from grounded_builder.api.access import requires
from grounded_builder.api.bodies import json_answer
from grounded_builder.api.errors import ApiError
from grounded_builder.api.requests import refusals
from grounded_builder.api.state import state_of
from grounded_builder.diagnostics import nearest
from grounded_builder.registry.model import ToolRow
from grounded_builder.registry.registry import Registry

router = APIRouter(tags=["tools"])


@router.get(
    "/v1/{domain}/tools",
    response_model=shapes.Tools,
    responses=refusals(409),
    dependencies=[requires("validate")],
)
async def list_tools(
    domain: str,
    request: Request,
    q: Annotated[str, Query(description="Words to find; all tools without.", max_length=300)] = "",
    limit: Annotated[int, Query(ge=1, le=500)] = 20,
) -> Response:
    """Tools by name, alias, keyword or description."""
    registry = state_of(request).registry(domain)
    found = _found(registry, q) if q.strip() else sorted(registry.tools.values(), key=_by_id)
    return json_answer(
        {
            "tools": [_short(tool) for tool in found[:limit]],
            "total": len(found),
            "catalog": registry.fingerprint,
        }
    )


@router.get(
    "/v1/{domain}/tools/{tool_id:path}",
    response_model=shapes.ToolDetail,
    responses=refusals(409),
    dependencies=[requires("validate")],
)
async def show_tool(domain: str, tool_id: str, request: Request) -> Response:
    """The whole catalog entry of one tool."""
    registry = state_of(request).registry(domain)
    if tool_id not in registry.tools:
        near = ", ".join(nearest(tool_id[:300], registry.tools))
        message = f"no tool {tool_id[:300]!r} is in the catalog"
        help_text = f"nearest: {near}" if near else "GET /v1/{domain}/tools?q= finds tools"
        raise ApiError(HTTPStatus.NOT_FOUND, "unknown-tool", message, help_text)
    entry = await asyncio.to_thread(registry.tool, tool_id)
    row = registry.tools[tool_id]
    facts = {"fingerprint": row.fingerprint, "catalog": registry.fingerprint}
    return json_answer({"tool": dict(entry), **facts})


def _found(registry: Registry, query: str) -> list[ToolRow]:
    """Names like the whole query first, then tools that mention every word of it."""
    names = registry.names
    ids = [*names.by_case(query), *names.by_tail(query), *names.by_plain(query)]
    words = query.casefold().split()
    mentioning = [tool for tool in registry.tools.values() if _mentions(tool, words)]
    ids += [tool.id for tool in sorted(mentioning, key=lambda tool: _rank(tool, words))]
    ids += [hit.id for hit in names.near(query, 10)]
    return [registry.tools[tool_id] for tool_id in dict.fromkeys(ids)]


def _mentions(tool: ToolRow, words: list[str]) -> bool:
    parts = (tool.id, tool.name, tool.description, *tool.aliases, *tool.keywords)
    text = " ".join(parts).casefold()
    return all(word in text for word in words)


def _rank(tool: ToolRow, words: list[str]) -> tuple[int, int, str]:
    name = tool.name.casefold()
    return (-sum(word in name for word in words), len(name), tool.id)


def _by_id(tool: ToolRow) -> str:
    return tool.id


def _short(tool: ToolRow) -> dict[str, Any]:
    return {
        "id": tool.id,
        "name": tool.name,
        "description": tool.description,
        "versions": list(tool.versions),
        "package": tool.package,
        "availability": tool.availability,
        "operations": [operation.name for operation in tool.operations],
    }
