"""Who may ask what: bearer tokens and their scopes."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from grounded_builder.api.errors import ApiError
from grounded_builder.api.state import state_of
from grounded_builder.storage import Scope, Token
from grounded_builder.storage.tokens import hash_of

_BEARER = HTTPBearer(auto_error=False, description="The token in the state folder, or one made")


def requires(scope: Scope) -> Any:
    """The dependency of a route that only tokens of this scope open."""
    return Depends(_gate(scope))


def _gate(scope: Scope) -> Callable[..., Awaitable[Token]]:
    async def gate(
        request: Request,
        presented: Annotated[HTTPAuthorizationCredentials | None, Depends(_BEARER)],
    ) -> Token:
        token = None if presented is None else _known(request, presented.credentials)
        if token is None:
            state = "no token was sent" if presented is None else "the token is not known"
            help_text = "send `Authorization: Bearer TOKEN`; the first token is in the state folder"
            raise ApiError(HTTPStatus.UNAUTHORIZED, "unauthorized", state, help_text)
        if not token.allows(scope):
            message = f"the token has no scope {scope}"
            help_text = f"use a token with scope {scope}; an admin can make one"
            raise ApiError(HTTPStatus.FORBIDDEN, "forbidden", message, help_text)
        return token

    return gate


def _known(request: Request, text: str) -> Token | None:
    """Compare with every token, so that the time taken tells nothing about any of them."""
    presented = hash_of(text)
    known: Token | None = None
    for token in state_of(request).tokens:
        if hmac.compare_digest(token.hash, presented):
            known = token
    return known
