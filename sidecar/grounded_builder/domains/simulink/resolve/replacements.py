"""Finds replacements for a block that is not available."""

from __future__ import annotations

from collections.abc import Iterator

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.simulink.resolve.constraints import filter_by_constraints
from grounded_builder.domains.simulink.resolve.name_index import BASE, fold, names_of
from grounded_builder.ir.resolution import NameContext

_MOST = 5


def find_replacements(tool: str, registry: Registry, context: NameContext | None) -> list[str]:
    """Returns blocks that can replace a block under the constraints, likeliest first."""
    likely = dict.fromkeys(name for name in _likely(tool, registry) if name != tool)
    return filter_by_constraints(
        (name for name in likely if name in registry.tools), registry, context
    )[:_MOST]


def _likely(tool: str, registry: Registry) -> Iterator[str]:
    """Yields equivalents, predecessors, blocks of the same name, and blocks of the same type."""
    row = registry.tools[tool]
    spec = registry.spec(tool, row.newest)
    yield from spec.instead
    if spec.bare:
        for name in row.replaced_by:
            yield from registry.spec(name, registry.tools[name].newest).instead
    yield from (tool_row.id for tool_row in registry.tools.values() if tool in tool_row.replaced_by)
    yield from row.equivalent_to
    names = names_of(registry)
    namesakes = names.titles.get(fold(row.name), ())
    yield from sorted(namesakes, key=lambda item: registry.tools[item].package != BASE)
    if spec.base is not None:
        yield spec.base
    home = registry.tools.get(f"built-in/{spec.block_type}")
    if home is not None and spec.block_type not in ("SubSystem", "S-Function"):
        yield from home.replaced_by
