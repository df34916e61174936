"""Finds faults to inject into edges, the sub-nodes of a root, and the names of edges."""

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


def _at_edge(wire: Wire, changes: Iterable[Change], *entries: Route) -> Fault:
    place = Place(entries or (wire.at,), (wire.source, wire.target), whole_node=True)
    return Fault(tuple(changes), place)


def _entry(target: str, kind: str, index: int = 0) -> Json:
    return {"node": target, "type": kind, "index": index}


def _draw_wire(scene: Scene, source: str, kind: str, entry: Json) -> tuple[list[Change], Route]:
    """The changes that add an edge to the first output of a kind, and the route of its entry."""
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
    """An edge that is taken out and drawn anew."""
    changes, at = _draw_wire(scene, source, kind, entry)
    return _at_edge(wire, [Change("drop", wire.at), *changes], at)


def _ends(scene: Scene) -> Iterator[tuple[Wire, Placed, Placed]]:
    """Edges between known nodes."""
    for wire in scene.wires:
        source, target = scene.by_name.get(wire.source), scene.by_name.get(wire.target)
        if source is not None and target is not None:
            yield wire, source, target


def _has_kind(ports: list[Json] | None, kind: str) -> bool:
    return ports is not None and any(port["kind"] == kind for port in ports)


def _free_name(scene: Scene, name: str) -> str:
    return next(f"{name} {n}" for n in range(7, 999) if f"{name} {n}" not in scene.names)


def target_absent(scene: Scene, rng: Random) -> Iterator[Fault]:
    for wire, _, _ in _ends(scene):
        ghost = _free_name(scene, wire.target)
        yield _at_edge(wire, [Change("put", (*wire.at, "node"), ghost)])


def source_absent(scene: Scene, rng: Random) -> Iterator[Fault]:
    for name in dict.fromkeys(wire.source for wire in scene.wires):
        ghost = _free_name(scene, name)
        at: Route = ("connections", name)
        place = Place((("connections", ghost),), (name,), whole_node=True)
        yield Fault((Change("rename", at, ghost),), place)


def main_as_ai(scene: Scene, rng: Random) -> Iterator[Fault]:
    for wire, source, target in _ends(scene):
        kind = rng.choice(_AI_KINDS)
        outputs = source.ports("outputs")
        if wire.kind == MAIN and outputs is not None and not _has_kind(outputs, kind):
            yield _move_wire(scene, wire, source.name, kind, _entry(target.name, kind))


def ai_ends_at_main(scene: Scene, rng: Random) -> Iterator[Fault]:
    for wire, _, _ in _ends(scene):
        if wire.kind != MAIN:
            yield _at_edge(wire, [Change("put", (*wire.at, "type"), MAIN)])


def ai_other_kind(scene: Scene, rng: Random) -> Iterator[Fault]:
    for wire, source, target in _ends(scene):
        kind = rng.choice([ai_kind for ai_kind in _AI_KINDS if ai_kind != wire.kind])
        outputs = source.ports("outputs")
        if wire.kind != MAIN and outputs is not None and not _has_kind(outputs, kind):
            yield _move_wire(scene, wire, source.name, kind, _entry(target.name, kind))


def ai_reversed(scene: Scene, rng: Random) -> Iterator[Fault]:
    for wire, source, target in _ends(scene):
        outputs = target.ports("outputs")
        if wire.kind != MAIN and outputs is not None and not _has_kind(outputs, wire.kind):
            yield _move_wire(scene, wire, target.name, wire.kind, _entry(source.name, wire.kind))


def input_index(scene: Scene, rng: Random) -> Iterator[Fault]:
    for wire, _, target in _ends(scene):
        ports = target.ports("inputs")
        most = _FAR if ports is None else sum(port["kind"] == wire.kind for port in ports)
        index = most + rng.randrange(3)
        yield _at_edge(wire, [Change("put", (*wire.at, "index"), index)])


def input_negative(scene: Scene, rng: Random) -> Iterator[Fault]:
    for wire, _, _ in _ends(scene):
        yield _at_edge(wire, [Change("put", (*wire.at, "index"), -1)])


