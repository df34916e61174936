"""Take a model's choice: calls that compile are planned, others go back to it, or fall back."""

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
from grounded_builder.routing.capability_match import matcher_of
from grounded_builder.routing.prompt import (
    NO_HINTS,
    Hints,
    feedback,
    messages_of,
    shown_tools,
)
from grounded_builder.routing.reply import Reply, read_reply
from grounded_builder.routing.state import NO_MATCH, Call, Outcome, RouteState, not_found, refused

_UNKNOWN = frozenset({UNKNOWN_TOOL, AMBIGUOUS_TOOL, MISSING_TOOL})
_MOST_NAMED = 200
_REPLY_KEPT = 20_000


@dataclass(frozen=True, slots=True)
class ReplyResult:
    """The errand after a reply, with what was read and compiled of it."""

    errand: RouteState
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
    """Begin: the tools that are shown, and the first messages."""
    shown = shown_tools(request, registry, denied)
    messages = messages_of(request, shown, registry, hints)
    return RouteState(request, rounds, answers, shown, denied, messages, messages)


def take_reply(
    errand: RouteState, said: Any, domain: Domain, registry: Registry, setting: CompileOptions
) -> ReplyResult:
    """Take a reply: calls, an answer, or another question with all that is wrong.

    A plan with a fault is not run: the model is told, and asked again. When its rounds are
    used up, or it repeats itself, what is unknown falls back and what is valid goes on.
    """
    reply = read_reply(said, setting.limits)
    if reply.fault:
        if errand.round < errand.rounds:
            return ReplyResult(_again(errand, said, (), reply.fault, ()), reply, None)
        return ReplyResult(without_model(errand, registry, domain, setting), reply, None)
    text = "\n".join(filter(None, (errand.text, reply.text)))
    if not reply.steps:
        outcome: Outcome = end_route(errand) if errand.calls else "answered"
        return ReplyResult(replace(errand, text=reply.text, outcome=outcome), reply, None)
    steps = _renumbered(reply.steps, errand)
    compilation = _compiled(steps, errand, domain, registry, setting)
    errand = replace(errand, text=text)
    if compilation.verdict != "wrong":
        calls = _calls(compilation, steps, {})
        return ReplyResult(_planned(errand, calls), reply, compilation)
    wrong = tuple(d for d in compilation.diagnostics if d.rule.kind == "wrong")
    keys = tuple(sorted(f"{d.code} {d.message}" for d in wrong))
    if errand.round < errand.rounds and keys != errand.last:
        return ReplyResult(_again(errand, said, wrong, "", keys), reply, compilation)
    fallen = _apply_fallback(steps, errand, domain, registry, setting)
    return ReplyResult(fallen, reply, compilation)


def without_model(
    errand: RouteState, registry: Registry, domain: Domain, setting: CompileOptions
) -> RouteState:
    """Route by the request alone: the tool whose capabilities it speaks of, if it fits one.

    A single text that the tool needs is the request itself; nothing else is made up.
    """
    matcher = matcher_of(registry)
    tool = matcher.of_request(errand.request)
    if tool is None or tool in errand.denied:
        return _unmatched(errand, registry)
    arguments = _sole_text(tool, errand.request, registry)
    step = {"id": f"call_{len(errand.calls) + 1}", "tool": tool, "params": arguments}
    compilation = _compiled([step], errand, domain, registry, setting)
    entries = {str(step["id"]): ("", "capability")}
    if compilation.verdict != "wrong":
        return _planned(errand, _calls(compilation, [step], entries))
    why = "; ".join(d.message for d in compilation.diagnostics if d.rule.kind == "wrong")
    call = Call(str(step["id"]), tool, arguments, (), "failed", "", "capability")
    failed = replace(call, error=refused("InvalidArguments", why[:1_000]))
    return replace(errand, calls=(*errand.calls, failed), outcome="failed")


def end_route(errand: RouteState) -> Outcome:
    """How an errand ended whose calls are all done."""
    states = {call.state for call in errand.calls}
    if states <= {"ok"}:
        return "executed"
    return "partial" if "ok" in states else "failed"


def match_connected_tools(registry: Registry) -> list[str]:
    """The names of the tools that there are, a bounded number."""
    return sorted(registry.tools)[:_MOST_NAMED]


def _compiled(
    steps: Iterable[Mapping[str, Any]],
    errand: RouteState,
    domain: Domain,
    registry: Registry,
    setting: CompileOptions,
) -> Compilation:
    """Compile steps beside the calls that were made before, which they may refer to."""
    before = [
        {"id": call.id, "tool": call.tool, "params": dict(call.sent or call.arguments)}
        for call in errand.calls
        if call.state == "ok"
    ]
    compilation = compile_with_fixes({"steps": [*before, *steps]}, domain, registry, setting)
    if not before:
        return compilation
    artifact = compilation.artifact
    if artifact is not None:
        artifact = {**artifact, "calls": artifact["calls"][len(before) :]}
    return replace(compilation, artifact=artifact)


def _renumbered(steps: Sequence[Mapping[str, Any]], errand: RouteState) -> list[Mapping[str, Any]]:
    """Steps of a later plan: ids that calls have already get the number after."""
    taken = {call.id for call in errand.calls}
    renamed = {
        str(step["id"]): f"{step['id']}_{errand.plan}" for step in steps if step["id"] in taken
    }
    return [{**step, "id": renamed.get(str(step["id"]), str(step["id"]))} for step in steps]


