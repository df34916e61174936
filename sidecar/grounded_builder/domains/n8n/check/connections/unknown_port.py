"""Reports an edge end on a port that its node does not have, with a fix."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Route, new_diagnostic
from grounded_builder.domains.n8n.analysis.ports import MAIN, Port, parameter_enabling_port
from grounded_builder.ir.graph import Edge, ResolvedNode
from grounded_builder.ir.rules.edges import UNKNOWN_PORT

_MAX_LISTED = 12


def report_missing_port(
    edge: Edge,
    bound: ResolvedNode,
    side: Mapping[str, tuple[Port, ...]] | None,
    index: int,
    *,
    is_source: bool,
    alone: bool = True,
) -> Diagnostic | None:
    """Returns a diagnostic for a port that the node lacks; None if it has it or is unknown."""
    if side is None:
        return None
    kind = edge.source_kind
    ports = side.get(kind, ())
    if 0 <= index < len(ports):
        return None
    name, direction = bound.node.name, "output" if is_source else "input"
    if not side:
        has = f"no {direction}s at all"
    elif not ports:
        has = f"no {kind} {direction}, only {', '.join(side)}"
    else:
        has = f"{len(ports)} {kind} {direction}{'s' if len(ports) > 1 else ''}"
    at = edge.at[:-1] if is_source else (*edge.at, "index" if ports else "type")
    opener = parameter_enabling_port(bound, "outputs" if is_source else "inputs", kind, index)
    return new_diagnostic(
        UNKNOWN_PORT,
        at,
        f'the edge from "{edge.source}" to "{edge.target}" uses {kind} {direction} {index} '
        f'of "{name}", which has {has}',
        help=_port_help(bound, side, direction, opener),
        node=name,
        token=kind if not ports else str(index),
        alternatives=[str(number) for number in range(len(ports))] or list(side),
        fix=_fix_by_parameter(bound, opener)
        or _fix_by_only_input(edge, at, ports, is_source=is_source, alone=alone)
        or _fix_by_error_output(edge, bound, ports, is_source),
    )


def _port_help(
    bound: ResolvedNode,
    side: Mapping[str, tuple[Port, ...]],
    direction: str,
    opener: tuple[str, Any] | None,
) -> str:
    if opener is not None:
        path, value = opener
        return f"set {path} to {json.dumps(value, ensure_ascii=False)} to get this {direction}"
    if side:
        names = ", ".join(
            f"{kind} {number}" + (f" ({port.name})" if port.name else "")
            for kind, ports in side.items()
            for number, port in enumerate(ports[:_MAX_LISTED])
        )
        more = ""
        if direction == "output" and bound.node.source.get("onError") != "continueErrorOutput":
            more = '; "onError": "continueErrorOutput" adds one for failures'
        return f"use one of its {direction}s, counted from 0: {names}{more if MAIN in side else ''}"
    given = [] if bound.spec is None else list(bound.spec.traits.get("provides") or ())
    if direction == "input" and given:
        return f"it is a sub-node: make it the source, as {', '.join(given)}"
    return f'remove the edge: "{bound.node.name}" has no {direction}s'


def _fix_by_parameter(bound: ResolvedNode, opener: tuple[str, Any] | None) -> Fix | None:
    """Returns a fix that sets the parameter of the port; safe if the draft does not set it."""
    if opener is None:
        return None
    path, value = opener
    keys = path.split(".")
    at: Route = (*bound.node.at, "parameters", *keys)
    reason = f'an edge of "{bound.node.name}" needs {path} = {json.dumps(value)}'
    return Fix(keys[0] not in bound.node.params, (Edit("set", at, value),), reason)


def _fix_by_only_input(
    edge: Edge, at: Route, ports: tuple[Port, ...], *, is_source: bool, alone: bool
) -> Fix | None:
    """Returns a fix that moves the edge to the only main input.

    It is unsafe if other edges arrive there: n8n then runs the node once for each of them.
    """
    if is_source or edge.source_kind != MAIN or len(ports) != 1:
        return None
    return Fix(alone, (Edit("set", at, 0),), f'"{edge.target}" has one input, number 0')


def _fix_by_error_output(
    edge: Edge, bound: ResolvedNode, ports: tuple[Port, ...], is_source: bool
) -> Fix | None:
    """Returns an unsafe fix that adds an error output for an edge beyond the only output."""
    if not is_source or edge.source_kind != MAIN or len(ports) != 1:
        return None
    varies = isinstance(bound.spec.variant.get("outputs"), Mapping)
    if edge.source_index != 1 or varies or bound.node.source.get("onError") is not None:
        return None
    reason = f'output {edge.source_index} of "{bound.node.name}" carries its failures'
    at = (*bound.node.at, "onError")
    return Fix(False, (Edit("set", at, "continueErrorOutput"),), reason)
