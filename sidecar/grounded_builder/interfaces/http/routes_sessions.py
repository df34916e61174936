"""Serves the routes that generate a draft: in one call, or in sessions with an external model."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, TypeVar

from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.responses import Response

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.known import DOMAINS, editable_domains
from grounded_builder.drafting.after_trial import Trying
from grounded_builder.interfaces.http.access import admit_request, requires
from grounded_builder.interfaces.http.admission import Lane
from grounded_builder.interfaces.http.errors import ApiError
from grounded_builder.interfaces.http.openapi_params import body_of, constraints_under, refusals
from grounded_builder.interfaces.http.request_body import (
    as_shape,
    decode_body,
    encode_json,
    fields_of,
    read_body,
    read_object,
)
from grounded_builder.interfaces.http.schemas.base import with_whole_texts
from grounded_builder.interfaces.http.schemas.session import (
    LONGEST_REQUEST,
    Answer,
    DraftReply,
    GenerateBody,
    Generated,
    SessionBody,
)
from grounded_builder.interfaces.http.state import State, state_of
from grounded_builder.resolve.diagnose import ReferenceCatalogs
from grounded_builder.services.account_lists import Choosing, entry_chooser, find_login
from grounded_builder.services.conversation_record import EXTERNAL, PLANNER, DraftRequest
from grounded_builder.services.conversations import Conversations
from grounded_builder.services.edit_sessions import EditSetup, is_edit
from grounded_builder.services.edit_sessions import submit_edit_reply as take_changes
from grounded_builder.services.generate import generate as generate_whole
from grounded_builder.services.rehearsal import rehearsal_runner
from grounded_builder.services.session_lookup import ConversationError, get_session
from grounded_builder.services.trial_run import trial_runner
from grounded_builder.storage import Token

router = APIRouter(tags=["generate"])

_STATUS = {
    "unknown-session": HTTPStatus.NOT_FOUND,
    "session-ended": HTTPStatus.CONFLICT,
    "stale-draft": HTTPStatus.CONFLICT,
    "question-open": HTTPStatus.CONFLICT,
    "no-question": HTTPStatus.CONFLICT,
}

_EMPTY = "the request is empty: describe what the automation does"
# The messages where a body has no request, by the type of the fault.
_UNREQUESTED = {
    "/request": {
        "missing": "there is no request: describe what the automation does",
        "string_too_short": _EMPTY,
        "string_pattern_mismatch": _EMPTY,
        "string_too_long": f"the request is longer than {LONGEST_REQUEST:,} characters: shorten it",
    }
}

Shape = TypeVar("Shape", bound=BaseModel)


@router.post(
    "/v1/{domain}/sessions",
    response_model=Answer,
    responses=refusals(409, 413),
    openapi_extra=body_of(SessionBody),
    dependencies=[requires("draft")],
)
async def open_session(domain: str, request: Request) -> Response:
    """Open a conversation: the first messages for a model, or the planner's outcome."""
    state = state_of(request)
    state.registry(domain)
    asked = await read_shape(request, SessionBody)
    trial = await _is_tried(request, domain, asked.trial)
    drafter = PLANNER if asked.drafter == "planner" else EXTERNAL
    constraints = constraints_under(asked.constraints, state.switches)
    facts = (asked.request, constraints, asked.rounds, drafter, asked.salvage, trial)
    lists = await are_lists_read(request, domain, asked.lists)
    order = DraftRequest(*facts, clarify=asked.clarify, lists=lists)
    return await take_step(state, lambda: _conversations(state, domain).open(order))


@router.post(
    "/v1/sessions/{session}/drafts",
    response_model=Answer,
    responses=refusals(409, 413),
    openapi_extra=body_of(DraftReply),
    dependencies=[requires("draft")],
)
async def take_draft(session: str, request: Request) -> Response:
    """Take the model's reply or a person's answer: the next messages, or the outcome."""
    state = state_of(request)
    draft_reply = await read_shape(request, DraftReply)
    given = (draft_reply.reply, draft_reply.failed, draft_reply.answer)
    if sum(part is not None for part in given) != 1:
        message = "exactly one of reply, failed and answer is expected"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, 'send {"reply": "..."}')

    def take() -> dict[str, Any]:
        result, domain = get_session(state.store, session)
        if is_edit(result) and draft_reply.answer is None:
            return take_changes(
                result,
                edit_setup(state, domain),
                reply=draft_reply.reply,
                failed=draft_reply.failed,
            )
        talks = _conversations(state, domain)
        if draft_reply.answer is not None:
            return talks.submit_answer(result, draft_reply.answer)
        return talks.submit_reply(result, reply=draft_reply.reply, failed=draft_reply.failed)

    return await take_step(state, take)


@router.get(
    "/v1/sessions/{session}",
    response_model=Answer,
    responses=refusals(),
    dependencies=[requires("draft")],
)
async def show_session(session: str, request: Request) -> Response:
    """Repeat the last answer of a conversation."""
    state = state_of(request)
    return await take_step(state, lambda: dict(get_session(state.store, session)[0].answer))


@router.delete(
    "/v1/sessions/{session}",
    response_model=Answer,
    responses=refusals(409),
    dependencies=[requires("draft")],
)
async def cancel_session(session: str, request: Request) -> Response:
    """Cancel a conversation; one that has ended stays unchanged."""
    state = state_of(request)

    def cancel() -> dict[str, Any]:
        result, domain = get_session(state.store, session)
        return _conversations(state, domain).cancel(result)

    return await take_step(state, cancel)


