"""Names and descriptions of an agent's tools are distinct and present."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.domains.n8n.check.agent_tools import tool_name
from tests.unit.domains.n8n.drafts import STEP, Edge, node
from tests.unit.domains.n8n.structure_registry import (
    AGENT,
    MADE_TOOL,
    NAMED_TOOL,
    draft,
    findings_of,
)


def _to(source: str) -> Edge:
    return (source, "ai_tool", 0, "A", "ai_tool", 0)


def _agent(*tools: dict[str, Any], version: float = 2) -> dict[str, Any]:
    nodes = [node("A", AGENT, typeVersion=version), *tools]
    return draft(nodes, ("S", "A"), *(_to(tool["name"]) for tool in tools))


def test_two_tools_of_an_agent_have_two_names() -> None:
    """Names that differ only in what n8n leaves out of them are one name to the model."""
    diagnostics = findings_of(_agent(node("検索", MADE_TOOL), node("翻訳", MADE_TOOL)), "N8N318")
    assert [d.token for d in diagnostics] == ["_"]
    assert findings_of(_agent(node("find", MADE_TOOL), node("Find", MADE_TOOL)), "N8N318") == []


def test_a_tool_may_be_named_by_a_parameter() -> None:
    """Versions that take the name from a parameter are compared by it, where it is known."""
    entries = node("One", NAMED_TOOL, {"name": "look", "description": "x"}, typeVersion=2)
    two = node("Two", NAMED_TOOL, {"name": "look", "description": "x"}, typeVersion=2)
    assert [d.at[-1] for d in findings_of(_agent(entries, two), "N8N318")] == ["name"]
    newer = node("Two", NAMED_TOOL, {"name": "look", "description": "x"}, typeVersion=2.2)
    assert findings_of(_agent(entries, newer), "N8N318") == []
    open_ = node("Two", NAMED_TOOL, {"name": "={{ $json.n }}", "description": "x"}, typeVersion=2)
    assert findings_of(_agent(open_, open_ | {"name": "Three"}), "N8N318") == []


def test_an_old_agent_takes_tools_of_one_name() -> None:
    """Before version 1.5 the agent did not compare names; a disabled tool has none."""
    tools = [node("a b", MADE_TOOL), node("a-b", MADE_TOOL), node("a_b", MADE_TOOL)]
    assert len(findings_of(_agent(*tools), "N8N318")) == 1
    assert findings_of(_agent(*tools, version=1), "N8N318") == []
    assert findings_of(_agent(*tools[:2], tools[2] | {"disabled": True}), "N8N318") == []


@pytest.mark.parametrize(
    ("node_name", "expected"),
    [("Get user's mail", "Get_user_s_mail"), ("x" * 70, "x" * 64), ("y" * 63 + "- z", "y" * 63)],
)
def test_the_name_follows_from_the_node(node_name: str, expected: str) -> None:
    """Other characters than letters, digits, hyphens and underscores become one underscore."""
    assert tool_name(node_name) == expected


def test_a_tool_has_a_description() -> None:
    """An absent or blank description that n8n does not require is reported, at its place."""
    blank = node("T", NAMED_TOOL, {"name": "n", "description": " "}, typeVersion=2)
    assert [d.at[-1] for d in findings_of(_agent(blank), "N8N319")] == ["description"]
    entries = node("T", NAMED_TOOL, {"name": "n", "description": "Finds orders"}, typeVersion=2)
    assert findings_of(_agent(entries), "N8N319") == []
    lone = draft([blank, node("U", STEP)], ("S", "U"))
    assert findings_of(lone, "N8N319") == []
