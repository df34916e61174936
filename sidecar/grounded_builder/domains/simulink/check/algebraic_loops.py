"""Reports algebraic loops: loops of blocks whose outputs depend directly on their inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import networkx as nx

from grounded_builder.diagnostics import Diagnostic, Related, Rule, new_diagnostic
from grounded_builder.domains.simulink.analysis.model_view import BlockView, Diagram
from grounded_builder.domains.simulink.analysis.port_counts import count_ports
from grounded_builder.domains.simulink.analysis.signal_sources import Flow
from grounded_builder.domains.simulink.catalog.feedthrough import feedthrough, is_known_mask
from grounded_builder.domains.simulink.read.document import CONTROL

ALGEBRAIC_LOOP = Rule.advice(
    "SLX326", "algebraic-loop", "InvalidConnection", "A signal loop contains no delay."
)

_SHOWN = 6
# For a mask with an unknown number of inputs, only inputs with lines matter.
_MOST = 8


def check_loops(flow: Flow) -> Iterator[Diagnostic]:
    """Finds loops in which every block is known to pass on its input without delay."""
    graph: nx.DiGraph[BlockView] = nx.DiGraph()
    passing: dict[BlockView, list[int]] = {}
    for item in flow.blocks():
        if not item.active or (
            item.opaque is not None and not is_known_mask(item.block.get("source"))
        ):
            continue
        for index in _list_passing_inputs(item):
            source = flow.origin(item, index)
            if source is not None and source[0].active:
                graph.add_edge(source[0], item)
                passing.setdefault(item, []).append(index)
    for diagram in flow.view.checked_diagrams():
        graph.add_edges_from(list(_list_atomic_dependencies(diagram, passing, flow)))
    order = {item: place for place, item in enumerate(graph)}
    for circle in nx.strongly_connected_components(graph):
        if len(circle) > 1 or any(graph.has_edge(item, item) for item in circle):
            first = min(circle, key=order.__getitem__)
            yield _report_loop(_find_shortest_loop(graph.subgraph(circle), first), circle, order)


def _list_passing_inputs(item: BlockView) -> list[int]:
    """Returns the inputs that feed through."""
    path = item.block.get("source")
    known = count_ports(item)
    inputs = known.get("in", 0) if known is not None else _MOST * is_known_mask(path)
    parameters = item.parameters()
    return [
        index
        for index in range(1, inputs + 1)
        if feedthrough(item.type, parameters, index, path) is True
    ]


def _list_atomic_dependencies(
    diagram: Diagram, passing: Mapping[BlockView, list[int]], flow: Flow
) -> Iterator[tuple[BlockView, BlockView]]:
    """Yields the dependencies of an atomic subsystem, whose outputs wait for all required inputs.

    Control signals are such inputs. The subsystem itself is a node between them.
    """
    owner = diagram.owner
    if owner is None or not owner.active:
        return
    controls = [flow.origin(owner, 1, kind) for kind in sorted(CONTROL)]
    deciding = [control[0] for control in controls if control is not None and control[0].active]
    if not deciding and owner.value("TreatAsAtomicUnit", "off") != "on":
        return
    ends = (flow.origin(port, 1) for port in diagram.of("Outport") if port.active)
    made = dict.fromkeys(end[0] for end in ends if end is not None and end[0].lies_in(diagram))
    needed = dict.fromkeys(deciding)
    if owner.value("MinAlgLoopOccurrences", "off") != "on":
        needed |= dict.fromkeys(_list_needed_blocks(list(made), diagram, passing, flow))
    yield from ((source, owner) for source in needed)
    yield from ((owner, item) for item in made)


def _list_needed_blocks(
    made: list[BlockView], diagram: Diagram, passing: Mapping[BlockView, list[int]], flow: Flow
) -> Iterator[BlockView]:
    """Yields the blocks outside a diagram whose outputs feed through to an output of it."""
    passed, depth = set(made), len(diagram.at)
    while made:
        item = made.pop()
        for index in passing.get(item, ()):
            output, nets = flow.way(item, index)
            if output is None or not output[0].active:
                continue
            before = output[0]
            if any(net.at[:depth] != diagram.at for net in nets):
                yield before
            elif before not in passed and before.lies_in(diagram):
                passed.add(before)
                made.append(before)


def _find_shortest_loop(graph: nx.DiGraph[BlockView], first: BlockView) -> list[BlockView]:
    """Returns the shortest path from a block back to itself."""
    for item in graph.successors(first):
        if item is first:
            return [first]
    ways = nx.single_source_shortest_path(graph, first)
    back = min((ways[item] for item in graph.predecessors(first) if item in ways), key=len)
    return list(back)


def _report_loop(
    way: list[BlockView], circle: set[BlockView], order: dict[BlockView, int]
) -> Diagnostic:
    names = [f'"{item.name}"' for item in way]
    shown = " -> ".join(names[:_SHOWN]) + (" -> ..." if len(names) > _SHOWN else "")
    others = sorted((item for item in circle if item is not way[0]), key=order.__getitem__)
    return new_diagnostic(
        ALGEBRAIC_LOOP,
        way[0].at,
        f"algebraic loop: {shown} -> {names[0]} without a delay",
        help="add a Unit Delay, a Memory or a state to the loop, or let the solver solve it",
        node=way[0].name,
        related=[Related(item.at, "in the loop") for item in others],
    )
