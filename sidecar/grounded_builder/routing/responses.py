"""What is answered about an errand: a question for the model, a call to make, or the end."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.redaction.redact import MARK, SECRET_NOTICE
from grounded_builder.routing.references import references_in
from grounded_builder.routing.state import Call, RouteState

Answer = dict[str, Any]

_LARGEST_OUTPUT = 64_000
_BEGINNING = 4_000


def asking(identity: str, errand: RouteState, schema: Mapping[str, Any]) -> Answer:
    """The answer that asks the model."""
    return {
        "route": identity,
        "status": "ask",
        "round": errand.round,
        "messages": [dict(message) for message in errand.messages],
        "response_schema": dict(schema),
        "tools_shown": list(errand.shown),
    }


def calling(identity: str, errand: RouteState, call: Call, registry: Registry) -> Answer:
    """The answer that asks for a call to be made."""
    return {
        "route": identity,
        "status": "call",
        "text": errand.text,
        "call": {
            "id": call.id,
            "tool": call.tool,
            "tool_id": given_id(call.tool, registry),
            "arguments": dict(call.sent or {}),
            "depends_on": list(call.depends_on),
        },
        "remaining": sum(item.state == "waiting" for item in errand.calls),
        "planned": [
            {
                "id": item.id,
                "tool": item.tool,
                "tool_id": given_id(item.tool, registry),
                "arguments": dict(item.arguments),
                "depends_on": list(item.depends_on),
            }
            for item in errand.calls
        ],
    }


def done(identity: str, errand: RouteState, registry: Registry) -> Answer:
    """The answer that ends it: every call with what became of it, in planned order."""
    return {
        "route": identity,
        "status": "done",
        "outcome": errand.outcome,
        "text": errand.text,
        "error": None if errand.error is None else dict(errand.error),
        "calls": [_told(call, registry) for call in errand.calls],
        "order": [call.id for call in errand.calls if call.sent is not None],
        "rounds": errand.round,
        "summary": summary(errand),
        "catalog": registry.fingerprint,
    }


def given_id(tool: str, registry: Registry) -> str:
    """The id that a tool was defined with; its name where it had none or is gone."""
    if tool not in registry.tools:
        return tool
    traits = registry.tool(tool)["variants"][-1].get("traits", {})
    return str(traits.get("given_id") or tool)


def summary(errand: RouteState) -> str:
    """One sentence for a person, and one more where something was not read."""
    unread = f" {SECRET_NOTICE}" if MARK in errand.request else ""
    if errand.error is not None:
        return str(errand.error["error"])
    if not errand.calls:
        return f"Answered without a tool.{unread}"
    parts = [f"{call.tool or call.drafted}: {call.state}" for call in errand.calls]
    by_fallback = [call for call in errand.calls if call.found_by in ("capability", "name")]
    text = f" {len(by_fallback)} found by fallback." if by_fallback else ""
    return f"{', '.join(parts)}.{text}{unread}"


def kept_outputs(errand: RouteState) -> RouteState:
    """The errand as it is kept: large outputs only while a call may still refer to them."""
    if errand.outcome is None and errand.answers:
        return errand
    ids = [call.id for call in errand.calls]
    waiting = [call.arguments for call in errand.calls if call.state in ("waiting", "called")]
    wanted = {reference.step for _, reference in references_in(list(map(dict, waiting)), ids)}
    calls = tuple(
        call if call.id in wanted else replace(call, output=bounded(call.output))
        for call in errand.calls
    )
    return replace(errand, calls=calls)


def bounded(output: Any) -> Any:
    """An output, or of a large one how long it is and how it begins."""
    text = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
    if len(text) <= _LARGEST_OUTPUT:
        return output
    return {"omitted": f"{len(text):,} characters", "beginning": text[:_BEGINNING]}


def _told(call: Call, registry: Registry) -> dict[str, Any]:
    entries: dict[str, Any] = {
        "id": call.id,
        "tool": call.tool,
        "tool_id": given_id(call.tool, registry),
        "drafted": call.drafted,
        "found_by": call.found_by,
        "arguments": dict(call.sent if call.sent is not None else call.arguments),
        "depends_on": list(call.depends_on),
        "state": call.state,
    }
    if call.state == "ok":
        entries["output"] = bounded(call.output)
    if call.error is not None:
        entries["error"] = dict(call.error)
    return entries
