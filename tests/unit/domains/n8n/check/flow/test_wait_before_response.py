"""A Respond node behind a Wait node answers the call that resumes it, if there is one."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_with_fixes
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from tests.unit.domains.n8n.drafts import node, workflow

_BASE = "n8n-nodes-base."


@pytest.mark.parametrize(
    ("wait", "is_unused"),
    [
        ({"amount": 2}, True),
        ({"resume": "timeInterval", "amount": 2, "unit": "minutes"}, True),
        ({"resume": "specificTime", "dateTime": "2027-01-01T00:00:00"}, True),
        ({"resume": "webhook", "responseMode": "onReceived"}, True),
        ({"resume": "webhook", "responseMode": "responseNode"}, False),
        ({"resume": "timeInterval", "amount": 2, "responseMode": "responseNode"}, True),
    ],
)
def test_only_a_call_that_resumes_is_answered(
    wait: dict[str, Any], is_unused: bool, installed_registry: Registry
) -> None:
    """n8n fails each call of the first webhook otherwise, so that webhook is made to wait."""
    nodes = [
        node("Hook", f"{_BASE}webhook", {"path": "x"}, typeVersion=2),
        node("Wait", f"{_BASE}wait", wait, typeVersion=1.1),
        node("Respond", f"{_BASE}respondToWebhook", {}, typeVersion=1.1),
    ]
    draft = workflow(nodes, [("Hook", "Wait"), ("Wait", "Respond")])
    compilation = compile_with_fixes(draft, N8N, installed_registry, CompileOptions())
    mode = compilation.document["nodes"][0]["parameters"].get("responseMode")
    assert (mode == "responseNode") is is_unused
    assert compilation.verdict != "wrong"
