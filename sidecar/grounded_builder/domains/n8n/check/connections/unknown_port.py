"""One end of an edge on a port that its node lacks, and what would mend it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Route, new_diagnostic
from grounded_builder.domains.n8n.analysis.ports import MAIN, Port, parameter_enabling_port
from grounded_builder.ir.graph import Edge, ResolvedNode
from grounded_builder.ir.rules.edges import UNKNOWN_PORT

_LISTED = 12


def missing_port(
    edge: Edge,
    bound: ResolvedNode,
    side: Mapping[str, tuple[Port, ...]] | None,
    index: int,
    *,
    is_source: bool,
    alone: bool = True,
) -> Diagnostic | None:
    """One end on a port that the node lacks; nothing where its ports are unknown."""
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
        fix=_opened(bound, opener)
        or _only_input(edge, at, ports, is_source=is_source, alone=alone)
        or _error_output(edge, bound, ports, is_source),
    )


def _port_help(
    bound: ResolvedNode,
    side: Mapping[str, tuple[Port, ...]],
    direction: str,
    opener: tuple[str, Any] | None,
) -> str:
    if opener is not None:
        path, value = opener
        return f"it has this {direction} when {path} is {json.dumps(value, ensure_ascii=False)}"
    if side:
        listed = ", ".join(
            f"{kind} {number}" + (f" ({port.name})" if port.name else "")
            for kind, ports in side.items()
            for number, port in enumerate(ports[:_LISTED])
        )
        more = ""
        if direction == "output" and bound.node.source.get("onError") != "continueErrorOutput":
            more = '; "onError": "continueErrorOutput" adds one for failures'
        return f"its {direction}s, counted from 0: {listed}{more if MAIN in side else ''}"
    given = [] if bound.spec is None else list(bound.spec.traits.get("provides") or ())
    if direction == "input" and given:
        return f"it is a sub-node: let it be the source, as {', '.join(given)}"
    return f'take the edge out: "{bound.node.name}" has no {direction}s'


def _opened(bound: ResolvedNode, opener: tuple[str, Any] | None) -> Fix | None:
    """Set the parameter that opens the port; safe where the draft left it out."""
    if opener is None:
        return None
    path, value = opener
    keys = path.split(".")
    at: Route = (*bound.node.at, "parameters", *keys)
    reason = f'an edge of "{bound.node.name}" needs {path} = {json.dumps(value)}'
    return Fix(keys[0] not in bound.node.params, (Edit("set", at, value),), reason)


def _only_input(
    edge: Edge, at: Route, ports: tuple[Port, ...], *, is_source: bool, alone: bool
) -> Fix | None:
    """An edge beyond the only main input can mean no other one.

    Where others arrive elsewhere n8n runs the node once with the first, and afterwards for each.
    """
    if is_source or edge.source_kind != MAIN or len(ports) != 1:
        return None
    return Fix(alone, (Edit("set", at, 0),), f'"{edge.target}" has one input, number 0')


def _error_output(
    edge: Edge, bound: ResolvedNode, ports: tuple[Port, ...], is_source: bool
) -> Fix | None:
    """The output behind the only one may be meant for failures; only the user knows."""
    if not is_source or edge.source_kind != MAIN or len(ports) != 1:
        return None
    varies = isinstance(bound.spec.variant.get("outputs"), Mapping)
    if edge.source_index != 1 or varies or bound.node.source.get("onError") is not None:
        return None
    reason = f'output {edge.source_index} of "{bound.node.name}" carries its failures'
    at = (*bound.node.at, "onError")
    return Fix(False, (Edit("set", at, "continueErrorOutput"),), reason)
