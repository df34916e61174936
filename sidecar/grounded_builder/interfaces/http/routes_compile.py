"""Serves the routes of the compiler: resolve, validate, repair, build."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Literal

from fastapi import APIRouter, Request
from starlette.responses import Response

from grounded_builder.compiler import receipt
from grounded_builder.compiler.time_limit import TimeLimitExceededError
from grounded_builder.interfaces.http.access import requires
from grounded_builder.interfaces.http.client_capabilities import is_form, is_plain
from grounded_builder.interfaces.http.compile_draft import (
    Compiled,
    CompileRequest,
    ResolvedName,
    Signing,
    compile_body,
    compile_bytes,
    resolve_body,
    resolve_bytes,
)
from grounded_builder.interfaces.http.openapi_params import body_of, refusals
from grounded_builder.interfaces.http.request_body import (
    WORKFLOW,
    decode_object,
    fields_of,
    read_body,
)
from grounded_builder.interfaces.http.schemas import bodies as shapes
from grounded_builder.interfaces.http.state import State, state_of
from grounded_builder.ir.domain import Domain
from grounded_builder.services.isolation.compiler import INLINE_TEXT

router = APIRouter(tags=["compile"])

_FILE_BODY = 20_000_000


@router.post(
    "/v1/{domain}/validate",
    response_model=shapes.Judged,
    responses=refusals(409, 413),
    openapi_extra=body_of(shapes.JudgeBody),
    dependencies=[requires("validate")],
)
async def validate(domain: str, request: Request) -> Response:
    """Check a document, or a file of the domain's own format, against the installed tools."""
    return await _compile(state_of(request), domain, request, "validate")


@router.post(
    "/v1/{domain}/repair",
    response_model=shapes.Repaired,
    responses=refusals(409, 413),
    openapi_extra=body_of(shapes.DraftBody),
    dependencies=[requires("draft")],
)
async def repair(domain: str, request: Request) -> Response:
    """Apply the safe fixes to a document and check the result."""
    return await _compile(state_of(request), domain, request, "repair")


@router.post(
    "/v1/{domain}/build",
    response_model=shapes.Built,
    responses=refusals(409, 413),
    openapi_extra=body_of(shapes.BuildBody),
    dependencies=[requires("draft")],
)
async def build(domain: str, request: Request) -> Response:
    """Build and sign the artifact of a document that is not wrong."""
    return await _compile(state_of(request), domain, request, "build")


@router.post(
    "/v1/{domain}/resolve",
    response_model=shapes.Resolved,
    responses=refusals(409, 413),
    openapi_extra=body_of(shapes.ResolveBody),
    dependencies=[requires("validate")],
)
async def resolve(domain: str, request: Request) -> Response:
    """Find the tool that a name means."""
    state = state_of(request)
    known = state.domain(domain)
    raw = await read_body(request, state.settings.body_bytes)
    facts = (known, state.registries.get(domain), state.store)
    inline = None
    if len(raw) <= INLINE_TEXT:
        inline = partial(resolve_body, decode_object(raw, fields_of(shapes.ResolveBody)), *facts)
    resolved: ResolvedName = await _run(state, inline, partial(resolve_bytes, raw, *facts))
    state.counts[f"resolve:{domain}:{resolved.status}"] += 1
    state.sight(domain, resolved.sighted)
    return Response(resolved.answer, media_type="application/json")


async def _compile(
    state: State, name: str, request: Request, route: Literal["validate", "repair", "build"]
) -> Response:
    """Compiles a small draft in this process and any other in a child process."""
    domain = state.domain(name)
    raw = await read_body(request, _longest(state, domain, route))
    order = CompileRequest(
        route,
        state.compile_options(),
        _make_signing(state) if route == "build" else None,
        plain=is_plain(request),
        is_form=is_form(request),
    )
    facts = (order, domain, state.registries.get(name), state.store, state.references(name))
    inline = None
    if len(raw) <= state.settings.inline_bytes and not order.is_form:
        body = decode_object(raw, WORKFLOW, order.options.limits.values)
        if _is_inline(body, len(raw)):
            inline = partial(compile_body, body, *facts)
    compiled: Compiled = await _run(state, inline, partial(compile_bytes, raw, *facts))
    state.metrics.count_compilation(compiled.verb, name, compiled.verdict, compiled.ms / 1000)
    state.counts[f"{route}:{name}:{compiled.verdict}"] += 1
    state.sight(name, compiled.sighted)
    return Response(compiled.answer, media_type="application/json")


async def _run(state: State, inline: Callable[[], Any] | None, isolated: Callable[[], Any]) -> Any:
    """Runs the work inline where possible, and isolated where it is not or takes too long."""
    if inline is not None:
        with suppress(TimeLimitExceededError):
            return await asyncio.wrap_future(state.compiler.submit_inline(inline))
    return await asyncio.wrap_future(state.compiler.submit_isolated(isolated))


def _is_inline(body: dict[str, Any], size: int) -> bool:
    """Returns whether a body is compiled in this process: not where it is packed or malformed."""
    if body.get("model") is not None or body.get("libraries"):
        return False
    is_text = isinstance(body.get("draft"), str) or body.get("tools") is not None
    return size <= INLINE_TEXT or not is_text


def _make_signing(state: State) -> Signing:
    terms = receipt.ReceiptClaims("", state.settings.policy.hash, state.secrets.instance)
    return Signing(state.secrets.signer, terms, state.settings.receipt_seconds)


def _longest(state: State, domain: Domain, route: str) -> int:
    """Returns the longest body of a route: files are longer than drafts, and base64
    lengthens them.
    """
    takes_files = route == "validate" and domain.reading.open_native is not None
    return max(state.settings.body_bytes, _FILE_BODY if takes_files else 0)
