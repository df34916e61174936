"""Advice against what the request itself asks for is left out."""

from __future__ import annotations

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.drafting.evaluate import CompileContext, evaluate_draft
from grounded_builder.ir.options import CompileOptions
from grounded_builder.resolve.diagnose import no_reference_catalogs

_BASE = "n8n-nodes-base."
PLAN = {
    "steps": [
        {"id": "start", "tool": f"{_BASE}manualTrigger"},
        {"id": "get", "tool": f"{_BASE}httpRequest", "params": {"url": "https://acme.example/a"}},
        {"id": "end", "tool": f"{_BASE}noOp", "inputs": ["get"]},
    ]
}


@pytest.fixture(scope="module")
def registry(installed_registry: Registry) -> Registry:
    return installed_registry


@pytest.mark.parametrize(
    ("request_text", "is_advised"),
    [
        ("I start it by hand: get https://acme.example/a", False),
        ("Ich starte es manuell: hole https://acme.example/a", False),
        ("On demand, get https://acme.example/a", False),
        ("Get https://acme.example/a", True),
    ],
)
def test_a_start_that_is_asked_for_is_not_advised_against(
    request_text: str, *, is_advised: bool, registry: Registry
) -> None:
    """A workflow that a person is to start needs no other trigger; others are advised one."""
    context = CompileContext(N8N, registry, CompileOptions(), no_reference_catalogs)
    codes = [d.code for d in evaluate_draft(PLAN, request_text, context).diagnostics]
    assert ("N8N302" in codes) == is_advised
    assert "GB310" not in codes