@router.post(
    "/v1/{domain}/generate",
    response_model=Generated,
    responses=refusals(409, 413),
    openapi_extra=body_of(GenerateBody),
    dependencies=[requires("draft", "waiting")],
)
async def generate(domain: str, request: Request) -> Response:
    """Generate an artifact in one call; it may take as long as the model does."""
    state = state_of(request)
    state.registry(domain)
    raw = await read_body(request, state.settings.body_bytes)
    body = await decode_body(raw, fields_of(GenerateBody))
    asked = as_shape(with_whole_texts(body), GenerateBody, _UNREQUESTED)
    trial = await _is_tried(request, domain, asked.trial)
    lists = await are_lists_read(request, domain, asked.lists)
    constraints = constraints_under(asked.constraints, state.switches)

    def whole() -> dict[str, Any]:
        talks = _conversations(state, domain)
        facts = (asked.request, constraints, asked.rounds, asked.drafter, talks, state.store)
        answer = generate_whole(*facts, salvage=asked.salvage, trial=trial, lists=lists)
        return {"id": asked.id, **answer} if "id" in body else answer

    return await take_step(state, whole, state.generations)


async def _is_tried(request: Request, domain: str, wanted: bool | None) -> bool:
    """Returns whether an artifact is run before it is returned.

    By default it is where rehearsals are set up, or where an n8n is configured and the token may
    import: a trial makes a copy in that n8n, a rehearsal does not.
    """
    settings = state_of(request).settings
    if wanted and settings.rehearsal is None:
        await admit_request(request, "import")
    if wanted is not None:
        return wanted
    if settings.rehearsal is not None:
        return domain == "n8n"
    token: Token = request.state.token
    return domain == "n8n" and settings.has_n8n and token.allows("import")


async def are_lists_read(request: Request, domain: str, wanted: bool | None) -> bool:
    """Returns whether names are looked up in the lists of the account.

    By default they are where the settings have a login and the token may import.
    """
    if wanted:
        await admit_request(request, "import")
    has_login = domain == "n8n" and find_login(state_of(request).settings) is not None
    if wanted and not has_login:
        message = "lists are not available: there is no login for n8n"
        hint = "set GROUNDED_N8N_URL, GROUNDED_N8N_EMAIL and GROUNDED_N8N_PASSWORD"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, hint, at="/lists")
    token: Token = request.state.token
    return has_login and (token.allows("import") if wanted is None else wanted)


def edit_setup(state: State, domain: str) -> EditSetup:
    """Returns the edit setup of a domain; raises ApiError where its documents cannot be changed."""
    editor = DOMAINS[domain].editing if domain in DOMAINS else None
    if editor is None:
        message = f"documents of domain {domain} cannot be changed"
        hint = f"editable domains: {', '.join(editable_domains())}"
        raise ApiError(HTTPStatus.NOT_FOUND, "unknown-domain", message, hint)
    known, registry = state.domain(domain), state.load_registry(domain)
    references = state.references(domain)
    return EditSetup(state.store, known, registry, references, state.compiler, editor=editor)


def _conversations(state: State, domain: str) -> Conversations:
    return conversations_over(state, domain, state.load_registry(domain))


def conversations_over(state: State, domain: str, registry: Registry) -> Conversations:
    """Returns the conversations of a domain over one of its catalogs."""
    known = state.domain(domain)
    references = state.references(domain)
    return Conversations(
        state.store,
        known,
        registry,
        references,
        state.compiler,
        *(_hooks_of_n8n(state, registry, references) if domain == "n8n" else ()),
        judges=domain == "n8n" and state.settings.rehearsal is not None,
    )


def _hooks_of_n8n(
    state: State, registry: Registry, references: ReferenceCatalogs
) -> tuple[Trying, Choosing | None]:
    """Returns what runs drafts, and what looks up their names in lists."""
    choosing = entry_chooser(state.settings, registry, references, state.compiler)
    return _choose_trying(state, registry, references), choosing


def _choose_trying(state: State, registry: Registry, references: ReferenceCatalogs) -> Trying:
    """Returns what runs drafts: a rehearsal where one is set up, else a trial."""
    if state.settings.rehearsal is not None:
        return rehearsal_runner(state.store, registry, references, state.stages)
    return trial_runner(state.store, registry, references)


async def take_step(
    state: State, work: Callable[[], dict[str, Any]], lane: Lane | None = None
) -> Response:
    """Takes one step in a thread, unless too many wait; its errors become API errors."""

    def encode_answer() -> tuple[dict[str, Any], bytes]:
        answer = work()
        return answer, encode_json(answer)

    try:
        answer, content = await (lane or state.steps).run(encode_answer)
    except ConversationError as error:
        raise ApiError(_STATUS[error.kind], error.kind, str(error), error.help) from error
    state.counts[f"generate:{answer.get('outcome', answer['status'])}"] += 1
    return Response(content, media_type="application/json")


async def read_shape(request: Request, shape: type[Shape]) -> Shape:
    """Returns the body of a request as a shape; raises ApiError where it does not match."""
    limit = state_of(request).settings.body_bytes
    body = await read_object(request, limit, fields_of(shape))
    return as_shape(with_whole_texts(body), shape, _UNREQUESTED)
