"""Makes functions that find a library block's links, those to other libraries, and link cycles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from grounded_builder.domains.simulink.libraries.files import Library
from grounded_builder.domains.simulink.read.document import tool_of

# The number of blocks to visit from one link.
_MOST = 500


Find = Callable[[str], Library | None]

# Returns the ids of the blocks to which a block links.
Targets = Callable[[str], Iterable[str]]


def targets_in(find: Find) -> Targets:
    """Returns a function for the blocks to which a library block and its contents link."""
    links: dict[str, tuple[tuple[str, str], ...]] = {}

    def targets(path: str) -> Iterator[str]:
        root = path.partition("/")[0]
        library = find(root)
        if library is None:
            return
        if root not in links:
            links[root] = tuple(_links(library))
        if path in library.renamed:
            yield library.renamed[path]
        yield from (to for place, to in links[root] if place == path or _is_inside(place, path))

    return targets


def make_leaving_finder(targets: Targets) -> Callable[[str], tuple[str, ...]]:
    """Returns a function for the blocks of other libraries that the links of a block reach."""

    def find_reached(start: str) -> tuple[str, ...]:
        root = start.partition("/")[0]
        seen, waiting = {start}, [start]
        while waiting and len(seen) < _MOST:
            results = [target for target in targets(waiting.pop()) if target not in seen]
            seen.update(results)
            waiting += [name for name in results if name.partition("/")[0] == root]
        return tuple(sorted(name for name in seen if name.partition("/")[0] != root))

    return find_reached


def make_cycle_finder(targets: Targets) -> Callable[[str], tuple[str, ...]]:
    """Returns a function for the cycle to which a link to a block leads, by the block's id.

    The first id of the cycle is also its last. It is empty where there is no cycle, or where part
    of the path is unknown.
    """

    def circle(start: str) -> tuple[str, ...]:
        seen = {start}
        way, waiting = [start], [iter(targets(start))]
        while waiting:
            to = next(waiting[-1], None)
            if to is None:
                way.pop()
                waiting.pop()
            elif to in way:
                return (*way[way.index(to) :], to)
            elif to not in seen and len(seen) < _MOST:
                seen.add(to)
                way.append(to)
                waiting.append(iter(targets(to)))
        return ()

    return circle


def _links(library: Library) -> Iterator[tuple[str, str]]:
    for place, block in library.blocks.items():
        target = tool_of(block)
        if block["type"] == "Reference" and block.get("source") and target:
            yield place, target


def _is_inside(place: str, path: str) -> bool:
    """Returns whether a block is inside another; a doubled slash is part of a name."""
    rest = place[len(path) :]
    return place.startswith(path) and rest.startswith("/") and not rest.startswith("//")
