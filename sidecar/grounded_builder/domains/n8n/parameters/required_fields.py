"""Reports empty fields without which n8n's own nodes throw, though none is declared required.

The nodes read them in their code: "You need to define at least one pair of fields", "No fields
specified", "No sorting specified" (n8n-nodes-base 2.41).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.domains.n8n.parameters.native_issues import Issue
from grounded_builder.domains.n8n.parameters.properties import Declarations

NEEDED_FIELDS: Mapping[str, tuple[str, ...]] = {
    "n8n-nodes-base.aggregate": ("fieldsToAggregate",),
    "n8n-nodes-base.compareDatasets": ("mergeByFields",),
    "n8n-nodes-base.merge": ("fieldsToMatchString", "mergeByFields"),
    "n8n-nodes-base.removeDuplicates": ("fieldsToCompare", "fieldsToExclude"),
    "n8n-nodes-base.sort": ("sortFieldsUi",),
}


def find_empty_fields(
    tool: str, declarations: Declarations, simple: Mapping[str, Any], params: Mapping[str, Any]
) -> Iterator[Issue]:
    """Yields an issue for each shown parameter that names no field.

    ``simple`` are the parameters with defaults, by which parameters are shown, ``params`` those
    that are written: every default is empty.
    """
    for name in NEEDED_FIELDS.get(tool, ()):
        for prop in declarations.root.by_name.get(name, ()):
            value = params.get(name)
            if prop.is_shown(simple, simple) and not _has_text(value):
                yield Issue("missing", name, prop, (name,), value)


def _has_text(value: Any) -> bool:
    """Returns whether a value holds any text."""
    if isinstance(value, dict):
        return any(map(_has_text, value.values()))
    if isinstance(value, list):
        return any(map(_has_text, value))
    return isinstance(value, str) and bool(value.strip())
