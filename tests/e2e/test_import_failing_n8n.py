"""Imports into an n8n that fails: a clear word, in bounded time, and nothing left behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.n8n.deploy import client as client_module
from grounded_builder.domains.n8n.deploy.client import N8nClient
from grounded_builder.domains.n8n.deploy.http import Bounds
from grounded_builder.domains.n8n.deploy.readback_diff import differences
from runtime.n8n_server import N8nServer
from runtime.ports import free_port
from tests.support.import_desk import Desk, codes_of
from tests.support.n8n_workflows import Workflow, hook, node, workflow
from tests.support.proxy import Between, make_answer_rule, make_change_rule, make_delay_rule

ONE, ALL = r"/api/v1/workflows/[^/]+", r"/api/v1/workflows"
ACTIVATE = r"/api/v1/workflows/[^/]+/activate"


def sound() -> Workflow:
    return workflow(hook(), node("Set", "set", 3.4))


def move(stored: Any) -> None:
    stored["nodes"][1]["position"] = [7, 7]


@pytest.fixture
def between(httpserver: HTTPServer, n8n: N8nServer) -> Between:
    """A proxy before the real n8n."""
    return Between(httpserver, n8n.url).start()


@pytest.fixture
def through(desk: Desk, between: Between, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """Imports through the proxy, with little patience."""
    bounds = Bounds(read_s=5, retry_wait_s=0.1)
    monkeypatch.setattr(client_module, "DEFAULT_BOUNDS", bounds)
    return desk.at(between.url)


def wrong(result: Any) -> set[str]:
    return {diagnostic.code for diagnostic in result.diagnostics if diagnostic.rule.kind == "wrong"}


def test_a_changed_read_back_is_undone(through: Desk, between: Between, client: N8nClient) -> None:
    """When n8n shows something else than was sent, the new workflow is deleted again."""
    between.spoil("GET", ONE, make_change_rule(move))
    document = sound()
    result = through.draft(document)
    assert (result.outcome, result.workflow_id) == ("failed", None)
    error = next(diagnostic for diagnostic in result.diagnostics if diagnostic.code == "N8N504")
    assert error.at[:3] == ("nodes", 1, "position")
    assert list(client.workflows_named(document["name"])) == []


def test_a_changed_update_is_undone(
    desk: Desk, through: Desk, between: Between, client: N8nClient
) -> None:
    """When n8n shows something else than an update wrote, the version before is put back."""
    before, after = sound(), sound()
    target = desk.draft(before, publish=True).workflow_id or ""
    running = client.get(target)["activeVersionId"]

    def move_ours(stored: Any) -> None:
        if stored["name"] == after["name"]:
            move(stored)

    between.spoil("GET", ONE, make_change_rule(move_ours))
    result = through.draft(after, workflow_id=target)
    assert wrong(result) == {"N8N504"}
    stored = client.get(target)
    assert not differences(before, stored)
    assert (stored["active"], stored["activeVersionId"]) == (True, running)


@pytest.mark.parametrize(
    ("spoilt", "code"),
    [
        (make_answer_rule(500), "N8N506"),
        (make_answer_rule(200, "<html>login</html>"), "N8N506"),
        (make_answer_rule(200, "{}"), "N8N506"),
        (make_answer_rule(503, "busy"), "N8N506"),
        (make_delay_rule(6), "N8N501"),
    ],
    ids=["500", "garbage", "no id", "503", "slow"],
)
def test_a_creation_without_a_clear_answer_leaves_nothing(
    spoilt: Any, code: str, through: Desk, between: Between, client: N8nClient
) -> None:
    """n8n made the workflow but said otherwise: what it made is found and deleted."""
    between.spoil("POST", ALL, spoilt, times=1)
    document = sound()
    result = through.draft(document)
    assert result.outcome == "failed"
    assert wrong(result) == {code}
    assert list(client.workflows_named(document["name"])) == []
    assert through.draft(document).outcome == "imported"
    assert len(list(client.workflows_named(document["name"]))) == 1


def test_an_n8n_that_dies_after_creating_is_found_again(
    through: Desk, between: Between, client: N8nClient
) -> None:
    """If n8n ends after it created the workflow, the next import continues with that one."""
    between.spoil("POST", ALL, make_answer_rule(500), times=1)
    between.spoil("GET", ALL, make_answer_rule(500), times=5)
    document = sound()
    first = through.draft(document)
    assert first.outcome == "failed"
    left = list(client.workflows_named(document["name"]))
    between.rules.clear()
    second = through.draft(document)
    assert second.outcome == "imported"
    stored = [item["id"] for item in client.workflows_named(document["name"])]
    assert stored == [second.workflow_id]
    assert {item["id"] for item in left} <= set(stored)


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_reported(
    status: int, through: Desk, between: Between, client: N8nClient
) -> None:
    """A key that n8n refuses is named with its setting; nothing is made."""
    between.spoil("POST", ALL, make_answer_rule(status))
    result = through.draft(sound())
    error = next(diagnostic for diagnostic in result.diagnostics if diagnostic.code == "N8N502")
    assert "GROUNDED_N8N_API_KEY" in error.help


@pytest.mark.parametrize(
    ("spoilt", "code"),
    [
        (make_answer_rule(409), "N8N505"),
        (make_answer_rule(500), "N8N506"),
        (make_delay_rule(6), "N8N501"),
    ],
    ids=["409", "500", "slow"],
)
def test_a_publication_without_success_is_undone(
    spoilt: Any, code: str, through: Desk, between: Between, client: N8nClient
) -> None:
    """If a publication cannot be confirmed for any reason, the new workflow is removed."""
    between.spoil("POST", ACTIVATE, spoilt)
    document = sound()
    result = through.draft(document, publish=True)
    assert result.outcome == "failed"
    assert wrong(result) == {code}
    assert list(client.workflows_named(document["name"])) == []


def test_failed_rollback_names_remaining_workflow(
    through: Desk, between: Between, client: N8nClient
) -> None:
    """If a rollback fails, the message names the remaining workflow; a repetition removes it."""
    between.spoil("GET", ONE, make_change_rule(move))
    between.blocked.add("DELETE")
    document = sound()
    result = through.draft(document)
    assert {"N8N504", "N8N506", "N8N512"} == wrong(result)
    left = list(client.workflows_named(document["name"]))
    assert [item["id"] for item in left] == [result.workflow_id]
    between.rules.clear()
    between.blocked.clear()
    again = through.draft(document)
    assert again.outcome == "imported"
    assert [item["id"] for item in client.workflows_named(document["name"])] == [again.workflow_id]


@pytest.mark.parametrize("draft_is", ["sound", "wrong"])
def test_an_n8n_that_is_down_is_reported(
    draft_is: str, tmp_path: Path, n8n: N8nServer, registry: Registry
) -> None:
    """A missing n8n is reported with its setting, and a wrong draft is reported too."""
    desk = Desk(tmp_path, n8n, registry, url=f"http://127.0.0.1:{free_port()}")
    document = sound() if draft_is == "sound" else workflow(hook(), node("X", "nopeNode", 1))
    result = desk.draft(document)
    error = next(diagnostic for diagnostic in result.diagnostics if diagnostic.code == "N8N501")
    assert "GROUNDED_N8N_URL" in error.help
    assert ("GB201" in codes_of(result)) == (draft_is == "wrong")
    desk.store.close()
