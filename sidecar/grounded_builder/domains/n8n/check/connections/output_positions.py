"""Reports parameters that name an output of their own node which does not exist."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Route, Rule, new_diagnostic
from grounded_builder.domains.n8n.analysis.links import Wiring
from grounded_builder.domains.n8n.analysis.ports import MAIN
from grounded_builder.domains.n8n.parameters.placeholders import is_placeholder
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

MISSING_OUTPUT = Rule.wrong(
    "N8N365", "missing-output", "InvalidConnection", "A parameter names an output that is missing."
)

_ANY = "*"
_RULES, _EXPRESSION = "rules", "expression"
# Where a node names one of its outputs by position, the modes in which n8n reads it, and the values
# with a meaning of their own. Source: execute of each version of Switch in n8n-nodes-base.
_PLACES: Mapping[str, tuple[tuple[Route, str, tuple[str | int, ...]], ...]] = {
    "n8n-nodes-base.switch": (
        (("options", "fallbackOutput"), _RULES, ("none", "extra")),
        (("fallbackOutput",), _RULES, (-1,)),
        (("rules", "rules", _ANY, "output"), _RULES, ()),
        (("output",), _EXPRESSION, ()),
    )
}


def check_output_positions(resolved: ResolvedGraph, wiring: Wiring) -> Iterator[Diagnostic]:
    """Reports literal positions of outputs beyond those that the node has with its parameters."""
    for name, bound in resolved.by_name.items():
        places = _PLACES.get(bound.node.tool or "")
        if places is None or bound.spec is None or bound.node.disabled:
            continue
        outputs = wiring.ports[name].outputs
        count = sum(not port.is_error for port in (outputs or {}).get(MAIN, ()))
        known = {parameter.get("name") for parameter in bound.spec.variant.get("parameters", ())}
        for route, mode, others in places:
            if count and route[0] in known and bound.node.params.get("mode", _RULES) == mode:
                for at, value in _find_values(bound.node.params, route, ()):
                    if value not in others and not _is_position(value, count):
                        yield _report_output(bound, at, value, count, others)


def _find_values(value: Any, route: Route, at: Route) -> Iterator[tuple[Route, Any]]:
    """Yields the places of literal values on a route, where ``*`` is each entry of a list."""
    if not route:
        is_literal = isinstance(value, str | int | float) and not isinstance(value, bool)
        if is_literal and not (isinstance(value, str) and _is_open(value)):
            yield at, value
        return
    key, *rest = route
    if key == _ANY:
        for index, entry in enumerate(value if isinstance(value, list) else ()):
            yield from _find_values(entry, tuple(rest), (*at, index))
    elif isinstance(value, dict) and key in value:
        yield from _find_values(value[key], tuple(rest), (*at, key))


def _is_open(value: str) -> bool:
    return value.startswith("=") or is_placeholder(value)


def _is_position(value: str | float, count: int) -> bool:
    """Returns whether JavaScript reads an output at this position of a list."""
    text = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    return text in {str(position) for position in range(count)}


def _report_output(
    bound: ResolvedNode, at: Route, value: str | float, count: int, others: tuple[str | int, ...]
) -> Diagnostic:
    positions = "0" if count == 1 else f"0 to {count - 1}"
    words = [str(other) for other in others]
    return new_diagnostic(
        MISSING_OUTPUT,
        (*bound.node.at, "parameters", *at),
        f'"{bound.node.name}" has no output {str(value)[:60]}: n8n fails when it '
        "sends an item there",
        help=f"choose {' or '.join([*words, f'a position from {positions}'])}",
        node=bound.node.name,
        token=str(value)[:60],
        alternatives=tuple(words),
    )
