"""Outputs that nobody reads: what goes there is lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.n8n.analysis.links import Wiring
from grounded_builder.domains.n8n.analysis.ports import MAIN, Port
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

UNUSED_OUTPUT = Rule.advice(
    "N8N315", "unused-output", "InvalidConnection", "An output is not connected."
)


def check_unread(resolved: ResolvedGraph, wiring: Wiring) -> Iterator[Diagnostic]:
    """Find outputs without an edge that somebody asked for: by a setting, a rule, a decision.

    An output that a node has anyway may stay open while another one is read: an If that
    only goes on when it is true is a filter.
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
            yield _undecided(bound)
        elif unread and isinstance(bound.spec.variant.get("outputs"), Mapping):
            yield _open(bound, unread, mains)
        if mains[-1].is_error and len(mains) - 1 not in read:
            yield _lost(bound, len(mains) - 1)


def _undecided(bound: ResolvedNode) -> Diagnostic:
    name = bound.node.name
    return new_diagnostic(
        UNUSED_OUTPUT,
        bound.node.at,
        f'"{name}" chooses among outputs, and none of them is read',
        help="connect what is to happen next, or take the node out",
        node=name,
    )


def _open(bound: ResolvedNode, unread: Sequence[int], mains: Sequence[Port]) -> Diagnostic:
    name = bound.node.name
    listed = ", ".join(
        f"{index} ({mains[index].name})" if mains[index].name else str(index) for index in unread
    )
    several = len(unread) > 1
    return new_diagnostic(
        UNUSED_OUTPUT,
        bound.node.at,
        f'nobody reads output{"s" if several else ""} {listed} of "{name}": '
        "what goes there ends there",
        help=f"connect {'them' if several else 'it'}, or take {'them' if several else 'it'} away",
        node=name,
        token=str(unread[0]),
    )


def _lost(bound: ResolvedNode, index: int) -> Diagnostic:
    name = bound.node.name
    return new_diagnostic(
        UNUSED_OUTPUT,
        (*bound.node.at, "onError"),
        f'nobody reads the error output of "{name}": its failures go unseen',
        help=f'connect output {index}, or let the workflow stop: take "onError" out',
        node=name,
        token=str(index),
    )
