"""Routes of tool routing: a request and its tools go in, calls to make come out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.responses import Response

from grounded_builder.api.access import requires
from grounded_builder.api.bodies import decode_object, json_answer, read_body
from grounded_builder.api.errors import ApiError
from grounded_builder.api.requests import body_of, refusals
from grounded_builder.api.sessions import LONGEST_REQUEST, MessageShape
from grounded_builder.api.state import State, state_of
from grounded_builder.conversing import ConversationError
from grounded_builder.errands import Errands, Given, RouteOrder
from grounded_builder.registry.registry import Registry
from grounded_builder.settings import MOST_ROUNDS

router = APIRouter(tags=["route"])

DOMAIN = "tools"
# What a tool gives may be far larger than a draft.
_BODY_BYTES = 40_000_000
_STEPS = ThreadPoolExecutor(8, thread_name_prefix="route")
_MOST_WAITING = 64
_STATUS = {
    "unknown-session": (HTTPStatus.NOT_FOUND, "unknown-route"),
    "session-ended": (HTTPStatus.CONFLICT, "route-ended"),
    "draft-overtaken": (HTTPStatus.CONFLICT, "reply-overtaken"),
}


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class RouteBody(_Body):
    """A request, and the tools that are connected.

    `tools` are OpenAI functions, an MCP tool list, or objects `{id, name, provider, operation,
    description, capabilities, parameters}`; without them the stored catalog of domain tools.
    `drafter`: the caller brings the model (`external`), the configured model is asked (`auto`),
    or none is (`none`).
    """

    request: str = Field(min_length=1, max_length=LONGEST_REQUEST, pattern=r"\S")
    tools: list[Any] | dict[str, Any] | None = None
    catalog: str = Field("", max_length=64, description="A fingerprint; the active one without.")
    drafter: Literal["external", "none", "auto"] = "external"
    rounds: int = Field(3, ge=1, le=MOST_ROUNDS, description="Replies until fallback.")
    answer: bool = Field(False, description="Ask the model to answer when the calls are made.")
    forbid: list[str] = Field([], max_length=1_000, description="Tools not to be used.")
    caller: Any = Field(None, description="Who asks; kept in the run.")
    parent_call: str | None = Field(None, max_length=300, description="The call it is part of.")


class ResultBody(_Body):
    """What a call gave, or why it failed; `error_type` names the kind, such as `Timeout`."""

    call: str
    output: Any = None
    error: Any = None
    error_type: str = Field("", max_length=60)


class RouteReplyBody(_Body):
    """Exactly one of: the model's reply, why there is none, the result of the call to make.

    A `reply` is text, or the message of a chat API as it came. `connected` are the names or ids
    of the tools that are connected at this moment; a call of any other is not handed out.
    """

    reply: Any = None
    failed: str | None = None
    result: ResultBody | None = None
    connected: list[str] | None = Field(None, max_length=20_000)


class RouteAsk(_Body):
    """Send `messages` to the model, constrained by `response_schema` if it can be."""

    route: str
    status: Literal["ask"]
    round: int
    messages: list[MessageShape]
    response_schema: dict[str, Any]
    tools_shown: list[str]


class CallShape(_Body):
    """One call to make now; `tool_id` is the id that the tool was defined with."""

    id: str
    tool: str
    tool_id: str
    arguments: dict[str, Any]
    depends_on: list[str]


class RouteCall(_Body):
    """Make `call` and post its result; `remaining` calls wait behind it.

    `planned` are all calls as they were planned, references and all.
    """

    route: str
    status: Literal["call"]
    text: str = Field(description="What the model said beside its calls.")
    call: CallShape
    remaining: int
    planned: list[CallShape]


class CallError(_Body):
    """Why a call was not made, or failed."""

    error: Literal[True]
    error_type: str
    error_message: str
    retry_possible: bool


class NoMatch(_Body):
    """No connected tool was found for the request."""

    error: str
    connected_tools: list[str]


class CallDone(CallShape):
    """A call and what became of it; `drafted` is the name that the model gave."""

    drafted: str
    found_by: Literal["model", "capability", "name", "none"]
    state: Literal["waiting", "called", "ok", "failed", "skipped"]
    output: Any = Field(None, description="Of a large one its length and its beginning.")
    error: CallError | None = None


class RouteDone(_Body):
    """The end: all calls in planned order; `order` are those that were made, as they were."""

    route: str
    status: Literal["done"]
    outcome: Literal["executed", "partial", "failed", "answered"]
    text: str
    error: NoMatch | None
    calls: list[CallDone]
    order: list[str]
    rounds: int
    summary: str
    catalog: str


RouteAnswer = Annotated[RouteAsk | RouteCall | RouteDone, Field(discriminator="status")]


@router.post(
    "/v1/route",
    response_model=RouteAnswer,
    responses=refusals(409, 413),
    openapi_extra=body_of(RouteBody),
    dependencies=[requires("draft")],
)
async def open_route(request: Request) -> Response:
    """Begin: messages for the model, the first call to make, or the end."""
    state = state_of(request)
    asked = await _shape(request, RouteBody)
    order = RouteOrder(
        request=asked.request,
        tools=asked.tools,
        catalog=asked.catalog,
        drafter=asked.drafter,
        rounds=asked.rounds,
        answer=asked.answer,
        forbid=tuple(asked.forbid),
        caller=asked.caller,
        parent_call=asked.parent_call,
    )
    return await _step(state, lambda errands: errands.open(order))


@router.post(
    "/v1/route/{route}/reply",
    response_model=RouteAnswer,
    responses=refusals(409, 413),
    openapi_extra=body_of(RouteReplyBody),
    dependencies=[requires("draft")],
)
async def reply_to_route(route: str, request: Request) -> Response:
    """Take the model's reply or a call's result: the next messages, the next call, or the end."""
    state = state_of(request)
    said = await _shape(request, RouteReplyBody)
    if sum(one is not None for one in (said.reply, said.failed, said.result)) != 1:
        message = "exactly one of reply, failed and result is expected"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, 'send {"reply": "..."}')
    given = Given(
        reply=said.reply,
        failed=said.failed,
        result=None if said.result is None else said.result.model_dump(),
        present=None if said.connected is None else frozenset(said.connected),
    )
    return await _step(state, lambda errands: errands.take(route, given))


@router.get(
    "/v1/route/{route}",
    response_model=RouteAnswer,
    responses=refusals(),
    dependencies=[requires("draft")],
)
async def show_route(route: str, request: Request) -> Response:
    """The last answer of a route again."""
    return await _step(state_of(request), lambda errands: dict(errands.session(route).answer))


def errands_of(state: State) -> Errands:
    """What routes in this process."""

    def stored(fingerprint: str) -> Registry:
        active = state.registries.get(DOMAIN)
        if active is not None and fingerprint in ("", active.fingerprint):
            return active
        return state.store.registry(fingerprint) if fingerprint else state.registry(DOMAIN)

    def compiling(work: Callable[[], Any]) -> Any:
        return state.compiler.submit(work).result()

    return Errands(state.store, state.domain(DOMAIN), stored, compiling)


async def _step(state: State, work: Callable[[Errands], dict[str, Any]]) -> Response:
    if _STEPS._work_queue.qsize() >= _MOST_WAITING:  # noqa: SLF001 - the pool has no other way
        message = "too many routes are waiting"
        raise ApiError(HTTPStatus.SERVICE_UNAVAILABLE, "busy", message, "try again later")
    errands = errands_of(state)
    try:
        answer = await asyncio.get_running_loop().run_in_executor(_STEPS, work, errands)
    except ConversationError as error:
        status, code = _STATUS[error.kind]
        raise ApiError(status, code, str(error), error.help) from error
    state.counts[f"route:{answer.get('outcome', answer['status'])}"] += 1
    return json_answer(answer)


async def _shape(request: Request, shape: type[Any]) -> Any:
    body = decode_object(await read_body(request, _BODY_BYTES))
    try:
        return shape.model_validate(body)
    except ValidationError as error:
        fault = error.errors(include_input=False)[0]
        at = "/" + "/".join(str(part) for part in fault["loc"])
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", fault["msg"], at=at) from error
