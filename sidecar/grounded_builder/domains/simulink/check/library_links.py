"""Reports library links that form a cycle, within a library or through other libraries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from grounded_builder.diagnostics import Diagnostic, Related, Rule, new_diagnostic
from grounded_builder.domains.simulink.analysis.model_view import BlockView, ModelView
from grounded_builder.domains.simulink.read.document import tool_of

CYCLIC_LIBRARY_LINK = Rule.wrong(
    "SLX334", "cyclic-library-link", "InvalidConnection", "Library links form a cycle."
)


def check_links(view: ModelView) -> Iterator[Diagnostic]:
    """Finds links that lead into a cycle, and blocks of a library that link back to themselves."""
    name = view.model.get("name") or ""
    own = name if view.model.get("kind") == "library" else ""
    for item in view.items():
        source = tool_of(item.block) or ""
        if item.spec is not None and item.spec.circular and source.partition("/")[0] != own:
            yield _report_cycle(item, item.spec.circular)
    if own:
        yield from _check_library(view, own)


def _report_cycle(
    item: BlockView, circle: Iterable[str], others: Iterable[BlockView] = ()
) -> Diagnostic:
    return new_diagnostic(
        CYCLIC_LIBRARY_LINK,
        item.at,
        f"library blocks link to each other in a cycle: {' -> '.join(circle)}",
        help="remove one of the links",
        node=item.name,
        token=item.block["source"],
        related=[Related(other.at, "a link of the cycle") for other in others],
    )


def _check_library(view: ModelView, name: str) -> Iterator[Diagnostic]:
    tops = {
        f"{name}/{' '.join(item.block['name'].split())}": item for item in view.diagrams[0].items
    }
    links: dict[str, list[tuple[str, BlockView]]] = {}
    for item in view.items():
        target = tool_of(item.block)
        if item.block.get("source") and target in tops:
            links.setdefault(_top(item, name), []).append((target, item))
    entries: set[str] = set()
    for path in links:
        way = _find_cycle(path, links)
        if way and not entries & {step for step, _ in way}:
            entries |= {step for step, _ in way}
            first, *others = (item for _, item in way)
            yield _report_cycle(first, [path, *(step for step, _ in way)], others)


def _top(item: BlockView, name: str) -> str:
    """Returns the top-level block of the library that contains a block."""
    path = item.diagram.path
    return f"{name}/{' '.join((path[0] if path else item.block['name']).split())}"


def _find_cycle(
    start: str, links: dict[str, list[tuple[str, BlockView]]]
) -> list[tuple[str, BlockView]]:
    """Returns the links from a block back to itself; empty where there is no path."""
    entries: dict[str, tuple[str, BlockView]] = {}
    waiting = [start]
    while waiting:
        here = waiting.pop()
        for target, item in links.get(here, ()):
            if target == start:
                way = [(target, item)]
                while here != start:
                    before, link = entries[here]
                    way.append((here, link))
                    here = before
                return way[::-1]
            if target not in entries:
                entries[target] = (here, item)
                waiting.append(target)
    return []
