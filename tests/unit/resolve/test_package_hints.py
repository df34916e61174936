"""Tests findings on missing tools: packages to install, look-alikes, other versions."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.known import read_settings
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions, Policy
from grounded_builder.resolve.package_hints import find_lookalike
from tests.support.catalogs import MAIL, acme, jsonl, mail
from tests.support.registries import acme_registry, registry_from

NAME = "acme-nodes.teleporter"


def report_type(tool: str, *installable: str, references: tuple[Registry, ...] = ()) -> Diagnostic:
    """The one finding about the name of a node."""
    draft = {"nodes": [{"name": "One", "type": tool}], "connections": {}}
    options = CompileOptions(policy=Policy(installable=installable))
    diagnostics = compile_draft(
        draft, N8N, acme_registry(), options, lambda: references
    ).diagnostics
    (finding,) = (
        diagnostic for diagnostic in diagnostics if diagnostic.code in ("GB201", "GB204", "GB206")
    )
    return finding


def of_version(version: str, *tools: dict[str, Any]) -> Registry:
    """A catalog of another release, with more tools."""
    lines = acme()
    header = lines[0] | {"versions": {"n8n": version}}
    end = lines[-1] | {"tools": lines[-1]["tools"] + len(tools)}
    return registry_from(jsonl([header, *lines[1:-1], *tools, end]))


def teleporter(**facts: Any) -> dict[str, Any]:
    return mail() | {"id": NAME, "name": "Acme Teleporter", "aliases": []} | facts


def test_only_what_is_allowed_is_suggested_for_installation() -> None:
    """A package that is not installed is named for installation when the settings list it."""
    assert "install" not in report_type("n8n-nodes-pigeon.coop").help.replace("installed", "")
    assert report_type("n8n-nodes-pigeon.coop", "n8n-nodes-pigeon").help.startswith(
        "install n8n-nodes-pigeon, which is allowed here"
    )
    listed = read_settings({"GROUNDED_INSTALLABLE_PACKAGES": "n8n-nodes-pigeon, b"}).policy
    assert listed.installable == ("n8n-nodes-pigeon", "b")
    assert listed.hash == Policy().hash


@pytest.mark.parametrize(
    "package", ["acme-node", "acme-nodez", "amce-nodes", "\u0430cme-nodes", "acme\u200b-nodes"]
)
def test_a_package_that_looks_like_a_known_one_is_flagged(package: str) -> None:
    """A letter more, less or swapped, of another alphabet or unseen: it is another package."""
    finding = report_type(f"{package}.teleporter")
    assert "looks like acme-nodes" in finding.message
    assert finding.help.startswith("do not install it")


@pytest.mark.parametrize("package", ["acme-nodes", "pigeon-nodes", "acme", "n8n-nodes-pigeon", ""])
def test_another_package_is_no_look_alike(package: str) -> None:
    """A known package, and one with another name, are what they say."""
    assert find_lookalike(package, ["acme-nodes", "n8n-nodes-base", "lib"]) is None


@pytest.mark.parametrize(
    ("version", "ending"),
    [("10.0.1", "it is newer than this installation"), ("1.9.3", "it was removed")],
)
def test_another_version_reports_when_a_tool_existed(version: str, ending: str) -> None:
    """A tool of another release only is newer or removed; what does the same is named first."""
    other = of_version(version, teleporter(replaced_by=[MAIL]))
    finding = report_type(NAME, references=(other,))
    assert finding.code == "GB204"
    assert finding.message.endswith(ending)
    assert finding.alternatives[0] == MAIL


def test_without_another_version_it_stays_unknown() -> None:
    """Versions without a catalog are not mentioned."""
    assert report_type(NAME).code == "GB201"
