"""Lowers a plan to a workflow: nodes with fitted parameters, edges, names, positions, a note."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.dependencies import find_cycle
from grounded_builder.diagnostics import Diagnostic, Route, new_diagnostic
from grounded_builder.domains.n8n.analysis.ports import MAIN, Ports, ports_of
from grounded_builder.domains.n8n.build.artifact import node_id
from grounded_builder.domains.n8n.expressions.references import UNKNOWN_REFERENCE
from grounded_builder.domains.n8n.expressions.texts import collect_texts
from grounded_builder.domains.n8n.lower.agent_tools import (
    adapt_serving_steps,
    read_serving_names,
)
from grounded_builder.domains.n8n.lower.default_choices import list_default_choices
from grounded_builder.domains.n8n.lower.fit_step import fit_step
from grounded_builder.domains.n8n.lower.generate_node_names import find_cut_action, node_names
from grounded_builder.domains.n8n.lower.layout import Place, places
from grounded_builder.domains.n8n.lower.node_settings import separate_settings
from grounded_builder.domains.n8n.lower.node_shapes import NodeShape, shape_of, shape_of_note
from grounded_builder.domains.n8n.lower.note import STICKY, sticky
from grounded_builder.domains.n8n.lower.output_names import add_named_outputs
from grounded_builder.domains.n8n.lower.parameters import Fitting
from grounded_builder.domains.n8n.lower.references import find_unrenamed, rewrite_references
from grounded_builder.domains.n8n.lower.wiring import Wire, wires
from grounded_builder.ir.graph import Node, ResolvedNode
from grounded_builder.ir.lowering import Lowered, ResolvedPlan, StepResolution
from grounded_builder.ir.options import CompileOptions
from grounded_builder.ir.plan import Plan, Step
from grounded_builder.ir.rules.order import DEPENDENCY_CYCLE
from grounded_builder.ir.rules.reading import LOOSE_SHAPE, UNREAD_KEY

_LONGEST_NAME = 100
_JAVASCRIPT = frozenset({"expression", "code"})


class LoweringError(Exception):
    """An internal error: a plan did not become one node per step and one edge per wire."""


def lower(
    plan: Plan, choices: tuple[StepResolution, ...], registry: Registry, options: CompileOptions
) -> Lowered:
    """Returns the native workflow of a plan; unresolved steps become nodes without a type."""
    choices, shared, moved = separate_settings(choices, plan.settings)
    names = node_names(choices, registry)
    fittings = {choice.step.id: _fit(choice, names, registry) for choice in choices}
    bound = {
        choice.step.id: _make_resolved_node(choice, fittings[choice.step.id]) for choice in choices
    }
    code_names = _names_that_code_may_use(choices, bound, names)
    names |= code_names
    fittings |= {c.step.id: _fit(c, names, registry) for c in choices if c.step.id in code_names}
    attached = read_serving_names(choices, bound)
    choices = attached.choices
    fittings |= {
        c.step.id: _fit(c, names, registry) for c in choices if c.step.id in attached.adapted
    }
    serving = adapt_serving_steps(choices, bound, registry)
    choices = serving.choices
    for choice in choices:
        if choice.step.id in serving.adapted:
            fittings[choice.step.id] = _fit(choice, names, registry)
            bound[choice.step.id] = _make_resolved_node(choice, fittings[choice.step.id])
    choices, extended, added = add_named_outputs(plan, choices, bound)
    for choice in choices:
        if choice.step.id in extended:
            fittings[choice.step.id] = _fit(choice, names, registry)
            bound[choice.step.id] = _make_resolved_node(choice, fittings[choice.step.id])
    ports = {step: ports_of(node) for step, node in bound.items()}
    drawn, unwired = wires(plan, choices, ports)
    placed = places([choice.step.id for choice in choices], drawn, _shapes(bound, ports, drawn))
    names_by_reference = _names_of_steps(choices, names)
    nodes: list[dict[str, Any]] = []
    origin: dict[Route, Route] = {}
    for index, choice in enumerate(choices):
        step, fitting = choice.step, fittings[choice.step.id]
        parameters = rewrite_references(fitting.parameters, names_by_reference)
        node: dict[str, Any] = {
            "id": node_id(options.seed, step.id),
            "name": names[step.id],
            "type": choice.tool.id if choice.tool is not None else "",
            "typeVersion": version_number(choice.version),
            "position": list(placed[step.id]),
            "parameters": parameters,
        }
        node |= {name: setting.value for name, setting in step.settings.items()}
        notes = [find_cut_action(choice, names[step.id]), step.remarks]
        if any(notes):
            node["notes"] = "\n".join(filter(None, notes))
        nodes.append(node)
        origin.update(_origin(index, choice, fitting))
    connections, edges_origin = _connections(drawn, names)
    if len(nodes) != len(plan.steps) or len(edges_origin) != len(drawn):
        raise LoweringError(f"{len(plan.steps)} steps made {len(nodes)} nodes")
    remarks = [f"Assumed: {assumption}" for assumption in plan.assumptions]
    remarks += [f"{names[c.step.id]}: {c.step.remarks}" for c in choices if c.step.remarks]
    if STICKY in registry.tools:
        note = sticky(remarks, placed.values(), node_id(options.seed, "\ngoal"))
        nodes.append(note)
    workflow_settings = {name: setting.value for name, setting in shared.items()}
    document = {
        "name": " ".join((plan.title or plan.goal).split())[:_LONGEST_NAME] or "Generated workflow",
        "nodes": nodes,
        "connections": connections,
        "settings": {"executionOrder": "v1", **workflow_settings, **plan.settings},
    }
    origin |= {("settings", name): setting.at for name, setting in shared.items()}
    diagnostics: list[Diagnostic] = [*moved, *attached.diagnostics, *serving.diagnostics, *added]
    diagnostics += [
        replace(d, at=choice.step.place_of(d.at))
        for choice in choices
        for d in fittings[choice.step.id].diagnostics
    ]
    for choice in choices:
        named = replace(bound[choice.step.id].node, name=names[choice.step.id])
        node_of_step = replace(bound[choice.step.id], node=named)
        diagnostics += list_default_choices(choice, node_of_step)
    diagnostics += _report_unrenamed(choices, bound, fittings, names_by_reference)
    diagnostics += _note_signals(plan)
    diagnostics += _report_groups(plan)
    out_of_hand = _check_cycles(plan, choices, ports)
    resolved = _resolved_plan(choices, nodes[: len(choices)], drawn, placed)
    return Lowered(
        document,
        {**origin, **edges_origin},
        (*diagnostics, *unwired, *out_of_hand),
        resolved,
        names,
    )


def _names_that_code_may_use(
    choices: tuple[StepResolution, ...],
    bound: Mapping[str, ResolvedNode],
    names: Mapping[str, str],
) -> dict[str, str]:
    """Returns the ids that code may name by a text that it uses otherwise too, as names.

    A node with the name of its step is what such a text means, whether it is data or not.
    """
    names_of_steps = _names_of_steps(choices, names)
    texts = (
        text.value
        for choice in choices
        if choice.spec is not None
        for text in collect_texts(bound[choice.step.id])
        if text.use in _JAVASCRIPT
    )
    ids = {name for text in texts for name in find_unrenamed(text, names_of_steps)} & names.keys()
    return {name: name for name in sorted(ids) if name not in names.values()}


def _report_unrenamed(
    choices: Iterable[StepResolution],
    bound: Mapping[str, ResolvedNode],
    fittings: Mapping[str, Fitting],
    names: Mapping[str, str],
) -> Iterator[Diagnostic]:
    """Yields a finding for each step that code may name by a text that it uses otherwise too."""
    for choice in choices:
        step = choice.step
        if choice.spec is None:
            continue
        keys = {path[0]: key for path, key in fittings[step.id].origin.items()}
        for text in collect_texts(bound[step.id]):
            parameter = text.at[len(bound[step.id].node.at) + 1]
            for name in find_unrenamed(text.value, names) if text.use in _JAVASCRIPT else ():
                yield new_diagnostic(
                    UNKNOWN_REFERENCE,
                    step.place_of((*step.params_at, keys.get(parameter, parameter))),
                    f'"{step.id}" calls $() with a computed name, and its text "{name}" is the id '
                    "of a step, which no node of the workflow has as its name",
                    help=f'write $("{name}"), or the name of its node, "{names[name]}"',
                    node=names[step.id],
                    token=name,
                    alternatives=(names[name],),
                )


def _note_signals(plan: Plan) -> Iterator[Diagnostic]:
    """Yields a note for each name of a signal, which connections of n8n do not have."""
    for step in plan.steps:
        for source in step.inputs or ():
            if source.signal:
                message = (
                    f'"signal": n8n connections have no name; "{source.signal[:40]}" is unused'
                )
                yield new_diagnostic(LOOSE_SHAPE, source.at, message, node=step.id)


def _report_groups(plan: Plan) -> Iterator[Diagnostic]:
    """Yields a finding for each step in a group, which workflows do not have."""
    for step in plan.steps:
        if step.inside:
            message = f'"in": n8n has no groups of nodes; "{step.inside[:40]}" was not used'
            hint = 'leave it out, or name the step that it serves with "for"'
            yield new_diagnostic(
                UNREAD_KEY,
                (*step.at, "in"),
                message,
                help=hint,
                node=step.id,
                token=step.inside[:40],
            )


def _fit(choice: StepResolution, names: Mapping[str, str], registry: Registry) -> Fitting:
    if choice.spec is None:
        return Fitting({})
    return fit_step(choice, names[choice.step.id], registry)


def _make_resolved_node(choice: StepResolution, fitting: Fitting) -> ResolvedNode:
    source = {
        "parameters": fitting.parameters,
        **{name: setting.value for name, setting in choice.step.settings.items()},
    }
    tool = choice.tool.id if choice.tool is not None else None
    node = Node(choice.step.id, tool, choice.version, fitting.parameters, (), source)
    return ResolvedNode(node, choice.tool, choice.version, choice.spec)


def _shapes(
    bound: Mapping[str, ResolvedNode], ports: Mapping[str, Ports], drawn: Iterable[Wire]
) -> dict[str, NodeShape]:
    """Returns what n8n's editor draws for each step."""
    inputs: dict[str, int] = {}
    linked: dict[str, set[int]] = {}
    serving: set[str] = set()
    for wire in drawn:
        if wire.kind == MAIN:
            inputs[wire.target] = max(inputs.get(wire.target, 0), wire.input + 1)
            linked.setdefault(wire.source, set()).add(wire.output)
        else:
            serving.add(wire.source)
    shapes: dict[str, NodeShape] = {}
    for step, sides in ports.items():
        node = bound[step].node
        if node.tool == STICKY:
            shapes[step] = shape_of_note(node.params)
            continue
        outputs = frozenset(linked.get(step, ()))
        shapes[step] = shape_of(sides, inputs.get(step, 0), outputs, serves=step in serving)
    return shapes


