"""Makes faults in the structure of a workflow and in its document, to inject."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from evals.faults.expressions import find_expression_hosts
from evals.faults.fault import Change, Fault, Place, Route
from evals.faults.finding import Finders
from evals.faults.names import put_value
from evals.faults.scene import MAIN, Placed, Scene, Wire

_RESPOND = "n8n-nodes-base.respondToWebhook"
_LOOP = "n8n-nodes-base.splitInBatches"
_CLOCK = "n8n-nodes-base.scheduleTrigger"


def _place_at_nodes(*nodes: Placed, routes: tuple[Route, ...] = ()) -> Place:
    return Place(routes, tuple(node.name for node in nodes), whole_node=True)


def _drop_wires(wires: list[Wire]) -> list[Change]:
    """Returns changes that remove edges, last entries first, so that routes stay valid."""
    return [Change("drop", wire.at) for wire in sorted(wires, key=_wire_order, reverse=True)]


def _wire_order(wire: Wire) -> tuple[str, str, int, int]:
    return (wire.source, wire.kind, wire.output, int(wire.at[-1]))


def _remove_node(scene: Scene, node: Placed) -> list[Change]:
    changes = _drop_wires(
        [wire for wire in scene.wires_of(target=node.name) if wire.source != node.name]
    )
    if node.name in scene.document.get("connections", {}):
        changes.append(Change("drop", ("connections", node.name)))
    return [*changes, Change("drop", node.route)]


def use_from_ai_outside_tool(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in find_expression_hosts(scene):
        outputs = node.ports("outputs")
        if outputs and all(port["kind"] == MAIN for port in outputs):
            key = rng.choice(("subject", "query", "address"))
            yield put_value(node, leaf.route, f"={{{{ $fromAI('{key}', 'the {key}', 'string') }}}}")


def remove_trigger(scene: Scene, rng: Random) -> Iterator[Fault]:
    starts = [node for node in scene.nodes if node.starts]
    if len(starts) == 1 and scene.all_known and len(scene.nodes_with_ports) > 1:
        yield Fault(tuple(_remove_node(scene, starts[0])), Place((("nodes",),), exact=True))


def _find_waiting_webhook(scene: Scene) -> tuple[Placed, Placed] | None:
    """Returns the only webhook that waits and the only Respond node it reaches, or None."""
    hooks = [node for node in scene.nodes if node.traits.get("webhooks")]
    responders = [node for node in scene.nodes if node.tool.id == _RESPOND]
    if len(hooks) != 1 or len(responders) != 1 or not scene.all_known:
        return None
    waits = hooks[0].params.get("responseMode") == "responseNode" and hooks[0].starts
    if not waits or responders[0].name not in scene.find_reached(hooks[0].name):
        return None
    return hooks[0], responders[0]


def replace_webhook(scene: Scene, rng: Random) -> Iterator[Fault]:
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
        yield Fault(changes, _place_at_nodes(responder))


def remove_respond_node(scene: Scene, rng: Random) -> Iterator[Fault]:
    holding = _find_waiting_webhook(scene)
    if holding is not None:
        hook, responder = holding
        place = Place((), (hook.name,), ("responseMode",), whole_node=True)
        yield Fault(tuple(_remove_node(scene, responder)), place)


def remove_description(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes:
        serves = any(wire.kind == "ai_tool" for wire in scene.wires_of(source=node.name))
        for leaf in node.leaves:
            if serves and leaf.name in ("toolDescription", "description") and not leaf.nested:
                fault = put_value(node, leaf.route, "")
                yield Fault(fault.changes, _place_at_nodes(node, routes=fault.place.routes))


def cut_loop(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes:
        if node.tool.id == _LOOP:
            beyond = scene.find_reached(node.name)
            back = [wire for wire in scene.wires_of(target=node.name) if wire.source in beyond]
            if back:
                outputs: Route = ("connections", node.name)
                yield Fault(tuple(_drop_wires(back)), _place_at_nodes(node, routes=(outputs,)))


def isolate_node(scene: Scene, rng: Random) -> Iterator[Fault]:
    """Removes the edges into a node that was reachable and is not part of a cycle."""
    starts = [node.name for node in scene.nodes if node.starts]
    reached = {name for start in starts for name in scene.find_reached(start)}
    for node in scene.nodes_with_ports:
        arriving = [wire for wire in scene.wires_of(target=node.name) if wire.kind == MAIN]
        ran = node.name in reached and not node.starts
        if arriving and ran and node.name not in scene.find_reached(node.name):
            yield Fault(tuple(_drop_wires(arriving)), _place_at_nodes(node))


def duplicate_id(scene: Scene, rng: Random) -> Iterator[Fault]:
    held = [node for node in scene.nodes if isinstance(node.raw.get("id"), str) and node.raw["id"]]
    for node in held:
        other = rng.choice(held)
        if other is not node:
            routes = ((*node.route, "id"), (*other.route, "id"))
            yield Fault((Change("put", routes[0], other.raw["id"]),), Place(routes))


def add_workflow_key(scene: Scene, rng: Random) -> Iterator[Fault]:
    key = rng.choice(("steps", "variables7", "triggerConfig"))
    if key not in scene.document:
        yield Fault((Change("put", (key,), []),), Place(((key,),)))


def add_settings_key(scene: Scene, rng: Random) -> Iterator[Fault]:
    key = rng.choice(("retryPolicy", "maxRuns7", "notifyOnFail"))
    settings = scene.document.get("settings", {})
    if isinstance(settings, dict) and key not in settings:
        at: Route = ("settings", key)
        yield Fault((Change("put", at[:1], {**settings, key: "x"}),), Place((at,)))


def put_text_for_node(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes:
        yield Fault((Change("put", node.route, node.name),), Place((node.route,)))


def remove_name(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes:
        yield Fault((Change("drop", (*node.route, "name")),), Place((node.route,)))


def put_list_for_parameters(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        at = (*node.route, "parameters")
        value = [{"name": key, "value": parameter} for key, parameter in node.params.items()]
        yield Fault((Change("put", at, value),), Place((at,), (node.name,), ("parameters",)))


def flatten_targets(scene: Scene, rng: Random) -> Iterator[Fault]:
    for wire in scene.wires:
        at = wire.at[:3]
        held = scene.document["connections"][wire.source][wire.kind]
        if len(held) == 1:
            ends = (wire.source, wire.target)
            yield Fault((Change("put", at, held[0]),), Place((at,), ends, whole_node=True))


def put_list_for_connections(scene: Scene, rng: Random) -> Iterator[Fault]:
    if scene.wires:
        value = [{"from": wire.source, "to": wire.target} for wire in scene.wires]
        at: Route = ("connections",)
        yield Fault((Change("put", at, value),), Place((at,)))


FINDERS: Finders = {
    "from-ai-outside-tool": use_from_ai_outside_tool,
    "trigger-absent": remove_trigger,
    "respond-without-webhook": replace_webhook,
    "webhook-without-respond": remove_respond_node,
    "tool-undescribed": remove_description,
    "loop-never-returns": cut_loop,
    "node-unreachable": isolate_node,
    "id-twice": duplicate_id,
    "workflow-key": add_workflow_key,
    "settings-key": add_settings_key,
    "node-as-text": put_text_for_node,
    "node-nameless": remove_name,
    "parameters-as-list": put_list_for_parameters,
    "targets-flat": flatten_targets,
    "connections-as-list": put_list_for_connections,
}
