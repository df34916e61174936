"""Groups feedback blocks in chains, and places these below the part that they bypass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import networkx as nx

from grounded_builder.domains.simulink.draw.geometry import Box, port
from grounded_builder.domains.simulink.draw.layout.columns import Flow
from grounded_builder.domains.simulink.draw.layout.links import Link

_RETURN = 5.0


def chains(
    back: Sequence[str], links: Sequence[Link], shapes: Mapping[str, Box], flow: Flow
) -> list[dict[str, float]]:
    """Returns the feedback blocks in chains, each with its top relative to that of the chain.

    Where two blocks of a chain share a column, each block is a chain of its own.
    """
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(back)
    steps: dict[tuple[str, str], float] = {}
    for link in links:
        pair = (link.start["block"], link.end["block"])
        if pair[0] in graph and pair[1] in graph and pair not in flow.closing:
            leaves = port(shapes[pair[0]], link.start["kind"], link.start["index"])[1]
            arrives = port(shapes[pair[1]], link.end["kind"], link.end["index"])[1]
            steps.setdefault(pair, leaves - arrives)
    graph.add_edges_from(steps)
    order = list(nx.topological_sort(graph))
    results = []
    for part in nx.weakly_connected_components(graph):
        chain = [name for name in order if name in part]
        if len({flow.columns[name] for name in chain}) < len(chain):
            results += [{name: 0.0} for name in chain]
            continue
        tops_: dict[str, float] = {}
        for name in chain:
            before = next(iter(graph.predecessors(name)), None)
            tops_[name] = 0.0 if before is None else tops_[before] + steps[before, name]
        least = min(tops_.values())
        results.append({item: top - least for item, top in tops_.items()})
    return sorted(results, key=lambda chain: min(map(order.index, chain)))


def below(
    groups: Sequence[Mapping[str, float]],
    links: Sequence[Link],
    flow: Flow,
    room: Mapping[str, float],
    high: Mapping[str, float],
) -> dict[str, float]:
    """Returns the tops of feedback blocks; the shortest path is placed highest."""
    floor: dict[int, float] = {}
    for sid, top in high.items():
        column = flow.columns[sid]
        floor[column] = max(floor.get(column, 0.0), top + room[sid])
    chain_of = {sid: at for at, chain in enumerate(groups) for sid in chain}
    reached = [{flow.columns[sid] for sid in chain} for chain in groups]
    for link in links:
        pair = (link.start["block"], link.end["block"])
        for item, other in (pair, pair[::-1]):
            if item in chain_of:
                reached[chain_of[item]].add(flow.columns[other])
    spans = [
        (max(there) - min(there), at, min(there), max(there)) for at, there in enumerate(reached)
    ]
    entries: dict[str, float] = {}
    for _, at, low, far in sorted(spans):
        top = max(floor.get(column, 0.0) for column in range(low, far + 1)) + _RETURN
        entries |= {sid: top + shift for sid, shift in groups[at].items()}
        under = max(entries[sid] + room[sid] for sid in groups[at])
        floor |= dict.fromkeys(range(low, far + 1), under - _RETURN)
    return entries
