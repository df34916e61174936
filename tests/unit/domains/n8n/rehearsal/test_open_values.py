"""Open values of a rehearsed workflow get stand-ins; a written placeholder is sent as it is."""

from __future__ import annotations

from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.resolve_graph import resolve_graph
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.rehearsal.answers.spreadsheets import Spreadsheets
from grounded_builder.domains.n8n.rehearsal.open_values import FilledValue, fill_open_values
from grounded_builder.ir.graph import ResolvedGraph
from tests.support.n8n_workflows import node, workflow

_DOCUMENT = {"__rl": True, "mode": "id", "value": "YOUR_DOCUMENT_ID"}


def _resolve(registry: Registry, *nodes: dict[str, Any]) -> ResolvedGraph:
    graph = N8N.reading.read(workflow(*nodes)).graph
    assert graph is not None
    return resolve_graph(graph, N8N, registry, tuple)[0]


def _fill(graph: ResolvedGraph, *names: str) -> tuple[FilledValue, ...]:
    routes = [("nodes", 0, "parameters", name) for name in names]
    return fill_open_values(graph, routes)[1]


def test_a_placeholder_is_sent_as_it_is(installed_registry: Registry) -> None:
    """Its request shows it, and n8n refuses a word as an address."""
    url = {"url": "https://your-crm.test/orders"}
    assert not _fill(_resolve(installed_registry, node("A", "httpRequest", 4.2, url)), "url")
    absent = _resolve(installed_registry, node("A", "httpRequest", 4.2, {}))
    assert [item.value[:8] for item in _fill(absent, "url")] == ["https://"]
    sheet = {"operation": "append", "documentId": _DOCUMENT}
    graph = _resolve(installed_registry, node("A", "googleSheets", 4.5, sheet))
    filled = _fill(graph, "documentId", "sheetName")
    assert [item.parameter for item in filled] == ["sheetName"]


def test_a_spreadsheet_has_the_sheet_of_the_stand_in(installed_registry: Registry) -> None:
    """The node looks the sheet up by its title."""
    graph = _resolve(installed_registry, node("A", "googleSheets", 4.5, {"operation": "append"}))
    filled = _fill(graph, "sheetName")
    described = Spreadsheets(graph, {}, filled)._describe("any")
    titles = [sheet["properties"]["title"] for sheet in described["sheets"]]
    assert titles == [filled[0].value["value"]]
