"""Makes the data tables of n8n that a workflow names, and describes what its nodes do to rows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from grounded_builder.domains.n8n.analysis.data_flow import follow_data
from grounded_builder.domains.n8n.analysis.execution_order import ExecutionOrder
from grounded_builder.domains.n8n.analysis.links import build_wiring
from grounded_builder.domains.n8n.parameters.defaults import filled_parameters
from grounded_builder.domains.n8n.rehearsal.answers.examples import example_of
from grounded_builder.domains.n8n.rehearsal.editor_client import EditorClient
from grounded_builder.domains.n8n.rehearsal.exchange import Exchange, Request, json_answer
from grounded_builder.domains.n8n.rehearsal.execution import Step
from grounded_builder.domains.n8n.rehearsal.item_sources import ItemSources, read_operand
from grounded_builder.domains.n8n.rehearsal.variants import ABSENT, WantedValue
from grounded_builder.domains.n8n.trial.expected_fields import Shape, read_shapes
from grounded_builder.domains.n8n.trial.samples import Sample
from grounded_builder.ir.graph import ResolvedGraph

_TYPES = ("n8n-nodes-base.dataTable", "n8n-nodes-base.dataTableTool")
_LOCATOR = "dataTableId"
# What n8n 2.41 accepts as names of columns, and the types that they have.
_COLUMN = re.compile(r"[a-zA-Z][a-zA-Z0-9_]{0,62}")
_KINDS: Mapping[str, str] = {
    "string": "string",
    "number": "number",
    "boolean": "boolean",
    "date": "date",
    "dateTime": "date",
}
# The columns that every table has.
_SYSTEM = frozenset({"id", "createdat", "updatedat"})
_WRITES: Mapping[str, str] = {
    "insert": "INSERT",
    "update": "UPDATE",
    "upsert": "UPSERT",
    "deleteRows": "DELETE",
}
_READS = ("get", "rowExists", "rowNotExists")
# Operations that look for rows.
_SEEKING = (*_READS, "update", "deleteRows")
_LONGEST_NAME = 128
_MOST_TABLES = 20
_MOST_COLUMNS = 100
_MOST_SHOWN = 100
_ROWS = 2


@dataclass(slots=True)
class DataTable:
    """A table to make, with the types of its columns, and the nodes that use it.

    ``shown`` is its name in the editor, ``name`` another where two tables have the same.
    """

    shown: str
    name: str
    columns: dict[str, str] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)
    nodes: list[str] = field(default_factory=list)

    def add_column(self, name: Any, kind: str) -> None:
        """Adds a column of a name that n8n accepts; a type that is known replaces text."""
        if not isinstance(name, str) or not _COLUMN.fullmatch(name) or name.lower() in _SYSTEM:
            return
        known = next((key for key in self.columns if key.lower() == name.lower()), name)
        if self.columns.get(known, "string") == "string" and len(self.columns) < _MOST_COLUMNS:
            self.columns[known] = _KINDS.get(kind, "string")


class DataTables:
    """The tables of a workflow in one rehearsal; each run has them anew."""

    def __init__(self, resolved: ResolvedGraph, samples: Mapping[str, Sample]) -> None:
        self._resolved = resolved
        self._samples = samples
        users = {
            bound.node.name: filled_parameters(bound).full
            for bound in resolved.nodes
            if bound.node.tool in _TYPES
        }
        self._operations = {name: str(params.get("operation")) for name, params in users.items()}
        self.tables = self._plan(users) if users else []

    @property
    def is_used(self) -> bool:
        """Whether the workflow has nodes of data tables."""
        return bool(self._operations)

    def make(
        self, client: EditorClient, workflow: Mapping[str, Any], values: Sequence[WantedValue]
    ) -> Mapping[str, Any]:
        """Returns the workflow with its nodes led to new tables.

        ``values`` are those that the rows have in this run. Raises `EditorError` where n8n does
        not make a table.
        """
        ids: dict[str, str] = {}
        for table in self.tables:
            columns = [{"name": name, "type": kind} for name, kind in table.columns.items()]
            made = client.create_data_table(table.name, columns)
            ids |= dict.fromkeys(table.nodes, made)
            rows = [_write_values(table, row, values) for row in table.rows]
            if rows:
                client.insert_rows(made, rows)
        if not ids:
            return workflow
        nodes = [
            {**node, "parameters": {**(node.get("parameters") or {}), **_locate(ids[node["name"]])}}
            if node["name"] in ids and node.get("type") in _TYPES
            else node
            for node in workflow["nodes"]
        ]
        return {**workflow, "nodes": nodes}

    def describe(self, step: Step) -> Iterator[Exchange]:
        """Yields what a step did to the rows of its table: each row written, or one read."""
        table = next((table for table in self.tables if step.node in table.nodes), None)
        operation = self._operations.get(step.node, "")
        if table is None or step.error:
            return
        url = f"datatable://n8n/{quote(table.shown)}"
        begins = "has two invented rows" if table.rows else "begins empty"
        source = f"a data table of the rehearsal that {begins}"
        rows = list(_list_rows(step))[:_MOST_SHOWN]
        if operation in _WRITES:
            for row in rows:
                body = json.dumps(row, ensure_ascii=False).encode()
                request = Request(_WRITES[operation], url, {}, body, step.start_ms)
                yield Exchange(request, json_answer(row, source))
        elif operation in _READS:
            request = Request("READ", url, {}, b"", step.start_ms)
            yield Exchange(request, json_answer(rows, source))

    def _plan(self, users: Mapping[str, Mapping[str, Any]]) -> list[DataTable]:
        names = frozenset(self._resolved.by_name)
        shapes = read_shapes(self._resolved, names)
        received = follow_data(self._resolved, ExecutionOrder(self._resolved)).inputs
        tables: dict[str, DataTable] = {}
        created = {
            str(params.get("tableName")).casefold()
            for params in users.values()
            if params.get("resource") == "table" and params.get("operation") == "create"
        }
        for node, params in users.items():
            key, name = _name_table(params, node)
            if name.casefold() in created or params.get("operation") in ("create", "list"):
                continue
            if key not in tables and len(tables) >= _MOST_TABLES:
                continue
            if key not in tables:
                shown = name[: _LONGEST_NAME - 5]
                same = sum(shown.casefold() == other.shown.casefold() for other in tables.values())
                tables[key] = DataTable(shown, f"{shown} ({same + 1})" if same else shown)
            table = tables[key]
            table.nodes.append(node)
            for column, kind in _list_columns(params):
                table.add_column(column, kind)
            read = shapes.get(node) or Shape()
            for column, shape in read.fields.items():
                table.add_column(column, shape.kind)
            columns = params.get("columns")
            if isinstance(columns, Mapping) and columns.get("mappingMode") == "autoMapInputData":
                given = received.get(node)
                for column in given.fields if given is not None else ():
                    table.add_column(column, "string")
        for table in tables.values():
            if any(self._operations[node] in _SEEKING for node in table.nodes):
                self._add_rows(table, users)
        return list(tables.values())

    def _add_rows(self, table: DataTable, users: Mapping[str, Mapping[str, Any]]) -> None:
        """Adds two rows, of which the first has the values that conditions look for."""
        for number in range(1, _ROWS + 1):
            table.rows.append(
                {name: _invent(name, kind, number) for name, kind in table.columns.items()}
            )
        for node in table.nodes:
            for entry in _list_conditions(users[node]):
                name = entry.get("keyName")
                if entry.get("condition", "eq") != "eq" or name not in table.columns:
                    continue
                value = self._find_value(node, entry.get("keyValue"))
                if value is not None:
                    table.rows[0][str(name)] = _convert(value, table.columns[str(name)])

    def _find_value(self, node: str, text: Any) -> Any:
        """Returns a constant, or the field of a trigger's sample that an expression reads."""
        if not isinstance(text, str) or not text.startswith("="):
            return text if isinstance(text, str | int | float) else None
        operand = read_operand(text)
        if operand is None or operand[2]:
            return None
        sources = ItemSources(self._resolved, build_wiring(self._resolved), self._samples)
        for read in sources.trace(node, operand[0], operand[1]):
            sample = self._samples.get(read.node)
            value: Any = sample.items[0].get("json") if sample and sample.items else None
            for step in read.path:
                value = value.get(step) if isinstance(value, Mapping) else None
            if isinstance(value, str | int | float):
                return value
        return None


