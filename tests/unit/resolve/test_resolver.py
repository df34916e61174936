"""Resolving tool names against the invented catalog."""

from __future__ import annotations

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.resolve import resolve_name
from tests.support.catalogs import AGENT, HOOK, MAIL, acme, add_end_line, jsonl
from tests.support.registries import acme_registry, registry_from


@pytest.fixture(scope="module")
def registry() -> Registry:
    """The invented catalog."""
    return acme_registry()


@pytest.mark.parametrize(
    ("text", "tool", "method"),
    [
        ("acme-nodes.mail", MAIL, "exact"),
        ("acme-nodes.MAIL", MAIL, "case"),
        ("acme.mail", MAIL, "prefix"),
        ("nodes.mail", MAIL, "prefix"),
        ("Acme Mail", MAIL, "name"),
        ("acme e-mail", MAIL, "name"),
        ("AcmeHook", HOOK, "name"),
        ("Acme Agnet", AGENT, "near"),
    ],
)
def test_a_name_with_one_meaning_resolves(
    registry: Registry, text: str, tool: str, method: str
) -> None:
    """Case, package prefix, display and class names and small slips lead to the one tool."""
    resolution = resolve_name(text, registry)
    assert (resolution.status, resolution.tool, resolution.method) == ("resolved", tool, method)


def test_an_operation_glued_to_the_name_is_split(registry: Registry) -> None:
    """`mailSend` is the tool mail with its resource and operation preset."""
    resolution = resolve_name("acme-nodes.mailSend", registry)
    assert resolution.tool == MAIL
    assert resolution.params == {"resource": "message", "operation": "send"}


@pytest.mark.parametrize("text", ["acme-nodes.oracle", "quantum flux", "", "."])
def test_a_name_of_nothing_stays_unknown(registry: Registry, text: str) -> None:
    """A name that resembles no tool is unknown."""
    assert resolve_name(text, registry).tool is None


def test_a_foreign_package_is_not_mistaken_for_an_installed_one(registry: Registry) -> None:
    """A tool of the same last name in a package that is not installed is another tool."""
    resolution = resolve_name("n8n-nodes-rival.mail", registry)
    assert resolution.status == "unknown"
    assert MAIL in [candidate.tool for candidate in resolution.candidates]


def test_a_shared_name_is_asked_back() -> None:
    """A display name that two tools bear resolves to neither."""
    lines = acme()[:-1]
    twin = {**lines[2], "id": "acme-nodes.mailNext"}
    resolution = resolve_name("Acme Mail", registry_from(jsonl(add_end_line([*lines, twin]))))
    assert resolution.status == "ambiguous"
    assert {c.tool for c in resolution.candidates} == {MAIL, "acme-nodes.mailNext"}
