"""Counts a block's ports by kind, and reads the number, side and order of inner port blocks."""

from __future__ import annotations

from collections.abc import Mapping

from grounded_builder.domains.simulink.analysis.model_view import BlockView, Diagram
from grounded_builder.domains.simulink.catalog.ports.counts import ports_of

# The blocks inside a subsystem that give it a port, by the kind of port.
INNER = {
    "in": "Inport",
    "out": "Outport",
    "enable": "EnablePort",
    "trigger": "TriggerPort",
    "reset": "ResetPort",
    "ifaction": "ActionPort",
}


def count_ports(item: BlockView) -> Mapping[str, int] | None:
    """Returns the number of ports by kind; None where it is not known.

    Kinds without ports are left out.
    """
    if not item.is_counted:
        item.counted, item.is_counted = _compute_counts(item), True
    return item.counted


def _compute_counts(item: BlockView) -> Mapping[str, int] | None:
    if item.inner is not None and item.inner.judged:
        return count_inner_ports(item.inner)
    if item.inner is not None:
        known: Mapping[str, int] | None = count_inner_ports(item.inner)
    elif item.type == "SubSystem" and not item.block.get("source"):
        return None
    else:
        known = ports_of(item.type, item.block.get("source"), item.parameters(), item.spec)
    stated: Mapping[str, int] = item.block.get("ports", {})
    if known is None or not stated:
        return known
    # Counts that the file states override counts that a rule derives.
    return {
        kind: max(known.get(kind, 0), stated.get(kind, 0))
        for kind in dict.fromkeys((*known, *stated))
    }


def count_inner_ports(inner: Diagram) -> dict[str, int]:
    """Returns the ports that the blocks of a diagram give to the subsystem around it."""
    entries = {
        kind: len({number(item) for item in inner.items if item.type == type_})
        for kind, type_ in INNER.items()
    }
    # The trigger port of a Simulink Function is called by name, not by a line.
    if any(item.value("IsSimulinkFunction") == "on" for item in inner.of("TriggerPort")):
        entries["trigger"] = 0
    for item in inner.of("PMIOPort"):
        kind = side(item)
        entries[kind] = entries.get(kind, 0) + 1
    return {kind: count for kind, count in entries.items() if count}


def number(item: BlockView) -> str:
    """Returns the number of a port block as the file writes it."""
    return item.value("Port") or "1"


def side(item: BlockView) -> str:
    """Returns the kind of port that a physical port block adds to its subsystem."""
    return "rconn" if item.value("Side", "Left") == "Right" else "lconn"


def order(items: list[BlockView]) -> list[BlockView]:
    """Returns port blocks sorted by their numbers."""
    return sorted(items, key=lambda item: int(number(item)) if number(item).isdigit() else 0)
