"""Imports into a real n8n: stored workflows, and refused ones."""

from __future__ import annotations

import copy

import requests

from grounded_builder.domains.n8n.deploy.client import N8nClient
from grounded_builder.domains.n8n.deploy.publish import is_published
from grounded_builder.domains.n8n.deploy.readback_diff import differences
from runtime.n8n_server import N8nServer
from tests.support.import_desk import Desk, codes_of
from tests.support.n8n_workflows import (
    Workflow,
    hook,
    list_workflows,
    node,
    workflow,
)
from tests.support.time_bounds import PATIENCE_S

HEADER_AUTH = {
    "url": "http://127.0.0.1",
    "authentication": "genericCredentialType",
    "genericAuthType": "httpHeaderAuth",
}
EVERY_DAY = {"rule": {"interval": [{"field": "days"}]}}


def sound(path: str = "") -> Workflow:
    """A webhook that answers with what a Set node made."""
    start = hook()
    if path:
        start["parameters"]["path"] = path
    start["parameters"]["responseMode"] = "lastNode"
    fields = {"assignments": [{"id": "a", "name": "said", "value": "hello", "type": "string"}]}
    return workflow(start, node("Set", "set", 3.4, {"assignments": fields, "options": {}}))


def make_calling_workflow(workflow_id: str) -> Workflow:
    """Sound to any catalog; n8n refuses to publish it unless the called workflow is published."""
    called = {"__rl": True, "mode": "id", "value": workflow_id}
    return workflow(hook(), node("Call", "executeWorkflow", 1.2, {"workflowId": called}))


def call(server: N8nServer, document: Workflow) -> requests.Response:
    path = document["nodes"][0]["parameters"]["path"]
    return requests.get(f"{server.url}/webhook/{path}", timeout=PATIENCE_S)


def list_by_name(client: N8nClient, document: Workflow) -> list[Workflow]:
    return list(client.workflows_named(document["name"]))


def test_import_stores_draft_unchanged(desk: Desk, client: N8nClient) -> None:
    """A valid draft is stored in n8n unpublished and unchanged, with a receipt."""
    document = sound()
    result = desk.draft(document)
    assert result.outcome == "imported"
    assert not result.published
    assert result.todo == ()
    assert result.receipt is not None
    assert result.url == client.page_of(result.workflow_id or "")
    stored = client.get(result.workflow_id or "")
    assert not differences(document, stored)
    assert stored["active"] is False


def test_half_an_emoji_is_stored_and_read_back(desk: Desk, client: N8nClient) -> None:
    """Text with half a surrogate pair is stored, and a list with it can be read."""
    document = sound()
    document["nodes"][1]["notes"] = "cut off \ud83d"
    result = desk.draft(document)
    assert result.outcome == "imported", codes_of(result)
    (stored,) = list_by_name(client, document)
    assert stored["nodes"][1]["notes"] == "cut off \ud83d"


def test_published_means_that_it_answers(desk: Desk, n8n: N8nServer) -> None:
    """When a published import returns, its webhook is live."""
    document = sound()
    result = desk.draft(document, publish=True)
    assert (result.outcome, result.published, result.live) == ("imported", True, True)
    assert call(n8n, document).json() == {"said": "hello"}


def test_a_schedule_is_live_too(desk: Desk) -> None:
    """A trigger without a webhook is known to run by n8n's count of triggers."""
    result = desk.draft(workflow(node("Tick", "scheduleTrigger", 1.2, EVERY_DAY)), publish=True)
    assert (result.outcome, result.published, result.live) == ("imported", True, True)


def test_a_trigger_that_does_not_start_is_reported(desk: Desk) -> None:
    """n8n publishes a feed that it cannot reach; the finding states that it does not run."""
    feed = {"feedUrl": "http://127.0.0.1:1/feed", "pollTimes": {"item": [{"mode": "everyHour"}]}}
    result = desk.draft(workflow(node("Feed", "rssFeedReadTrigger", 1, feed)), publish=True)
    assert (result.outcome, result.published, result.live) == ("imported", True, False)
    assert "N8N513" in codes_of(result)


def test_wrong_is_never_sent(desk: Desk, client: N8nClient) -> None:
    """A workflow with a tool that is not installed is refused by name; n8n never sees it."""
    document = workflow(hook(), node("X", "gmailSendd", 1))
    result = desk.draft(document)
    assert result.outcome == "refused"
    assert codes_of(result) & {"GB201", "GB203"}
    assert list_by_name(client, document) == []


def test_incomplete_is_imported_unpublished(desk: Desk, client: N8nClient) -> None:
    """Values that only a person can supply become a to-do list, and publishing is postponed."""
    document = workflow(hook(), node("X", "httpRequest", 4.2))
    result = desk.draft(document, publish=True)
    assert (result.outcome, result.published) == ("imported", False)
    assert "N8N509" in codes_of(result)
    assert any("url" in line.casefold() for line in result.todo)
    assert client.get(result.workflow_id or "")["active"] is False


def test_a_repetition_makes_no_second_one(desk: Desk, client: N8nClient) -> None:
    """Equal content is the same import, with or without a key, and may be published later."""
    document = sound()
    first, second = desk.draft(document), desk.draft(document)
    third = desk.draft(document, publish=True)
    assert {first.workflow_id, second.workflow_id, third.workflow_id} == {first.workflow_id}
    assert third.published
    assert len(list_by_name(client, document)) == 1


def test_another_key_makes_a_second_one(desk: Desk, client: N8nClient) -> None:
    """Two keys are two imports, although the node ids are equal."""
    document = sound()
    first, second = desk.draft(document, key="one"), desk.draft(document, key="two")
    assert first.workflow_id != second.workflow_id
    assert len(list_by_name(client, document)) == 2