def _names_of_steps(
    choices: tuple[StepResolution, ...], names: Mapping[str, str]
) -> dict[str, str]:
    """Returns the node name for each name of a step: its outputs, then ids, which take
    precedence.
    """
    names_by_reference = {output: names[c.step.id] for c in choices for output in c.step.outputs}
    return names_by_reference | {choice.step.id: names[choice.step.id] for choice in choices}


def _origin(index: int, choice: StepResolution, fitting: Fitting) -> dict[Route, Route]:
    step = choice.step
    node: Route = ("nodes", index)
    routes: dict[Route, Route] = {
        node: step.at,
        (*node, "type"): step.tool_at,
        (*node, "parameters"): step.params_at if step.params else step.at,
    }
    routes |= {(*node, name): setting.at for name, setting in step.settings.items()}
    for path, key in fitting.origin.items():
        routes[(*node, "parameters", *path)] = step.place_of((*step.params_at, key))
    for name, place in fitting.places.items():
        routes[(*node, "parameters", name)] = place
    return routes


def _connections(
    drawn: tuple[Wire, ...], names: Mapping[str, str]
) -> tuple[dict[str, Any], dict[Route, Route]]:
    connections: dict[str, dict[str, list[list[dict[str, Any]]]]] = {}
    origin: dict[Route, Route] = {}
    for wire in drawn:
        source = names[wire.source]
        outputs = connections.setdefault(source, {}).setdefault(wire.kind, [])
        while len(outputs) <= wire.output:
            outputs.append([])
        target = {"node": names[wire.target], "type": wire.kind, "index": wire.input}
        route: Route = ("connections", source, wire.kind, wire.output, len(outputs[wire.output]))
        outputs[wire.output].append(target)
        origin[route] = wire.origin
    return connections, origin


