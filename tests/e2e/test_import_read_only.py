"""Imports into an n8n whose database becomes read-only: a clear error, nothing lost or doubled."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from grounded_builder.domains.n8n.deploy import client as client_module
from grounded_builder.domains.n8n.deploy.client import N8nClient
from grounded_builder.domains.n8n.deploy.http import Bounds
from grounded_builder.domains.n8n.deploy.import_workflow import ImportResult
from grounded_builder.domains.n8n.deploy.readback_diff import differences
from runtime.n8n_server import N8nServer
from tests.support.import_desk import Desk
from tests.support.n8n_workflows import Workflow, hook, node, workflow
from tests.support.proxy import Between
from tests.support.read_only_n8n import ReadOnlySwitch, read_only_switch

_ONE, _ALL = r"/api/v1/workflows/[^/]+", r"/api/v1/workflows"


@pytest.fixture
def switch(n8n: N8nServer) -> Iterator[ReadOnlySwitch]:
    """The switch of the real n8n's database."""
    with read_only_switch(n8n) as result:
        yield result


@pytest.fixture
def between(httpserver: HTTPServer, n8n: N8nServer) -> Between:
    """A proxy before the real n8n; it only tells when a call was answered."""
    return Between(httpserver, n8n.url).start()


@pytest.fixture
def through(desk: Desk, between: Between, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """Imports through the proxy, with short waits between repetitions."""
    monkeypatch.setattr(client_module, "DEFAULT_BOUNDS", Bounds(retry_wait_s=0.1))
    return desk.at(between.url)


def _draft() -> Workflow:
    return workflow(hook(), node("Set", "set", 3.4))


def _errors(result: ImportResult) -> dict[str, str]:
    wrong = (finding for finding in result.diagnostics if finding.rule.kind == "wrong")
    return {finding.code: f"{finding.message} {finding.help}" for finding in wrong}


def test_a_creation_in_a_read_only_n8n_fails_and_can_be_repeated(
    desk: Desk, client: N8nClient, switch: ReadOnlySwitch
) -> None:
    """No workflow is created while writes fail, and one by the same import afterwards."""
    document = _draft()
    switch.refuse_writes()
    result = desk.draft(document, publish=True)
    assert (result.outcome, result.workflow_id) == ("failed", None)
    assert set(_errors(result)) == {"N8N506"}
    switch.allow_writes()
    assert list(client.workflows_named(document["name"])) == []
    again = desk.draft(document, publish=True)
    assert (again.outcome, again.published) == ("imported", True)
    assert [item["id"] for item in client.workflows_named(document["name"])] == [again.workflow_id]


def test_an_n8n_that_becomes_read_only_during_an_import_keeps_one_workflow(
    through: Desk, between: Between, client: N8nClient, switch: ReadOnlySwitch
) -> None:
    """An unpublished workflow that could not be removed is named, and a repetition uses it."""

    def refuse(_request: Request, answer: Response) -> Response:
        switch.refuse_writes()
        return answer

    between.spoil("POST", _ALL, refuse, times=1)
    document = _draft()
    result = through.draft(document, publish=True)
    errors = _errors(result)
    left = [item["id"] for item in client.workflows_named(document["name"])]
    assert result.outcome == "failed"
    assert left == [result.workflow_id]
    assert {"N8N506", "N8N512"} == set(errors)
    assert str(result.workflow_id) in errors["N8N512"]
    assert not client.get(left[0])["active"]
    switch.allow_writes()
    again = through.draft(document, publish=True)
    assert (again.outcome, again.published) == ("imported", True)
    stored = [item["id"] for item in client.workflows_named(document["name"])]
    assert stored == [again.workflow_id]
    assert not differences(document, client.get(stored[0]))


def test_an_update_in_a_read_only_n8n_leaves_the_stored_workflow(
    through: Desk, between: Between, desk: Desk, client: N8nClient, switch: ReadOnlySwitch
) -> None:
    """The version before stays, published, and the repeated update replaces it."""
    before, after = _draft(), _draft()
    target = desk.draft(before, publish=True).workflow_id or ""
    running = client.get(target)["activeVersionId"]

    def refuse(_request: Request, answer: Response) -> Response:
        switch.refuse_writes()
        return answer

    between.spoil("GET", _ONE, refuse, times=1)
    result = through.draft(after, workflow_id=target, publish=True)
    assert result.outcome == "failed"
    assert "N8N506" in _errors(result)
    switch.allow_writes()
    stored = client.get(target)
    assert not differences(before, stored)
    assert (stored["active"], stored["activeVersionId"]) == (True, running)
    again = through.draft(after, workflow_id=target, publish=True)
    assert (again.outcome, again.workflow_id) == ("imported", target)
    assert not differences(after, client.get(target))
