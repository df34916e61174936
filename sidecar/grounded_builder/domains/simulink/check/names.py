"""Reports duplicate block names and port numbers, and control blocks outside any subsystem."""

from __future__ import annotations

from collections.abc import Iterator

from grounded_builder.diagnostics import Diagnostic, Related, Rule, new_diagnostic
from grounded_builder.domains.simulink.analysis.model_view import BlockView, Diagram, ModelView
from grounded_builder.domains.simulink.analysis.port_counts import number
from grounded_builder.ir.rules.edges import DUPLICATE_NAME

DUPLICATE_PORT = Rule.wrong(
    "SLX327",
    "duplicate-port",
    "DuplicateName",
    "Two ports of a diagram have the same number or kind.",
)
MISPLACED_PART = Rule.wrong(
    "SLX347", "misplaced-part", "InvalidConnection", "A block requires an enclosing subsystem."
)

_NUMBERED = ("Inport", "Outport")
# A diagram has at most one of each.
_SINGLE = ("EnablePort", "TriggerPort", "ActionPort", "ResetPort")
# Blocks that run the subsystem around them; a model may have enable and trigger ports of its own.
_RUNNING = ("ActionPort", "ForEach", "ForIterator", "ResetPort", "WhileIterator")


def check_names(view: ModelView) -> Iterator[Diagnostic]:
    """Finds blocks of one diagram that share a name, and ports that share a number."""
    for diagram in view.diagrams:
        first: dict[str, BlockView] = {}
        for item in diagram.items:
            other = first.setdefault(item.block["name"], item)
            if other is not item:
                yield new_diagnostic(
                    DUPLICATE_NAME,
                    (*item.at, "name"),
                    f'two blocks of one diagram are named "{item.block["name"]}"',
                    help="give each a unique name",
                    node=item.name,
                    token=item.block["name"],
                    related=[Related(other.at, "the other block")],
                )
        if diagram.judged:
            yield from _ports(diagram)
    if view.whole:
        yield from _check_outermost(view.diagrams[0])


def _check_outermost(diagram: Diagram) -> Iterator[Diagnostic]:
    """Finds blocks in the outermost diagram that would run the subsystem around them."""
    for item in [block_view for block_view in diagram.of(*_RUNNING) if block_view.active]:
        yield new_diagnostic(
            MISPLACED_PART,
            item.at,
            f'"{item.name}" controls an enclosing subsystem, but is in none',
            help="move it into a subsystem, or use the library subsystem that contains it",
            node=item.name,
            token=item.type,
        )


def _ports(diagram: Diagram) -> Iterator[Diagnostic]:
    for kind in _NUMBERED:
        first: dict[str, BlockView] = {}
        for item in diagram.of(kind):
            other = first.setdefault(number(item), item)
            if other is not item and not _is_one_bus(item, other):
                yield _report_duplicate(item, other, f"port number {number(item)}", diagram)
    for kind in () if diagram.is_shelf else _SINGLE:
        for item in [block_view for block_view in diagram.of(kind) if block_view.active][1:]:
            yield _report_duplicate(item, diagram.of(kind)[0], kind, diagram)


def _is_one_bus(item: BlockView, other: BlockView) -> bool:
    """Returns whether two port blocks are elements of one bus, and so share its number."""
    marked = [block_view.value("IsBusElementPort") == "on" for block_view in (item, other)]
    if any(marked) and all(
        on or block_view.block.get("element")
        for on, block_view in zip(marked, (item, other), strict=True)
    ):
        return True
    buses = [
        block_view.block["element"]["bus"]
        for block_view in (item, other)
        if block_view.block.get("element")
    ]
    return len(buses) == 2 and buses[0] == buses[1]


def _report_duplicate(item: BlockView, other: BlockView, what: str, diagram: Diagram) -> Diagnostic:
    owner = diagram.owner
    related = [Related(other.at, "the other block")]
    if owner is not None:
        related.append(Related(owner.at, "the subsystem"))
    return new_diagnostic(
        DUPLICATE_PORT,
        item.at,
        f'"{item.name}" and "{other.name}" are both {what} of one diagram',
        help="give each port a unique number"
        if item.type in _NUMBERED
        else "a diagram has at most one: remove the other",
        node=item.name,
        related=related,
    )
