"""Starts tool routing; turns model replies into calls or new questions; routes without a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import Compilation, compile_with_fixes
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.ir.domain import Domain
from grounded_builder.ir.options import CompileOptions
from grounded_builder.resolve.diagnose import AMBIGUOUS_TOOL, MISSING_TOOL, UNKNOWN_TOOL
from grounded_builder.routing.capability_match import get_matcher
from grounded_builder.routing.prompt import (
    NO_HINTS,
    Hints,
    format_feedback,
    select_shown_tools,
    write_messages,
)
from grounded_builder.routing.reply import Reply, read_reply
from grounded_builder.routing.state import (
    NO_MATCH,
    Call,
    Outcome,
    RouteState,
    failure_output,
    not_found_output,
)

_UNKNOWN = frozenset({UNKNOWN_TOOL, AMBIGUOUS_TOOL, MISSING_TOOL})
_MAX_NAMES = 200
_MAX_REPLY_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class ReplyResult:
    """The route after a reply, with the parsed and compiled reply."""

    route: RouteState
    reply: Reply | None
    compilation: Compilation | None


def start_route(
    request: str,
    registry: Registry,
    *,
    rounds: int,
    answers: bool = False,
    denied: tuple[str, ...] = (),
    hints: Hints = NO_HINTS,
) -> RouteState:
    """Returns the first state of a route: the shown tools and the first messages."""
    shown = select_shown_tools(request, registry, denied)
    messages = write_messages(request, shown, registry, hints)
    return RouteState(request, rounds, answers, shown, denied, messages, messages)


def take_reply(
    route: RouteState, content: Any, domain: Domain, registry: Registry, options: CompileOptions
) -> ReplyResult:
    """Processes a reply: calls, an answer, or another question with all errors.

    A plan with an error is not run: the model gets the errors and is asked again. When its rounds
    are used up, or its errors repeat, unknown tools are replaced and valid calls are run.
    """
    reply = read_reply(content, options.limits)
    if reply.fault:
        if route.round < route.rounds:
            return ReplyResult(_ask_again(route, content, (), reply.fault, ()), reply, None)
        return ReplyResult(route_without_model(route, registry, domain, options), reply, None)
    text = "\n".join(filter(None, (route.text, reply.text)))
    if not reply.steps:
        outcome: Outcome = end_route(route) if route.calls else "answered"
        return ReplyResult(replace(route, text=reply.text, outcome=outcome), reply, None)
    steps = _renumber(reply.steps, route)
    compilation = _compile_steps(steps, route, domain, registry, options)
    route = replace(route, text=text)
    if compilation.verdict != "wrong":
        calls = _make_calls(compilation, steps, {})
        return ReplyResult(_add_calls(route, calls), reply, compilation)
    wrong = tuple(d for d in compilation.diagnostics if d.rule.kind == "wrong")
    keys = tuple(sorted(f"{d.code} {d.message}" for d in wrong))
    if route.round < route.rounds and keys != route.last:
        return ReplyResult(_ask_again(route, content, wrong, "", keys), reply, compilation)
    fallback = _apply_fallback(steps, route, domain, registry, options)
    return ReplyResult(fallback, reply, compilation)


def route_without_model(
    route: RouteState, registry: Registry, domain: Domain, options: CompileOptions
) -> RouteState:
    """Returns the route by the request alone: the one tool whose capabilities match it.

    If the tool needs a single text, it is the request; nothing else is made up.
    """
    matcher = get_matcher(registry)
    tool = matcher.find_for_request(route.request)
    if tool is None or tool in route.denied:
        return _end_unmatched(route, registry)
    arguments = _sole_text(tool, route.request, registry)
    step = {"id": f"call_{len(route.calls) + 1}", "tool": tool, "params": arguments}
    compilation = _compile_steps([step], route, domain, registry, options)
    origins = {str(step["id"]): ("", "capability")}
    if compilation.verdict != "wrong":
        return _add_calls(route, _make_calls(compilation, [step], origins))
    why = "; ".join(d.message for d in compilation.diagnostics if d.rule.kind == "wrong")
    call = Call(str(step["id"]), tool, arguments, (), "failed", "", "capability")
    failed = replace(call, error=failure_output("InvalidArguments", why[:1_000]))
    return replace(route, calls=(*route.calls, failed), outcome="failed")


def end_route(route: RouteState) -> Outcome:
    """Returns the outcome of a route whose calls have all ended."""
    states = {call.state for call in route.calls}
    if states <= {"ok"}:
        return "executed"
    return "partial" if "ok" in states else "failed"


def list_connected_tools(registry: Registry) -> list[str]:
    """Returns the names of the tools in the catalog, up to a limit."""
    return sorted(registry.tools)[:_MAX_NAMES]


def _compile_steps(
    steps: Iterable[Mapping[str, Any]],
    route: RouteState,
    domain: Domain,
    registry: Registry,
    options: CompileOptions,
) -> Compilation:
    """Compiles steps together with the earlier calls that they can refer to."""
    before = [
        {"id": call.id, "tool": call.tool, "params": dict(call.sent or call.arguments)}
        for call in route.calls
        if call.state == "ok"
    ]
    compilation = compile_with_fixes({"steps": [*before, *steps]}, domain, registry, options)
    if not before:
        return compilation
    artifact = compilation.artifact
    if artifact is not None:
        artifact = {**artifact, "calls": artifact["calls"][len(before) :]}
    return replace(compilation, artifact=artifact)


def _renumber(steps: Sequence[Mapping[str, Any]], route: RouteState) -> list[Mapping[str, Any]]:
    """Returns steps of a later plan, with a number appended to ids that are already used."""
    taken = {call.id for call in route.calls}
    renamed = {
        str(step["id"]): f"{step['id']}_{route.plan}" for step in steps if step["id"] in taken
    }
    return [{**step, "id": renamed.get(str(step["id"]), str(step["id"]))} for step in steps]


def _make_calls(
    compilation: Compilation,
    steps: Sequence[Mapping[str, Any]],
    origins: Mapping[str, tuple[str, str]],
) -> tuple[Call, ...]:
    """Returns the calls of an artifact; ``origins`` has drafted names and how tools were found."""
    artifact = compilation.artifact or {"calls": ()}
    drafted = {str(step["id"]): str(step.get("tool", "")) for step in steps}
    calls = []
    for call in artifact["calls"]:
        name, by = origins.get(call["id"], (drafted.get(call["id"], call["tool"]), "model"))
        calls.append(
            Call(
                id=call["id"],
                tool=call["tool"],
                arguments=call["arguments"],
                depends_on=tuple(call["depends_on"]),
                drafted=name,
                found_by=by,
            )
        )
    return tuple(calls)


def _add_calls(route: RouteState, calls: tuple[Call, ...]) -> RouteState:
    return replace(route, calls=(*route.calls, *calls), messages=(), last=())


def _ask_again(
    route: RouteState, content: Any, wrong: Sequence[Diagnostic], fault: str, keys: tuple[str, ...]
) -> RouteState:
    text = content if isinstance(content, str) else repr(content)
    feedback_text = format_feedback(wrong, fault, route.shown)
    messages = (
        *route.opening,
        {"role": "assistant", "content": text[:_MAX_REPLY_CHARS]},
        {"role": "user", "content": feedback_text},
    )
    return replace(route, round=route.round + 1, messages=messages, last=keys)


def _apply_fallback(
    steps: Sequence[Mapping[str, Any]],
    route: RouteState,
    domain: Domain,
    registry: Registry,
    options: CompileOptions,
) -> RouteState:
    """Finds tools for unknown names, then drops the steps that are still wrong."""
    origins: dict[str, tuple[str, str]] = {}
    tried: list[Mapping[str, Any]] = []
    matcher = get_matcher(registry)
    for step in steps:
        name = str(step.get("tool", ""))
        if name and domain.resolving.resolve(name, registry, None).status != "resolved":
            for by, match in (
                ("capability", matcher.find_by_capability),
                ("name", matcher.find_by_part),
            ):
                tool = match(name)
                if tool is not None and tool not in route.denied:
                    origins[str(step["id"])] = (name, by)
                    step = {**step, "tool": tool}  # noqa: PLW2901 - the step with its real tool
                    break
        tried.append(_fill_arguments(step, route, registry))
    remaining = tried
    dropped: dict[str, Call] = {}
    while remaining:
        compilation = _compile_steps(remaining, route, domain, registry, options)
        if compilation.verdict != "wrong":
            break
        faulty = _group_faults(compilation, remaining)
        for step in remaining:
            if str(step["id"]) in faulty:
                dropped[str(step["id"])] = _make_failed_call(step, faulty[str(step["id"])], origins)
        remaining = [step for step in remaining if str(step["id"]) not in faulty]
    calls = (
        {call.id: call for call in _make_calls(compilation, remaining, origins)}
        if remaining
        else {}
    )
    by_id = {**dropped, **calls}
    planned = tuple(by_id[str(step["id"])] for step in steps)
    if calls:
        return replace(route, calls=(*route.calls, *planned), messages=(), last=())
    known = [
        call for call in dropped.values() if (call.error or {})["error_type"] != "ToolNotFound"
    ]
    if known or route.calls:
        calls_made = (*route.calls, *planned)
        ended = replace(route, calls=calls_made)
        return replace(ended, outcome=end_route(ended))
    return _end_unmatched(replace(route, calls=planned), registry)


def _fill_arguments(
    step: Mapping[str, Any], route: RouteState, registry: Registry
) -> Mapping[str, Any]:
    """Returns a step without arguments with the request as the only text it needs."""
    tool = step.get("tool")
    if step.get("params") or tool not in registry.tools:
        return step
    return {**step, "params": _sole_text(str(tool), route.request, registry)}


def _group_faults(
    compilation: Compilation, steps: Sequence[Mapping[str, Any]]
) -> dict[str, list[Diagnostic]]:
    """Returns the errors by step; an error of the whole plan belongs to every step."""
    faults: dict[str, list[Diagnostic]] = {}
    ids = [str(step["id"]) for step in steps]
    wrong = [d for d in compilation.diagnostics if d.rule.kind == "wrong"]
    for finding in wrong:
        if finding.node in ids:
            faults.setdefault(finding.node, []).append(finding)
    return faults or dict.fromkeys(ids, wrong)


def _make_failed_call(
    step: Mapping[str, Any], faults: Sequence[Diagnostic], origins: Mapping[str, tuple[str, str]]
) -> Call:
    name, by = origins.get(str(step["id"]), (str(step.get("tool", "")), "model"))
    unknown = [fault for fault in faults if fault.rule in _UNKNOWN]
    message = "; ".join(fault.message for fault in faults)[:1_000]
    error = not_found_output(name) if unknown else failure_output("InvalidArguments", message)
    if not unknown and any(fault.rule.error_type == "InvalidDependency" for fault in faults):
        error = failure_output("InvalidDependency", message)
    arguments = step.get("params")
    return Call(
        id=str(step["id"]),
        tool=str(step.get("tool", "")),
        arguments=arguments if isinstance(arguments, dict) else {},
        depends_on=(),
        state="failed",
        drafted=name,
        found_by="none" if unknown else by,
        error=error,
    )


def _end_unmatched(route: RouteState, registry: Registry) -> RouteState:
    error = {"error": NO_MATCH, "connected_tools": list_connected_tools(registry)}
    return replace(route, outcome="failed", error=error)


def _sole_text(tool: str, request: str, registry: Registry) -> dict[str, Any]:
    """Returns the request as the only required text of a tool, or as its only text."""
    parameters = registry.tool(tool)["variants"][-1]["parameters"]
    needed = [parameter for parameter in parameters if parameter.get("required")]
    texts = [parameter for parameter in (needed or parameters) if parameter["type"] == "string"]
    if len(needed) > 1 or len(texts) != 1:
        return {}
    return {texts[0]["name"]: request}
