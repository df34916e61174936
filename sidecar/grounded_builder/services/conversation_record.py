"""What is kept and said of a conversation, as JSON values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from grounded_builder import settings
from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.name_stats import NameOccurrence
from grounded_builder.compiler.named_services import NamedServices, Service, services_named
from grounded_builder.compiler.pipeline import Compilation
from grounded_builder.compiler.receipt import Receipt
from grounded_builder.compiler.resolve_plan import RESOLVED_NAME
from grounded_builder.diagnostics import Diagnostic, pointer
from grounded_builder.diagnostics.finding_json import as_json
from grounded_builder.drafting.conversation import Conversation, Outcome, conversation_from
from grounded_builder.drafting.prompt import definitions
from grounded_builder.drafting.token_estimate import tokens_of
from grounded_builder.redaction.redact import without_secrets
from grounded_builder.storage import runs
from grounded_builder.storage.sessions import Session

Answer = dict[str, Any]

PLANNER = settings.PLANNER
EXTERNAL = "external"
_CONSTRAINTS = 4_000


@dataclass(frozen=True, slots=True)
class RequestReading:
    """What a request names, read against the catalog of the fingerprint ``catalog``."""

    catalog: str
    named: NamedServices


@dataclass(frozen=True, slots=True)
class DraftRequest:
    """What somebody asks for; ``drafter`` is "external", "planner" or the name of an endpoint.

    Of ``constraints``, ``forbid`` lists tools that the artifact must not contain, ``allow`` the
    only ones that it may, ``use`` tools to prefer, ``core_only`` and ``no_code`` are yes or no,
    ``release`` and ``products`` are those to build for, ``forbid_products`` such as are not there;
    the rest is passed on to the drafter as it is. With ``salvage`` the largest part of the last
    draft that compiles is better than nothing; with ``trial`` what would be built is run first.
    ``reading`` is what the request names, kept from its first reading on.
    """

    request: str
    constraints: Mapping[str, Any] = field(default_factory=dict)
    rounds: int | None = None
    drafter: str = EXTERNAL
    salvage: bool = False
    trial: bool = False
    reading: RequestReading | None = None


def with_reading(order: DraftRequest, registry: Registry) -> DraftRequest:
    """Returns the order with what its request names; it is read again only for another catalog."""
    return replace(order, reading=read_request(order, registry))


def read_request(order: DraftRequest, registry: Registry) -> RequestReading:
    """Returns what the request of an order names, as kept where the catalog is still the same."""
    if order.reading is not None and order.reading.catalog == registry.fingerprint:
        return order.reading
    return RequestReading(registry.fingerprint, services_named(order.request, registry))


def to_state(domain: str, order: DraftRequest, talk: Conversation) -> dict[str, Any]:
    """The state of a conversation between two replies."""
    return {"domain": domain, "order": asdict(order), "talk": talk.as_json()}


def from_state(session: Session) -> tuple[DraftRequest, Conversation]:
    """What ``to_state`` wrote."""
    order = dict(session.talk["order"])
    order["reading"] = _reading_from(order.get("reading"))
    return DraftRequest(**order), conversation_from(session.talk["talk"])


def _reading_from(state: Mapping[str, Any] | None) -> RequestReading | None:
    if state is None:
        return None
    named = state["named"]
    wanted, unwanted = (
        tuple(
            Service(item["said"], tuple(item["tools"]), tuple(item["starters"]))
            for item in named[key]
        )
        for key in ("wanted", "unwanted")
    )
    return RequestReading(state["catalog"], NamedServices(wanted, unwanted, named["remainder"]))


def constraints_said(constraints: Mapping[str, Any]) -> str:
    """The constraints as they are added to a prompt."""
    if not constraints:
        return ""
    return f"\n\nCONSTRAINTS:\n{json.dumps(constraints, ensure_ascii=False)[:_CONSTRAINTS]}"


def ask_response(session_id: str, talk: Conversation) -> Answer:
    """The answer that asks for a draft."""
    return {
        "session": session_id,
        "status": "draft",
        "round": talk.round,
        "messages": without_secrets([asdict(message) for message in talk.messages]),
        "response_schema": dict(talk.schema),
        "tools": definitions() if talk.prompt is not None else [],
        "tokens": tokens_of(message.content for message in talk.messages),
    }


def messages_json(talk: Conversation) -> list[dict[str, str]]:
    """Returns the messages that a drafter is asked with, for the record."""
    return [asdict(message) for message in talk.messages]


def final_response(
    session_id: str, outcome: Outcome, signed: Receipt | None, catalog: str
) -> Answer:
    """Returns the answer with the outcome; only what is signed comes with its artifact.

    The artifact is as it was drafted; nothing beside it has a secret.
    """
    compilation = outcome.compilation
    diagnostics = compilation.diagnostics if compilation is not None else ()
    fixes = compilation.corrections if compilation is not None else ()
    resolved = compilation.plan if compilation is not None else None
    artifact = compilation.artifact if compilation is not None and signed is not None else None
    beside = {
        "reason": outcome.reason,
        "summary": outcome.summary,
        "diagnostics": [as_json(diagnostic) for diagnostic in diagnostics],
        "fixes": [as_json(fix) for fix in fixes],
        "todo": list(outcome.todo),
        "left_out": None if outcome.left_out is None else list(outcome.left_out),
        "rounds": outcome.rounds,
        "plan": outcome.plan,
        "resolved_plan": None if resolved is None else resolved.as_json(),
    }
    return {
        "session": session_id,
        "status": "done",
        "outcome": outcome.outcome,
        "artifact": artifact,
        "receipt": signed,
        "catalog": catalog,
        **without_secrets(beside),
    }


def record_draft(
    drafter: str,
    messages: Any,
    reply: str | None,
    compilation: Compilation | None,
    ms: float,
    sighted: tuple[NameOccurrence, ...] = (),
) -> runs.Draft:
    """Returns the record of one draft and of what the compiler made of it, with number 1."""
    if compilation is None:
        return runs.Draft(1, drafter, messages, reply, ms=ms)
    diagnostics = (*compilation.diagnostics, *compilation.corrections)
    plan = compilation.plan
    return runs.Draft(
        number=1,
        drafter=drafter,
        messages=messages,
        reply=reply,
        parsed=compilation.document,
        resolved=None if plan is None else plan.as_json(),
        resolutions=[
            _resolution(diagnostic) for diagnostic in diagnostics if _is_of_a_name(diagnostic)
        ],
        verdict=compilation.verdict,
        diagnostics=[as_json(diagnostic) for diagnostic in diagnostics],
        ms=ms,
        sighted=sighted,
    )


def _is_of_a_name(diagnostic: Diagnostic) -> bool:
    return diagnostic.rule.stage == "resolve" or diagnostic.rule == RESOLVED_NAME


def _resolution(diagnostic: Diagnostic) -> dict[str, Any]:
    """What was said about a name that did not simply stand for one tool, and its runners-up."""
    return {
        "at": pointer(diagnostic.at),
        "name": diagnostic.token,
        "code": diagnostic.code,
        "message": diagnostic.message,
        "runners_up": list(diagnostic.alternatives),
    }
