"""The circles of a graph: groups of nodes that all lead to each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from grounded_builder.ir.graph import Edge


def circles(after: Mapping[str, Sequence[Edge]]) -> Iterator[tuple[str, ...]]:
    """Every strongly connected group with an edge inside, its names in the order of ``after``."""
    rest = _beyond_a_line(after)
    return _groups({name: after[name] for name in after if name in rest}) if rest else iter(())


def _beyond_a_line(after: Mapping[str, Sequence[Edge]]) -> set[str]:
    """The names left when what nothing leads to is taken away, again and again: mostly none."""
    arriving: dict[str, int] = {}
    for edges in after.values():
        for edge in edges:
            arriving[edge.target] = arriving.get(edge.target, 0) + 1
    stack = [name for name in after if name not in arriving]
    while stack:
        for edge in after.get(stack.pop(), ()):
            left = arriving[edge.target] - 1
            if left:
                arriving[edge.target] = left
            else:
                del arriving[edge.target]
                stack.append(edge.target)
    return set(arriving)


def _groups(after: Mapping[str, Sequence[Edge]]) -> Iterator[tuple[str, ...]]:
    """Tarjan's algorithm without recursion: time grows with nodes and edges."""
    order = {name: place for place, name in enumerate(after)}
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    for root in after:
        if root in index:
            continue
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        walk = [(root, iter(after[root]))]
        while walk:
            name, edges = walk[-1]
            for edge in edges:
                target = edge.target
                if target not in after:
                    continue
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on_stack.add(target)
                    walk.append((target, iter(after[target])))
                    break
                if target in on_stack:
                    low[name] = min(low[name], index[target])
            else:
                walk.pop()
                if walk:
                    above = walk[-1][0]
                    low[above] = min(low[above], low[name])
                if low[name] == index[name]:
                    group = []
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        group.append(member)
                        if member == name:
                            break
                    if len(group) > 1 or any(edge.target == name for edge in after[name]):
                        yield tuple(sorted(group, key=order.__getitem__))