def _calls(
    compilation: Compilation,
    steps: Sequence[Mapping[str, Any]],
    entries: Mapping[str, tuple[str, str]],
) -> tuple[Call, ...]:
    """The calls of an artifact; ``found`` tells the drafted name and how its tool was found."""
    artifact = compilation.artifact or {"calls": ()}
    drafted = {str(step["id"]): str(step.get("tool", "")) for step in steps}
    calls = []
    for call in artifact["calls"]:
        name, by = entries.get(call["id"], (drafted.get(call["id"], call["tool"]), "model"))
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


def _planned(errand: RouteState, calls: tuple[Call, ...]) -> RouteState:
    return replace(errand, calls=(*errand.calls, *calls), messages=(), last=())


def _again(
    errand: RouteState, said: Any, wrong: Sequence[Diagnostic], fault: str, keys: tuple[str, ...]
) -> RouteState:
    text = said if isinstance(said, str) else repr(said)
    value = feedback(wrong, fault, errand.shown)
    messages = (
        *errand.opening,
        {"role": "assistant", "content": text[:_REPLY_KEPT]},
        {"role": "user", "content": value},
    )
    return replace(errand, round=errand.round + 1, messages=messages, last=keys)


def _apply_fallback(
    steps: Sequence[Mapping[str, Any]],
    errand: RouteState,
    domain: Domain,
    registry: Registry,
    setting: CompileOptions,
) -> RouteState:
    """Find tools for names that are none's, then leave out what is still wrong."""
    entries: dict[str, tuple[str, str]] = {}
    tried: list[Mapping[str, Any]] = []
    matcher = matcher_of(registry)
    for step in steps:
        name = str(step.get("tool", ""))
        if name and domain.resolving.resolve(name, registry, None).status != "resolved":
            for by, match in (("capability", matcher.of_capability), ("name", matcher.of_part)):
                tool = match(name)
                if tool is not None and tool not in errand.denied:
                    entries[str(step["id"])] = (name, by)
                    step = {**step, "tool": tool}  # noqa: PLW2901 - the step with its real tool
                    break
        tried.append(_given(step, errand, registry))
    left = tried
    dropped: dict[str, Call] = {}
    while left:
        compilation = _compiled(left, errand, domain, registry, setting)
        if compilation.verdict != "wrong":
            break
        faulty = _faulty(compilation, left)
        for step in left:
            if str(step["id"]) in faulty:
                dropped[str(step["id"])] = _dropped(step, faulty[str(step["id"])], entries)
        left = [step for step in left if str(step["id"]) not in faulty]
    calls = {call.id: call for call in _calls(compilation, left, entries)} if left else {}
    everything = {**dropped, **calls}
    planned = tuple(everything[str(step["id"])] for step in steps)
    if calls:
        return replace(errand, calls=(*errand.calls, *planned), messages=(), last=())
    known = [
        call for call in dropped.values() if (call.error or {})["error_type"] != "ToolNotFound"
    ]
    if known or errand.calls:
        calls_made = (*errand.calls, *planned)
        whole = replace(errand, calls=calls_made)
        return replace(whole, outcome=end_route(whole))
    return _unmatched(replace(errand, calls=planned), registry)


def _given(step: Mapping[str, Any], errand: RouteState, registry: Registry) -> Mapping[str, Any]:
    """A step that was given no arguments, with the request where that is the one text it needs."""
    tool = step.get("tool")
    if step.get("params") or tool not in registry.tools:
        return step
    return {**step, "params": _sole_text(str(tool), errand.request, registry)}


def _faulty(
    compilation: Compilation, steps: Sequence[Mapping[str, Any]]
) -> dict[str, list[Diagnostic]]:
    """What is wrong by step; a fault of the whole plan is every step's."""
    entries: dict[str, list[Diagnostic]] = {}
    ids = [str(step["id"]) for step in steps]
    wrong = [d for d in compilation.diagnostics if d.rule.kind == "wrong"]
    for finding in wrong:
        if finding.node in ids:
            entries.setdefault(finding.node, []).append(finding)
    return entries or dict.fromkeys(ids, wrong)


def _dropped(
    step: Mapping[str, Any], faults: Sequence[Diagnostic], entries: Mapping[str, tuple[str, str]]
) -> Call:
    name, by = entries.get(str(step["id"]), (str(step.get("tool", "")), "model"))
    unknown = [fault for fault in faults if fault.rule in _UNKNOWN]
    message = "; ".join(fault.message for fault in faults)[:1_000]
    error = not_found(name) if unknown else refused("InvalidArguments", message)
    if not unknown and any(fault.rule.error_type == "InvalidDependency" for fault in faults):
        error = refused("InvalidDependency", message)
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


def _unmatched(errand: RouteState, registry: Registry) -> RouteState:
    error = {"error": NO_MATCH, "connected_tools": match_connected_tools(registry)}
    return replace(errand, outcome="failed", error=error)


def _sole_text(tool: str, request: str, registry: Registry) -> dict[str, Any]:
    """The request as the one text that a tool needs, or the only text that it takes."""
    parameters = registry.tool(tool)["variants"][-1]["parameters"]
    needed = [parameter for parameter in parameters if parameter.get("required")]
    texts = [parameter for parameter in (needed or parameters) if parameter["type"] == "string"]
    if len(needed) > 1 or len(texts) != 1:
        return {}
    return {texts[0]["name"]: request}
