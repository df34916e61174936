"""Faults that every static check passes are visible in a rehearsal, by expectations alone.

Each workflow is brought to n8n as it stands: nothing of the compiler corrects it.
"""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.domains.n8n.expectations import read_expectations
from grounded_builder.domains.n8n.rehearsal.judge import judge
from tests.rehearsal.conftest import Rehearse
from tests.support.n8n_workflows import Workflow, node, workflow

_HOOK = {"httpMethod": "POST", "path": "leads", "options": {}}
_SPREADSHEET = "1abcDEF_0123456789abcdefghijklmnopqrstuvwxyzAB"
_LEAD = {"Lead": [{"body": {"name": "Ann", "email": "ann@acme.example"}}]}


def _make_lead() -> Workflow:
    return node("Lead", "webhook", 2, _HOOK)


def _make_sheet(**more: Any) -> Workflow:
    document = {
        "__rl": True,
        "mode": "id",
        "value": "1abcDEF_0123456789abcdefghijklmnopqrstuvwxyzAB",
    }
    sheet = {"__rl": True, "mode": "name", "value": "Leads"}
    return node("Save", "googleSheets", 4.5, {"documentId": document, "sheetName": sheet, **more})


def _make_message(name: str) -> Workflow:
    """Returns a node that reads the name of a person from the output of a named node."""
    text = f"=New lead: {{{{ $('{name}').item.json.body.name }}}}"
    channel = {"__rl": True, "mode": "name", "value": "#leads"}
    chosen = {"resource": "message", "operation": "post", "select": "channel"}
    return node("Tell", "slack", 2.3, {**chosen, "channelId": channel, "text": text})


_ROWS = {
    "operation": "append",
    "columns": {
        "mappingMode": "defineBelow",
        "value": {"Name": "={{ $json.body.name }}"},
        "matchingColumns": [],
        "schema": [{"id": "Name", "displayName": "Name", "type": "string", "display": True}],
    },
}
_WRITTEN = [
    {
        "requests": {"node": "Save", "method": "PUT", "path": "*/values/Leads!*"},
        "count": 1,
        "each": {"body": {"values": [["Ann"]]}},
    }
]
_TOLD = [{"requests": {"node": "Tell", "body": {"text": "New lead: Ann*"}}, "count": 1}]
_CREATED = [
    {
        "requests": {"node": "Create", "method": "POST", "host": "api.airtable.com"},
        "count": 1,
        "each": {"body": {"contains": "ann@acme.example"}},
    }
]


def _make_airtable(operation: str) -> Workflow:
    places = {
        "base": {"__rl": True, "mode": "id", "value": "appAbCdEfGhIjKlMn"},
        "table": {"__rl": True, "mode": "id", "value": "tblAbCdEfGhIjKlMn"},
    }
    columns = {
        "mappingMode": "defineBelow",
        "value": {"Email": "={{ $json.body.email }}"},
        "matchingColumns": [],
        "schema": [{"id": "Email", "displayName": "Email", "type": "string", "display": True}],
    }
    if operation == "search":
        return node("Create", "airtable", 2.1, {**places, "operation": "search"})
    return node("Create", "airtable", 2.1, {**places, "operation": "create", "columns": columns})


@pytest.mark.parametrize(
    ("document", "expected", "is_met"),
    [
        (workflow(_make_lead(), _make_sheet()), _WRITTEN, False),
        (workflow(_make_lead(), _make_sheet(**_ROWS)), _WRITTEN, True),
        (workflow(_make_lead(), _make_airtable("search")), _CREATED, False),
        (workflow(_make_lead(), _make_airtable("create")), _CREATED, True),
        (
            workflow(_make_lead(), _make_message("lead")),
            _TOLD,
            False,
        ),
        (
            workflow(_make_lead(), _make_message("Lead")),
            _TOLD,
            True,
        ),
    ],
    ids=[
        "operation-lost",
        "operation-kept",
        "worse-draft",
        "better-draft",
        "reference-not-rewritten",
        "reference-rewritten",
    ],
)
def test_a_silent_fault_is_seen(
    rehearsed: Rehearse, document: Workflow, expected: list[Any], is_met: bool
) -> None:
    """The wrong workflow misses the expectation, and the right one meets it."""
    (run,) = rehearsed(document, given=_LEAD).runs
    (verdict,) = judge(read_expectations(expected), run)
    assert verdict.is_met is is_met, (verdict.miss, run.execution.failure)
