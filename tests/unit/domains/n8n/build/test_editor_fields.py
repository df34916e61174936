"""Repair adds the ids and positions that n8n's editor needs."""

from __future__ import annotations

from typing import Any

from grounded_builder.compiler.pipeline import Compilation, compile_draft, repair_document
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from tests.support.catalogs import workflow
from tests.support.registries import acme_registry

REGISTRY = acme_registry()


def _bare() -> dict[str, Any]:
    document = workflow()
    for node in document["nodes"]:
        for key in ("id", "position", "webhookId"):
            node.pop(key, None)
    return document


def _repair_document(document: Any) -> Compilation:
    return repair_document(document, N8N, REGISTRY, CompileOptions())


def test_repair_writes_what_the_artifact_has() -> None:
    """Ids, places and webhook ids are those that a build gives, and stay in a second run."""
    built = compile_draft(_bare(), N8N, REGISTRY, CompileOptions()).artifact
    once = _repair_document(_bare())
    assert built is not None
    assert once.document["nodes"] == built["nodes"]
    assert _repair_document(once.document).corrections == ()


def test_node_with_editor_fields_is_unchanged() -> None:
    """A node that has all fields of the editor is not changed, whatever else it lacks."""
    once = _repair_document(_bare()).document
    once["nodes"][0]["position"] = [7, 7]
    assert _repair_document(once).document == once


def test_misshapen_nodes_are_reported_and_unchanged() -> None:
    """Parameters in a list or a name that is none break nothing."""
    document = _bare()
    document["nodes"][0]["parameters"] = [1]
    document["nodes"].append("a text")
    assert _repair_document(document).verdict == "wrong"