def _name_table(params: Mapping[str, Any], node: str) -> tuple[str, str]:
    """Returns what tells a table apart, and its name.

    A table of an expression is one of its own for the node.
    """
    locator = params.get(_LOCATOR)
    fields = locator if isinstance(locator, Mapping) else {"value": locator}
    value = fields.get("value")
    if not isinstance(value, str) or not value.strip() or value.startswith("="):
        return f"node {node}", f"Table of {node}"
    shown = fields.get("cachedResultName")
    name = shown if isinstance(shown, str) and shown.strip() else value
    key = f"name {value.casefold()}" if fields.get("mode") == "name" else f"id {value}"
    return key, name.strip()


def _list_columns(params: Mapping[str, Any]) -> Iterator[tuple[Any, str]]:
    """Yields the columns that the parameters of a node name, with their types."""
    columns = params.get("columns")
    if isinstance(columns, Mapping):
        for described in columns.get("schema") or ():
            if isinstance(described, Mapping):
                yield described.get("id"), str(described.get("type"))
        mapped = columns.get("value")
        for name, value in mapped.items() if isinstance(mapped, Mapping) else ():
            kinds = {bool: "boolean", int: "number", float: "number"}
            yield name, kinds.get(type(value), "string")
    for entry in _list_conditions(params):
        yield entry.get("keyName"), "string"
    if params.get("orderBy"):
        yield params.get("orderByColumn"), "string"


