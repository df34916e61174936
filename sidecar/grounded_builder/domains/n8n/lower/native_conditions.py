"""Corrects loose conditions in the filters of native drafts as those of plans are read."""

from __future__ import annotations

from collections.abc import Iterator

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Route, new_diagnostic
from grounded_builder.domains.n8n.lower.conditions import as_filter
from grounded_builder.domains.n8n.parameters.defaults import filled_parameters
from grounded_builder.domains.n8n.parameters.filter_conditions import check_filter
from grounded_builder.domains.n8n.parameters.properties import Property
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode
from grounded_builder.ir.options import CompileOptions
from grounded_builder.ir.rules.reading import LOOSE_SHAPE

_HOLDERS = ("filter", "fixedCollection")


def check_conditions(
    resolved: ResolvedGraph, registry: Registry, options: CompileOptions
) -> Iterator[Diagnostic]:
    """Yields a note, with its correction, for each filter in another shape that is read surely."""
    del registry, options
    for bound in resolved.nodes:
        for at, prop, value in _filters(bound):
            if isinstance(value, str) or not any(check_filter(prop, value)):
                continue
            conditions = as_filter(value)
            if conditions is not value and not any(check_filter(prop, conditions)):
                reason = f'"{at[-1]}" of "{bound.node.name}" was read as conditions'
                yield new_diagnostic(
                    LOOSE_SHAPE,
                    at,
                    reason,
                    node=bound.node.name,
                    fix=Fix(True, (Edit("set", at, conditions),), reason),
                )


def _filters(bound: ResolvedNode) -> Iterator[tuple[Route, Property, object]]:
    """Yields the filters of a node, also those of the rules in its fixed collections."""
    if not isinstance(bound.spec, NodeSpec):
        return
    declarations, params = bound.spec.declarations, bound.node.params
    start: Route = (*bound.node.at, "parameters")
    candidates = [prop for prop in declarations.root.properties if prop.type in _HOLDERS]
    filled = filled_parameters(bound).full if candidates else {}
    for prop in candidates:
        value = params.get(prop.name)
        if value is None or not prop.is_shown(filled, filled):
            continue
        if prop.type == "filter":
            yield (*start, prop.name), prop, value
        elif prop.type == "fixedCollection" and isinstance(value, dict):
            for group, entries in value.items():
                level = declarations.group(prop, group)
                inner = [p for p in level.properties if p.type == "filter"] if level else []
                for index, entry in enumerate(entries if isinstance(entries, list) else ()):
                    for part in inner if isinstance(entry, dict) else ():
                        if part.name in entry:
                            at = (*start, prop.name, group, index, part.name)
                            yield at, part, entry[part.name]
