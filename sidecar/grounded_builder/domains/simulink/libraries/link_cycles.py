"""Links that lead from library to library and back to where they began."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from grounded_builder.domains.simulink.libraries.files import Library
from grounded_builder.domains.simulink.read.document import tool_of

# Blocks that are visited from one link on.
_MOST = 500


Find = Callable[[str], Library | None]

# The blocks that one links to, by the ids of both.
Targets = Callable[[str], Iterable[str]]


def targets_in(find: Find) -> Targets:
    """What gives the blocks that a block of a library, and what lies in it, link to."""
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
        yield from (to for place, to in links[root] if place == path or _lies_in(place, path))

    return targets


def leaving(targets: Targets) -> Callable[[str], tuple[str, ...]]:
    """What gives the blocks of other libraries that the links of a block come to."""

    def reached(start: str) -> tuple[str, ...]:
        root = start.partition("/")[0]
        seen, waiting = {start}, [start]
        while waiting and len(seen) < _MOST:
            results = [target for target in targets(waiting.pop()) if target not in seen]
            seen.update(results)
            waiting += [name for name in results if name.partition("/")[0] == root]
        return tuple(sorted(name for name in seen if name.partition("/")[0] != root))

    return reached


def circles(targets: Targets) -> Callable[[str], tuple[str, ...]]:
    """What tells the circle that a link to a block leads into, by the block's id.

    The circle's first id is its last one too; it is empty where there is none, or not all that is
    on the way is known.
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


def _lies_in(place: str, path: str) -> bool:
    """Whether a block lies in another; a doubled slash belongs to a name."""
    rest = place[len(path) :]
    return place.startswith(path) and rest.startswith("/") and not rest.startswith("//")
