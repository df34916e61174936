"""Imports under a policy: denied nodes never reach n8n, and approved ones do."""

from __future__ import annotations

import json
from pathlib import Path

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.n8n.deploy.client import N8nClient
from grounded_builder.ir.options import Policy
from runtime.n8n_server import N8nServer
from tests.e2e.test_import import list_by_name
from tests.support.approvals import list_required_approvals
from tests.support.import_desk import Desk, codes_of
from tests.support.n8n_workflows import Workflow, hook, node, workflow


def _calling_inside(url: str) -> Workflow:
    """A workflow that runs another one, written into its parameter, which calls an address."""
    begin = node("Begin", "executeWorkflowTrigger", 1.1, {"inputSource": "passthrough"})
    inner = workflow(begin, node("Call", "httpRequest", 4.2, {"url": url}))
    written = {"source": "parameter", "workflowJson": json.dumps(inner)}
    return workflow(hook(), node("Sub", "executeWorkflow", 1.2, written))


def test_a_denied_node_is_refused_inside_a_workflow(
    tmp_path: Path, n8n: N8nServer, registry: Registry, client: N8nClient
) -> None:
    """A workflow in the parameter of another one is no way around a denial."""
    policy = Policy(denied=("n8n-nodes-base.httpRequest",))
    desk = Desk(tmp_path, n8n, registry, policy=policy)
    document = _calling_inside("https://api.acme.test/")
    result = desk.draft(document, publish=True, approvals=("GB404/Sub > Call@0123456789abcdef",))
    assert (result.outcome, result.published) == ("refused", False)
    assert "GB401" in codes_of(result)
    assert list_by_name(client, document) == []


def test_workflow_is_published_only_with_approval(
    tmp_path: Path, n8n: N8nServer, registry: Registry, client: N8nClient
) -> None:
    """A workflow with a local address stays unpublished until a person approves it."""
    desk = Desk(tmp_path, n8n, registry, policy=Policy())
    waiting = desk.draft(_calling_inside("http://127.0.0.1:9/"), publish=True)
    assert (waiting.outcome, waiting.published) == ("imported", False)
    assert "GB404" in codes_of(waiting)
    assert any("GB404/Sub > Call" in point for point in waiting.todo)
    approvals = list_required_approvals(waiting.diagnostics)
    document = _calling_inside("http://127.0.0.1:9/")
    approved = desk.draft(document, publish=True, approvals=approvals)
    assert (approved.outcome, approved.published) == ("imported", True), approved.diagnostics
    assert "GB405" in codes_of(approved)
    assert desk.ledger().list_approvals(approved.key) == approvals
    assert approved.receipt is not None
    assert approved.receipt["approvals"] == list(approvals)
    changed = desk.draft(_calling_inside("http://127.0.0.1:8/"), publish=True, approvals=approvals)
    assert (changed.outcome, changed.published) == ("refused", False)
    assert "GB407" in codes_of(changed)
    assert len(list_by_name(client, document)) == 1