def _list_conditions(params: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    filters = params.get("filters")
    listed = filters.get("conditions") if isinstance(filters, Mapping) else None
    return [entry for entry in listed or () if isinstance(entry, Mapping)]


def _invent(name: str, kind: str, number: int) -> Any:
    if kind == "date":
        return example_of({"type": "string", "format": "date-time"}, number)
    return example_of({"type": kind}, number, name)


def _convert(value: Any, kind: str) -> Any:
    """Returns a value as one of a column's type; null where it is none."""
    if kind == "string":
        return value if isinstance(value, str) else json.dumps(value)
    if kind == "boolean":
        return value if isinstance(value, bool) else str(value).lower() == "true"
    if kind == "number":
        try:
            return float(value)
        except ValueError:
            return None
    return value


def _write_values(
    table: DataTable, row: Mapping[str, Any], values: Sequence[WantedValue]
) -> dict[str, Any]:
    """Returns a row with the values that it has in a run, for columns of the table."""
    written = dict(row)
    for wanted in values:
        if wanted.node in table.nodes and len(wanted.path) == 1 and wanted.path[0] in written:
            is_plain = isinstance(wanted.value, str | int | float)
            kind = table.columns[str(wanted.path[0])]
            value = _convert(wanted.value, kind) if is_plain else None
            written[str(wanted.path[0])] = None if wanted.value is ABSENT else value
    return written


def _list_rows(step: Step) -> Iterator[Any]:
    """Yields the rows of a step, also where a tool returns them as its response."""
    for outputs in step.outputs.values():
        for items in outputs:
            for item in items:
                content = item.get("json")
                response = content.get("response") if isinstance(content, Mapping) else None
                yield from response if isinstance(response, list) else [content]


def _locate(table: str) -> Mapping[str, Any]:
    return {_LOCATOR: {"__rl": True, "mode": "id", "value": table}}
