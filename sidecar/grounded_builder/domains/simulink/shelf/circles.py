"""Links that lead from library to library and back to where they began."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from grounded_builder.domains.simulink.document import tool_of
from grounded_builder.domains.simulink.shelf.files import Library

# Blocks that are visited from one link on.
_MOST = 500


def circles(find: Callable[[str], Library | None]) -> Callable[[str], tuple[str, ...]]:
    """What tells the circle that a link to a block leads into, by the block's id.

    The circle's first id is its last one too; it is empty where there is none, or the libraries are
    not all among those that are found.
    """
    links: dict[str, tuple[tuple[str, str], ...]] = {}

    def targets(path: str) -> Iterator[str]:
        """The blocks that a block and what lies in it link to."""
        root = path.partition("/")[0]
        library = find(root)
        if library is None:
            return
        if root not in links:
            links[root] = tuple(_links(library))
        if path in library.renamed:
            yield library.renamed[path]
        yield from (to for place, to in links[root] if place == path or _lies_in(place, path))

    def circle(start: str) -> tuple[str, ...]:
        seen = {start}
        way, waiting = [start], [targets(start)]
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
                waiting.append(targets(to))
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