def test_a_deleted_one_is_made_again(desk: Desk, client: N8nClient) -> None:
    """When a person has deleted the workflow, the same import makes it again."""
    document = sound()
    first = desk.draft(document)
    client.delete(first.workflow_id or "")
    second = desk.draft(document)
    assert second.outcome == "imported"
    assert [item["id"] for item in list_by_name(client, document)] == [second.workflow_id]


def test_changed_workflow_is_not_overwritten(desk: Desk, client: N8nClient) -> None:
    """A workflow that a person changed after the import is neither overwritten nor published."""
    document = sound()
    first = desk.draft(document)
    changed = copy.deepcopy(document)
    changed["nodes"][1]["position"] = [500, 500]
    client.update(first.workflow_id or "", changed)
    again = desk.draft(document, publish=True)
    assert again.outcome == "failed"
    assert "N8N508" in codes_of(again)
    stored = client.get(first.workflow_id or "")
    assert stored["nodes"][1]["position"] == [500, 500]
    assert stored["active"] is False


def test_a_key_stands_for_one_artifact(desk: Desk, client: N8nClient) -> None:
    """A key that has made one workflow is refused for another."""
    first = desk.draft(sound(), key="mine")
    other = sound()
    second = desk.draft(other, key="mine")
    assert first.outcome == "imported"
    assert second.outcome == "failed"
    assert "N8N511" in codes_of(second)
    assert list_by_name(client, other) == []


def test_a_refused_publication_leaves_nothing(desk: Desk, client: N8nClient) -> None:
    """n8n's refusal comes back at the node it is about, and the new workflow is gone."""
    draft = client.create(sound())
    document = make_calling_workflow(draft["id"])
    result = desk.draft(document, publish=True)
    assert (result.outcome, result.workflow_id) == ("failed", None)
    refused = next(diagnostic for diagnostic in result.diagnostics if diagnostic.code == "N8N505")
    assert (refused.at, refused.node) == (("nodes", 1), "Call")
    assert draft["id"] in refused.message
    assert list_by_name(client, document) == []
    assert desk.draft(document).outcome == "imported"


def test_a_taken_webhook_is_a_refusal(desk: Desk, client: N8nClient) -> None:
    """A path that another published workflow listens on is reported as n8n's refusal to publish."""
    first, second = sound("taken-path"), sound("taken-path")
    assert desk.draft(first, publish=True).published
    result = desk.draft(second, publish=True)
    assert result.outcome == "failed"
    assert "N8N505" in codes_of(result)
    assert list_by_name(client, second) == []


def test_an_update_replaces_what_runs(desk: Desk, client: N8nClient, n8n: N8nServer) -> None:
    """An update writes the draft; what runs stays until the update is published."""
    before, after = sound(), sound()
    target = desk.draft(before, publish=True).workflow_id or ""
    drafted = desk.draft(after, workflow_id=target)
    assert (drafted.outcome, drafted.workflow_id, drafted.published) == ("imported", target, False)
    assert call(n8n, before).status_code == 200
    assert desk.draft(after, workflow_id=target, publish=True).live
    assert call(n8n, after).status_code == 200
    assert call(n8n, before).status_code == 404
    assert client.get(target)["name"] == after["name"]


def test_a_failed_update_puts_the_old_one_back(
    desk: Desk, client: N8nClient, n8n: N8nServer
) -> None:
    """When n8n refuses to publish an update, draft and running version are those of before."""
    before = sound()
    before["settings"] = {"executionOrder": "v1"}
    target = desk.draft(before, publish=True).workflow_id or ""
    running = client.get(target)
    refused = make_calling_workflow(client.create(sound())["id"])
    refused["settings"] = {"timezone": "Europe/Berlin"}
    result = desk.draft(refused, workflow_id=target, publish=True)
    assert result.outcome == "failed"
    assert {"N8N505"} == {
        diagnostic.code for diagnostic in result.diagnostics if diagnostic.rule.kind == "wrong"
    }
    stored = client.get(target)
    assert not differences(before, stored)
    assert (stored["active"], stored["activeVersionId"]) == (True, running["activeVersionId"])
    assert call(n8n, before).status_code == 200


def test_an_update_may_go_back_and_forth(desk: Desk, client: N8nClient) -> None:
    """The same content may replace the same workflow again after it was replaced by other."""
    entries, other = sound(), sound()
    target = desk.draft(entries).workflow_id or ""
    for document in (other, entries, other, other):
        assert desk.draft(document, workflow_id=target).outcome == "imported"
        assert not differences(document, client.get(target))


def test_an_update_of_nothing_is_reported(desk: Desk) -> None:
    """A workflow that is not there cannot be replaced."""
    result = desk.draft(sound(), workflow_id="nothing-here")
    assert result.outcome == "failed"
    assert "N8N503" in codes_of(result)


def test_undoing_waits_until_n8n_lets_go(desk: Desk, client: N8nClient) -> None:
    """A published workflow can be deleted: n8n answers 409 until its triggers are gone."""
    from grounded_builder.domains.n8n.deploy.import_run import discard

    result = desk.draft(sound(), publish=True)
    discard(client, result.workflow_id or "")
    assert result.workflow_id not in {item["id"] for item in list_workflows(client)}


def test_published_is_read_off_the_versions() -> None:
    """A workflow whose draft is newer than what runs is not published."""
    assert is_published({"active": True, "versionId": "a", "activeVersionId": "a"})
    assert not is_published({"active": True, "versionId": "b", "activeVersionId": "a"})
    assert not is_published({"active": False, "versionId": "a", "activeVersionId": None})
    assert is_published({"active": True, "versionId": "a"})
