"""Reports data stores that blocks read or write and nothing defines."""

from __future__ import annotations

from collections.abc import Iterator

from grounded_builder.catalog.likeness import find_nearest
from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.simulink.analysis.model_view import BlockView, ModelView

UNDEFINED_DATA_STORE = Rule.advice(
    "SLX346", "undefined-data-store", "InvalidConnection", "No block defines a data store."
)

_NAME = "DataStoreName"


def check_stores(view: ModelView) -> Iterator[Diagnostic]:
    """Finds data stores that no Data Store Memory in scope defines.

    A model that may use signal objects of the workspace is not checked.
    """
    if not view.whole:
        return
    memories = [
        block_view
        for block_view in view.items()
        if block_view.type == "DataStoreMemory" and block_view.active
    ]
    for diagram in view.checked_diagrams():
        for item in diagram.of("DataStoreRead", "DataStoreWrite"):
            if item.active and not any(_is_in_scope(memory, item) for memory in memories):
                yield _report_undefined(item, memories)


def _name(item: BlockView) -> str:
    return item.value(_NAME) or "A"


def _is_in_scope(memory: BlockView, item: BlockView) -> bool:
    """Returns whether a memory is in the diagram of a block or in one around it."""
    return _name(memory) == _name(item) and item.lies_in(memory.diagram)


def _report_undefined(item: BlockView, memories: list[BlockView]) -> Diagnostic:
    name = _name(item)
    far = next((memory for memory in memories if _name(memory) == name), None)
    text = f'; "{far.name}" defines it in a diagram outside that scope' if far is not None else ""
    return new_diagnostic(
        UNDEFINED_DATA_STORE,
        item.at,
        f'no Data Store Memory in scope defines "{name}", which "{item.name}" uses{text}',
        help="add a Data Store Memory to its diagram or one around it, or define a signal object",
        node=item.name,
        token=name,
        alternatives=find_nearest(
            name, [_name(memory) for memory in memories if item.lies_in(memory.diagram)]
        ),
    )
