"""Credentials and receipts of imports."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from grounded_builder.domains.n8n.deploy.client import N8nClient
from grounded_builder.domains.n8n.deploy.readback_diff import differences
from tests.e2e.test_import import HEADER_AUTH, list_by_name, sound
from tests.support.import_desk import Desk, codes_of
from tests.support.n8n_workflows import (
    hook,
    node,
    store_credential,
    workflow,
)
from tests.support.registries import acme_registry


def test_the_only_credential_is_attached(desk: Desk, client: N8nClient) -> None:
    """When exactly one stored credential fits, it is used, and that is reported."""
    stored = store_credential(client, "the one", "httpHeaderAuth", {"name": "a", "value": "b"})
    document = workflow(hook(), node("X", "httpRequest", 4.2, HEADER_AUTH))
    result = desk.draft(document, publish=True)
    assert (result.outcome, result.published, result.todo) == ("imported", True, ())
    assert any(
        "the one" in diagnostic.message
        for diagnostic in result.diagnostics
        if diagnostic.code == "GB402"
    )
    value = client.get(result.workflow_id or "")["nodes"][1]["credentials"]
    assert value == {"httpHeaderAuth": {"id": stored, "name": "the one"}}


def test_several_credentials_are_a_question(desk: Desk, client: N8nClient) -> None:
    """When several fit, none is chosen: the question is on the to-do list, with all of them."""
    ids = [
        store_credential(client, name, "httpHeaderAuth", {"name": "a", "value": "b"})
        for name in ("one", "two")
    ]
    document = workflow(hook(), node("X", "httpRequest", 4.2, HEADER_AUTH))
    result = desk.draft(document, publish=True)
    assert (result.outcome, result.published) == ("imported", False)
    question = next(diagnostic for diagnostic in result.diagnostics if diagnostic.code == "N8N507")
    assert set(question.alternatives) == set(ids)
    assert len(result.todo) == 1
    assert "credentials" not in client.get(result.workflow_id or "")["nodes"][1]


def test_no_reference_without_an_id_is_sent(desk: Desk, client: N8nClient) -> None:
    """A name alone would get any credential of the type from n8n; it is not left to that."""
    for name in ("one", "two"):
        store_credential(client, name, "httpHeaderAuth", {"name": "a", "value": "b"})
    unnamed = {"httpHeaderAuth": {"name": "quite another"}}
    document = workflow(hook(), node("X", "httpRequest", 4.2, HEADER_AUTH, credentials=unnamed))
    result = desk.draft(document)
    assert result.outcome == "imported"
    value = client.get(result.workflow_id or "")["nodes"][1]["credentials"]["httpHeaderAuth"]
    assert value["id"] is None


def test_a_receipt_lets_its_artifact_through(desk: Desk, client: N8nClient) -> None:
    """An artifact with its receipt is sent byte for byte, and keeps its receipt."""
    document = sound()
    receipt = desk.receipt(document)
    result = desk.artifact(document, receipt)
    assert result.outcome == "imported"
    assert result.receipt == receipt
    assert not differences(document, client.get(result.workflow_id or ""))


@pytest.mark.parametrize("fault", ["missing", "changed", "expired", "no artifact"])
def test_no_import_without_a_receipt(fault: str, desk: Desk, client: N8nClient) -> None:
    """Nothing reaches n8n without a fresh receipt for exactly these bytes."""
    document = sound()
    receipt: Any = desk.receipt(document, age_s=4000 if fault == "expired" else 0)
    content: Any = document
    if fault == "changed":
        content = copy.deepcopy(document)
        content["nodes"][1]["parameters"]["assignments"] = {}
    if fault == "no artifact":
        content = {"nodes": "none"}
    code = {"missing": "GB501", "expired": "GB503"}.get(fault, "GB502")
    result = desk.artifact(content, None if fault == "missing" else receipt)
    assert result.outcome == "refused"
    assert codes_of(result) == {code}
    assert list_by_name(client, document) == []


def test_changed_catalog_requires_new_check(desk: Desk, client: N8nClient) -> None:
    """With a receipt of an older catalog, a valid artifact gets a new receipt, and another none."""
    document = sound()
    receipt = desk.receipt(document, catalog="0" * 64)
    result = desk.artifact(document, receipt)
    assert result.outcome == "imported"
    assert result.receipt is not None
    assert result.receipt["catalog"] == desk.registry.fingerprint
    desk.registry = acme_registry()
    other = sound()
    refused = desk.artifact(other, desk.receipt(other, catalog="0" * 64))
    assert refused.outcome == "refused"
    assert {"GB504", "GB201"} <= codes_of(refused)
    assert list_by_name(client, other) == []
