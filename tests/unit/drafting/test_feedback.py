"""Messages after a draft: findings and recommended tools, without a second list."""

from __future__ import annotations

import json
from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import new_diagnostic
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.rules import RULES
from grounded_builder.drafting.conversation import Conversation, ConversationLimits
from grounded_builder.drafting.conversation_rounds import start_conversation, take_reply
from grounded_builder.drafting.evaluate import CompileContext
from grounded_builder.drafting.prompt import is_listed
from grounded_builder.drafting.recommended_tools import add_recommended, tools_in
from grounded_builder.ir.options import CompileOptions, Policy
from tests.support import catalogs
from tests.support.registries import registry_from

REQUEST = "When the Acme hook is called, file a note"
OTHERS = [f"acme-nodes.other{number}" for number in range(30)]


@pytest.fixture(scope="module")
def registry() -> Registry:
    """The invented catalog with thirty more tools, too many to list for a request."""
    lines = [line for line in catalogs.acme() if line["kind"] != "end"]
    mail = next(line for line in lines if line.get("id") == catalogs.MAIL)
    others = [
        {**mail, "id": name, "name": f"Zeta {at}", "aliases": [], "keywords": [], "family": ""}
        for at, name in enumerate(OTHERS)
    ]
    return registry_from(catalogs.jsonl(catalogs.add_end_line([*lines, *others])))


def _after(registry: Registry, tool: str, policy: Policy | None = None) -> Conversation:
    """The conversation after a draft whose second step has this tool."""
    options = CompileOptions(purpose="import", policy=policy or Policy())
    context = CompileContext(N8N, registry, options, tuple)
    conversation = start_conversation(REQUEST, N8N, registry, ConversationLimits(), now=0.0)
    hook = {"id": "start", "tool": catalogs.HOOK, "params": {"path": "greet"}}
    draft: dict[str, Any] = {"steps": [hook, {"id": "b", "tool": tool, "params": {}}]}
    conversation, outcome, _ = take_reply(conversation, json.dumps(draft), context, now=0.0)
    assert outcome is None
    return conversation


def _list_tools(conversation: Conversation) -> list[str]:
    tools: list[str] = conversation.schema["anyOf"][0]["properties"]["steps"]["items"][
        "properties"
    ]["tool"]["enum"]
    return tools


def test_a_recommended_tool_is_listed_and_allowed(registry: Registry) -> None:
    """Each tool that a finding recommends is in the schema, with its parameters in the message."""
    conversation = _after(registry, "zeta")
    feedback = conversation.messages[-1].content
    line = next(part for part in feedback.split("\n") if " could be " in part)
    recommended = [name.strip() for name in line.partition(" could be ")[2].split(",")]
    assert recommended
    for name in recommended:
        assert name in _list_tools(conversation)
        assert is_listed(name, feedback)
    assert "message/send: to*" in feedback


def test_the_list_of_tools_is_sent_once(registry: Registry) -> None:
    """The tools of the first prompt are not repeated after a draft."""
    conversation = _after(registry, "acme-nodes.carrierPigeon")
    feedback = conversation.messages[-1].content
    listed = [
        name for name in conversation.shown if is_listed(name, conversation.messages[0].content)
    ]
    assert listed
    assert not any(name in feedback.split("\n", 1)[1] for name in listed if name != catalogs.HOOK)


def test_a_denied_tool_is_not_recommended(registry: Registry) -> None:
    """A tool that the policy denies is neither listed nor in the schema, whatever findings say."""
    conversation = _after(registry, "zeta", Policy(denied=("acme-nodes.other0",)))
    assert "acme-nodes.other0" not in _list_tools(conversation)
    assert not is_listed("acme-nodes.other0", conversation.messages[-1].content)


@pytest.mark.parametrize("field", ["alternatives", "help", "message"])
def test_tools_are_read_wherever_a_finding_names_them(field: str, registry: Registry) -> None:
    """A recommendation may be in the alternatives, in the help or in the message of a finding."""
    text = f"use {catalogs.MAIL}, or ({catalogs.AGENT})."
    every: dict[str, dict[str, Any]] = {
        "alternatives": {"message": "m", "alternatives": (catalogs.MAIL, catalogs.AGENT)},
        "help": {"message": "m", "help": text},
        "message": {"message": text},
    }
    facts = every[field]
    finding = new_diagnostic(RULES[0], (), facts.pop("message"), **facts)
    assert tools_in([finding], registry) == (catalogs.MAIL, catalogs.AGENT)


def test_a_tool_that_is_not_installed_is_not_recommended(registry: Registry) -> None:
    """Tools that are excluded, and the name that a draft wrote, are no recommendation."""
    finding = new_diagnostic(
        RULES[0], (), f"{catalogs.MAIL} or {catalogs.SHELL}", token=catalogs.MAIL
    )
    conversation = start_conversation(REQUEST, N8N, registry, ConversationLimits(), now=0.0)
    assert tools_in([finding], registry) == ()
    assert add_recommended(conversation, [finding], N8N, registry) == (conversation.shown, ())
