"""One call starts one webhook."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.domains.n8n.drafts import node
from tests.unit.domains.n8n.structure_registry import CALL, ONLY, draft, findings_of, fix_draft

HEARD = "acme-nodes.heard"


def _two(first: dict[str, Any], second: dict[str, Any], **more: Any) -> dict[str, Any]:
    return draft([node("A", CALL, first), node("B", CALL, second, **more)])


def test_one_method_and_path_belong_to_one_webhook() -> None:
    """The second of two equal webhooks is wrong; slashes around a path do not count."""
    diagnostics = findings_of(_two({"path": "greet"}, {"path": "/greet"}), "N8N346")
    assert [(d.node, d.at[-1]) for d in diagnostics] == [("B", "path")]


@pytest.mark.parametrize(
    "second",
    [
        {"path": "other"},
        {"path": "greet", "method": "POST"},
        {"path": "={{ $env.PATH }}"},
        {"path": "greet/:id"},
        {},
    ],
)
def test_other_calls_start_other_webhooks(second: dict[str, Any]) -> None:
    """Another path, another method and what is known at run time only are no conflict."""
    assert findings_of(_two({"path": "greet"}, second), "N8N346") == []


def test_disabled_webhooks_are_not_compared() -> None:
    """Only enabled nodes are compared."""
    assert findings_of(_two({"path": "greet"}, {"path": "greet"}, disabled=True), "N8N346") == []


def test_a_shared_id_is_dropped() -> None:
    """Nodes whose paths are made of their webhookId must not share one; n8n gives a new one."""
    nodes = [node("A", HEARD, webhookId="one"), node("B", HEARD, webhookId="one")]
    diagnostics = findings_of(draft(nodes), "N8N346")
    assert [d.at[-1] for d in diagnostics] == ["webhookId"]
    assert fix_draft(draft(nodes)).verdict == "ok"
    assert findings_of(draft([node("A", HEARD), node("B", HEARD)]), "N8N346") == []


def test_a_trigger_that_n8n_takes_once_stands_once() -> None:
    """A second trigger of a limited type is advice; a disabled one does not count."""
    document = draft([node("A", ONLY), node("B", ONLY)])
    assert [d.node for d in findings_of(document, "N8N347")] == ["B"]
    assert findings_of(draft([node("A", ONLY, disabled=True), node("B", ONLY)]), "N8N347") == []
