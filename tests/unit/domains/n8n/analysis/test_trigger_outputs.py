"""Fields that are read of the events which services send to triggers."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.compiler.pipeline import compile_with_fixes
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from tests.unit.domains.n8n.drafts import STEP, node, registry, text, tool, workflow

BASE = "n8n-nodes-base."
_VERSIONS = {"calendlyTrigger": 2, "emailReadImap": 2, "pipedriveTrigger": 1.1}
_DECLARED = {
    "emailReadImap": [text("format", default="simple")],
    "keapTrigger": [{"name": "rawData", "type": "boolean", "default": False}],
    "microsoftOutlookTrigger": [
        text("output", default="simple"),
        {"name": "fields", "type": "multiOptions", "default": [], "options": []},
    ],
    "notionTrigger": [{"name": "simple", "type": "boolean", "default": True}],
    "stravaTrigger": [{"name": "resolveData", "type": "boolean", "default": True}],
}


def _compile(name: str, code: str, **given: Any) -> tuple[list[Diagnostic], str]:
    version = _VERSIONS.get(name, 1)
    known = registry(
        tool(
            BASE + name,
            inputs=[],
            traits={"trigger": True},
            versions=[version],
            parameters=_DECLARED.get(name, []),
        )
    )
    nodes = [
        node("On", BASE + name, given, typeVersion=version),
        node("T", STEP, {"text": "={{ " + code + " }}"}),
    ]
    result = compile_with_fixes(workflow(nodes, [("On", "T")]), N8N, known, CompileOptions())
    written = result.document["nodes"][-1]["parameters"]["text"]
    return [d for d in result.diagnostics if d.code == "N8N330"], written


@pytest.mark.parametrize(
    ("name", "read", "help_"),
    [
        ("microsoftTeamsTrigger", "$json.body.content", "gets the rest of the data by the id"),
        ("copperTrigger", "$json.name", "gets the rest of the data by the id"),
        ("asanaTrigger", "$json.resource_name", "gets the rest of the data by the id"),
        ("clickUpTrigger", "$json.task.name", "gets the rest of the data by the id"),
        ("hubspotTrigger", "$json.properties.email", "gets the rest of the data by the id"),
        ("keapTrigger", "$json.email", "gets the rest of the data by the id"),
        ("googleDriveTrigger", "$json.content", "downloads it"),
        ("microsoftOutlookTrigger", "$json.body.content", '"raw"'),
        ("microsoftOutlookTrigger", "$json.from.emailAddress.address", "$json.from"),
        ("slackTrigger", "$json.event.text", "$json.text"),
        ("calTrigger", "$json.payload.title", "at the top"),
        ("whatsAppTrigger", "$json.entry[0].id", "$json.messages"),
        ("mailchimpTrigger", "$json.data.email", "$json['data[email]']"),
        ("activeCampaignTrigger", "$json.contact.email", "$json['contact[email]']"),
        ("notionTrigger", "$json.properties.Status", "$json['Status']"),
        ("trelloTrigger", "$json.card.name", "action"),
    ],
)
def test_fields_that_an_event_lacks_are_reported_with_what_to_do(
    name: str, read: str, help_: str
) -> None:
    (finding,), _ = _compile(name, read)
    assert help_ in (finding.help or "")


@pytest.mark.parametrize(
    ("name", "read", "written"),
    [
        ("airtableTrigger", "$json.Email", "$json.fields.Email"),
        ("airtableTrigger", "$json['First name']", "$json.fields['First name']"),
        ("calendlyTrigger", "$json.email", "$json.payload.email"),
        ("gitlabTrigger", "$json.object_kind", "$json.body.object_kind"),
        ("jiraTrigger", "$json.summary", "$json.issue.fields.summary"),
        ("jiraTrigger", "$json.key", "$json.issue.key"),
        ("linearTrigger", "$json.title", "$json.data.title"),
        ("pipedriveTrigger", "$json.current.email", None),
        ("pipedriveTrigger", "$json.title", "$json.data.title"),
        ("stravaTrigger", "$json.distance", "$json.object_data.distance"),
        ("stripeTrigger", "$json.amount", "$json.data.object.amount"),
        ("wiseTrigger", "$json.resource", "$json.data.resource"),
        ("emailReadImap", "$json.text", None),
    ],
)
def test_fields_below_the_top_of_an_event_are_read_there(
    name: str, read: str, written: str | None
) -> None:
    findings, value = _compile(name, read)
    if written is None:
        assert len(findings) == 1
    else:
        assert value == "={{ " + written + " }}"


@pytest.mark.parametrize(
    ("name", "read", "given"),
    [
        ("airtableTrigger", "$json.fields.Email + $json.id", {}),
        ("copperTrigger", "$json.ids[0]", {}),
        ("hubspotTrigger", "$json.contactId", {}),
        ("jiraTrigger", "$json.issue.fields.customfield_10010 + $json.user.displayName", {}),
        ("keapTrigger", "$json.object_keys[0].id", {"rawData": True}),
        ("microsoftTeamsTrigger", "$json.id + $json['@odata.id'].split('/')[1]", {}),
        ("microsoftOutlookTrigger", "$json.from.toLowerCase() + $json.from.length", {}),
        ("microsoftOutlookTrigger", "$json.body.content", {"output": "raw"}),
        ("microsoftOutlookTrigger", "$json.body.content", {"output": "fields", "fields": ["body"]}),
        ("emailReadImap", "$json.textPlain + $json.metadata['message-id']", {}),
        ("emailReadImap", "$json.text + $json.from.value[0].address", {"format": "resolved"}),
        ("mailchimpTrigger", "$json['data[email]']", {}),
        ("slackTrigger", "$json.text + $json.user + $json.channel", {}),
        ("stripeTrigger", "$json.data.object.customer_details.email + $json.type", {}),
        ("trelloTrigger", "$json.action.data.card.name", {}),
    ],
)
def test_fields_that_an_event_has_are_not_reported(
    name: str, read: str, given: dict[str, Any]
) -> None:
    assert _compile(name, read, **given)[0] == []
