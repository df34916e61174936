"""Makes faults in edges, in the sub-nodes of a root and in the names of edges, to inject."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random

from evals.faults.catalog import Json
from evals.faults.fault import Change, Fault, Place, Route
from evals.faults.finding import Finders
from evals.faults.scene import MAIN, Placed, Scene, Wire

_FAR = 40
_MODEL = "ai_languageModel"
_EMBEDDING = "ai_embedding"
_AI_KINDS = (_MODEL, "ai_tool", "ai_memory", "ai_outputParser", _EMBEDDING, "ai_document")


def _fault_at_edge(wire: Wire, changes: Iterable[Change], *entries: Route) -> Fault:
    place = Place(entries or (wire.at,), (wire.source, wire.target), whole_node=True)
    return Fault(tuple(changes), place)


def _make_entry(target: str, kind: str, index: int = 0) -> Json:
    return {"node": target, "type": kind, "index": index}


def _draw_wire(scene: Scene, source: str, kind: str, entry: Json) -> tuple[list[Change], Route]:
    """Returns changes that add an edge to the first output of a kind, and its route."""
    kinds = scene.document.get("connections", {}).get(source)
    at: Route = ("connections", source)
    if kinds is None:
        return [Change("put", at, {kind: [[entry]]})], (*at, kind, 0, 0)
    if not kinds.get(kind):
        return [Change("put", (*at, kind), [[entry]])], (*at, kind, 0, 0)
    if kinds[kind][0] is None:
        return [Change("put", (*at, kind, 0), [entry])], (*at, kind, 0, 0)
    return [Change("append", (*at, kind, 0), entry)], (*at, kind, 0, len(kinds[kind][0]))


def _move_wire(scene: Scene, wire: Wire, source: str, kind: str, entry: Json) -> Fault:
    """Returns a fault that removes an edge and draws it elsewhere."""
    changes, at = _draw_wire(scene, source, kind, entry)
    return _fault_at_edge(wire, [Change("drop", wire.at), *changes], at)


def _find_known_wires(scene: Scene) -> Iterator[tuple[Wire, Placed, Placed]]:
    """Yields the edges between known nodes, with both ends."""
    for wire in scene.wires:
        source, target = scene.by_name.get(wire.source), scene.by_name.get(wire.target)
        if source is not None and target is not None:
            yield wire, source, target


def _has_kind(ports: list[Json] | None, kind: str) -> bool:
    return ports is not None and any(port["kind"] == kind for port in ports)


def _make_free_name(scene: Scene, name: str) -> str:
    return next(f"{name} {n}" for n in range(7, 999) if f"{name} {n}" not in scene.names)


def use_missing_target(scene: Scene, rng: Random) -> Iterator[Fault]:
    for wire, _, _ in _find_known_wires(scene):
        ghost = _make_free_name(scene, wire.target)
        yield _fault_at_edge(wire, [Change("put", (*wire.at, "node"), ghost)])


def use_missing_source(scene: Scene, rng: Random) -> Iterator[Fault]:
    for name in dict.fromkeys(wire.source for wire in scene.wires):
        ghost = _make_free_name(scene, name)
        at: Route = ("connections", name)
        place = Place((("connections", ghost),), (name,), whole_node=True)
        yield Fault((Change("rename", at, ghost),), place)


def draw_main_as_ai(scene: Scene, rng: Random) -> Iterator[Fault]:
    for wire, source, target in _find_known_wires(scene):
        kind = rng.choice(_AI_KINDS)
        outputs = source.ports("outputs")
        if wire.kind == MAIN and outputs is not None and not _has_kind(outputs, kind):
            yield _move_wire(scene, wire, source.name, kind, _make_entry(target.name, kind))


def end_ai_at_main(scene: Scene, rng: Random) -> Iterator[Fault]:
    for wire, _, _ in _find_known_wires(scene):
        if wire.kind != MAIN:
            yield _fault_at_edge(wire, [Change("put", (*wire.at, "type"), MAIN)])


def change_ai_kind(scene: Scene, rng: Random) -> Iterator[Fault]:
    for wire, source, target in _find_known_wires(scene):
        kind = rng.choice([ai_kind for ai_kind in _AI_KINDS if ai_kind != wire.kind])
        outputs = source.ports("outputs")
        if wire.kind != MAIN and outputs is not None and not _has_kind(outputs, kind):
            yield _move_wire(scene, wire, source.name, kind, _make_entry(target.name, kind))


def reverse_ai(scene: Scene, rng: Random) -> Iterator[Fault]:
    for wire, source, target in _find_known_wires(scene):
        outputs = target.ports("outputs")
        if wire.kind != MAIN and outputs is not None and not _has_kind(outputs, wire.kind):
            yield _move_wire(
                scene, wire, target.name, wire.kind, _make_entry(source.name, wire.kind)
            )


def exceed_input_index(scene: Scene, rng: Random) -> Iterator[Fault]:
    for wire, _, target in _find_known_wires(scene):
        ports = target.ports("inputs")
        most = _FAR if ports is None else sum(port["kind"] == wire.kind for port in ports)
        index = most + rng.randrange(3)
        yield _fault_at_edge(wire, [Change("put", (*wire.at, "index"), index)])


def negate_input_index(scene: Scene, rng: Random) -> Iterator[Fault]:
    for wire, _, _ in _find_known_wires(scene):
        yield _fault_at_edge(wire, [Change("put", (*wire.at, "index"), -1)])


def exceed_output_index(scene: Scene, rng: Random) -> Iterator[Fault]:
    """Moves an edge to an output index that even an additional error output does not reach."""
    for wire, source, _ in _find_known_wires(scene):
        ports = source.ports("outputs")
        given = scene.document["connections"][wire.source][wire.kind]
        most = _FAR if ports is None else sum(port["kind"] == wire.kind for port in ports) + 1
        index = max(most, len(given)) + rng.randrange(3)
        results = [
            [target for at, target in enumerate(targets or ()) if (output, at) != wire.at[3:]]
            for output, targets in enumerate(given)
        ]
        entry = _make_entry(wire.target, wire.kind, wire.input)
        empty: list[list[Json]] = [[] for _ in range(index - len(results))]
        at: Route = ("connections", wire.source, wire.kind)
        yield _fault_at_edge(
            wire, [Change("put", at, [*results, *empty, [entry]])], (*at, index, 0)
        )


def draw_sub_node_on_main(scene: Scene, rng: Random) -> Iterator[Fault]:
    for wire, source, target in _find_known_wires(scene):
        outputs = source.ports("outputs")
        if wire.kind != MAIN and outputs is not None and not _has_kind(outputs, MAIN):
            yield _move_wire(scene, wire, source.name, MAIN, _make_entry(target.name, MAIN))


def enter_trigger(scene: Scene, rng: Random) -> Iterator[Fault]:
    for target in scene.nodes:
        if not target.starts or target.ports("inputs") != []:
            continue
        for source in scene.nodes:
            drives = _has_kind(source.ports("outputs"), MAIN) and source is not target
            if drives and scene.wires_of(source=source.name, target=None):
                changes, at = _draw_wire(scene, source.name, MAIN, _make_entry(target.name, MAIN))
                wire = Wire(source.name, MAIN, 0, target.name, 0, at)
                yield _fault_at_edge(wire, changes)


def add_second_model(scene: Scene, rng: Random) -> Iterator[Fault]:
    for wire, source, target in _find_known_wires(scene):
        ports = target.ports("inputs")
        wanted = [port for port in ports or () if port["kind"] == wire.kind == _MODEL]
        if len(wanted) != 1 or wanted[0].get("max") != 1:
            continue
        name = _make_free_name(scene, source.name)
        second = {**source.raw, "name": name, "id": f"{source.raw.get('id', '')}-7"}
        at: Route = ("connections", name)
        arriving = [item for item in scene.wires_of(target=target.name) if item.kind == wire.kind]
        routes = [(*at, _MODEL, 0, 0), *(item.at for item in arriving)]
        changes = [
            Change("append", ("nodes",), second),
            Change("put", at, {_MODEL: [[_make_entry(target.name, _MODEL, wire.input)]]}),
        ]
        ends = (name, source.name, target.name)
        yield Fault(tuple(changes), Place(tuple(routes), ends, whole_node=True))


def _remove_only_edge(kind: str, scene: Scene) -> Iterator[Fault]:
    """Removes the only edge of a required input; the root keeps other edges, so it still runs."""
    for wire, _, target in _find_known_wires(scene):
        ports = target.ports("inputs")
        wanted = [port for port in ports or () if port["kind"] == wire.kind == kind]
        arriving = [item for item in scene.wires_of(target=target.name) if item.kind == kind]
        used = len(scene.wires_of(target=target.name)) + len(scene.wires_of(source=target.name))
        if len(wanted) == 1 and wanted[0].get("required") and len(arriving) == 1 and used > 1:
            yield _fault_at_edge(wire, [Change("drop", wire.at)])


def remove_model(scene: Scene, rng: Random) -> Iterator[Fault]:
    yield from _remove_only_edge(_MODEL, scene)


def remove_embedding(scene: Scene, rng: Random) -> Iterator[Fault]:
    yield from _remove_only_edge(_EMBEDDING, scene)


def duplicate_name(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes:
        others = [placed for placed in scene.nodes if placed is not node]
        if others:
            other = rng.choice(others)
            routes = ((*node.route, "name"), (*other.route, "name"))
            place = Place(routes, (node.name, other.name))
            yield Fault((Change("put", routes[0], other.name),), place)


FINDERS: Finders = {
    "edge-target-absent": use_missing_target,
    "edge-source-absent": use_missing_source,
    "edge-main-as-ai": draw_main_as_ai,
    "edge-ai-ends-at-main": end_ai_at_main,
    "edge-ai-other-kind": change_ai_kind,
    "edge-ai-reversed": reverse_ai,
    "edge-input-index": exceed_input_index,
    "edge-input-negative": negate_input_index,
    "edge-output-index": exceed_output_index,
    "edge-sub-node-on-main": draw_sub_node_on_main,
    "edge-into-trigger": enter_trigger,
    "edge-too-many-models": add_second_model,
    "root-without-model": remove_model,
    "store-without-embedding": remove_embedding,
    "name-twice": duplicate_name,
}
