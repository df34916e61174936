"""The names that the requirement itself uses, against the installed n8n."""

from __future__ import annotations

import pytest

from grounded_builder.registry.registry import Registry
from grounded_builder.resolve import NameContext, resolve_name

_BASE = "n8n-nodes-base."


@pytest.mark.parametrize(
    ("text", "tool", "operation"),
    [
        ("HTTP Request s", "httpRequest", None),
        # The sketch lists it under HTTP Request; a real n8n has a node of this name.
        ("Webhook node", "webhook", None),
        ("GoogleSheet.node", "googleSheets", None),
        ("Gmail Trigger", "gmailTrigger", None),
        ("Google Drive Upload", "googleDrive", "upload"),
        ("GoogleTranslateAPI", "googleTranslate", None),
        ("gmailSend", "gmail", "send"),
        ("post to Slack", "slack", "post"),
    ],
)
def test_a_name_with_one_meaning_resolves(
    registry: Registry, text: str, tool: str, operation: str | None
) -> None:
    """The tool comes back, with the operation that the name speaks of."""
    resolution = resolve_name(text, registry, NameContext())
    assert (resolution.status, resolution.tool) == ("resolved", _BASE + tool)
    assert resolution.params.get("operation") == operation


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("HTTP node", f"{_BASE}httpRequest"),
        ("REST call", f"{_BASE}httpRequest"),
        ("web request", f"{_BASE}httpRequest"),
        ("Drive node", f"{_BASE}googleDrive"),
        ("Email Reply", f"{_BASE}gmail"),
        ("Gemini Node", "@n8n/n8n-nodes-langchain.lmChatGoogleGemini"),
        ("read rows from sheet", f"{_BASE}googleSheets"),
        ("email", f"{_BASE}emailSend"),
    ],
)
def test_a_vague_name_is_asked_back_with_the_likeliest_first(
    registry: Registry, text: str, tool: str
) -> None:
    """What several tools could be is not taken in silence."""
    resolution = resolve_name(text, registry, NameContext())
    assert resolution.status == "ambiguous"
    assert resolution.candidates[0].tool == tool


@pytest.mark.parametrize(
    "text",
    [
        "Kubernetes",
        "Universal Servo Block",
        "n8n-nodes-base.crystalBall",
        "n8n-nodes-base.googleForms",
        "n8n-nodes-base.dataValidator",
        "CSV Reader",
        "Send Message",
        "database",
        "\u0261mail",
    ],
)
def test_a_name_of_no_tool_or_of_many_is_not_accepted(registry: Registry, text: str) -> None:
    """Services that are not installed, inventions and look-alikes never become a tool."""
    assert resolve_name(text, registry, NameContext()).tool is None
