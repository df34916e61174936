from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel

from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.interfaces.http.schemas import bodies
from tests.api.conftest import Serve, Served
from tests.support import catalogs

pytestmark = pytest.mark.sqlite_suffices


def test_a_sound_workflow_is_ok(shared_server: Served) -> None:
    """A workflow over installed tools is ok; its report has the fingerprint and the id."""
    answer = shared_server.client.post(
        "/v1/n8n/validate", json={"id": [1], "workflow": catalogs.workflow()}
    )
    assert answer.status_code == 200, answer.text
    report = answer.json()
    assert (report["id"], report["verdict"], report["diagnostics"]) == ([1], "ok", [])
    active = shared_server.client.get("/v1/n8n/catalog").json()
    assert report["catalog"] == active["fingerprint"]


def test_an_invented_tool_is_wrong(shared_server: Served) -> None:
    """A tool that is not in the catalog is named where it stands, in full and in short."""
    workflow = catalogs.workflow()
    workflow["nodes"][1]["type"] = "acme-nodes.teleport"
    report = shared_server.client.post("/v1/n8n/validate", json={"workflow": workflow}).json()
    assert report["verdict"] == "wrong"
    assert report["diagnostics"][0]["name"] == "unknown-tool"
    assert report["diagnostics"][0]["at"] == "/nodes/1/type"
    assert report["errors"][0]["type"] == "UnknownTool"


@pytest.mark.parametrize("verb", ["validate", "repair", "build"])
def test_answers_have_the_documented_shape(shared_server: Served, verb: str) -> None:
    """The answers for valid and wrong documents match the OpenAPI model of their route."""
    by_verb: dict[str, type[BaseModel]] = {
        "validate": bodies.Judged,
        "repair": bodies.Repaired,
        "build": bodies.Built,
    }
    shape = by_verb[verb]
    wrong = catalogs.workflow()
    wrong["nodes"][0]["type"] = "acme-nodes.hok"
    wrong["nodes"][1]["typeVersion"] = 99
    for workflow in (catalogs.workflow(), wrong, {}):
        answer = shared_server.client.post(f"/v1/n8n/{verb}", json={"workflow": workflow})
        assert answer.status_code == 200, answer.text
        shape.model_validate(answer.json())


def test_text_around_a_document_is_taken_off(shared_server: Served) -> None:
    """A draft may be text with a document in it, and that liberty is reported."""
    text = f"Here you are:\n```json\n{json.dumps(catalogs.workflow())}\n```\nEnjoy!"
    report = shared_server.client.post("/v1/n8n/validate", json={"draft": text}).json()
    assert report["verdict"] == "ok"
    assert [diagnostic["name"] for diagnostic in report["diagnostics"]] == ["document-in-text"]


def test_repair_gives_the_corrected_document(shared_server: Served) -> None:
    """Repair answers with the document after safe fixes and a note for each of them."""
    workflow = catalogs.workflow()
    workflow["nodes"][1]["type"] = "acme-nodes.MAIL"
    report = shared_server.client.post("/v1/n8n/repair", json={"workflow": workflow}).json()
    assert report["verdict"] == "ok"
    assert report["workflow"]["nodes"][1]["type"] == catalogs.MAIL
    assert report["fixes"][0]["name"] == "corrected"
    hopeless = shared_server.client.post("/v1/n8n/repair", json={"workflow": {"nodes": 5}}).json()
    assert (hopeless["verdict"], hopeless["fixes"]) == ("wrong", [])


def test_build_signs_what_is_not_wrong(shared_server: Served) -> None:
    """An artifact comes with a receipt over its bytes and the catalog; a wrong draft gets none."""
    good = shared_server.client.post("/v1/n8n/build", json={"workflow": catalogs.workflow()}).json()
    assert good["receipt"]["catalog"] == good["catalog"]
    assert good["receipt"]["verdict"] == "ok"
    workflow = catalogs.workflow()
    workflow["nodes"][1]["type"] = "acme-nodes.teleport"
    bad = shared_server.client.post("/v1/n8n/build", json={"workflow": workflow}).json()
    assert (bad["verdict"], bad["artifact"], bad["receipt"]) == ("wrong", None, None)


def test_build_corrects_only_when_it_may(shared_server: Served) -> None:
    """With ``"correct": false`` a document with a safe fix stays wrong."""
    workflow = catalogs.workflow()
    workflow["nodes"][1]["type"] = "acme-nodes.MAIL"
    body: dict[str, Any] = {"workflow": workflow}
    assert shared_server.client.post("/v1/n8n/build", json=body).json()["verdict"] == "ok"
    body["correct"] = False
    assert shared_server.client.post("/v1/n8n/build", json=body).json()["verdict"] == "wrong"


def test_a_large_draft_is_judged_alike_aside(shared_server: Served) -> None:
    """A draft over the inline bound is compiled in a process of its own, with the same report."""
    workflow = catalogs.workflow()
    workflow["nodes"][1]["type"] = "acme-nodes.teleport"
    here = shared_server.client.post("/v1/n8n/validate", json={"workflow": workflow}).json()
    workflow["nodes"][1]["notes"] = "x" * shared_server.settings.inline_bytes
    aside = shared_server.client.post("/v1/n8n/validate", json={"workflow": workflow}).json()
    assert {**here, "ms": 0} == {**aside, "ms": 0}


def test_unknown_name_lists_fallback_tool(serve: Serve) -> None:
    """The last candidate for an unknown name is the tool that calls any service, marked as
    fallback.
    """
    served = serve()
    head, *rest = catalogs.acme()
    caller = catalogs.hook() | {"id": N8N.prompting.fallback, "name": "HTTP Request"}
    lines = [head, caller, *(line for line in rest if line["kind"] != "end")]
    assert served.load(catalogs.jsonl(catalogs.add_end_line(lines))).status_code == 200
    answer = served.client.post("/v1/n8n/resolve", json={"text": "\u00a9"}).json()
    assert answer["candidates"][-1]["fallback"] is True
    bodies.Resolved.model_validate(answer)


def test_names_resolve(shared_server: Served) -> None:
    """A loose name resolves to one tool, an invented one to none, with what is near."""
    sent = shared_server.client.post("/v1/n8n/resolve", json={"text": "acme mail", "id": "a"})
    bodies.Resolved.model_validate(sent.json())
    assert (sent.json()["tool"], sent.json()["id"]) == (catalogs.MAIL, "a")
    invented = shared_server.client.post(
        "/v1/n8n/resolve", json={"text": "quantum teleport"}
    ).json()
    assert (invented["status"], invented["tool"]) == ("unknown", None)
