"""Place nodes from left to right, sub-nodes under their root, without overlap."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import networkx as nx

from grounded_builder.domains.n8n.lower.wiring import MAIN, Wire

COLUMN, ROW = 224, 176
SUB_COLUMN, SUB_ROW = 176, 208
# n8n draws a node taller for each port on one side beyond two.
PORT, _PORTS = 32, 2
_SWEEPS = 4

Place = tuple[int, int]


def places(order: Iterable[str], drawn: Iterable[Wire]) -> dict[str, Place]:
    """Returns a position for each step, in n8n's canvas units, on its grid of 16."""
    steps, edges = list(order), list(drawn)
    hosts = {wire.source: wire.target for wire in edges if wire.kind != MAIN}
    subs: dict[str, list[str]] = {}
    for step in steps:
        if step in hosts:
            subs.setdefault(hosts[step], []).append(step)
    roots = [step for step in steps if step not in hosts]
    ports: dict[str, int] = {}
    for wire in edges:
        if wire.kind == MAIN:
            for step, index in ((wire.source, wire.output), (wire.target, wire.input)):
                ports[step] = max(ports.get(step, 1), index + 1)
    layers = _layers(roots, [wire for wire in edges if wire.kind == MAIN])
    placed: dict[str, Place] = {}
    x = 0
    for layer in layers:
        y, width = 0, COLUMN
        for step in layer:
            placed[step] = (x, y)
            wide, deep = _hang(step, x, y, subs, placed)
            width = max(width, wide)
            y += ROW + max(deep, PORT * max(0, ports.get(step, 1) - _PORTS))
        x += width
    for step in steps:
        if step not in placed:
            placed[step] = (x, len(placed) * ROW)
    return placed


def _hang(
    host: str, x: int, y: int, subs: Mapping[str, list[str]], placed: dict[str, Place]
) -> tuple[int, int]:
    """Places sub-nodes below a node, side by side; returns their width and depth."""
    wide = deep = 0
    for sub in subs.get(host, ()):
        if sub in placed:
            continue
        placed[sub] = (x + wide, y + SUB_ROW)
        below_wide, below_deep = _hang(sub, x + wide, y + SUB_ROW, subs, placed)
        wide += max(SUB_COLUMN, below_wide)
        deep = max(deep, SUB_ROW + below_deep)
    return (wide + COLUMN - SUB_COLUMN if wide else 0), deep


def _layers(roots: list[str], edges: list[Wire]) -> list[list[str]]:
    """Returns steps by their longest distance from a start, ignoring edges that close a loop."""
    position = {step: index for index, step in enumerate(roots)}
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(roots)
    graph.add_edges_from(
        (wire.source, wire.target)
        for wire in edges
        if wire.source in position and wire.target in position and wire.source != wire.target
    )
    graph.remove_edges_from(_closing(graph, roots))
    layers = [
        sorted(layer, key=position.__getitem__) for layer in nx.topological_generations(graph)
    ]
    # Starts are always placed at the far left, even those that feed a later layer only.
    for _ in range(_SWEEPS):
        _sweep(layers, graph.predecessors, position)
        _sweep(layers[::-1], graph.successors, position)
    return layers


def _closing(graph: nx.DiGraph[str], roots: list[str]) -> list[tuple[str, str]]:
    """Returns the edges that lead back onto their own path, walking from the starts."""
    starts = [step for step in roots if graph.in_degree(step) == 0]
    closing: list[tuple[str, str]] = []
    seen: set[str] = set()
    for start in (*starts, *roots):
        if start in seen:
            continue
        seen.add(start)
        way = {start: iter(list(graph.successors(start)))}
        while way:
            step, ahead = next(reversed(way.items()))
            following = next(ahead, None)
            if following is None:
                del way[step]
            elif following in way:
                closing.append((step, following))
            elif following not in seen:
                seen.add(following)
                way[following] = iter(list(graph.successors(following)))
    return closing


def _sweep(layers: list[list[str]], neighbours: object, position: Mapping[str, int]) -> None:
    """Orders each layer by the mean position of its neighbours, then by drafted order."""
    place = {step: index for layer in layers for index, step in enumerate(layer)}
    for layer in layers:
        mean = {}
        for step in layer:
            known = [place[neighbour] for neighbour in neighbours(step)]  # type: ignore[operator]
            mean[step] = sum(known) / len(known) if known else place[step]
        layer.sort(key=lambda step: (mean[step], position[step]))
        place.update({step: index for index, step in enumerate(layer)})
