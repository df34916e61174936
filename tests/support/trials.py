"""Runs trials in the real n8n, checks that nothing remains, and makes nodes for their workflows."""

from __future__ import annotations

from typing import Any

from grounded_builder.domains.n8n.deploy.client import N8nClient
from grounded_builder.services.trial_run import Trial, TrialResult, run_trial
from tests.support.import_desk import Desk
from tests.support.n8n_workflows import Workflow, list_workflows, node


def run_trial_cleanly(desk: Desk, content: Any, **samples: list[dict[str, Any]]) -> TrialResult:
    """Runs a trial and checks that nothing of it remains in n8n."""
    result = run_trial(Trial(content, samples), desk.store, desk.registry, tuple)
    assert list_copies(desk) == []
    return result


def list_copies(desk: Desk) -> list[str]:
    """Returns the copies of trials that exist in n8n."""
    with N8nClient(desk.settings.n8n_url or "", desk.settings.n8n_api_key or "") as client:
        named = [item["name"] for item in list_workflows(client)]
    return [name for name in named if name.startswith("Grounded trial")]


def list_codes_and_nodes(result: TrialResult) -> list[tuple[str, str | None]]:
    """Returns the findings of the run itself, by code and node."""
    return [
        (diagnostic.code, diagnostic.node)
        for diagnostic in result.diagnostics
        if diagnostic.code.startswith("N8N6")
    ]


def go() -> Workflow:
    """Returns a manual trigger."""
    return node("Go", "manualTrigger", 1)


def code(name: str, text: str, **more: Any) -> Workflow:
    """Returns a Code node."""
    return node(name, "code", 2, {"jsCode": text}, **more)


def fields(name: str, **values: str) -> Workflow:
    """Returns a Set node that outputs these fields."""
    listed_ = [
        {"id": key, "name": key, "type": "string", "value": value} for key, value in values.items()
    ]
    return node(name, "set", 3.4, {"assignments": {"assignments": listed_}, "options": {}})
