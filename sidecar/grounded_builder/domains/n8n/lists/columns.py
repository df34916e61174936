"""Compares the columns of a resource mapper with those that the table of the account has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.n8n.lists.findings import (
    ListSubject,
    report_absent_column,
    report_column,
)
from grounded_builder.domains.n8n.lists.match_entry import match_column
from grounded_builder.domains.n8n.parameters.mappings import DEFINED_BELOW

# The facts of a column that n8n's editor stores (ResourceMapperField of n8n-workflow).
_FACTS = (
    "id",
    "displayName",
    "required",
    "defaultMatch",
    "display",
    "type",
    "canBeUsedToMatch",
    "options",
    "readOnly",
    "defaultValue",
)
_MATCHING = "matchingColumns"
_CONVERTS = "attemptToConvertTypes"


@dataclass(frozen=True, slots=True)
class ColumnChoices:
    """A mapping with the columns of the table: notes about renamed ones, findings about absent
    ones.
    """

    mapping: dict[str, Any]
    notes: tuple[Diagnostic, ...]
    findings: tuple[Diagnostic, ...]


def is_written_mapping(value: Any) -> bool:
    """Returns whether a value maps columns one by one."""
    if not isinstance(value, Mapping) or value.get("mappingMode") not in (None, DEFINED_BELOW):
        return False
    return isinstance(value.get("value"), Mapping) and bool(value["value"])


def choose_columns(subject: ListSubject, columns: Sequence[Mapping[str, Any]]) -> ColumnChoices:
    """Returns a mapping with the ids and the schema of the table.

    A column that the table does not have stays as it is written. n8n converts values to the types
    of the schema if the mapping does not state otherwise; it refuses other types then.
    """
    mapping: Mapping[str, Any] = subject.value.value
    known = [dict(column) for column in columns]
    renamed: dict[str, str] = {}
    notes: list[Diagnostic] = []
    findings: list[Diagnostic] = []
    matched = mapping.get(_MATCHING)
    matching = [name for name in matched if isinstance(name, str)] if matched else []
    for name in dict.fromkeys((*map(str, mapping["value"]), *matching)):
        same = match_column(name, known)
        if len(same) == 1:
            renamed[name] = str(same[0]["id"])
            if renamed[name] != name:
                notes.append(report_column(subject, name, same[0]))
        else:
            findings.append(report_absent_column(subject, name, known))
    values = {renamed.get(str(name), str(name)): value for name, value in mapping["value"].items()}
    chosen = {
        **mapping,
        "mappingMode": DEFINED_BELOW,
        "value": values,
        "schema": [*_make_schema(known, values), *_keep_absent(mapping, known, renamed)],
    }
    if matching:
        chosen[_MATCHING] = [renamed.get(name, name) for name in matching]
    chosen.setdefault(_CONVERTS, True)
    return ColumnChoices(chosen, tuple(notes), tuple(findings))


def _make_schema(
    columns: Sequence[Mapping[str, Any]], values: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Returns the schema as n8n's editor writes it: columns without a value are removed ones."""
    return [
        {
            **{key: column[key] for key in _FACTS if key in column},
            "removed": column["id"] not in values and not column.get("required"),
        }
        for column in columns
    ]


def _keep_absent(
    mapping: Mapping[str, Any], columns: Sequence[Mapping[str, Any]], renamed: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Returns the written schema of columns that the table does not have."""
    ids = {column["id"] for column in columns}
    written = mapping.get("schema")
    return [
        entry
        for entry in (written if isinstance(written, list) else ())
        if isinstance(entry, dict) and entry.get("id") not in ids and entry.get("id") not in renamed
    ]
