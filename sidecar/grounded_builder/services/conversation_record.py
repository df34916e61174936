"""Defines draft requests, and converts their conversations to JSON, answers and records."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from grounded_builder import settings
from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.name_stats import NameOccurrence
from grounded_builder.compiler.named_services import NamedServices, Service, find_services
from grounded_builder.compiler.pipeline import Compilation
from grounded_builder.compiler.receipt import Receipt
from grounded_builder.compiler.resolve_plan import RESOLVED_NAME
from grounded_builder.diagnostics import Diagnostic, to_pointer
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
_RECORDED_CHARS = 400_000


@dataclass(frozen=True, slots=True)
class RequestReading:
    """The services that a request names, read with the catalog of the fingerprint ``catalog``."""

    catalog: str
    named: NamedServices


@dataclass(frozen=True, slots=True)
class DraftRequest:
    """An order for a draft; ``drafter`` is "external", "planner" or the name of an endpoint.

    In ``constraints``, ``forbid`` lists tools that the artifact must not contain, ``allow`` the
    only tools it may contain and ``use`` preferred tools; ``core_only`` and ``no_code`` are flags,
    and a domain has target options and exclusions of its own. Other constraints are passed to the
    drafter unchanged. With ``salvage`` the largest part of the last draft that compiles is built.
    With ``trial`` the artifact is run before it is returned, with ``clarify`` the person may be
    asked what the request means, with ``lists`` names are looked up in the account's lists.
    ``reading`` caches what the request names.
    """

    request: str
    constraints: Mapping[str, Any] = field(default_factory=dict)
    rounds: int | None = None
    drafter: str = EXTERNAL
    salvage: bool = False
    trial: bool = False
    reading: RequestReading | None = None
    clarify: bool = False
    lists: bool = False


def with_reading(order: DraftRequest, registry: Registry) -> DraftRequest:
    """Returns the order with the services that its request names, read again only for another
    catalog.
    """
    return replace(order, reading=read_request(order, registry))


def read_request(order: DraftRequest, registry: Registry) -> RequestReading:
    """Returns the services that an order's request names, from the cache where the catalog is the
    same.
    """
    if order.reading is not None and order.reading.catalog == registry.fingerprint:
        return order.reading
    return RequestReading(registry.fingerprint, find_services(order.request, registry))


def to_state(domain: str, order: DraftRequest, conversation: Conversation) -> dict[str, Any]:
    """Returns the state of a conversation between two replies as JSON."""
    return {"domain": domain, "order": asdict(order), "talk": conversation.as_json()}


def from_state(session: Session) -> tuple[DraftRequest, Conversation]:
    """Returns the order and the conversation that ``to_state`` wrote."""
    order = dict(session.state["order"])
    order["reading"] = _reading_from(order.get("reading"))
    return DraftRequest(**order), conversation_from(session.state["talk"])


def _reading_from(state: Mapping[str, Any] | None) -> RequestReading | None:
    if state is None:
        return None
    named = state["named"]
    wanted, unwanted = (
        tuple(
            Service(service["text"], tuple(service["tools"]), tuple(service["starters"]))
            for service in named[key]
        )
        for key in ("wanted", "unwanted")
    )
    return RequestReading(state["catalog"], NamedServices(wanted, unwanted, named["remainder"]))


def format_constraints(constraints: Mapping[str, Any]) -> str:
    """Returns the constraints as a text for a prompt."""
    if not constraints:
        return ""
    return f"\n\nCONSTRAINTS:\n{json.dumps(constraints, ensure_ascii=False)[:_CONSTRAINTS]}"


def ask_response(session_id: str, conversation: Conversation) -> Answer:
    """Returns the answer that asks for a draft, or the person for the meaning of the request."""
    if conversation.question is not None:
        return {
            "session": session_id,
            "status": "question",
            "round": conversation.round,
            **without_secrets(asdict(conversation.question)),
        }
    return {
        "session": session_id,
        "status": "draft",
        "round": conversation.round,
        "messages": without_secrets([asdict(message) for message in conversation.messages]),
        "response_schema": dict(conversation.schema),
        "tools": definitions() if conversation.prompt is not None else [],
        "tokens": tokens_of(message.content for message in conversation.messages),
    }


def messages_json(conversation: Conversation) -> list[dict[str, str]]:
    """Returns the messages that are sent to a drafter, for the record."""
    return [asdict(message) for message in conversation.messages]


def final_response(
    session_id: str, outcome: Outcome, signed: Receipt | None, catalog: str
) -> Answer:
    """Returns the answer with the outcome; an artifact is included only with its receipt.

    The artifact is returned as drafted; every other field has its secrets removed.
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
    """Returns the record of one draft and of its compilation, with number 1.

    Of a reply that is too long to be compiled, the beginning is recorded.
    """
    reply = reply if reply is None else reply[:_RECORDED_CHARS]
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
            _resolution(diagnostic) for diagnostic in diagnostics if _is_about_name(diagnostic)
        ],
        verdict=compilation.verdict,
        diagnostics=[as_json(diagnostic) for diagnostic in diagnostics],
        ms=ms,
        sighted=sighted,
    )


def _is_about_name(diagnostic: Diagnostic) -> bool:
    return diagnostic.rule.stage == "resolve" or diagnostic.rule == RESOLVED_NAME


def _resolution(diagnostic: Diagnostic) -> dict[str, Any]:
    """Returns the diagnostic for an inexact name, with the tool chosen and the other candidates."""
    return {
        "at": to_pointer(diagnostic.at),
        "name": diagnostic.token,
        "code": diagnostic.code,
        "message": diagnostic.message,
        "runners_up": list(diagnostic.alternatives),
    }
