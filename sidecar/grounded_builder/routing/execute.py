"""Run planned calls in order: each guarded right before it, its results passed on."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_with_fixes
from grounded_builder.ir.domain import Domain
from grounded_builder.ir.options import CompileOptions
from grounded_builder.routing.prompt import results_said
from grounded_builder.routing.references import MissingOutputError, fill_references
from grounded_builder.routing.select_calls import end_route
from grounded_builder.routing.state import Call, RouteState, not_found, refused

_MESSAGE = 2_000
_UNNAMED = "this call"


@dataclass(frozen=True, slots=True)
class CallProgress:
    """The errand, and the call to make now; without one the errand asks or has ended."""

    errand: RouteState
    call: Call | None


def next_call(
    errand: RouteState,
    domain: Domain,
    registry: Registry,
    setting: CompileOptions,
    present: Collection[str] | None = None,
) -> CallProgress:
    """The next call in planned order; those that cannot be made are noted and passed by.

    ``present`` are the tools that are connected right now, where that is known.
    """
    for call in errand.calls:
        if call.state == "called":
            return CallProgress(errand, call)
        if call.state != "waiting":
            continue
        checked = _guarded(call, errand, domain, registry, setting, present)
        errand = _with(errand, checked)
        if checked.state == "called":
            return CallProgress(errand, checked)
    if errand.outcome is None and errand.calls:
        errand = _finished(errand)
    return CallProgress(errand, None)


def take_result(
    errand: RouteState, call_id: str, output: Any, error: str | None, error_type: str = ""
) -> RouteState:
    """Note what a call gave, or why it failed; ValueError where no such call is under way."""
    call = errand.call(call_id)
    if call is None or call.state != "called":
        under_way = next((item.id for item in errand.calls if item.state == "called"), "none")
        raise ValueError(f"no result of {call_id[:60]!r} is awaited, but of {under_way}")
    if error is None:
        return _with(errand, replace(call, state="ok", output=output))
    entries = refused(error_type or "ExecutionError", error[:_MESSAGE])
    return _with(errand, replace(call, state="failed", error=entries))


def _guarded(
    call: Call,
    errand: RouteState,
    domain: Domain,
    registry: Registry,
    setting: CompileOptions,
    present: Collection[str] | None,
) -> Call:
    """The call ready to be made, or why it is not: its tool and its arguments once more."""
    states = {item.id: item.state for item in errand.calls}
    failed = [depend for depend in call.depends_on if states.get(depend) in ("failed", "skipped")]
    if failed:
        message = f"{', '.join(failed)} gave nothing, which this call needs"
        return replace(call, state="skipped", error=refused("DependencyFailed", message))
    is_gone = call.tool not in registry.tools or call.tool in errand.denied
    if is_gone or (present is not None and not _is_present(call.tool, registry, present)):
        return replace(call, state="failed", error=not_found(call.tool))
    outputs = {item.id: item.output for item in errand.calls if item.state == "ok"}
    try:
        arguments = fill_references(dict(call.arguments), outputs)
    except MissingOutputError as error:
        return replace(call, state="failed", error=refused("InvalidReference", str(error)))
    # What another call gave is no reference, whatever it looks like: nothing can refer to this id.
    document = {"calls": [{"id": _UNNAMED, "tool": call.tool, "arguments": arguments}]}
    compilation = compile_with_fixes(document, domain, registry, setting)
    if compilation.artifact is None:
        wrong = (d.message for d in compilation.diagnostics if d.rule.kind == "wrong")
        message = "; ".join(wrong)[:_MESSAGE]
        return replace(call, state="failed", error=refused("InvalidArguments", message))
    sent = compilation.artifact["calls"][0]["arguments"]
    return replace(call, state="called", sent=sent)


def _is_present(tool: str, registry: Registry, present: Collection[str]) -> bool:
    row = registry.tools[tool]
    return any(name in present for name in (row.id, row.name, *row.aliases))


def _finished(errand: RouteState) -> RouteState:
    """The end, or the question what to answer to what the calls gave."""
    done = replace(errand, outcome=end_route(errand))
    if not errand.answers or errand.plan >= errand.plans or done.outcome == "failed":
        return done
    results = [
        {"call": call.id, "tool": call.tool}
        | ({"output": call.output} if call.state == "ok" else {"error": call.error})
        for call in errand.calls
    ]
    return replace(errand, plan=errand.plan + 1, round=1, messages=_asked(errand, results))


def _asked(errand: RouteState, results: list[dict[str, Any]]) -> tuple[dict[str, str], ...]:
    return (*map(dict, errand.opening), {"role": "user", "content": results_said(results)})


def _with(errand: RouteState, call: Call) -> RouteState:
    calls = tuple(call if item.id == call.id else item for item in errand.calls)
    return replace(errand, calls=calls)
