"""Place nodes from left to right, sub-nodes under their root, nothing on top of another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import networkx as nx

from grounded_builder.domains.n8n.plans.wiring import MAIN, Wire

COLUMN, ROW = 224, 176
SUB_COLUMN, SUB_ROW = 176, 208
_SWEEPS = 4

Place = tuple[int, int]


def places(order: Iterable[str], drawn: Iterable[Wire]) -> dict[str, Place]:
    """A place for each step, in n8n's canvas units, on its grid of 16."""
    steps, edges = list(order), list(drawn)
    hosts = {wire.source: wire.target for wire in edges if wire.kind != MAIN}
    subs: dict[str, list[str]] = {}
    for step in steps:
        if step in hosts:
            subs.setdefault(hosts[step], []).append(step)
    roots = [step for step in steps if step not in hosts]
    layers = _layers(roots, [wire for wire in edges if wire.kind == MAIN])
    found: dict[str, Place] = {}
    x = 0
    for layer in layers:
        y, width = 0, COLUMN
        for step in layer:
            found[step] = (x, y)
            wide, deep = _hang(step, x, y, subs, found)
            width = max(width, wide)
            y += ROW + deep
        x += width
    for step in steps:
        if step not in found:
            found[step] = (x, len(found) * ROW)
    return found


def _hang(
    host: str, x: int, y: int, subs: Mapping[str, list[str]], found: dict[str, Place]
) -> tuple[int, int]:
    """Place what hangs below a node, side by side; returns the width and depth it takes."""
    wide = deep = 0
    for sub in subs.get(host, ()):
        if sub in found:
            continue
        found[sub] = (x + wide, y + SUB_ROW)
        below_wide, below_deep = _hang(sub, x + wide, y + SUB_ROW, subs, found)
        wide += max(SUB_COLUMN, below_wide)
        deep = max(deep, SUB_ROW + below_deep)
    return (wide + COLUMN - SUB_COLUMN if wide else 0), deep


def _layers(roots: list[str], edges: list[Wire]) -> list[list[str]]:
    """Steps by their longest distance from a start; edges that close a loop do not count."""
    graph = nx.DiGraph()
    graph.add_nodes_from(roots)
    position = {step: index for index, step in enumerate(roots)}
    for wire in edges:
        if wire.source in position and wire.target in position and wire.source != wire.target:
            graph.add_edge(wire.source, wire.target)
            if not nx.is_directed_acyclic_graph(graph):
                graph.remove_edge(wire.source, wire.target)
    layers = [
        sorted(layer, key=position.__getitem__) for layer in nx.topological_generations(graph)
    ]
    # Starts that feed a later layer only would stand at the far left; that is where starts stand.
    for _ in range(_SWEEPS):
        _sweep(layers, graph.predecessors, position)
        _sweep(layers[::-1], graph.successors, position)
    return layers


def _sweep(layers: list[list[str]], neighbours: object, position: Mapping[str, int]) -> None:
    """Order each layer by the mean place of its neighbours, drafted order deciding ties."""
    place = {step: index for layer in layers for index, step in enumerate(layer)}
    for layer in layers:
        mean = {}
        for step in layer:
            known = [place[one] for one in neighbours(step)]  # type: ignore[operator]
            mean[step] = sum(known) / len(known) if known else place[step]
        layer.sort(key=lambda step: (mean[step], position[step]))
        place.update({step: index for index, step in enumerate(layer)})
