"""The responses of a route: a question for the model, a call to make, or the end."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.redaction.redact import MARK, SECRET_NOTICE
from grounded_builder.routing.references import find_references
from grounded_builder.routing.state import Call, RouteState

Answer = dict[str, Any]

_MAX_OUTPUT_CHARS = 64_000
_SHOWN_CHARS = 4_000


def ask_answer(identity: str, errand: RouteState, schema: Mapping[str, Any]) -> Answer:
    """Returns the response that asks the model."""
    return {
        "route": identity,
        "status": "ask",
        "round": errand.round,
        "messages": [dict(message) for message in errand.messages],
        "response_schema": dict(schema),
        "tools_shown": list(errand.shown),
    }


def call_answer(identity: str, errand: RouteState, call: Call, registry: Registry) -> Answer:
    """Returns the response that requests a call."""
    return {
        "route": identity,
        "status": "call",
        "text": errand.text,
        "call": {
            "id": call.id,
            "tool": call.tool,
            "tool_id": original_id(call.tool, registry),
            "arguments": dict(call.sent or {}),
            "depends_on": list(call.depends_on),
        },
        "remaining": sum(planned.state == "waiting" for planned in errand.calls),
        "planned": [
            {
                "id": planned.id,
                "tool": planned.tool,
                "tool_id": original_id(planned.tool, registry),
                "arguments": dict(planned.arguments),
                "depends_on": list(planned.depends_on),
            }
            for planned in errand.calls
        ],
    }


def done_answer(identity: str, errand: RouteState, registry: Registry) -> Answer:
    """Returns the final response: every call with its result, in planned order."""
    return {
        "route": identity,
        "status": "done",
        "outcome": errand.outcome,
        "text": errand.text,
        "error": None if errand.error is None else dict(errand.error),
        "calls": [_call_json(call, registry) for call in errand.calls],
        "order": [call.id for call in errand.calls if call.sent is not None],
        "rounds": errand.round,
        "summary": summarize_route(errand),
        "catalog": registry.fingerprint,
    }


def original_id(tool: str, registry: Registry) -> str:
    """Returns the id with which a tool was defined, or its name if it has none or is gone."""
    if tool not in registry.tools:
        return tool
    traits = registry.tool(tool)["variants"][-1].get("traits", {})
    return str(traits.get("given_id") or tool)


def summarize_route(errand: RouteState) -> str:
    """Returns a sentence for the user, and another one if a secret was removed."""
    unread = f" {SECRET_NOTICE}" if MARK in errand.request else ""
    if errand.error is not None:
        return str(errand.error["error"])
    if not errand.calls:
        return f"Answered without a tool.{unread}"
    parts = [f"{call.tool or call.drafted}: {call.state}" for call in errand.calls]
    by_fallback = [call for call in errand.calls if call.found_by in ("capability", "name")]
    text = f" {len(by_fallback)} found by fallback." if by_fallback else ""
    return f"{', '.join(parts)}.{text}{unread}"


def drop_large_outputs(errand: RouteState) -> RouteState:
    """Returns the route without large outputs that no waiting call refers to."""
    if errand.outcome is None and errand.answers:
        return errand
    ids = [call.id for call in errand.calls]
    waiting = [call.arguments for call in errand.calls if call.state in ("waiting", "called")]
    wanted = {reference.step for _, reference in find_references(list(map(dict, waiting)), ids)}
    calls = tuple(
        call if call.id in wanted else replace(call, output=shorten_output(call.output))
        for call in errand.calls
    )
    return replace(errand, calls=calls)


def shorten_output(output: Any) -> Any:
    """Returns an output; for a large one, its length and its beginning."""
    text = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
    if len(text) <= _MAX_OUTPUT_CHARS:
        return output
    return {"omitted": f"{len(text):,} characters", "beginning": text[:_SHOWN_CHARS]}


def _call_json(call: Call, registry: Registry) -> dict[str, Any]:
    report: dict[str, Any] = {
        "id": call.id,
        "tool": call.tool,
        "tool_id": original_id(call.tool, registry),
        "drafted": call.drafted,
        "found_by": call.found_by,
        "arguments": dict(call.sent if call.sent is not None else call.arguments),
        "depends_on": list(call.depends_on),
        "state": call.state,
    }
    if call.state == "ok":
        report["output"] = shorten_output(call.output)
    if call.error is not None:
        report["error"] = dict(call.error)
    return report
