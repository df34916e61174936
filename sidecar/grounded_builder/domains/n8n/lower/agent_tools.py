"""Converts steps that serve an agent into its tools, by a node's tool mode or its tool variant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tokenize import split_identifier
from grounded_builder.catalog.tool import ToolRow
from grounded_builder.compiler.unread_keys import names_steps
from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.n8n.analysis.ports import (
    MAIN,
    Ports,
    parameter_enabling_port,
    ports_of,
)
from grounded_builder.domains.n8n.lower.wiring import STRAY_SUB_NODE
from grounded_builder.ir.graph import ResolvedNode
from grounded_builder.ir.lowering import StepResolution
from grounded_builder.ir.rules.reading import LOOSE_SHAPE

SERVES_AS_TOOL = Rule.info(
    "N8N358", "serves-as-tool", "A node that serves an agent became a tool of it."
)

SERVING_KIND = "ai_tool"
"""The kind by which tools serve agents."""

# n8n names the tool that it generates from a node (n8n-core 2.41, LoadNodesAndCredentials).
_SUFFIX = "Tool"
_MAX_SIMILAR = 3


@dataclass(frozen=True, slots=True)
class ServingSteps:
    """The steps, with serving ones adapted, the ids of the adapted steps, and the findings."""

    choices: tuple[StepResolution, ...]
    adapted: frozenset[str]
    diagnostics: tuple[Diagnostic, ...]


def read_serving_names(
    choices: tuple[StepResolution, ...], nodes: Mapping[str, ResolvedNode]
) -> ServingSteps:
    """Attaches the steps that an agent names in a value of its own: ``"tools": ["search"]``.

    Such a value is no parameter of the agent, and lists only other steps.
    """
    ids = {choice.step.id for choice in choices}
    hosts: dict[str, list[str]] = {}
    read: dict[str, StepResolution] = {}
    notes: list[Diagnostic] = []
    for choice in choices:
        step = choice.step
        inputs = ports_of(nodes[step.id]).inputs
        if choice.spec is None or inputs is None or set(inputs) <= {MAIN}:
            continue
        declared = choice.spec.declarations.root.by_name
        for key, value in choice.step.params.items():
            if key in declared or not names_steps(value, ids - {step.id}):
                continue
            for name in value if isinstance(value, list) else [value]:
                hosts.setdefault(name, []).append(step.id)
            params = {name: step.params[name] for name in step.params if name != key}
            step = replace(step, params=params)
            message = f'"{key}" was read as the steps that serve "{step.id}"'
            at = step.place_of((*step.params_at, key))
            notes.append(new_diagnostic(LOOSE_SHAPE, at, message, node=step.id))
        if step is not choice.step:
            read[step.id] = replace(choice, step=step)
    out = tuple(
        _attach(read.get(choice.step.id, choice), hosts.get(choice.step.id, ()))
        for choice in choices
    )
    return ServingSteps(out, frozenset(read), tuple(notes))


def _attach(choice: StepResolution, hosts: Sequence[str]) -> StepResolution:
    """Returns a step that serves these steps; it is called by them, and follows none of them."""
    if not hosts:
        return choice
    step = choice.step
    inputs = tuple(source for source in step.inputs or () if source.name not in hosts)
    parents = tuple(dict.fromkeys((*step.parents, *hosts)))
    return replace(choice, step=replace(step, parents=parents, inputs=inputs))


def adapt_serving_steps(
    choices: tuple[StepResolution, ...], nodes: Mapping[str, ResolvedNode], registry: Registry
) -> ServingSteps:
    """Adapts each step that serves another one but has no output which that step takes.

    ``nodes`` has the nodes of the steps by ids.
    """
    ports = {step: ports_of(node) for step, node in nodes.items()}
    named = {name: choice.step.id for choice in choices for name in choice.step.outputs}
    named |= {choice.step.id: choice.step.id for choice in choices}
    out: list[StepResolution] = []
    adapted: set[str] = set()
    diagnostics: list[Diagnostic] = []
    for choice in choices:
        hosts = [named[name] for name in choice.step.parents if name in named]
        kinds = _kinds_taken(hosts, ports)
        outputs = ports[choice.step.id].outputs
        if not hosts or choice.spec is None or outputs is None or kinds & set(outputs):
            out.append(choice)
            continue
        serving = (
            serve_as_tool(choice, nodes[choice.step.id], registry)
            if SERVING_KIND in kinds
            else None
        )
        if serving is not None:
            adapted.add(choice.step.id)
            diagnostics.append(report_tool(choice, serving, hosts[0]))
        elif set(outputs) <= {MAIN} and all(ports[host].inputs is not None for host in hosts):
            # Edges of sub-nodes are checked, and corrected, in the workflow.
            diagnostics.append(_report_stray(choice, hosts[0], kinds, registry))
        out.append(serving or choice)
    return ServingSteps(tuple(out), frozenset(adapted), tuple(diagnostics))


def serve_as_tool(
    choice: StepResolution, node: ResolvedNode, registry: Registry
) -> StepResolution | None:
    """Returns a step as a tool of an agent: its node in the mode of a tool, else the tool that n8n
    generates from its node; None if there is neither.
    """
    enabling = parameter_enabling_port(node, "outputs", SERVING_KIND, 0)
    if enabling is not None and "." not in enabling[0]:
        key, value = enabling
        if key not in choice.step.params and key not in choice.step.stated:
            return replace(choice, preset={**choice.preset, key: value})
    row = registry.tools.get(f"{choice.tool.id}{_SUFFIX}") if choice.tool is not None else None
    if row is None or choice.tool is None or row.availability != "installed":
        return None
    version = choice.version if choice.version in row.versions else row.preferred_version
    spec = registry.spec(row.id, version)
    if spec.traits.get("tool_of") != choice.tool.id:
        return None
    return replace(choice, tool=row, version=version, spec=spec)


def report_tool(before: StepResolution, after: StepResolution, host: str) -> Diagnostic:
    """Returns the note about a step that serves as a tool."""
    step = before.step
    changed = [key for key in after.preset if before.preset.get(key) != after.preset[key]]
    how = ", ".join(f"with {key} {after.preset[key]}" for key in changed)
    tool = after.tool.id if after.tool is not None else ""
    return new_diagnostic(
        SERVES_AS_TOOL,
        step.tool_at,
        f'"{step.id}" serves "{host}" as {tool}{" " if how else ""}{how}',
        node=step.id,
        token=step.tool,
    )


def _kinds_taken(hosts: list[str], ports: Mapping[str, Ports]) -> set[str]:
    """Returns the kinds of sub-node that all hosts take; hosts with unknown inputs take tools."""
    taken = [
        {SERVING_KIND} if (inputs := ports[host].inputs) is None else set(inputs) - {MAIN}
        for host in hosts
    ]
    return set.intersection(*taken) if taken else set()


def _report_stray(
    choice: StepResolution, host: str, kinds: set[str], registry: Registry
) -> Diagnostic:
    step = choice.step
    name = choice.tool.id if choice.tool is not None else step.tool
    takes = ", ".join(sorted(kinds)) or "no sub-nodes"
    similar = _similar_tools(choice.tool, registry) if SERVING_KIND in kinds else ()
    return new_diagnostic(
        STRAY_SUB_NODE,
        step.at,
        f'"{step.id}" ({name}) cannot serve "{host}", which takes {takes}',
        help='use a tool node instead, or leave out "for" and name the step before it in "inputs"'
        if SERVING_KIND in kinds
        else 'leave out "for" and name the step before it in "inputs"',
        node=step.id,
        token=step.tool,
        alternatives=similar,
    )


def _similar_tools(tool: ToolRow | None, registry: Registry) -> tuple[str, ...]:
    """Returns the tools of agents whose names share most words with the name of a tool."""
    words = set(split_identifier(tool.name)) if tool is not None else set()
    shared = {
        row.id: len(words & set(split_identifier(row.name)))
        for row in registry.tools.values()
        if SERVING_KIND in row.capabilities and not row.id.endswith(_SUFFIX)
    }
    best = sorted((name for name in shared if shared[name]), key=lambda name: -shared[name])
    return tuple(best[:_MAX_SIMILAR])
