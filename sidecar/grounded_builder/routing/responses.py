"""Builds the JSON answers of tool routing (question, call, end), and shortens large outputs."""

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


def ask_answer(identity: str, route: RouteState, schema: Mapping[str, Any]) -> Answer:
    """Returns the response that asks the model."""
    return {
        "route": identity,
        "status": "ask",
        "round": route.round,
        "messages": [dict(message) for message in route.messages],
        "response_schema": dict(schema),
        "tools_shown": list(route.shown),
    }


def call_answer(identity: str, route: RouteState, call: Call, registry: Registry) -> Answer:
    """Returns the response that requests a call."""
    return {
        "route": identity,
        "status": "call",
        "text": route.text,
        "call": {
            "id": call.id,
            "tool": call.tool,
            "tool_id": original_id(call.tool, registry),
            "arguments": dict(call.sent or {}),
            "depends_on": list(call.depends_on),
        },
        "remaining": sum(planned.state == "waiting" for planned in route.calls),
        "planned": [
            {
                "id": planned.id,
                "tool": planned.tool,
                "tool_id": original_id(planned.tool, registry),
                "arguments": dict(planned.arguments),
                "depends_on": list(planned.depends_on),
            }
            for planned in route.calls
        ],
    }


def done_answer(identity: str, route: RouteState, registry: Registry) -> Answer:
    """Returns the final response: every call with its result, in planned order."""
    return {
        "route": identity,
        "status": "done",
        "outcome": route.outcome,
        "text": route.text,
        "error": None if route.error is None else dict(route.error),
        "calls": [_call_json(call, registry) for call in route.calls],
        "order": [call.id for call in route.calls if call.sent is not None],
        "rounds": route.round,
        "summary": summarize_route(route),
        "catalog": registry.fingerprint,
    }


def original_id(tool: str, registry: Registry) -> str:
    """Returns the id with which a tool was defined, or its name if it has none or is gone."""
    if tool not in registry.tools:
        return tool
    traits = registry.tool(tool)["variants"][-1].get("traits", {})
    return str(traits.get("given_id") or tool)


def summarize_route(route: RouteState) -> str:
    """Returns a sentence for the user, and another one if a secret was removed."""
    unread = f" {SECRET_NOTICE}" if MARK in route.request else ""
    if route.error is not None:
        return str(route.error["error"])
    if not route.calls:
        return f"Answered without a tool.{unread}"
    parts = [f"{call.tool or call.drafted}: {call.state}" for call in route.calls]
    by_fallback = [call for call in route.calls if call.found_by in ("capability", "name")]
    text = f" {len(by_fallback)} found by fallback." if by_fallback else ""
    return f"{', '.join(parts)}.{text}{unread}"


def drop_large_outputs(route: RouteState) -> RouteState:
    """Returns the route without large outputs that no waiting call refers to."""
    if route.outcome is None and route.answers:
        return route
    ids = [call.id for call in route.calls]
    waiting = [call.arguments for call in route.calls if call.state in ("waiting", "called")]
    wanted = {reference.step for _, reference in find_references(list(map(dict, waiting)), ids)}
    calls = tuple(
        call if call.id in wanted else replace(call, output=shorten_output(call.output))
        for call in route.calls
    )
    return replace(route, calls=calls)


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
