"""Lists the tables that the nodes of SQL databases expect, with the columns that they name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from grounded_builder.domains.n8n.analysis.data_flow import follow_data
from grounded_builder.domains.n8n.analysis.execution_order import ExecutionOrder
from grounded_builder.domains.n8n.check.credentials import accepted_types
from grounded_builder.domains.n8n.parameters.defaults import filled_parameters
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.domains.n8n.trial.expected_fields import Shape
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

# The credential types of n8n's nodes for SQL databases.
_DATABASES = frozenset({"postgres", "timescaleDb", "questDb", "crateDb", "mySql"})
_TEXT = "text"
# The types of n8n's resource mapper, and those that expected fields have.
_TYPES: Mapping[str, str] = {
    "string": _TEXT,
    "number": "double precision",
    "boolean": "boolean",
    "dateTime": "timestamptz",
    "time": _TEXT,
    "array": "jsonb",
    "object": "jsonb",
    "json": "jsonb",
    "list": "jsonb",
}
_ALL_COLUMNS = re.compile(r"\bselect\s+(?:distinct\s+)?(?:\w+\s*\.\s*)?\*", re.IGNORECASE)
_FROM = re.compile(r'\bfrom\s+((?:"[^"\n]{1,100}"|[\w.]){1,200})', re.IGNORECASE)
_SEARCHED_QUERY = 20_000
_MAX_TABLES = 50


@dataclass(slots=True)
class _Table:
    columns: dict[str, str] = field(default_factory=dict)
    unique: list[str] = field(default_factory=list)

    def add(self, name: str, kind: str) -> None:
        """Adds a column; a type that is known takes precedence over text."""
        if self.columns.get(name, _TEXT) == _TEXT:
            self.columns[name] = kind


def list_tables(resolved: ResolvedGraph, shapes: Mapping[str, Shape]) -> list[Mapping[str, Any]]:
    """Returns the tables as JSON: ``schema``, ``name``, ``columns`` and ``unique`` columns.

    ``shapes`` has the fields that the workflow reads of the items of each node.
    """
    tables: dict[tuple[str, str], _Table] = {}
    received: Mapping[str, Any] | None = None
    for bound in resolved.nodes:
        if not _is_of_database(bound):
            continue
        params = filled_parameters(bound).full
        read = shapes.get(bound.node.name) or Shape()
        for schema, name in _name_tables(params):
            if len(tables) >= _MAX_TABLES and (schema, name) not in tables:
                break
            table = tables.setdefault((schema, name), _Table())
            for column, kind in _list_columns(params):
                table.add(column, kind)
            table.unique = table.unique or _list_matching(params)
            if _maps_input(params):
                received = received or follow_data(resolved, ExecutionOrder(resolved)).inputs
                shape = received.get(bound.node.name)
                for column in shape.fields if shape is not None else ():
                    table.add(column, _TEXT)
            for column, expected in read.fields.items():
                table.add(column, _TYPES.get(_kind_of(expected), _TEXT))
    return [
        {
            "schema": schema,
            "name": name,
            "columns": [{"name": column, "type": kind} for column, kind in table.columns.items()],
            "unique": [column for column in table.unique if column in table.columns],
        }
        for (schema, name), table in tables.items()
    ]


def _is_of_database(bound: ResolvedNode) -> bool:
    if not isinstance(bound.spec, NodeSpec):
        return False
    return not _DATABASES.isdisjoint(accepted_types(bound.spec, filled_parameters(bound).full))


def _name_tables(params: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yields the table of a node, or the one of which its query reads all columns."""
    name = _read_name(params.get("table"))
    if name:
        yield _read_name(params.get("schema")) or "public", name
    query = params.get("query")
    if isinstance(query, str) and _ALL_COLUMNS.search(query[:_SEARCHED_QUERY]):
        source = _FROM.search(query[:_SEARCHED_QUERY])
        if source is not None:
            schema, _, table = source[1].replace('"', "").rpartition(".")
            yield schema or "public", table


def _read_name(value: Any) -> str:
    """Returns a literal name, also out of a locator, "" for an expression."""
    text = value.get("value") if isinstance(value, Mapping) else value
    return text if isinstance(text, str) and not text.startswith("=") else ""


def _list_columns(params: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yields the columns that the parameters of a node name, with their types."""
    columns = params.get("columns")
    if isinstance(columns, str) and not columns.startswith("="):
        for name in columns.split(","):
            # Version 1 of the node writes a type after a colon: "id:int,name:text".
            if name.strip():
                yield name.partition(":")[0].strip(), _TEXT
    if isinstance(columns, Mapping):
        for described in columns.get("schema") or ():
            if isinstance(described, Mapping) and isinstance(described.get("id"), str):
                yield described["id"], _TYPES.get(str(described.get("type")), _TEXT)
        mapped = columns.get("value")
        for name, value in mapped.items() if isinstance(mapped, Mapping) else ():
            yield name, _type_of(value)
        for name in columns.get("matchingColumns") or ():
            if isinstance(name, str):
                yield name, _TEXT
    for key in ("where", "sort", "valuesToSend"):
        group = params.get(key)
        for entry in group.get("values") or () if isinstance(group, Mapping) else ():
            if isinstance(entry, Mapping) and (name := _read_name(entry.get("column"))):
                yield name, _type_of(entry.get("value"))
    if name := _read_name(params.get("columnToMatchOn")):
        yield name, _TEXT


def _list_matching(params: Mapping[str, Any]) -> list[str]:
    """Returns the columns by which a node finds the row to update, which are unique then."""
    if params.get("operation") not in ("upsert", "insert"):
        return []
    columns = params.get("columns")
    listed = columns.get("matchingColumns") if isinstance(columns, Mapping) else None
    named = _read_name(params.get("columnToMatchOn"))
    return [name for name in listed or [named] if isinstance(name, str) and name]


def _maps_input(params: Mapping[str, Any]) -> bool:
    columns = params.get("columns")
    mode = columns.get("mappingMode") if isinstance(columns, Mapping) else params.get("dataMode")
    return mode == "autoMapInputData"


def _type_of(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "double precision" if isinstance(value, int | float) else _TEXT


def _kind_of(shape: Shape) -> str:
    if shape.item is not None or shape.fields:
        return "json"
    return shape.kind