def output_index(scene: Scene, rng: Random) -> Iterator[Fault]:
    """The edge is moved to an output that even an error output does not make up for."""
    for wire, source, _ in _ends(scene):
        ports = source.ports("outputs")
        given = scene.document["connections"][wire.source][wire.kind]
        most = _FAR if ports is None else sum(port["kind"] == wire.kind for port in ports) + 1
        index = max(most, len(given)) + rng.randrange(3)
        results = [
            [target for at, target in enumerate(targets or ()) if (output, at) != wire.at[3:]]
            for output, targets in enumerate(given)
        ]
        entry = _entry(wire.target, wire.kind, wire.input)
        empty: list[list[Json]] = [[] for _ in range(index - len(results))]
        at: Route = ("connections", wire.source, wire.kind)
        yield _at_edge(wire, [Change("put", at, [*results, *empty, [entry]])], (*at, index, 0))


def sub_node_on_main(scene: Scene, rng: Random) -> Iterator[Fault]:
    for wire, source, target in _ends(scene):
        outputs = source.ports("outputs")
        if wire.kind != MAIN and outputs is not None and not _has_kind(outputs, MAIN):
            yield _move_wire(scene, wire, source.name, MAIN, _entry(target.name, MAIN))


def into_trigger(scene: Scene, rng: Random) -> Iterator[Fault]:
    for target in scene.nodes:
        if not target.starts or target.ports("inputs") != []:
            continue
        for source in scene.nodes:
            drives = _has_kind(source.ports("outputs"), MAIN) and source is not target
            if drives and scene.wires_of(source=source.name, target=None):
                changes, at = _draw_wire(scene, source.name, MAIN, _entry(target.name, MAIN))
                wire = Wire(source.name, MAIN, 0, target.name, 0, at)
                yield _at_edge(wire, changes)


def too_many_models(scene: Scene, rng: Random) -> Iterator[Fault]:
    for wire, source, target in _ends(scene):
        ports = target.ports("inputs")
        wanted = [port for port in ports or () if port["kind"] == wire.kind == _MODEL]
        if len(wanted) != 1 or wanted[0].get("max") != 1:
            continue
        name = _free_name(scene, source.name)
        second = {**source.raw, "name": name, "id": f"{source.raw.get('id', '')}-7"}
        at: Route = ("connections", name)
        arriving = [item for item in scene.wires_of(target=target.name) if item.kind == wire.kind]
        routes = [(*at, _MODEL, 0, 0), *(item.at for item in arriving)]
        changes = [
            Change("append", ("nodes",), second),
            Change("put", at, {_MODEL: [[_entry(target.name, _MODEL, wire.input)]]}),
        ]
        ends = (name, source.name, target.name)
        yield Fault(tuple(changes), Place(tuple(routes), ends, whole_node=True))


def _without(kind: str, scene: Scene) -> Iterator[Fault]:
    """A required input loses its only edge; the root keeps others, so that it still runs."""
    for wire, _, target in _ends(scene):
        ports = target.ports("inputs")
        wanted = [port for port in ports or () if port["kind"] == wire.kind == kind]
        arriving = [item for item in scene.wires_of(target=target.name) if item.kind == kind]
        used = len(scene.wires_of(target=target.name)) + len(scene.wires_of(source=target.name))
        if len(wanted) == 1 and wanted[0].get("required") and len(arriving) == 1 and used > 1:
            yield _at_edge(wire, [Change("drop", wire.at)])


def without_model(scene: Scene, rng: Random) -> Iterator[Fault]:
    yield from _without(_MODEL, scene)


def without_embedding(scene: Scene, rng: Random) -> Iterator[Fault]:
    yield from _without(_EMBEDDING, scene)


def name_twice(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes:
        others = [placed for placed in scene.nodes if placed is not node]
        if others:
            other = rng.choice(others)
            routes = ((*node.route, "name"), (*other.route, "name"))
            place = Place(routes, (node.name, other.name))
            yield Fault((Change("put", routes[0], other.name),), place)


FINDERS: Finders = {
    "edge-target-absent": target_absent,
    "edge-source-absent": source_absent,
    "edge-main-as-ai": main_as_ai,
    "edge-ai-ends-at-main": ai_ends_at_main,
    "edge-ai-other-kind": ai_other_kind,
    "edge-ai-reversed": ai_reversed,
    "edge-input-index": input_index,
    "edge-input-negative": input_negative,
    "edge-output-index": output_index,
    "edge-sub-node-on-main": sub_node_on_main,
    "edge-into-trigger": into_trigger,
    "edge-too-many-models": too_many_models,
    "root-without-model": without_model,
    "store-without-embedding": without_embedding,
    "name-twice": name_twice,
}
