"""Reports empty fields without which n8n's own nodes throw, though none is declared required.

The nodes read them in their code: "You need to define at least one pair of fields", "No fields
specified", "No sorting specified" (n8n-nodes-base 2.41).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from grounded_builder.domains.n8n.parameters.javascript_semantics import is_expression
from grounded_builder.domains.n8n.parameters.native_issues import Issue
from grounded_builder.domains.n8n.parameters.properties import Property
from grounded_builder.domains.n8n.parameters.spec import NodeSpec

NEEDED_FIELDS: Mapping[str, tuple[str, ...]] = {
    "n8n-nodes-base.aggregate": ("fieldsToAggregate",),
    "n8n-nodes-base.compareDatasets": ("mergeByFields",),
    "n8n-nodes-base.merge": ("fieldsToMatchString", "mergeByFields"),
    "n8n-nodes-base.removeDuplicates": ("fieldsToCompare", "fieldsToExclude"),
    "n8n-nodes-base.sort": ("sortFieldsUi",),
}
_MATCHING = "matchingColumns"
# The modes of n8n's column mappers that look up the row to change by columns.
_LOOKING_UP = ("update", "upsert")
_CACHED_SPECS = 512


def find_empty_fields(
    spec: NodeSpec, simple: Mapping[str, Any], params: Mapping[str, Any]
) -> Iterator[Issue]:
    """Yields an issue for each shown parameter that names no field, or no column to match on.

    ``simple`` are the parameters with defaults, by which parameters are shown, ``params`` those
    that are written: every default is empty.
    """
    for name in NEEDED_FIELDS.get(spec.id, ()):
        for prop in spec.declarations.root.by_name.get(name, ()):
            value = params.get(name)
            if prop.is_shown(simple, simple) and not _has_text(value):
                yield Issue("missing", name, prop, (name,), value)
    for prop in find_matching_mappers(spec):
        value = params.get(prop.name)
        if prop.is_shown(simple, simple) and not _is_matching(value):
            is_written = isinstance(value, dict) and bool(value)
            route = (prop.name, _MATCHING) if is_written else (prop.name,)
            yield Issue("missing", prop.name, prop, route, None)


@lru_cache(_CACHED_SPECS)
def find_matching_mappers(spec: NodeSpec) -> tuple[Property, ...]:
    """Returns the required column mappers that look up the row to change by columns."""
    return tuple(
        prop
        for prop in spec.declarations.root.properties
        if prop.type == "resourceMapper"
        and prop.raw.get("required") is True
        and isinstance(mapper := prop.options.get("resourceMapper"), dict)
        and mapper.get("mode") in _LOOKING_UP
    )


def _is_matching(value: Any) -> bool:
    """Returns whether a mapper has columns to match on, or takes its value from an expression."""
    columns = value.get(_MATCHING) if isinstance(value, dict) else value
    return bool(columns) if isinstance(columns, list | dict) else is_expression(columns)


def _has_text(value: Any) -> bool:
    """Returns whether a value holds any text."""
    if isinstance(value, dict):
        return any(map(_has_text, value.values()))
    if isinstance(value, list):
        return any(map(_has_text, value))
    return isinstance(value, str) and bool(value.strip())
