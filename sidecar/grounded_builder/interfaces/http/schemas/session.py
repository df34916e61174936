"""Defines the JSON bodies and answers of routes that draft an artifact, by turns or in one call."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from grounded_builder.interfaces.http.schemas.base import Constraints, Shape
from grounded_builder.interfaces.http.schemas.bodies import DiagnosticShape, ReceiptShape
from grounded_builder.settings import MOST_ROUNDS

LONGEST_REQUEST = 100_000
_MOST_REPLY = 8_000_000
_SALVAGE = "Build the largest part that compiles if the whole does not."
_LONGEST_ANSWER = 5_000
_CLARIFY = "Let the model ask the person once where the request can mean two things."
_TRIAL = (
    "Run an isolated copy in n8n before building; requires the scope import. By default where the "
    "token has that scope and an n8n is configured."
)

_LISTS = (
    "Look up names in the lists of the account that n8n has a login for; requires the scope "
    "import. By default where the token has that scope and the login is configured."
)


class SessionBody(Shape):
    """A request for an artifact. `external`: the caller runs the model; `planner`: none is used.

    `constraints.forbid` lists tools that must not be used, `constraints.allow` the only ones that
    may, `constraints.use` preferred ones; `core_only` excludes all packages but the product's own,
    `no_code` tools that run code written into them. Other `constraints` are passed to the model
    unchanged.
    """

    request: str = Field(min_length=1, max_length=LONGEST_REQUEST, pattern=r"\S")
    constraints: Constraints = Field({})
    rounds: int | None = Field(None, ge=1, le=MOST_ROUNDS, description="Maximum number of drafts.")
    drafter: Literal["external", "planner"] = "external"
    salvage: bool = Field(False, description=_SALVAGE)
    trial: bool | None = Field(None, description=_TRIAL)
    lists: bool | None = Field(None, description=_LISTS)
    clarify: bool = Field(False, description=_CLARIFY)


class GenerateBody(Shape):
    """A request for an artifact; `auto` is the configured model, or the planner without one."""

    id: Any = Field(None, description="Echoed.")
    request: str = Field(min_length=1, max_length=LONGEST_REQUEST, pattern=r"\S")
    constraints: Constraints = Field({})
    rounds: int | None = Field(None, ge=1, le=MOST_ROUNDS, description="Maximum number of drafts.")
    drafter: Literal["auto", "planner"] = "auto"
    salvage: bool = Field(False, description=_SALVAGE)
    trial: bool | None = Field(None, description=_TRIAL)
    lists: bool | None = Field(None, description=_LISTS)


class DraftReply(Shape):
    """Exactly one of: the model's reply, why there is none, or a person's answer to a question."""

    reply: str | None = Field(None, max_length=_MOST_REPLY)
    failed: str | None = None
    answer: str | None = Field(None, max_length=_LONGEST_ANSWER, pattern=r"\S")


class MessageShape(Shape):
    """One message for a chat model."""

    role: Literal["system", "user", "assistant"]
    content: str


class SessionDraft(Shape):
    """Send `messages` to the model, constrained by `response_schema` if possible.

    A model that calls tools may be given `tools`, with which it queries the registry; the calls are
    sent back as the reply, `{"tool_calls": [...]}`. `tokens` is the estimated size of the messages.
    """

    session: str
    status: Literal["draft"]
    round: int
    messages: list[MessageShape]
    response_schema: dict[str, Any]
    tools: list[dict[str, Any]]
    tokens: int


class SessionQuestion(Shape):
    """A question of the model to the person; there may be no choices. Send `{"answer": "..."}`."""

    session: str
    status: Literal["question"]
    round: int
    question: str
    choices: list[str]


class Edited(Shape):
    """The result of an edit: the changed document, the findings it had before, and those it no
    longer has.
    """

    workflow: dict[str, Any]
    done: list[str]
    difference: str = Field(description="A patch of both documents, laid out alike.")
    standing: list[DiagnosticShape]
    mended: list[DiagnosticShape]


class SessionDone(Shape):
    """The outcome; `incomplete` has an artifact too, and `todo` lists what a person must supply."""

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
        None, description="The steps omitted where only a part compiles."
    )
    rounds: int
    plan: dict[str, Any] | None = Field(description="The plan as drafted.")
    resolved_plan: dict[str, Any] | None
    catalog: str
    edit: Edited | None = Field(None, description="The result of an edit that changed something.")


class Generated(SessionDone):
    """The outcome of a whole generation."""

    id: Any = None


Answer = Annotated[SessionDraft | SessionQuestion | SessionDone, Field(discriminator="status")]
