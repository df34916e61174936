"""What the planner makes of requests that name a node of a real n8n and one value."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.drafting.conversation import Outcome
from grounded_builder.drafting.planner_fallback import plan_without_model
from grounded_builder.ir.options import CompileOptions
from grounded_builder.resolve.diagnose import no_reference_catalogs

REQUEST = "n8n-nodes-base.httpRequest"
ADDRESS = "https://api.acme.example/items"


@pytest.fixture(scope="module")
def registry(installed_registry: Registry) -> Registry:
    return installed_registry


def _plan(request: str, registry: Registry) -> Outcome:
    return plan_without_model(request, N8N, registry, CompileOptions(), no_reference_catalogs)


@pytest.mark.parametrize(
    ("request_text", "params"),
    [
        (f"Fetch {ADDRESS} with HTTP Request", {"url": ADDRESS}),
        (f"Download {ADDRESS} with the HTTP Request node", {"url": ADDRESS}),
        (f"Every day at 7 get {ADDRESS} by HTTP Request", {"url": ADDRESS}),
        (f"Call {ADDRESS} with HTTP Request", {"url": ADDRESS}),
        (f"POST to {ADDRESS} with HTTP Request", {"url": ADDRESS, "method": "POST"}),
    ],
)
def test_a_verb_for_what_a_named_node_does_is_read(
    request_text: str, params: dict[str, Any], registry: Registry
) -> None:
    """A node without operations takes the verbs that mean what it does by itself."""
    plan = _plan(request_text, registry).plan
    assert plan is not None
    assert [step["params"] for step in plan["steps"] if step["tool"] == REQUEST] == [params]


@pytest.mark.parametrize(
    ("request_text", "unread"),
    [
        (f"Delete {ADDRESS} with HTTP Request", "Delete"),
        (f"Send the rows to {ADDRESS} with HTTP Request", "Send"),
        ("Make it nice", "Make it nice"),
        ("Paint the house with Google Sheets", "Paint the house"),
    ],
)
def test_a_refusal_is_what_was_not_read(request_text: str, unread: str, registry: Registry) -> None:
    """Nothing is planned, and no finding about a plan that nobody wrote stands beside it."""
    outcome = _plan(request_text, registry)
    assert outcome.outcome == "refused"
    assert unread in outcome.summary
    assert outcome.compilation is None
