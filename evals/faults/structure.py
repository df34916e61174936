"""Finds faults to inject into the whole of a workflow, and into its document."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from evals.faults.expressions import hosts
from evals.faults.fault import Change, Fault, Place, Route
from evals.faults.finding import Finders
from evals.faults.names import put
from evals.faults.scene import MAIN, Placed, Scene, Wire

_RESPOND = "n8n-nodes-base.respondToWebhook"
_LOOP = "n8n-nodes-base.splitInBatches"
_CLOCK = "n8n-nodes-base.scheduleTrigger"


def _whole(*nodes: Placed, routes: tuple[Route, ...] = ()) -> Place:
    return Place(routes, tuple(node.name for node in nodes), whole_node=True)


def _drop_wires(wires: list[Wire]) -> list[Change]:
    """The changes that take edges out; the last of a list first, so that routes stay true."""
    return [Change("drop", wire.at) for wire in sorted(wires, key=_order, reverse=True)]


def _order(wire: Wire) -> tuple[str, str, int, int]:
    return (wire.source, wire.kind, wire.output, int(wire.at[-1]))


def _taken_out(scene: Scene, node: Placed) -> list[Change]:
    changes = _drop_wires(
        [wire for wire in scene.wires_of(target=node.name) if wire.source != node.name]
    )
    if node.name in scene.document.get("connections", {}):
        changes.append(Change("drop", ("connections", node.name)))
    return [*changes, Change("drop", node.route)]


def from_ai_outside(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in hosts(scene):
        outputs = node.ports("outputs")
        if outputs and all(port["kind"] == MAIN for port in outputs):
            key = rng.choice(("subject", "query", "address"))
            yield put(node, leaf.route, f"={{{{ $fromAI('{key}', 'the {key}', 'string') }}}}")


def trigger_absent(scene: Scene, rng: Random) -> Iterator[Fault]:
    starts = [node for node in scene.nodes if node.starts]
    if len(starts) == 1 and scene.all_known and len(scene.nodes_with_ports) > 1:
        yield Fault(tuple(_taken_out(scene, starts[0])), Place((("nodes",),), exact=True))


def _find_waiting_webhook(scene: Scene) -> tuple[Placed, Placed] | None:
    """The one webhook that waits, and the one node that it reaches to respond."""
    hooks = [node for node in scene.nodes if node.traits.get("webhooks")]
    responders = [node for node in scene.nodes if node.tool.id == _RESPOND]
    if len(hooks) != 1 or len(responders) != 1 or not scene.all_known:
        return None
    waits = hooks[0].params.get("responseMode") == "responseNode" and hooks[0].starts
    if not waits or responders[0].name not in scene.find_reached(hooks[0].name):
        return None
    return hooks[0], responders[0]


def respond_without_webhook(scene: Scene, rng: Random) -> Iterator[Fault]:
    holding = _find_waiting_webhook(scene)
    clock = scene.catalog.tools.get(_CLOCK)
    if holding is not None and clock is not None:
        hook, responder = holding
        at = hook.route
        changes = (
            Change("put", (*at, "type"), _CLOCK),
            Change("put", (*at, "typeVersion"), max(clock.versions)),
            Change("put", (*at, "parameters"), {"rule": {"interval": [{}]}}),
        )
        yield Fault(changes, _whole(responder))


def webhook_without_respond(scene: Scene, rng: Random) -> Iterator[Fault]:
    holding = _find_waiting_webhook(scene)
    if holding is not None:
        hook, responder = holding
        place = Place((), (hook.name,), ("responseMode",), whole_node=True)
        yield Fault(tuple(_taken_out(scene, responder)), place)


def tool_undescribed(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes:
        serves = any(wire.kind == "ai_tool" for wire in scene.wires_of(source=node.name))
        for leaf in node.leaves:
            if serves and leaf.name in ("toolDescription", "description") and not leaf.nested:
                fault = put(node, leaf.route, "")
                yield Fault(fault.changes, _whole(node, routes=fault.place.routes))


def loop_never_returns(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes:
        if node.tool.id == _LOOP:
            beyond = scene.find_reached(node.name)
            back = [wire for wire in scene.wires_of(target=node.name) if wire.source in beyond]
            if back:
                outputs: Route = ("connections", node.name)
                yield Fault(tuple(_drop_wires(back)), _whole(node, routes=(outputs,)))


def node_unreachable(scene: Scene, rng: Random) -> Iterator[Fault]:
    """The node was reached from a start, and no path of its own leads back to it."""
    starts = [node.name for node in scene.nodes if node.starts]
    reached = {name for start in starts for name in scene.find_reached(start)}
    for node in scene.nodes_with_ports:
        arriving = [wire for wire in scene.wires_of(target=node.name) if wire.kind == MAIN]
        ran = node.name in reached and not node.starts
        if arriving and ran and node.name not in scene.find_reached(node.name):
            yield Fault(tuple(_drop_wires(arriving)), _whole(node))


def id_twice(scene: Scene, rng: Random) -> Iterator[Fault]:
    held = [node for node in scene.nodes if isinstance(node.raw.get("id"), str) and node.raw["id"]]
    for node in held:
        other = rng.choice(held)
        if other is not node:
            routes = ((*node.route, "id"), (*other.route, "id"))
            yield Fault((Change("put", routes[0], other.raw["id"]),), Place(routes))


def workflow_key(scene: Scene, rng: Random) -> Iterator[Fault]:
    key = rng.choice(("steps", "variables7", "triggerConfig"))
    if key not in scene.document:
        yield Fault((Change("put", (key,), []),), Place(((key,),)))


def settings_key(scene: Scene, rng: Random) -> Iterator[Fault]:
    key = rng.choice(("retryPolicy", "maxRuns7", "notifyOnFail"))
    settings = scene.document.get("settings", {})
    if isinstance(settings, dict) and key not in settings:
        at: Route = ("settings", key)
        yield Fault((Change("put", at[:1], {**settings, key: "x"}),), Place((at,)))


def node_as_text(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes:
        yield Fault((Change("put", node.route, node.name),), Place((node.route,)))


def node_nameless(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes:
        yield Fault((Change("drop", (*node.route, "name")),), Place((node.route,)))


def parameters_as_list(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        at = (*node.route, "parameters")
        value = [{"name": key, "value": parameter} for key, parameter in node.params.items()]
        yield Fault((Change("put", at, value),), Place((at,), (node.name,), ("parameters",)))


def targets_flat(scene: Scene, rng: Random) -> Iterator[Fault]:
    for wire in scene.wires:
        at = wire.at[:3]
        held = scene.document["connections"][wire.source][wire.kind]
        if len(held) == 1:
            ends = (wire.source, wire.target)
            yield Fault((Change("put", at, held[0]),), Place((at,), ends, whole_node=True))


def connections_as_list(scene: Scene, rng: Random) -> Iterator[Fault]:
    if scene.wires:
        value = [{"from": wire.source, "to": wire.target} for wire in scene.wires]
        at: Route = ("connections",)
        yield Fault((Change("put", at, value),), Place((at,)))


FINDERS: Finders = {
    "from-ai-outside-tool": from_ai_outside,
    "trigger-absent": trigger_absent,
    "respond-without-webhook": respond_without_webhook,
    "webhook-without-respond": webhook_without_respond,
    "tool-undescribed": tool_undescribed,
    "loop-never-returns": loop_never_returns,
    "node-unreachable": node_unreachable,
    "id-twice": id_twice,
    "workflow-key": workflow_key,
    "settings-key": settings_key,
    "node-as-text": node_as_text,
    "node-nameless": node_nameless,
    "parameters-as-list": parameters_as_list,
    "targets-flat": targets_flat,
    "connections-as-list": connections_as_list,
}
