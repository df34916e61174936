"""Connections in a shape that n8n refuses are wrong, and fixed if they are unambiguous."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.compiler.pipeline import compile_with_fixes
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from tests.unit.domains.n8n.drafts import REGISTRY, START, STEP, findings_of, node, workflow

T = {"node": "T", "type": "main", "index": 0}
U = {"node": "U", "type": "main", "index": 0}
NODES = [node("S", START), node("T", STEP), node("U", STEP)]


def _draft(connections: Any) -> dict[str, Any]:
    return workflow(NODES, connections=connections)


@pytest.mark.parametrize(
    ("connections", "expected"),
    [
        ({"S": {"main": [T]}}, {"S": {"main": [[T]]}}),
        ({"S": {"main": T}}, {"S": {"main": [[T]]}}),
        ({"S": {"main": [["T", "U"]]}}, {"S": {"main": [[T, U]]}}),
        ({"S": {"main": [["T", "main", 0]]}}, {"S": {"main": [[T]]}}),
        ({"S": {"main": [[{"node": "T", "branch": 0}]]}}, {"S": {"main": [[T]]}}),
        ({"S": {"main": [[T | {"index": "0"}]]}}, {"S": {"main": [[T]]}}),
        ({"S": {"main": [[T | {"index": -1}]]}}, {"S": {"main": [[T]]}}),
        ({"S": "T", "T": ["U"]}, {"S": {"main": [[T]]}, "T": {"main": [[U]]}}),
        ({"S": [[T]]}, {"S": {"main": [[T]]}}),
        ({"S": {"main": [[T]], "options": {}}}, {"S": {"main": [[T]]}}),
        (
            [{"from": "S", "to": "T"}, {"source": "T", "target": "U"}],
            {"S": {"main": [[T]]}, "T": {"main": [[U]]}},
        ),
        ([], {}),
    ],
)
def test_loose_connections_are_rewritten(connections: Any, expected: Any) -> None:
    """A shape in which only one thing can be meant is wrong and corrected."""
    draft = _draft(connections)
    assert findings_of(draft, "N8N104")
    fixed = compile_with_fixes(draft, N8N, REGISTRY, CompileOptions())
    assert fixed.document["connections"] == expected
    assert fixed.verdict == "ok"


@pytest.mark.parametrize(
    "connections",
    [
        {"S": {"main": [T, U]}},
        {"S": {"main": [[7]]}},
        {"S": {"main": [[{"name": "T"}]]}},
        {"S": 7},
        "S to T",
        [{"from": "S"}],
        [{"from": "S", "to": "T", "output": 1_000_000}],
        [{"from": "S", "to": "T", "output": "first"}],
    ],
)
def test_ambiguous_connection_shape_is_not_fixed(connections: Any) -> None:
    """A shape with several or no meanings is wrong and stays unchanged."""
    draft = _draft(connections)
    assert findings_of(draft, "N8N104")
    assert (
        compile_with_fixes(draft, N8N, REGISTRY, CompileOptions()).document["connections"]
        == connections
    )


def test_unreadable_edge_makes_no_node_unreachable() -> None:
    """While some edge cannot be read, no node is reported as unreachable."""
    assert findings_of(_draft({"S": {"main": [[7]]}}), "N8N314") == []
