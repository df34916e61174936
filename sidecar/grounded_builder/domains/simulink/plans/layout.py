"""Place blocks from left to right by how far they are from a source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import networkx as nx

_LEFT, _TOP, _COLUMN, _ROW = 40, 40, 130, 80
_WIDTH, _HEIGHT, _PORT = 50, 40, 20
_SLIM = frozenset({"Mux", "Demux", "BusCreator", "BusSelector"})
_ROUND = frozenset({"Sum"})
_PORTS = frozenset({"Inport", "Outport"})


def positions(
    kinds: Mapping[str, str], edges: Iterable[tuple[str, str]], ports: Mapping[str, int]
) -> dict[str, list[float]]:
    """Left, top, right and bottom of each block; ``ports`` counts those of its fuller side."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(kinds)
    order = {block: at for at, block in enumerate(kinds)}
    # Lines to an earlier block close a loop: they do not move blocks to the right.
    graph.add_edges_from((a, b) for a, b in edges if order[a] < order[b])
    places: dict[str, list[float]] = {}
    for column, layer in enumerate(nx.topological_generations(graph)):
        top = float(_TOP)
        for block in sorted(layer, key=order.__getitem__):
            width, height = _size(kinds[block], ports.get(block, 1))
            left = float(_LEFT + column * _COLUMN + (_WIDTH - width) // 2)
            places[block] = [left, top, left + width, top + height]
            top += max(_ROW, height + _PORT)
    return places


def _size(kind: str, ports: int) -> tuple[int, int]:
    if kind in _SLIM:
        return 5, max(_HEIGHT, _PORT * ports)
    if kind in _ROUND:
        return 20, 20
    if kind in _PORTS:
        return 30, 14
    return _WIDTH, max(_HEIGHT, _PORT * ports)
