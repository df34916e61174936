"""Defines the JSON bodies and answers of tool routing and its statistics."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from grounded_builder.interfaces.http.schemas.base import Shape
from grounded_builder.interfaces.http.schemas.session import LONGEST_REQUEST, MessageShape
from grounded_builder.settings import MOST_ROUNDS


class RouteBody(Shape):
    """A request, and the tools that are connected.

    `tools` are OpenAI functions, an MCP tool list, or objects `{id, name, provider, operation,
    description, capabilities, parameters}`; without them the stored catalog of domain tools is
    used. `drafter`: the caller runs the model (`external`), the configured model is asked (`auto`),
    or none is (`none`).
    """

    request: str = Field(min_length=1, max_length=LONGEST_REQUEST, pattern=r"\S")
    tools: list[Any] | dict[str, Any] | None = None
    catalog: str = Field(
        "", max_length=64, description="A fingerprint; the active catalog by default."
    )
    drafter: Literal["external", "none", "auto"] = "external"
    rounds: int = Field(
        3, ge=1, le=MOST_ROUNDS, description="Maximum number of replies before the fallback."
    )
    answer: bool = Field(False, description="Ask the model to answer after the calls.")
    forbid: list[str] = Field([], max_length=1_000, description="Tools that must not be used.")
    caller: Any = Field(None, description="The caller; recorded in the run.")
    parent_call: str | None = Field(
        None, max_length=300, description="The call that this route is part of."
    )


class ResultBody(Shape):
    """The result of a call, or why it failed; `error_type` names the kind, such as `Timeout`."""

    call: str
    output: Any = None
    error: Any = None
    error_type: str = Field("", max_length=60)


class RouteReplyBody(Shape):
    """Exactly one of: the model's reply, why there is none, the result of the call to make.

    A `reply` is text, or the message of a chat API unchanged. `connected` are the names or ids of
    the tools that are connected at this moment; calls of other tools are not handed out.
    """

    reply: Any = None
    failed: str | None = None
    result: ResultBody | None = None
    connected: list[str] | None = Field(None, max_length=20_000)


class RouteAsk(Shape):
    """Send `messages` to the model, constrained by `response_schema` if it can be."""

    route: str
    status: Literal["ask"]
    round: int
    messages: list[MessageShape]
    response_schema: dict[str, Any]
    tools_shown: list[str]


class CallShape(Shape):
    """One call to make now; `tool_id` is the id in the tool's definition."""

    id: str
    tool: str
    tool_id: str
    arguments: dict[str, Any]
    depends_on: list[str]


class RouteCall(Shape):
    """Make `call` and post its result; `remaining` calls wait behind it.

    `planned` are all calls as planned, with their references.
    """

    route: str
    status: Literal["call"]
    text: str = Field(description="The text of the model besides its calls.")
    call: CallShape
    remaining: int
    planned: list[CallShape]


class CallError(Shape):
    """Why a call was not made, or failed."""

    error: Literal[True]
    error_type: str
    error_message: str
    retry_possible: bool


class NoMatch(Shape):
    """No connected tool matches the request."""

    error: str
    connected_tools: list[str]


class CallDone(CallShape):
    """A call and its result; `drafted` is the name that the model wrote."""

    drafted: str
    found_by: Literal["model", "capability", "name", "none"]
    state: Literal["waiting", "called", "ok", "failed", "skipped"]
    output: Any = Field(
        None, description="A large output is given by its length and its beginning."
    )
    error: CallError | None = None


class RouteDone(Shape):
    """The end: all calls in planned order; `order` are the calls in the order in which they were
    made.
    """

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


class InventedShape(Shape):
    """A name of no tool that models wrote, and how often."""

    name: str
    count: int
    last_at: str


class FailureShape(Shape):
    """How often calls of a tool failed in one way; `message` is one of the reasons."""

    tool: str
    error_type: str | None
    message: str | None
    count: int
    last_at: str


class FallbackShape(Shape):
    """A name of no tool, and the tool that was called for it."""

    drafted: str
    tool: str
    found_by: str
    count: int
    last_at: str


class RouteStatistics(Shape):
    """Unknown names, states of calls, failures with reasons, and fallbacks."""

    invented: list[InventedShape]
    calls: dict[str, int]
    failures: list[FailureShape]
    fallbacks: list[FallbackShape]


RouteAnswer = Annotated[RouteAsk | RouteCall | RouteDone, Field(discriminator="status")]