def _resolved_plan(
    choices: tuple[StepResolution, ...],
    nodes: list[dict[str, Any]],
    drawn: tuple[Wire, ...],
    placed: Mapping[str, Place],
) -> ResolvedPlan:
    """Returns the resolved plan: the tool of each step, in a valid order of execution."""
    order = sorted(placed, key=lambda step: (placed[step], step))
    groups: dict[str, list[str]] = {}
    for choice in choices:
        if choice.step.inside:
            groups.setdefault(choice.step.inside, []).append(choice.step.id)
    return ResolvedPlan(
        nodes=tuple(
            {
                "id": choice.step.id,
                "tool_id": choice.tool.id if choice.tool is not None else None,
                "typeVersion": node["typeVersion"],
                "params": node["parameters"],
                **_settings(choice.step),
            }
            for choice, node in zip(choices, nodes, strict=True)
        ),
        connections=tuple(
            {
                "from": f"{wire.source}:{wire.kind}:{wire.output}",
                "to": f"{wire.target}:{wire.kind}:{wire.input}",
            }
            for wire in drawn
        ),
        metadata={"order": order, "groups": groups},
    )


def _settings(step: Step) -> dict[str, Any]:
    values = {name: setting.value for name, setting in step.settings.items()}
    return {"settings": values} if values else {}


def version_number(version: float | None) -> float | None:
    """Returns a version as n8n writes it."""
    return int(version) if version is not None and version == int(version) else version


def _check_cycles(
    plan: Plan, choices: tuple[StepResolution, ...], ports: Mapping[str, Ports]
) -> Iterator[Diagnostic]:
    """Yields a finding for an unmarked cycle without a second output, which would never end."""
    cycle = find_cycle(plan)
    by_id = {choice.step.id: choice for choice in choices}
    if not cycle or any(_leads_out(by_id[step], ports) for step in cycle):
        return
    step = by_id[cycle[0]].step
    yield new_diagnostic(
        DEPENDENCY_CYCLE,
        step.at,
        f"steps depend on each other in a cycle: {' -> '.join(cycle)}",
        help='route the cycle through a loop or a branch, or mark the edge that closes it "back"',
        node=step.id,
    )


def _leads_out(choice: StepResolution, ports: Mapping[str, Ports]) -> bool:
    outputs = ports[choice.step.id].outputs
    return outputs is None or len(outputs.get(MAIN, ())) > 1
