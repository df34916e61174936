"""Routes of generation: whole, or reply by reply with the drafter outside."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Annotated, Any, Literal, TypeVar

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.responses import Response

from grounded_builder.account import EXTERNAL, PLANNER, Order
from grounded_builder.api.access import requires
from grounded_builder.api.bodies import decode_object, json_answer, read_body
from grounded_builder.api.errors import ApiError
from grounded_builder.api.requests import body_of, refusals
from grounded_builder.api.shapes import DiagnosticShape, ReceiptShape
from grounded_builder.api.state import State, state_of
from grounded_builder.conversing import ConversationError, Conversations, session_of
from grounded_builder.domains.known import EDITORS
from grounded_builder.editing import Bench, is_edit
from grounded_builder.editing import take as take_changes
from grounded_builder.generating import generate as generate_whole
from grounded_builder.settings import MOST_ROUNDS

router = APIRouter(tags=["generate"])

LONGEST_REQUEST = 100_000
_MOST_REPLY = 8_000_000
# A generation waits for a model, up to minutes: it has threads of its own, as steps have.
WHOLE = ThreadPoolExecutor(8, thread_name_prefix="generate")
_STEPS = ThreadPoolExecutor(8, thread_name_prefix="converse")
_MOST_WAITING = 64
_STATUS = {
    "unknown-session": HTTPStatus.NOT_FOUND,
    "session-ended": HTTPStatus.CONFLICT,
    "draft-overtaken": HTTPStatus.CONFLICT,
}


_SALVAGE = "Build the largest part that compiles, where the whole does not."

Shape = TypeVar("Shape", bound=BaseModel)


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class SessionBody(_Body):
    """What somebody wants. `external`: the caller brings the model; `planner`: none is used.

    `constraints.forbid` lists tools that must not be used, `constraints.allow` the only ones
    that may, `constraints.use` preferred ones; `core_only` leaves out all packages but the
    product's own, `no_code` tools that run code written into them. Anything else in
    `constraints` is told to the model as it is.
    """

    request: str = Field(min_length=1, max_length=LONGEST_REQUEST, pattern=r"\S")
    constraints: dict[str, Any] = {}
    rounds: int | None = Field(None, ge=1, le=MOST_ROUNDS, description="Drafts at most.")
    drafter: Literal["external", "planner"] = "external"
    salvage: bool = Field(False, description=_SALVAGE)


class GenerateBody(_Body):
    """What somebody wants; `auto` is the configured model, or the planner without one."""

    id: Any = Field(None, description="Echoed.")
    request: str = Field(min_length=1, max_length=LONGEST_REQUEST, pattern=r"\S")
    constraints: dict[str, Any] = {}
    rounds: int | None = Field(None, ge=1, le=MOST_ROUNDS, description="Drafts at most.")
    drafter: Literal["auto", "planner"] = "auto"
    salvage: bool = Field(False, description=_SALVAGE)


class DraftReply(_Body):
    """Exactly one of: what the model replied, or why it did not."""

    reply: str | None = Field(None, max_length=_MOST_REPLY)
    failed: str | None = None


class MessageShape(_Body):
    """One message for a chat model."""

    role: Literal["system", "user", "assistant"]
    content: str


class SessionDraft(_Body):
    """Send `messages` to the model, constrained by `response_schema` if it can be.

    A model that calls tools may be offered `tools`, by which it asks the registry; the calls
    are sent back as the reply, `{"tool_calls": [...]}`. `tokens` is what the messages take,
    estimated.
    """

    session: str
    status: Literal["draft"]
    round: int
    messages: list[MessageShape]
    response_schema: dict[str, Any]
    tools: list[dict[str, Any]]
    tokens: int


class Edited(_Body):
    """What an edit did: the changed document, what was found before too, and what no more."""

    workflow: dict[str, Any]
    done: list[str]
    difference: str = Field(description="A patch of both documents, laid out alike.")
    standing: list[DiagnosticShape]
    mended: list[DiagnosticShape]


class SessionDone(_Body):
    """The outcome; `incomplete` has an artifact too, and `todo` says what a person must supply."""

    session: str
    status: Literal["done"]
    outcome: Literal["built", "incomplete", "refused"]
    reason: Literal["repaired", "stalled", "exhausted", "cancelled"] | None
    summary: str
    artifact: dict[str, Any] | None
    receipt: ReceiptShape | None
    diagnostics: list[DiagnosticShape]
    fixes: list[DiagnosticShape]
    todo: list[str]
    left_out: list[str] | None = Field(
        None, description="Of a part that was built where the whole does not compile."
    )
    rounds: int
    plan: dict[str, Any] | None = Field(description="As it was drafted.")
    resolved_plan: dict[str, Any] | None
    catalog: str
    edit: Edited | None = Field(None, description="Of an edit that changed something.")


class Generated(SessionDone):
    """The outcome of a whole generation."""

    id: Any = None


Answer = Annotated[SessionDraft | SessionDone, Field(discriminator="status")]


@router.post(
    "/v1/{domain}/sessions",
    response_model=Answer,
    responses=refusals(409, 413),
    openapi_extra=body_of(SessionBody),
    dependencies=[requires("draft")],
)
async def open_session(domain: str, request: Request) -> Response:
    """Begin a conversation: the first messages for a model, or the planner's outcome."""
    state = state_of(request)
    state.registry(domain)
    asked = await read_shape(request, SessionBody)
    drafter = PLANNER if asked.drafter == "planner" else EXTERNAL
    order = Order(asked.request, asked.constraints, asked.rounds, drafter, asked.salvage)
    return await step(state, lambda: _conversations(state, domain).open(order))


