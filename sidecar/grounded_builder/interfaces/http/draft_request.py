"""Reads a request that runs a draft: the draft, the fields beside it, and the narrowed store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from fastapi import Request
from pydantic import BaseModel

from grounded_builder.interfaces.http.compile_draft import CONTENT_KEYS, draft_in
from grounded_builder.interfaces.http.openapi_params import switches_of
from grounded_builder.interfaces.http.request_body import (
    WORKFLOW,
    as_shape,
    decode_body,
    read_body,
)
from grounded_builder.interfaces.http.schemas.bodies import PolicyBody
from grounded_builder.interfaces.http.state import state_of
from grounded_builder.storage.store import Store

_Asked = TypeVar("_Asked", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class DraftRequest(Generic[_Asked]):
    """A draft to run: its content, the fields beside it, its size in bytes.

    ``store`` is narrowed by the policy of the request.
    """

    content: Any
    asked: _Asked
    store: Store
    size: int


async def read_draft_request(request: Request, shape: type[_Asked]) -> DraftRequest[_Asked]:
    """Reads a body with one draft and the fields of ``shape``; raises ApiError."""
    state = state_of(request)
    raw = await read_body(request, state.settings.body_bytes)
    body = await decode_body(raw, WORKFLOW)
    draft = draft_in({key: body[key] for key in CONTENT_KEYS if body.get(key) is not None})
    # The content itself is checked by the compiler.
    rest = {key: value for key, value in body.items() if key not in CONTENT_KEYS}
    asked = as_shape(rest, shape)
    policy: PolicyBody | None = getattr(asked, "policy", None)
    return DraftRequest(draft.content, asked, state.store.narrow(switches_of(policy)), len(raw))
