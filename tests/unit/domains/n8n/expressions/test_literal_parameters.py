"""Braces are literal in the parameters for which a node says so, not in others of the same name."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_with_fixes
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from tests.unit.domains.n8n.drafts import node, workflow

_MAIL = {"fromEmail": "a@b.test", "toEmail": "c@d.test", "subject": "x", "emailFormat": "html"}
_TEXT = "Hello {{ $json.name }}"


@pytest.mark.parametrize(
    ("tool", "version", "params", "is_reported"),
    [
        ("emailSend", 2.1, {**_MAIL, "html": _TEXT}, True),
        ("gmail", 2.1, {"sendTo": "a@b.test", "subject": "x", "message": _TEXT}, True),
        ("html", 1.2, {"operation": "generateHtmlTemplate", "html": _TEXT}, False),
        ("markdown", 1, {"mode": "markdownToHtml", "markdown": _TEXT}, True),
    ],
)
def test_braces_without_an_equals_sign(
    tool: str, version: float, params: Any, is_reported: bool, installed_registry: Registry
) -> None:
    """A mail of HTML is plain text without it; the template of the HTML node is not."""
    nodes = [
        node("Start", "n8n-nodes-base.manualTrigger"),
        node("Send", f"n8n-nodes-base.{tool}", params, typeVersion=version),
    ]
    draft = workflow(nodes, [("Start", "Send")])
    compilation = compile_with_fixes(draft, N8N, installed_registry, CompileOptions())
    assert ("N8N323" in {d.code for d in compilation.diagnostics}) is is_reported
