"""The shapes of conversations: what is asked for, what is to be sent on, what came of it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from grounded_builder.interfaces.http.schemas.base import Constraints, Shape
from grounded_builder.interfaces.http.schemas.bodies import DiagnosticShape, ReceiptShape
from grounded_builder.settings import MOST_ROUNDS

LONGEST_REQUEST = 100_000
_MOST_REPLY = 8_000_000
_SALVAGE = "Build the largest part that compiles, where the whole does not."
_TRIAL = "Run a copy in n8n, which reaches nothing outside, before it is built: scope import."


class SessionBody(Shape):
    """What somebody wants. `external`: the caller brings the model; `planner`: none is used.

    `constraints.forbid` lists tools that must not be used, `constraints.allow` the only ones
    that may, `constraints.use` preferred ones; `core_only` leaves out all packages but the
    product's own, `no_code` tools that run code written into them. Anything else in
    `constraints` is told to the model as it is.
    """

    request: str = Field(min_length=1, max_length=LONGEST_REQUEST, pattern=r"\S")
    constraints: Constraints = Field({})
    rounds: int | None = Field(None, ge=1, le=MOST_ROUNDS, description="Drafts at most.")
    drafter: Literal["external", "planner"] = "external"
    salvage: bool = Field(False, description=_SALVAGE)
    trial: bool = Field(False, description=_TRIAL)


class GenerateBody(Shape):
    """What somebody wants; `auto` is the configured model, or the planner without one."""

    id: Any = Field(None, description="Echoed.")
    request: str = Field(min_length=1, max_length=LONGEST_REQUEST, pattern=r"\S")
    constraints: Constraints = Field({})
    rounds: int | None = Field(None, ge=1, le=MOST_ROUNDS, description="Drafts at most.")
    drafter: Literal["auto", "planner"] = "auto"
    salvage: bool = Field(False, description=_SALVAGE)
    trial: bool = Field(False, description=_TRIAL)


class DraftReply(Shape):
    """Exactly one of: what the model replied, or why it did not."""

    reply: str | None = Field(None, max_length=_MOST_REPLY)
    failed: str | None = None


class MessageShape(Shape):
    """One message for a chat model."""

    role: Literal["system", "user", "assistant"]
    content: str


class SessionDraft(Shape):
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


class Edited(Shape):
    """What an edit did: the changed document, what was found before too, and what no more."""

    workflow: dict[str, Any]
    done: list[str]
    difference: str = Field(description="A patch of both documents, laid out alike.")
    standing: list[DiagnosticShape]
    mended: list[DiagnosticShape]


class SessionDone(Shape):
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
