"""Routes that compile: resolve, validate, repair, build."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from grounded_builder import receipt
from grounded_builder.api import shapes
from grounded_builder.api.access import requires
from grounded_builder.api.bodies import WORKFLOW, decode_object, fields_of, json_answer, read_body
from grounded_builder.api.compiling import (
    Draft,
    ModelFile,
    Outcome,
    Verb,
    compile_draft,
    draft_in,
)
from grounded_builder.api.errors import ApiError
from grounded_builder.api.listening import is_plain
from grounded_builder.api.plain import json_text
from grounded_builder.api.requests import body_of, refusals
from grounded_builder.api.state import State, kept_registry, state_of
from grounded_builder.domain import Domain, no_native_file, no_other_form
from grounded_builder.domains.known import DOMAINS
from grounded_builder.registry.registry import Registry
from grounded_builder.resolve.asking import QuestionError, answer, as_json
from grounded_builder.setting import Purpose
from grounded_builder.sighting import seen_alone
from grounded_builder.unresolved import no_references
from grounded_builder.unstored import unstored

router = APIRouter(tags=["compile"])

_LONGEST_NAME = 2_000
# Text may need mending, which costs far more than reading.
_INLINE_TEXT = 32_000
_FILE_BODY = 20_000_000


@router.post(
    "/v1/{domain}/validate",
    response_model=shapes.Judged,
    responses=refusals(409, 413),
    openapi_extra=body_of(shapes.JudgeBody),
    dependencies=[requires("validate")],
)
async def validate(domain: str, request: Request) -> Response:
    """Judge a document, or a file of the domain's own format, against what is installed."""
    state = state_of(request)
    draft, outcome = await _compiled(state, domain, request, "judge")
    told = {"missing_libraries": outcome.missing}
    return _answer(draft, outcome, {"ok": True, **told} if is_plain(request) else told)


@router.post(
    "/v1/{domain}/repair",
    response_model=shapes.Repaired,
    responses=refusals(409, 413),
    openapi_extra=body_of(shapes.DraftBody),
    dependencies=[requires("draft")],
)
async def repair(domain: str, request: Request) -> Response:
    """Apply the safe fixes to a document and judge what it became."""
    draft, outcome = await _compiled(state_of(request), domain, request, "repair")
    told = {"workflow": outcome.document, "fixes": outcome.report.get("fixes", [])}
    return _answer(draft, outcome, told)


@router.post(
    "/v1/{domain}/build",
    response_model=shapes.Built,
    responses=refusals(409, 413),
    openapi_extra=body_of(shapes.BuildBody),
    dependencies=[requires("draft")],
)
async def build(domain: str, request: Request) -> Response:
    """Make the artifact of a document that is not wrong, and sign it."""
    state = state_of(request)
    draft, outcome = await _compiled(state, domain, request, None)
    signed = None
    if outcome.artifact is not None:
        terms = receipt.Terms(
            catalog=outcome.report["catalog"],
            policy=state.settings.policy.hash,
            instance=state.secrets.instance,
        )
        signed = receipt.make(
            outcome.artifact,
            outcome.verdict,
            terms,
            state.secrets.signer,
            now=time.time(),
            lifetime_s=state.settings.receipt_seconds,
        )
    return _answer(draft, outcome, {"artifact": outcome.artifact, "receipt": signed})


@router.post(
    "/v1/{domain}/resolve",
    response_model=shapes.Resolved,
    responses=refusals(409, 413),
    openapi_extra=body_of(shapes.ResolveBody),
    dependencies=[requires("validate")],
)
async def resolve(domain: str, request: Request) -> Response:
    """Say which tool a name stands for."""
    state = state_of(request)
    state.domain(domain)
    raw = await read_body(request, state.settings.body_bytes)
    body = decode_object(raw, fields_of(shapes.ResolveBody))
    registry = _registry(state, domain, body)
    text = body.get("text")
    if not isinstance(text, str) or not 0 < len(text) <= _LONGEST_NAME:
        message = f"text is not a name of 1 to {_LONGEST_NAME} characters"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, at="/text")
    started = time.perf_counter()
    try:
        known = DOMAINS[domain]
        fallback = known.speech.fallback
        resolution = answer(text, body.get("context"), registry, fallback, known.resolve)
    except QuestionError as error:
        status = HTTPStatus.BAD_REQUEST
        raise ApiError(status, "bad-argument", str(error), at="/context") from error
    ms = (time.perf_counter() - started) * 1000
    state.counts[f"resolve:{domain}:{resolution.status}"] += 1
    state.sight(domain, seen_alone(text, resolution))
    echoed = {"id": body["id"]} if "id" in body else {}
    facts = {"catalog": registry.fingerprint, "ms": round(ms, 3)}
    return json_answer({**echoed, **as_json(resolution, registry), **facts})


async def _compiled(
    state: State, name: str, request: Request, verb: Verb | None
) -> tuple[Draft, Outcome]:
    """Compile a small draft here and a large one aside; without a verb the draft chooses it."""
    domain = state.domain(name)
    raw = await json_text(request, _longest(state, domain, verb))
    body = decode_object(raw, WORKFLOW)
    draft = draft_in(body, name)
    if isinstance(draft.content, ModelFile) and verb != "judge":
        message = "the file of a model is judged only"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, at="/model")
    if draft.libraries and (verb != "judge" or domain.bring is None):
        message = f"libraries of domain {name} do not come with a request to do this"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, at="/libraries")
    if body.get("catalog"):
        registry = await asyncio.to_thread(kept_registry, state, name, body["catalog"])
    else:
        registry = _registry(state, name, body)
    # What is signed is held to what an import is held to.
    purpose: Purpose = "import" if verb is None else "judge"
    verb = verb or ("correct" if draft.corrected else "judge")
    setting = replace(state.setting(draft.seed), purpose=purpose)
    bound = state.settings.inline_bytes
    if isinstance(draft.content, str | ModelFile) or draft.libraries:
        bound = min(bound, _INLINE_TEXT)
    if len(raw) > bound and body.get("tools") is None:
        outcome = await state.aside.compile(verb, raw, domain, registry.fingerprint, setting)
    else:
        outcome = await asyncio.get_running_loop().run_in_executor(
            state.compiler,
            compile_draft,
            verb,
            draft,
            domain,
            registry,
            setting,
            state.references(name) if body.get("tools") is None else no_references,
        )
    state.metrics.compiled(verb, name, outcome.verdict, outcome.ms / 1000)
    state.counts[f"{request.url.path.rpartition('/')[2]}:{name}:{outcome.verdict}"] += 1
    state.sight(name, outcome.sighted)
    return draft, outcome


def _longest(state: State, domain: Domain, verb: Verb | None) -> int:
    """How long a body may be: files are longer than drafts, and base64 makes them longer."""
    takes_files = verb == "judge" and domain.native is not no_native_file
    return max(state.settings.body_bytes, _FILE_BODY if takes_files else 0)


def _registry(state: State, name: str, body: dict[str, Any]) -> Registry:
    """The active registry, or that of the tools that came with the request."""
    if body.get("tools") is None:
        return state.registry(name)
    domain = state.domain(name)
    if domain.adopt is no_other_form:
        message = f"tools of domain {name} come in a catalog, not with a request"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, at="/tools")
    return unstored(body["tools"], domain, state.store)


def _answer(draft: Draft, outcome: Outcome, more: dict[str, Any]) -> Response:
    echoed = {"id": draft.id} if draft.has_id else {}
    return json_answer({**echoed, **outcome.report, **more})
