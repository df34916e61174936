"""Queries for names as JSON: valid and invalid contexts."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.resolve.query import QueryError, answer_query, as_json
from tests.support.catalogs import HOOK, MAIL, acme, add_end_line, jsonl, mail
from tests.support.registries import acme_registry, registry_from


@pytest.fixture(scope="module")
def registry() -> Registry:
    """The invented catalog."""
    return acme_registry()


def test_an_answer_is_plain_json(registry: Registry) -> None:
    """Status, tool, parameters, confidence, method and candidates."""
    shown = as_json(
        answer_query("Acme Mail", {"position": "step", "params": {"to": 1}}, registry), registry
    )
    assert shown["status"] == "resolved"
    assert shown["tool"] == MAIL
    assert shown["candidates"][0]["tool"] == MAIL


def test_an_operation_is_resolved_for_its_tool(registry: Registry) -> None:
    """With kind operation the text resolves to an operation of the tool."""
    resolution = answer_query("send", {"kind": "operation", "tool": MAIL}, registry)
    assert resolution.params == {"resource": "message", "operation": "send"}


@pytest.mark.parametrize(
    ("text", "status", "path"),
    [
        ("to", "resolved", "to"),
        ("To", "resolved", "to"),
        ("messageBody", "ambiguous", None),
        ("quaternion", "unknown", None),
    ],
)
def test_a_parameter_is_resolved_for_its_tool(
    registry: Registry, text: str, status: str, path: str | None
) -> None:
    """With kind parameter the text resolves to a parameter of the tool, or to none."""
    resolution = answer_query(text, {"kind": "parameter", "tool": MAIL}, registry)
    assert (resolution.status, resolution.params.get("parameter")) == (status, path)


@pytest.mark.parametrize(
    ("text", "status"),
    [("1", "resolved"), ("v1", "resolved"), ("version 99", "ambiguous"), ("newest", "unknown")],
)
def test_a_version_is_resolved_for_its_tool(registry: Registry, text: str, status: str) -> None:
    """With kind version the text resolves to a version of the tool, or the nearest are offered."""
    resolution = answer_query(text, {"kind": "version", "tool": MAIL}, registry)
    assert resolution.status == status
    assert all(
        candidate.params["version"] in registry.tools[MAIL].versions
        for candidate in resolution.candidates
    )


@pytest.mark.parametrize(
    "constraint", [{"denied": ["*.mail"]}, {"allowed": ["*.agent"]}, {"families": ["none"]}]
)
def test_a_constraint_leaves_no_other_tool(
    registry: Registry, constraint: dict[str, list[str]]
) -> None:
    """Tools that patterns or families exclude are neither resolved nor offered."""
    resolution = answer_query("Acme Mail", constraint, registry)
    assert MAIL not in {resolution.tool, *(candidate.tool for candidate in resolution.candidates)}


@pytest.mark.parametrize(
    "context",
    [
        "step",
        {"denied": "x"},
        {"kind": "version"},
        {"kind": "colour"},
        {"kind": "operation"},
        {"position": "somewhere"},
    ],
)
def test_a_context_out_of_shape_is_named(registry: Registry, context: Any) -> None:
    """An unusable part of a context is an error, never ignored."""
    with pytest.raises(QueryError):
        answer_query("Acme Mail", context, registry)


def test_for_a_service_without_a_tool_the_fallback_is_offered_and_marked(
    registry: Registry,
) -> None:
    """It comes last, is never taken, and a question about a tool's operation has none."""
    shown = as_json(answer_query("Kubernetes", {}, registry, HOOK), registry)
    assert (shown["status"], shown["tool"]) == ("unknown", None)
    assert shown["candidates"][-1] == {
        "tool": HOOK,
        "params": {},
        "confidence": 0.0,
        "fallback": True,
    }
    assert not any("fallback" in candidate for candidate in shown["candidates"][:-1])
    denied = answer_query("Kubernetes", {"denied": [HOOK]}, registry, HOOK)
    assert not any(candidate.fallback for candidate in denied.candidates)
    of_tool = answer_query("launch", {"kind": "operation", "tool": MAIL}, registry, HOOK)
    assert not any(candidate.fallback for candidate in of_tool.candidates)


def test_answer_states_why_tool_is_unusable() -> None:
    """The answer names a missing licence, an exclusion and the replacement of a tool."""
    facts = {
        "id": "acme-nodes.sealed",
        "name": "Sealed Mail",
        "aliases": [],
        "availability": "excluded",
        "requires_license": "wax",
        "replaced_by": [MAIL],
    }
    registry = registry_from(jsonl(add_end_line([*acme()[:-1], mail() | facts])))
    shown = as_json(answer_query("acme-nodes.sealed", None, registry), registry)["candidates"][0]
    assert shown["availability"] == "excluded"
    assert shown["requires_license"] == "wax"
    assert shown["replaced_by"] == [MAIL]


def test_a_label_is_asked_for_by_its_kind(registry: Registry) -> None:
    """With kind label the tool is offered, not chosen."""
    resolution = answer_query("Acme Mail", {"kind": "label"}, registry)
    assert resolution.tool is None
    assert resolution.candidates[0].tool == MAIL
