"""Reports unconnected outputs that a setting, a rule or a decision of a node creates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.n8n.analysis.links import Wiring
from grounded_builder.domains.n8n.analysis.ports import MAIN, Port
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

UNUSED_OUTPUT = Rule.advice(
    "N8N315", "unused-output", "InvalidConnection", "An output is not connected."
)


def check_unused_outputs(resolved: ResolvedGraph, wiring: Wiring) -> Iterator[Diagnostic]:
    """Reports unconnected outputs that a setting, a rule or a decision creates.

    Another output of a node may stay unconnected if one is used: an If with only its true output
    connected is a filter.
    """
    for name, ports in wiring.ports.items():
        mains = ports.outputs.get(MAIN, ()) if ports.outputs is not None else ()
        if len(mains) < 2 or not wiring.touches(name):
            continue
        bound = resolved.by_name[name]
        read = {edge.source_index for edge in wiring.after.get(name, ())}
        own = [index for index, port in enumerate(mains) if not port.is_error]
        unread = [index for index in own if index not in read]
        if len(own) > 1 and len(unread) == len(own):
            yield _no_output_used(bound)
        elif unread and isinstance(bound.spec.variant.get("outputs"), Mapping):
            yield _output_unused(bound, unread, mains)
        if mains[-1].is_error and len(mains) - 1 not in read:
            yield _error_output_unused(bound, len(mains) - 1)


def _no_output_used(bound: ResolvedNode) -> Diagnostic:
    name = bound.node.name
    return new_diagnostic(
        UNUSED_OUTPUT,
        bound.node.at,
        f'"{name}" selects among its outputs, and none of them is connected',
        help="connect the next node, or remove this one",
        node=name,
    )


def _output_unused(bound: ResolvedNode, unread: Sequence[int], mains: Sequence[Port]) -> Diagnostic:
    name = bound.node.name
    names = ", ".join(
        f"{index} ({mains[index].name})" if mains[index].name else str(index) for index in unread
    )
    several = len(unread) > 1
    return new_diagnostic(
        UNUSED_OUTPUT,
        bound.node.at,
        f'output{"s" if several else ""} {names} of "{name}" {"are" if several else "is"} not '
        "connected: items sent there are lost",
        help=f"connect {'them' if several else 'it'}, or leave {'them' if several else 'it'} if "
        "nothing is to be done with these items",
        node=name,
        token=str(unread[0]),
    )


def _error_output_unused(bound: ResolvedNode, index: int) -> Diagnostic:
    name = bound.node.name
    return new_diagnostic(
        UNUSED_OUTPUT,
        (*bound.node.at, "onError"),
        f'the error output of "{name}" is not connected: its failures go unnoticed',
        help=f'connect output {index}, or remove "onError" to stop the workflow on a failure',
        node=name,
        token=str(index),
    )
