"""The plan that the product was asked for with, verbatim, against the installed n8n."""

from __future__ import annotations

import json

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import Compilation, compile_with_fixes
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions

PLAN = r"""
{
  "steps": [
    {
      "tool": "Gmail Trigger",
      "action": "Trigger on new email with attachment",
      "params": { "query": "has:attachment" },
      "outputs": ["email_data"]
    },
    {
      "tool": "Google Drive Upload",
      "action": "Upload attachment to Drive",
      "params": {
        "filename": "{{$json[\"attachmentName\"]}}",
        "fileData": "{{$json[\"attachmentData\"]}}"
      },
      "inputs": ["email_data"],
      "outputs": ["upload_result"]
    },
    {
      "tool": "Email Reply",
      "action": "Send confirmation email",
      "params": { "to": "{{$json[\"from\"]}}", "body": "File uploaded to Drive." },
      "inputs": ["email_data"]
    }
  ]
}
"""


@pytest.fixture(scope="module")
def compilation(registry: Registry) -> Compilation:
    """The plan, compiled."""
    return compile_with_fixes(json.loads(PLAN), N8N, registry, CompileOptions(purpose="import"))


def test_every_loose_name_is_resolved(compilation: Compilation) -> None:
    """Trigger, service with verb, and a vague label in the company of Gmail."""
    assert compilation.verdict == "incomplete"
    assert compilation.plan is not None
    assert [node["tool_id"] for node in compilation.plan.nodes] == [
        "n8n-nodes-base.gmailTrigger",
        "n8n-nodes-base.googleDrive",
        "n8n-nodes-base.gmail",
    ]


def test_parameters_are_mapped_to_their_real_names(compilation: Compilation) -> None:
    """`query` is the search filter, `filename` the file's name, `body` the message."""
    assert compilation.plan is not None
    trigger, upload, reply = (node["params"] for node in compilation.plan.nodes)
    assert trigger["filters"] == {"q": "has:attachment"}
    assert upload["resource"] == "file"
    assert upload["operation"] == "upload"
    assert upload["name"] == '={{$json["attachmentName"]}}'
    assert reply["operation"] == "reply"
    assert reply["message"] == "File uploaded to Drive."


def test_missing_and_unplaced_values_are_reported(compilation: Compilation) -> None:
    """Missing values and values without a parameter are reported with their name and step."""
    asked = {d.token: d for d in compilation.diagnostics if d.code == "GB308"}
    assert {"fileData", "to"} <= asked.keys()
    missing = [d.message for d in compilation.diagnostics if d.code == "GB301"]
    assert any('"messageId"' in message for message in missing)


def test_both_followers_hang_on_the_trigger(compilation: Compilation) -> None:
    """Inputs name an output, and the edges lead from its step."""
    assert compilation.plan is not None
    assert [edge["from"].split(":")[0] for edge in compilation.plan.connections] == [
        compilation.plan.nodes[0]["id"]
    ] * 2
