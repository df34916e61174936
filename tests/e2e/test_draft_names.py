"""The inventions that models make most, against the installed n8n: corrected or refused by name."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_with_fixes
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions


@pytest.mark.parametrize(
    ("drafted", "version", "tool", "params"),
    [
        ("n8n-nodes-base.gmailSend", 2.1, "n8n-nodes-base.gmail", {"operation": "send"}),
        ("nodes-base.httprequest", 4.2, "n8n-nodes-base.httpRequest", {}),
        ("n8n-nodes-base.httpRequest", 99, "n8n-nodes-base.httpRequest", {}),
        ("HTTP Request", 4.2, "n8n-nodes-base.httpRequest", {}),
    ],
)
def test_unambiguous_name_is_corrected_and_reported(
    registry: Registry, drafted: str, version: float, tool: str, params: dict[str, Any]
) -> None:
    """The artifact has the real tool and version, and the correction is reported."""
    result = compile_with_fixes(_workflow(drafted, version), N8N, registry, CompileOptions())
    assert result.verdict != "wrong", result.diagnostics
    assert result.artifact is not None
    node = result.artifact["nodes"][1]
    assert node["type"] == tool
    assert node["typeVersion"] in registry.tools[tool].versions
    assert params.items() <= node["parameters"].items()
    assert result.corrections


@pytest.mark.parametrize(
    ("drafted", "code"),
    [("n8n-nodes-base.crystalBall", "GB201"), ("n8n-nodes-base.executeCommand", "GB204")],
)
def test_invented_and_denied_nodes_are_refused(registry: Registry, drafted: str, code: str) -> None:
    """An invented node and a denied one are named, and nothing is built."""
    result = compile_with_fixes(_workflow(drafted, 1), N8N, registry, CompileOptions())
    assert result.verdict == "wrong"
    assert result.artifact is None
    diagnostics = [d for d in result.diagnostics if d.code == code]
    assert diagnostics
    assert drafted in diagnostics[0].message


def test_an_agent_without_a_model_is_refused(registry: Registry) -> None:
    """The missing model is named by the kind of its input."""
    result = compile_with_fixes(
        _workflow("@n8n/n8n-nodes-langchain.agent", 2), N8N, registry, CompileOptions()
    )
    assert "GB316" in [d.code for d in result.diagnostics]
    assert result.artifact is None


def _workflow(tool: str, version: float) -> dict[str, Any]:
    start = {
        "name": "Start",
        "type": "n8n-nodes-base.manualTrigger",
        "typeVersion": 1,
        "position": [0, 0],
        "parameters": {},
    }
    node = {
        "name": "Node",
        "type": tool,
        "typeVersion": version,
        "position": [224, 0],
        "parameters": {},
    }
    edge = {"node": "Node", "type": "main", "index": 0}
    return {
        "name": "Drafted",
        "nodes": [start, node],
        "connections": {"Start": {"main": [[edge]]}},
    }
