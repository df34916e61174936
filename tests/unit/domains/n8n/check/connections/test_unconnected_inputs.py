"""A node that brings streams together is fed on all its inputs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.domains.n8n.drafts import STEP, Edge, node
from tests.unit.domains.n8n.structure_registry import JOIN, draft, findings_of

V1: dict[str, Any] = {"settings": {"executionOrder": "v1"}}
SECOND: Edge = ("S", "main", 0, "J", "main", 1)


def test_an_open_input_is_advice() -> None:
    """Some inputs fed and some not is reported; all fed, or none, is not."""
    nodes = [node("J", JOIN), node("T", STEP)]
    diagnostics = findings_of(draft(nodes, ("S", "J")), "N8N345")
    assert [d.token for d in diagnostics] == ["1"]
    assert findings_of(draft(nodes, ("S", "J"), SECOND), "N8N345") == []
    assert findings_of(draft(nodes, ("S", "T")), "N8N345") == []


@pytest.mark.parametrize(
    ("mode", "edge", "settings", "code"),
    [
        ("both", SECOND, V1, "GB316"),
        ("any", SECOND, V1, "N8N345"),
        ("={{ $json.mode }}", SECOND, V1, "N8N345"),
        ("both", SECOND, {}, "N8N345"),
        ("both", ("S", "J"), V1, "N8N345"),
    ],
)
def test_an_input_that_is_waited_for_is_required(
    mode: str, edge: Edge, settings: dict[str, Any], code: str
) -> None:
    """An input for which n8n waits in execution order v1 is required, others are not."""
    document = draft([node("J", JOIN, {"mode": mode})], edge, **settings)
    assert len(findings_of(document, code)) == 1
    assert findings_of(document, {"GB316": "N8N345", "N8N345": "GB316"}[code]) == []
