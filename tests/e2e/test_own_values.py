"""Values that only the user has: plans over the installed n8n, each with what it leaves to do."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import Compilation, compile_with_fixes, open_points
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions

BASE = "n8n-nodes-base."
MANUAL = {"id": "start", "tool": f"{BASE}manualTrigger"}


def _compiled(registry: Registry, tool: str, **params: Any) -> Compilation:
    steps = [MANUAL, {"id": "act", "tool": BASE + tool, "params": params}]
    plan = {"goal": "A test", "steps": steps}
    return compile_with_fixes(plan, N8N, registry, CompileOptions())


def _parameters(compilation: Compilation) -> dict[str, Any]:
    assert compilation.artifact is not None, compilation.diagnostics
    parameters: dict[str, Any] = compilation.artifact["nodes"][1]["parameters"]
    return parameters


@pytest.mark.parametrize(
    ("tool", "params", "name", "mode"),
    [
        ("googleSheets", {"operation": "append", "sheetName": "Sheet1"}, "sheetName", "name"),
        (
            "slack",
            {"operation": "post", "select": "channel", "channelId": "#billing"},
            "channelId",
            "name",
        ),
        (
            "slack",
            {"operation": "post", "select": "channel", "channelId": "C08PGU0CLKS"},
            "channelId",
            "id",
        ),
        ("slack", {"operation": "post", "select": "user", "user": "@anna"}, "user", "username"),
        ("github", {"owner": "acme", "repository": "site"}, "owner", "name"),
        (
            "googleSheets",
            {"documentId": "https://docs.google.com/spreadsheets/d/1abcDEF2ghi/edit"},
            "documentId",
            "url",
        ),
        ("executeWorkflow", {"workflowId": "X21mf2hTEAz3r2XH"}, "workflowId", "id"),
        ("googleDrive", {"operation": "upload", "driveId": "My Drive"}, "driveId", "list"),
    ],
)
def test_a_text_is_written_in_the_mode_that_takes_it(
    registry: Registry, tool: str, params: dict[str, Any], name: str, mode: str
) -> None:
    """A name, a handle, an id and an address need nobody to choose them."""
    compilation = _compiled(registry, tool, **params)
    assert _parameters(compilation)[name] == {"__rl": True, "mode": mode, "value": params[name]}
    assert not any(d.code == "GB331" and d.at[3:4] == (name,) for d in compilation.diagnostics)


@pytest.mark.parametrize(
    ("tool", "params", "name", "label"),
    [
        ("jira", {"operation": "create", "project": "OPS"}, "project", "Project"),
        ("jira", {"operation": "create", "issueType": "Bug"}, "issueType", "Issue Type"),
        ("googleDrive", {"operation": "upload", "folderId": "Invoices"}, "folderId", "Folder"),
        ("airtable", {"operation": "search", "base": "CRM"}, "base", "Base"),
        ("executeWorkflow", {"workflowId": "Fulfil order"}, "workflowId", "Workflow"),
        ("googleCalendar", {"operation": "getAll", "calendar": "primary"}, "calendar", "Calendar"),
        (
            "googleSheets",
            {"operation": "append", "documentId": {"mode": "name", "value": "Log"}},
            "documentId",
            "Document",
        ),
        (
            "googleSheets",
            {"operation": "append", "documentId": "YOUR_SPREADSHEET_ID"},
            "documentId",
            "Document",
        ),
    ],
)
def test_a_name_that_n8n_cannot_look_up_is_left_to_choose(
    registry: Registry, tool: str, params: dict[str, Any], name: str, label: str
) -> None:
    """It stays where the editor shows it, and one to-do says the node, the label and the name."""
    compilation = _compiled(registry, tool, **params)
    text = params[name]["value"] if isinstance(params[name], dict) else params[name]
    locator = _parameters(compilation)[name]
    assert locator["mode"] == "list"
    assert locator["cachedResultName"] == text
    points = [point for point in open_points(compilation.diagnostics) if f'"{text}"' in point]
    (point,) = points
    assert label in point
    assert "act" in point or " of " in point


@pytest.mark.parametrize(
    ("tool", "params", "name"),
    [
        ("telegram", {"operation": "sendMessage", "chatId": "YOUR_CHAT_ID", "text": "x"}, "chatId"),
        ("telegram", {"operation": "sendMessage", "chatId": "123456789", "text": "x"}, "chatId"),
        ("telegram", {"operation": "sendMessage", "chatId": None, "text": "x"}, "chatId"),
        ("gmail", {"operation": "send", "sendTo": "you@example.com", "message": "x"}, "sendTo"),
        ("gmail", {"operation": "send", "sendTo": "<your email>", "message": "x"}, "sendTo"),
        ("httpRequest", {"url": "https://your-domain.com/items"}, "url"),
        ("httpRequest", {"url": "TODO"}, "url"),
    ],
)
def test_a_placeholder_is_a_to_do(
    registry: Registry, tool: str, params: dict[str, Any], name: str
) -> None:
    """What stands in for a value of the user counts as not given."""
    compilation = _compiled(registry, tool, **params)
    assert compilation.verdict == "incomplete"
    codes = [d.code for d in compilation.diagnostics if d.at[3:4] == (name,)]
    assert codes == ["GB331"]
