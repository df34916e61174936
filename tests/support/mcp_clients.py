"""Talks to MCP servers with the client of the official SDK."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from tests.support.time_bounds import PATIENCE_S

T = TypeVar("T")
_BIN = Path(sys.executable).parent


def run_over_stdio(
    command: str, *arguments: str, work: Callable[[Client], Awaitable[T]], **env: str
) -> T:
    """Returns the result of work with a program that serves on standard input and output."""
    whole = {**os.environ, **env, "PATH": f"{_BIN}{os.pathsep}{os.environ['PATH']}"}
    server = StdioServerParameters(command=command, args=list(arguments), env=whole)
    return _run(Client(server, read_timeout_seconds=PATIENCE_S), work)


def run_over_http(
    url: str, token: str, work: Callable[[Client], Awaitable[T]], mode: str = "auto"
) -> T:
    """Returns the result of work with a server at an address, with a bearer token."""

    async def run() -> T:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        async with httpx2.AsyncClient(headers=headers, timeout=PATIENCE_S) as http:
            transport: Any = streamable_http_client(url, http_client=http)
            async with Client(transport, mode=mode, read_timeout_seconds=PATIENCE_S) as client:
                return await work(client)

    return asyncio.run(run())


async def list_published_tools(client: Client) -> list[dict[str, Any]]:
    """Returns the tools of a server as it publishes them."""
    answer = await client.list_tools()
    return [tool.model_dump(by_alias=True, exclude_none=True) for tool in answer.tools]


async def call_successfully(client: Client, name: str, /, **arguments: Any) -> dict[str, Any]:
    """Returns the structured answer of a call that must succeed."""
    answer = await client.call_tool(name, arguments)
    assert not answer.is_error, answer.content
    assert isinstance(answer.structured_content, dict)
    return answer.structured_content


async def call_and_fail(client: Client, name: str, /, **arguments: Any) -> str:
    """Returns the error text of a call that must fail."""
    answer = await client.call_tool(name, arguments)
    assert answer.is_error
    return "".join(getattr(part, "text", "") for part in answer.content)


def _run(client: Client, work: Callable[[Client], Awaitable[T]]) -> T:
    async def run() -> T:
        async with client:
            return await work(client)

    return asyncio.run(run())
