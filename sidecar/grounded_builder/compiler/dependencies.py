"""Lists dependencies of plan steps; reports missing, cyclic and out-of-order ones."""

from __future__ import annotations

import re
from collections.abc import Iterator

import networkx as nx
import orjson

from grounded_builder.catalog.likeness import NearestNames
from grounded_builder.diagnostics import Diagnostic, new_diagnostic
from grounded_builder.ir import graph_cycles
from grounded_builder.ir.plan import Plan, Source, Step
from grounded_builder.ir.rules.order import (
    DEPENDENCY_CYCLE,
    FORWARD_DEPENDENCY,
    MISSING_DEPENDENCY,
    SELF_DEPENDENCY,
)

_MOST_LISTED = 20
_MAX_NAME_CHARS = 200
_NOT_WORD = re.compile(r"[\W_]")

Dependency = tuple[Step, Source, Step]


def list_dependencies(plan: Plan) -> tuple[Dependency, ...]:
    """Returns every input that names a step, with its step and the step that it comes from."""
    pairs = ((step, source) for step in plan.steps for source in step.inputs or ())
    return tuple(
        (step, source, origin)
        for step, source in pairs
        if (origin := plan.find_step(source.name)) is not None
    )


def check_order(
    plan: Plan, *, forward_is_wrong: bool, itself_is_wrong: bool = True
) -> Iterator[Diagnostic]:
    """Yields missing dependencies, and those on itself, on later steps or in a cycle.

    The domain decides which of the latter are errors.
    """
    ids = [step.id for step in plan.steps]
    nearest = NearestNames([*ids, *(name for step in plan.steps for name in step.outputs)])
    listed = ", ".join(ids[:_MOST_LISTED]) + (" and others" if len(ids) > _MOST_LISTED else "")
    for step in plan.steps:
        for source in step.inputs or ():
            if plan.find_step(source.name) is None:
                yield new_diagnostic(
                    MISSING_DEPENDENCY,
                    source.at,
                    f'step "{step.id}" depends on "{source.name}", '
                    "which is not a step or an output",
                    help=f"{_show_output(source.name, plan)}steps: {listed}",
                    node=step.id,
                    token=source.name,
                    alternatives=nearest.near(source.name),
                )
    position = {identity: index for index, identity in enumerate(ids)}
    for step, source, origin in list_dependencies(plan):
        if origin is step:
            if not itself_is_wrong:
                continue
            yield new_diagnostic(
                SELF_DEPENDENCY,
                source.at,
                f'step "{step.id}" depends on itself',
                help="name the step that comes before it",
                node=step.id,
            )
        elif forward_is_wrong and position[origin.id] > position[step.id]:
            yield new_diagnostic(
                FORWARD_DEPENDENCY,
                source.at,
                f'step "{step.id}" depends on the later step "{origin.id}"',
                help="move the step that it depends on before it",
                node=step.id,
            )
    if forward_is_wrong:
        yield from _check_cycles(plan)


def _show_output(name: str, plan: Plan) -> str:
    """Returns how an output is named, for a name that begins with that of a step, else ""."""
    for mark in reversed(tuple(_NOT_WORD.finditer(name[:_MAX_NAME_CHARS]))):
        step, port = name[: mark.start()], name[mark.end() : _MAX_NAME_CHARS]
        if port and plan.find_step(step) is not None:
            example = orjson.dumps({"from": step, "output": port}).decode()
            return f"an output of a step is written {example}; "
    return ""


def find_cycle(plan: Plan) -> tuple[str, ...]:
    """Returns the ids of one cycle in order, with the first id again at the end, () if none."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(step.id for step in plan.steps)
    for step, source, origin in list_dependencies(plan):
        if origin is not step and not source.back:
            graph.add_edge(origin.id, step.id)
    return graph_cycles.find_cycle(graph)


def _check_cycles(plan: Plan) -> Iterator[Diagnostic]:
    cycle = find_cycle(plan)
    if cycle:
        step = next(step for step in plan.steps if step.id == cycle[0])
        yield new_diagnostic(
            DEPENDENCY_CYCLE,
            step.at,
            f"steps depend on each other in a cycle: {' -> '.join(cycle)}",
            help="remove one of these dependencies",
            node=step.id,
        )