@router.post(
    "/v1/sessions/{session}/drafts",
    response_model=Answer,
    responses=refusals(409, 413),
    openapi_extra=body_of(DraftReply),
    dependencies=[requires("draft")],
)
async def take_draft(session: str, request: Request) -> Response:
    """Take the model's reply: the next messages, or the outcome."""
    state = state_of(request)
    said = await read_shape(request, DraftReply)
    if (said.reply is None) == (said.failed is None):
        message = "exactly one of reply and failed is expected"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, 'send {"reply": "..."}')

    def take() -> dict[str, Any]:
        kept, domain = session_of(state.store, session)
        if is_edit(kept):
            return take_changes(kept, bench(state, domain), reply=said.reply, failed=said.failed)
        talks = _conversations(state, domain)
        return talks.take(kept, reply=said.reply, failed=said.failed)

    return await step(state, take)


@router.get(
    "/v1/sessions/{session}",
    response_model=Answer,
    responses=refusals(),
    dependencies=[requires("draft")],
)
async def show_session(session: str, request: Request) -> Response:
    """The last answer of a conversation again."""
    state = state_of(request)
    return await step(state, lambda: dict(session_of(state.store, session)[0].answer))


@router.delete(
    "/v1/sessions/{session}",
    response_model=Answer,
    responses=refusals(409),
    dependencies=[requires("draft")],
)
async def cancel_session(session: str, request: Request) -> Response:
    """Cancel a conversation; one that has ended stays as it is."""
    state = state_of(request)

    def cancel() -> dict[str, Any]:
        kept, domain = session_of(state.store, session)
        return _conversations(state, domain).cancel(kept)

    return await step(state, cancel)


@router.post(
    "/v1/{domain}/generate",
    response_model=Generated,
    responses=refusals(409, 413),
    openapi_extra=body_of(GenerateBody),
    dependencies=[requires("draft")],
)
async def generate(domain: str, request: Request) -> Response:
    """Make an artifact of a request in one call; it may take as long as the model does."""
    state = state_of(request)
    state.registry(domain)
    body = decode_object(await read_body(request, state.settings.body_bytes))
    asked = _judged(body, GenerateBody)

    def whole() -> dict[str, Any]:
        talks = _conversations(state, domain)
        facts = (asked.request, asked.constraints, asked.rounds, asked.drafter)
        answer = generate_whole(*facts, talks, state.store, salvage=asked.salvage)
        return {"id": asked.id, **answer} if "id" in body else answer

    return await step(state, whole, WHOLE)


def bench(state: State, domain: str) -> Bench:
    """What edits in a domain are made with; an ApiError where its documents cannot be changed."""
    editor = EDITORS.get(domain)
    if editor is None:
        message = f"documents of domain {domain} cannot be changed"
        hint = f"domains that can: {', '.join(EDITORS)}"
        raise ApiError(HTTPStatus.NOT_FOUND, "unknown-domain", message, hint)
    known, registry = state.domain(domain), state.registry(domain)
    references = state.references(domain)

    def compiling(work: Callable[[], Any]) -> Any:
        return state.compiler.submit(work).result()

    return Bench(state.store, known, editor, registry, references, compiling)


def _conversations(state: State, domain: str) -> Conversations:
    def compiling(work: Callable[[], Any]) -> Any:
        return state.compiler.submit(work).result()

    known, registry = state.domain(domain), state.registry(domain)
    return Conversations(state.store, known, registry, state.references(domain), compiling)


async def step(
    state: State, work: Callable[[], dict[str, Any]], threads: ThreadPoolExecutor = _STEPS
) -> Response:
    """Take one step in a thread, unless too many are waiting; its faults are the API's errors."""
    if threads._work_queue.qsize() >= _MOST_WAITING:  # noqa: SLF001 - the pool has no other way
        message = "too many generations are waiting"
        raise ApiError(HTTPStatus.SERVICE_UNAVAILABLE, "busy", message, "try again later")
    try:
        answer = await asyncio.get_running_loop().run_in_executor(threads, work)
    except ConversationError as error:
        raise ApiError(_STATUS[error.kind], error.kind, str(error), error.help) from error
    state.counts[f"generate:{answer.get('outcome', answer['status'])}"] += 1
    return json_answer(answer)


async def read_shape(request: Request, shape: type[Shape]) -> Shape:
    """The body of a request in a shape; an ApiError where it is not of it."""
    limit = state_of(request).settings.body_bytes
    return _judged(decode_object(await read_body(request, limit)), shape)


def _judged(body: dict[str, Any], shape: type[Shape]) -> Shape:
    try:
        return shape.model_validate({key: _whole_text(value) for key, value in body.items()})
    except ValidationError as error:
        fault = error.errors()[0]
        at = "/" + "/".join(str(part) for part in fault["loc"])
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", fault["msg"], at=at) from error


def _whole_text(value: Any) -> Any:
    """A text in which halves of surrogate pairs, which no text may have, are replaced."""
    if not isinstance(value, str):
        return value
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
