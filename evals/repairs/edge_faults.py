"""Makes faults with a single repair in edges, node names, ids and positions, to inject."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random

from evals.faults.fault import Change, Fault, Place, Route
from evals.faults.finding import Finders
from evals.faults.scene import MAIN, Placed, Scene, Wire

_NOTE = "n8n-nodes-base.stickyNote"


def _fault_at_edge(wire: Wire, changes: Iterable[Change], *entries: Route) -> Fault:
    place = Place(entries or (wire.at,), (wire.source, wire.target), whole_node=True)
    return Fault(tuple(changes), place)


def draw_root_on_main(scene: Scene, rng: Random) -> Iterator[Fault]:
    """Connects a root by main to a sub-node that serves it alone and takes no data."""
    connections = scene.document.get("connections", {})
    for wire in scene.wires:
        root, sub = scene.by_name.get(wire.target), scene.by_name.get(wire.source)
        if wire.kind == MAIN or root is None or sub is None:
            continue
        alone = len(scene.wires_of(source=sub.name)) == 1 and not scene.wires_of(target=sub.name)
        inputs = sub.ports("inputs")
        if not alone or inputs is None or any(port["kind"] == MAIN for port in inputs):
            continue
        entry = {"node": sub.name, "type": MAIN, "index": 0}
        at: Route = ("connections", root.name)
        if root.name not in connections:
            drawn = Change("put", at, {MAIN: [[entry]]})
        elif not connections[root.name].get(MAIN):
            drawn = Change("put", (*at, MAIN), [[entry]])
        elif isinstance(connections[root.name][MAIN][0], list):
            drawn = Change("append", (*at, MAIN, 0), entry)
        else:
            continue
        yield _fault_at_edge(wire, [Change("drop", ("connections", sub.name)), drawn], (*at, MAIN))


def remove_index(scene: Scene, rng: Random) -> Iterator[Fault]:
    for wire in scene.wires:
        if wire.kind != MAIN and wire.input == 0:
            yield _fault_at_edge(wire, [Change("drop", (*wire.at, "index"))])


def remove_type(scene: Scene, rng: Random) -> Iterator[Fault]:
    for wire in scene.wires:
        yield _fault_at_edge(wire, [Change("drop", (*wire.at, "type"))])


def exceed_only_input(scene: Scene, rng: Random) -> Iterator[Fault]:
    for wire in scene.wires:
        target = scene.by_name.get(wire.target)
        ports = target.ports("inputs") if target else None
        single = ports is not None and sum(port["kind"] == MAIN for port in ports) == 1
        if single and wire.kind == MAIN:
            yield _fault_at_edge(wire, [Change("put", (*wire.at, "index"), rng.choice((1, 2)))])


def put_name_for_target(scene: Scene, rng: Random) -> Iterator[Fault]:
    for wire in scene.wires:
        if wire.input == 0:
            yield _fault_at_edge(wire, [Change("put", wire.at, wire.target)])


def duplicate_edge(scene: Scene, rng: Random) -> Iterator[Fault]:
    for wire in scene.wires:
        entry = {"node": wire.target, "type": wire.kind, "index": wire.input}
        yield _fault_at_edge(wire, [Change("append", wire.at[:-1], entry)], wire.at[:-1])


def flatten_target(scene: Scene, rng: Random) -> Iterator[Fault]:
    for wire in scene.wires:
        at = wire.at[:3]
        held = scene.document["connections"][wire.source][wire.kind]
        if len(held) == 1 and len(held[0]) == 1:
            yield _fault_at_edge(wire, [Change("put", at, held[0])], at)


def use_target_id(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in _list_identified(scene):
        arriving = scene.wires_of(target=node.name)
        changes = [Change("put", (*wire.at, "node"), node.raw["id"]) for wire in arriving]
        if changes:
            yield Fault(tuple(changes), Place(tuple(wire.at for wire in arriving)))


def use_source_id(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in _list_identified(scene):
        if scene.wires_of(source=node.name):
            at: Route = ("connections", node.name)
            place = Place((("connections", node.raw["id"]),))
            yield Fault((Change("rename", at, node.raw["id"]),), place)


def _list_identified(scene: Scene) -> Iterator[Placed]:
    """Yields the nodes whose id is no other node's id or name."""
    ids = [item.get("id") for item in scene.document["nodes"]]
    for node in scene.nodes:
        mine = node.raw.get("id")
        if isinstance(mine, str) and mine and ids.count(mine) == 1 and mine not in scene.names:
            yield node


def share_name_with_note(scene: Scene, rng: Random) -> Iterator[Fault]:
    notes = [node for node in scene.nodes if node.tool.id == _NOTE]
    for note in notes:
        for node in scene.nodes_with_ports:
            at = (*note.route, "name")
            place = Place((at, (*node.route, "name")), (node.name,))
            yield Fault((Change("put", at, node.name),), place)


def share_name_with_node(scene: Scene, rng: Random) -> Iterator[Fault]:
    """Gives a node the name of one with other kinds of inputs and outputs."""
    for node in scene.nodes_with_ports:
        if not scene.wires_of(source=node.name) and not scene.wires_of(target=node.name):
            continue
        for other in scene.nodes_with_ports:
            used = scene.wires_of(source=other.name) or scene.wires_of(target=other.name)
            if other is node or not used or _port_kinds(node) & _port_kinds(other):
                continue
            at = (*node.route, "name")
            place = Place((at, (*other.route, "name")), (other.name,))
            yield Fault((Change("put", at, other.name),), place)


def _port_kinds(node: Placed) -> set[tuple[str, str]]:
    return {
        (side, str(port["kind"]))
        for side in ("inputs", "outputs")
        for port in node.ports(side) or ()
    }


def remove_ids(scene: Scene, rng: Random) -> Iterator[Fault]:
    at = [
        ("nodes", index, "id") for index, node in enumerate(scene.document["nodes"]) if "id" in node
    ]
    if at:
        yield Fault(tuple(Change("drop", item) for item in at), Place((("nodes",),)))


def remove_positions(scene: Scene, rng: Random) -> Iterator[Fault]:
    nodes = scene.document["nodes"]
    at = [("nodes", index, "position") for index, node in enumerate(nodes) if "position" in node]
    if at:
        yield Fault(tuple(Change("drop", item) for item in at), Place((("nodes",),)))


def remove_webhook_id(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes:
        if node.traits.get("webhooks") and node.raw.get("webhookId"):
            at = (*node.route, "webhookId")
            place = Place((at,), (node.name,), ("webhookId",), whole_node=True)
            yield Fault((Change("drop", at),), place)


FINDERS: Finders = {
    "edge-from-root-on-main": draw_root_on_main,
    "edge-ai-unindexed": remove_index,
    "edge-untyped": remove_type,
    "edge-beyond-only-input": exceed_only_input,
    "target-bare": put_name_for_target,
    "target-flat": flatten_target,
    "edge-twice": duplicate_edge,
    "target-by-id": use_target_id,
    "source-by-id": use_source_id,
    "name-of-note": share_name_with_note,
    "name-implied-by-edges": share_name_with_node,
    "ids-absent": remove_ids,
    "positions-absent": remove_positions,
    "webhook-id-absent": remove_webhook_id,
}
