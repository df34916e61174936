"""Serves the Model Context Protocol at ``/mcp`` over streamable HTTP, with the API's tokens."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import Request
from starlette.types import Message, Receive, Scope, Send

from grounded_builder.catalog.registry import Registry
from grounded_builder.interfaces.http.access import admit_request
from grounded_builder.interfaces.http.errors import ApiError
from grounded_builder.interfaces.http.request_body import expect_few_values, read_body
from grounded_builder.interfaces.http.state import State
from grounded_builder.interfaces.mcp.context import McpContext, RefusedError
from grounded_builder.ir.options import Switches
from grounded_builder.storage.tokens import Scope as TokenScope
from grounded_builder.storage.tokens import Token

PATH = "/mcp"
# The library decodes a message, the texts in it that may be JSON, and writes answers, all on the
# event loop. The largest of 2,000 published workflows has 47,000 values.
_MOST_VALUES = 60_000
_TOKEN = "grounded.token"  # noqa: S105 - the key of the token in a scope


class McpEndpoint:
    """The protocol's server, created on first use.

    Its library takes a second to load, which no start should wait for. Requests are stateless, so
    that any replica can answer any of them.
    """

    def __init__(self) -> None:
        self._state: State | None = None
        self._manager: Any = None
        self._lock = asyncio.Lock()
        self._ending = asyncio.Event()
        self._running: asyncio.Task[None] | None = None

    def open(self, state: State) -> None:
        """Stores the server state that the tools use."""
        self._state = state

    async def close(self) -> None:
        """Ends the server, if it was created."""
        self._ending.set()
        if self._running is not None:
            await self._running

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request that carries a token."""
        request = Request(scope, receive)
        scope[_TOKEN] = await admit_request(request, "validate", "waiting")
        manager = await self._ensure_manager()
        if request.method == "POST":
            receive = await self._limit_body(request, receive)
        await manager.handle_request(scope, receive, send)

    async def _limit_body(self, request: Request, receive: Receive) -> Receive:
        """Returns a receive function that replays the body, refusing one that is too costly to
        decode.
        """
        assert self._state is not None  # noqa: S101 - the app opens it before it serves
        raw = await read_body(request, self._state.settings.body_bytes)
        await asyncio.to_thread(expect_few_values, raw, _MOST_VALUES, in_strings=True)
        messages: list[Message] = [{"type": "http.request", "body": raw, "more_body": False}]

        async def receive_again() -> Message:
            return messages.pop() if messages else await receive()

        return receive_again

    async def _ensure_manager(self) -> Any:
        async with self._lock:
            if self._manager is None:
                assert self._state is not None  # noqa: S101 - the app opens it before it serves
                manager = await asyncio.to_thread(_make_server, self._state)
                started = asyncio.Event()
                self._running = asyncio.create_task(self._run(manager, started))
                await started.wait()
                self._manager = manager
        return self._manager

    async def _run(self, manager: Any, started: asyncio.Event) -> None:
        async with manager.run():
            started.set()
            await self._ending.wait()


def _make_server(state: State) -> Any:
    from mcp.server.transport_security import TransportSecuritySettings  # noqa: PLC0415

    from grounded_builder.interfaces.mcp.server import serve_on  # noqa: PLC0415

    server = serve_on(_workplace(state), _permit)
    # The token restricts access; the host name may be that of any proxy.
    open_to_proxies = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    server.streamable_http_app(
        json_response=True,
        stateless_http=True,
        max_request_body_size=state.settings.body_bytes,
        transport_security=open_to_proxies,
    )
    return server.session_manager


def _permit(request: Any, scope: TokenScope) -> Switches:
    token = request.scope.get(_TOKEN) if request is not None else None
    if not isinstance(token, Token) or not token.allows(scope):
        raise RefusedError(f"the token has no scope {scope}; an admin can create one that has it")
    return token.switches


def _workplace(state: State) -> McpContext:
    def registry(name: str) -> Registry:
        try:
            return state.load_registry(name)
        except ApiError as error:
            raise RefusedError(f"{error.message}; {error.help}") from error

    return McpContext(
        state.store, state.domains, registry, state.references, state.compiler, state.stages
    )
