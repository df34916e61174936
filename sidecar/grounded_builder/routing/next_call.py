"""Returns the next planned tool call with outputs of earlier calls filled in; records results."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_with_fixes
from grounded_builder.ir.domain import Domain
from grounded_builder.ir.options import CompileOptions
from grounded_builder.routing.prompt import format_results
from grounded_builder.routing.references import MissingOutputError, fill_references
from grounded_builder.routing.select_calls import end_route
from grounded_builder.routing.state import Call, RouteState, failure_output, not_found_output

_MAX_MESSAGE_CHARS = 2_000
_UNNAMED = "this call"


@dataclass(frozen=True, slots=True)
class CallProgress:
    """The state of a route, and the call to make now; None if it asks a question or has ended."""

    route: RouteState
    call: Call | None


def next_call(
    route: RouteState,
    domain: Domain,
    registry: Registry,
    options: CompileOptions,
    present: Collection[str] | None = None,
) -> CallProgress:
    """Returns the next call in planned order; calls that cannot be made fail and are skipped.

    ``present`` are the tools that are connected now, None if unknown.
    """
    for call in route.calls:
        if call.state == "called":
            return CallProgress(route, call)
        if call.state != "waiting":
            continue
        checked = _prepare_call(call, route, domain, registry, options, present)
        route = _replace_call(route, checked)
        if checked.state == "called":
            return CallProgress(route, checked)
    if route.outcome is None and route.calls:
        route = _finish(route)
    return CallProgress(route, None)


def take_result(
    route: RouteState, call_id: str, output: Any, error: str | None, error_type: str = ""
) -> RouteState:
    """Records the output or the error of a call.

    Raises ValueError if no such call is in progress.
    """
    call = route.call(call_id)
    if call is None or call.state != "called":
        current = next((call_.id for call_ in route.calls if call_.state == "called"), "none")
        raise ValueError(f"the route waits for the result of {current}, not of {call_id[:60]!r}")
    if error is None:
        return _replace_call(route, replace(call, state="ok", output=output))
    failure = failure_output(error_type or "ExecutionError", error[:_MAX_MESSAGE_CHARS])
    return _replace_call(route, replace(call, state="failed", error=failure))


def _prepare_call(
    call: Call,
    route: RouteState,
    domain: Domain,
    registry: Registry,
    options: CompileOptions,
    present: Collection[str] | None,
) -> Call:
    """Returns the call ready to be made, or failed: checks its tool and arguments again."""
    states = {other.id: other.state for other in route.calls}
    failed = [
        dependency
        for dependency in call.depends_on
        if states.get(dependency) in ("failed", "skipped")
    ]
    if failed:
        message = f"{', '.join(failed)} gave nothing, which this call needs"
        return replace(call, state="skipped", error=failure_output("DependencyFailed", message))
    is_gone = call.tool not in registry.tools or call.tool in route.denied
    if is_gone or (present is not None and not _is_present(call.tool, registry, present)):
        return replace(call, state="failed", error=not_found_output(call.tool))
    outputs = {other.id: other.output for other in route.calls if other.state == "ok"}
    try:
        arguments = fill_references(dict(call.arguments), outputs)
    except MissingOutputError as error:
        return replace(call, state="failed", error=failure_output("InvalidReference", str(error)))
    # The output of another call contains no references: nothing can refer to this id.
    document = {"calls": [{"id": _UNNAMED, "tool": call.tool, "arguments": arguments}]}
    compilation = compile_with_fixes(document, domain, registry, options)
    if compilation.artifact is None:
        wrong = (d.message for d in compilation.diagnostics if d.rule.kind == "wrong")
        message = "; ".join(wrong)[:_MAX_MESSAGE_CHARS]
        return replace(call, state="failed", error=failure_output("InvalidArguments", message))
    sent = compilation.artifact["calls"][0]["arguments"]
    return replace(call, state="called", sent=sent)


def _is_present(tool: str, registry: Registry, present: Collection[str]) -> bool:
    row = registry.tools[tool]
    return any(name in present for name in (row.id, row.name, *row.aliases))


def _finish(route: RouteState) -> RouteState:
    """Returns the end of the route, or the question for an answer from the outputs."""
    done = replace(route, outcome=end_route(route))
    if not route.answers or route.plan >= route.plans or done.outcome == "failed":
        return done
    results = [
        {"call": call.id, "tool": call.tool}
        | ({"output": call.output} if call.state == "ok" else {"error": call.error})
        for call in route.calls
    ]
    return replace(route, plan=route.plan + 1, round=1, messages=_make_question(route, results))


def _make_question(route: RouteState, results: list[dict[str, Any]]) -> tuple[dict[str, str], ...]:
    return (*map(dict, route.opening), {"role": "user", "content": format_results(results)})


def _replace_call(route: RouteState, call: Call) -> RouteState:
    calls = tuple(call if other.id == call.id else other for other in route.calls)
    return replace(route, calls=calls)
