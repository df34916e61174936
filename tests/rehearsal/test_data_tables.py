"""Nodes of n8n's data tables run on tables of the rehearsal, and show the rows that they write."""

from __future__ import annotations

from typing import Any

from tests.rehearsal.conftest import Rehearse
from tests.rehearsal.test_requests import _list_requests
from tests.support.n8n_workflows import node, workflow

_TABLE = {"__rl": True, "mode": "list", "value": "a1B2c3D4e5F6g7H8", "cachedResultName": "Orders"}


def _find(name: str, value: str) -> dict[str, Any]:
    condition = {"keyName": name, "condition": "eq", "keyValue": value}
    return {"filters": {"conditions": [condition]}, "dataTableId": _TABLE}


def test_rows_are_found_written_and_shown(rehearsed: Rehearse) -> None:
    """A condition on the trigger's sample finds a row; each written row is a request."""
    mapped = {"city": "={{ $json.city }}", "total": 3}
    columns = {"mappingMode": "defineBelow", "value": mapped}
    document = workflow(
        node("Form", "formTrigger", 2.2, {"formFields": {"values": [{"fieldLabel": "email"}]}}),
        node("Find", "dataTable", 1, {"operation": "get", **_find("email", "={{ $json.email }}")}),
        node("Add", "dataTable", 1, {"columns": columns, "dataTableId": _TABLE}),
        node("Remove", "dataTable", 1, {"operation": "deleteRows", **_find("city", "Oslo")}),
    )
    rehearsal = rehearsed(document, {"Form": [{"email": "ada@acme.example"}]})
    (run,) = rehearsal.runs
    assert (run.execution.status, run.execution.failure) == ("success", None)
    (read,) = _list_requests(rehearsal, "Find")
    assert (read["method"], read["url"]) == ("READ", "datatable://n8n/Orders")
    assert read["answer"][0]["email"] == "ada@acme.example"
    assert read["source"] == "a data table of the rehearsal that has two invented rows"
    (added,) = _list_requests(rehearsal, "Add")
    assert (added["method"], added["body"]["total"]) == ("INSERT", 3)
    assert [row["method"] for row in _list_requests(rehearsal, "Remove")] == ["DELETE", "DELETE"]


def test_columns_of_unmapped_input_are_made_anew_in_each_run(rehearsed: Rehearse) -> None:
    """A table by name has the fields of the items; a workflow may make a table itself."""
    by_name = {"__rl": True, "mode": "name", "value": "Log"}
    columns = {"mappingMode": "autoMapInputData", "value": None}
    values = {"assignments": [{"id": "1", "name": "state", "value": "new", "type": "string"}]}
    made = {
        "resource": "table",
        "operation": "create",
        "tableName": "Own",
        "columns": {"column": [{"name": "a", "type": "string"}]},
    }
    document = workflow(
        node("Start", "manualTrigger", 1),
        node("Set", "set", 3.4, {"assignments": values}),
        node("Log", "dataTable", 1, {"columns": columns, "dataTableId": by_name}),
        node("Make", "dataTable", 1.1, made),
    )
    for _ in range(2):
        rehearsal = rehearsed(document)
        assert [run.execution.status for run in rehearsal.runs] == ["success"]
        (added,) = _list_requests(rehearsal, "Log")
        assert added["body"]["state"] == "new"
        assert added["source"] == "a data table of the rehearsal that begins empty"
