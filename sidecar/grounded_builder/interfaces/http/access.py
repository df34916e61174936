"""Checks the token and scope of HTTP requests, for API routes and for requests outside of these."""

from __future__ import annotations

import asyncio
import hmac
from contextlib import suppress
from http import HTTPStatus
from typing import Any, Literal

from fastapi import Depends, Request
from fastapi.openapi.models import HTTPBearer as HTTPBearerModel
from fastapi.security.base import SecurityBase
from fastapi.security.utils import get_authorization_scheme_param

from grounded_builder.interfaces.http.admission import admit
from grounded_builder.interfaces.http.errors import ApiError
from grounded_builder.interfaces.http.state import state_of
from grounded_builder.storage import Scope, Token
from grounded_builder.storage.tokens import hash_of

_DESCRIPTION = "The token in the state folder, or one made"


Counted = Literal["working", "waiting", "uncounted"]
"""How a request is counted: as work, as waiting (for example for a model), or not at all."""


def requires(scope: Scope, counted: Counted = "working") -> Any:
    """Returns the dependency of a route that requires a token of this scope."""
    return Depends(_Gate(scope, counted))


async def admit_request(request: Request, scope: Scope, counted: Counted = "working") -> Token:
    """Returns the token of a request outside the routes; raises ApiError when it lacks
    the scope.
    """
    return await _Gate(scope, counted)(request)


class _Gate(SecurityBase):
    """The dependency of a route: a single one, because every request passes through it."""

    def __init__(self, scope: Scope, counted: Counted) -> None:
        self.model = HTTPBearerModel(description=_DESCRIPTION)
        self.scheme_name = "HTTPBearer"
        self._scope = scope
        self._counted = counted

    async def __call__(self, request: Request) -> Token:
        scheme, presented = get_authorization_scheme_param(request.headers.get("authorization"))
        is_sent = bool(presented) and scheme.lower() == "bearer"
        token = _matching_token(request, presented) if is_sent else None
        if token is None and is_sent:
            await state_of(request).look_for_tokens()
            token = _matching_token(request, presented)
        if token is None:
            message = "the token is not known" if is_sent else "no token was sent"
            help_text = "send `Authorization: Bearer TOKEN`; the first token is in the state folder"
            raise ApiError(HTTPStatus.UNAUTHORIZED, "unauthorized", message, help_text)
        if not token.allows(self._scope):
            message = f"the token has no scope {self._scope}"
            help_text = f"use a token with scope {self._scope}; an admin can make one"
            raise ApiError(HTTPStatus.FORBIDDEN, "forbidden", message, help_text)
        await _load_catalog(request)
        request.state.switches = token.switches
        request.state.token = token
        if self._counted != "uncounted":
            state = state_of(request)
            admission = state.waiting if self._counted == "waiting" else state.working
            admit(request.scope, admission, token.id)
        return token


async def _load_catalog(request: Request) -> None:
    """Loads the catalog of the domain in a path `/v1/{domain}/`, if not yet loaded here.

    Routes read it on the event loop, where loading would block all other requests.
    """
    state = request.app.state.grounded
    name = request.url.path.removeprefix("/v1/").partition("/")[0]
    if name in state.domains and name not in state.registries:
        with suppress(ApiError):  # a route that needs the catalog reports that there is none
            await asyncio.to_thread(state.load_registry, name)


def _matching_token(request: Request, text: str) -> Token | None:
    """Compares the text with every token, so that the time taken reveals nothing about
    any of them.
    """
    presented = hash_of(text)
    known: Token | None = None
    for token in state_of(request).tokens:
        if hmac.compare_digest(token.hash, presented):
            known = token
    return known
