"""Which addresses in real nodes are called, and which are only sent, needs no approval."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions

LINK = "={{ $json.link }}"
BUTTONS = {"rows": [{"row": {"buttons": [{"text": "t", "additionalFields": {"url": LINK}}]}}]}
PAGES = {"paginationMode": "responseContainsNextURL", "nextURL": LINK}


@pytest.fixture(scope="module")
def registry(installed_registry: Registry) -> Registry:
    return installed_registry


def _needs_approval(tool: str, params: dict[str, Any], registry: Registry) -> bool:
    row = registry.tools[tool if tool.startswith("@") else f"n8n-nodes-base.{tool}"]
    node = {"name": "N", "type": row.id, "typeVersion": row.preferred_version, "parameters": params}
    draft = {"nodes": [{**node, "position": [0, 0]}], "connections": {}}
    options = CompileOptions(purpose="import")
    findings = compile_draft(draft, N8N, registry, options).diagnostics
    return "GB404" in [diagnostic.code for diagnostic in findings]


@pytest.mark.parametrize(
    ("tool", "params"),
    [
        ("pushover", {"message": "x", "additionalFields": {"url": LINK}}),
        ("telegram", {"text": "x", "replyMarkup": "inlineKeyboard", "inlineKeyboard": BUTTONS}),
        ("hubspot", {"additionalFields": {"websiteUrl": LINK}}),
        ("xero", {"updateFields": {"url": LINK}}),
        ("ftp", {"operation": "upload", "path": "/in/a.csv"}),
        ("ftp", {"operation": "list", "path": "/in"}),
    ],
)
def test_content_of_an_object_is_not_called(
    tool: str, params: dict[str, Any], registry: Registry
) -> None:
    """A link among the fields of what a service stores is not called, nor a file of the host."""
    assert not _needs_approval(tool, params, registry)


@pytest.mark.parametrize(
    ("tool", "params"),
    [
        ("httpRequest", {"url": LINK}),
        ("httpRequest", {"url": "https://a.example/", "options": {"proxy": LINK}}),
        (
            "httpRequest",
            {"url": "https://a.example", "options": {"pagination": {"pagination": PAGES}}},
        ),
        ("discord", {"authentication": "webhook", "webhookUri": LINK}),
        ("npm", {"packageName": "a", "requestOptions": {"proxy": LINK}}),
        ("@n8n/n8n-nodes-langchain.lmChatOpenAi", {"options": {"baseURL": LINK}}),
        ("pushover", {"message": "x", "additionalFields": {"url": "http://169.254.169.254/"}}),
        ("ftp", {"path": "/in/a.csv"}),
        ("ftp", {"operation": "download", "path": "/in/a.csv"}),
        ("ftp", {"operation": LINK, "path": "/in/a.csv"}),
    ],
)
def test_addresses_that_the_node_calls_need_approval(
    tool: str, params: dict[str, Any], registry: Registry
) -> None:
    """A parameter of the node, or an option, that n8n calls waits for a person."""
    assert _needs_approval(tool, params, registry)
