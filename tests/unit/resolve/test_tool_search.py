"""Finding tools for a purpose, and telling of them in short."""

from __future__ import annotations

import json
from pathlib import Path
from unittest.mock import MagicMock

import pytest
from typer.testing import CliRunner

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.usage_prior import ExpectedTool
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.interfaces.cli.main import app
from grounded_builder.resolve.tool_search import (
    describe_tool,
    find_tools,
    find_tools_by_purpose,
    summarize_hits,
)
from tests.support.catalogs import MAIL, acme, acme_bytes, add_end_line, jsonl
from tests.support.registries import acme_registry, registry_from

SEND = {"resource": "message", "operation": "send"}
_LARGEST_ANSWER = 2_048


@pytest.fixture(scope="module")
def registry() -> Registry:
    """The invented catalog."""
    return acme_registry()


def test_a_purpose_leads_to_its_tool_and_operation(registry: Registry) -> None:
    """A named service comes first, with the operation that the words ask for."""
    best = find_tools("send a message by Acme Mail", registry)[0]
    assert (best.tool, dict(best.params)) == (MAIL, SEND)


def test_scores_are_shares_and_fall(registry: Registry) -> None:
    """Hits are ordered by a score between 0 and 1."""
    scores = [hit.score for hit in find_tools("Acme Mail or agent", registry)]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_tool_with_query_as_name_comes_first(registry: Registry) -> None:
    """A query that is the whole name of a tool finds it first, whatever its usage."""
    usage = _favouring_others(registry, MAIL)
    assert find_tools("acme mail", usage)[0].tool == MAIL


def _favouring_others(registry: Registry, tool: str) -> MagicMock:
    """The registry with usage that expects every tool but one."""
    usual = {other: 9.0 for other in registry.search.by_id if other != tool}
    expectation = MagicMock(wraps=registry.expectation)
    expectation.expect_by_request.return_value = ExpectedTool(usual, 1)
    expectation.terms.return_value = (1.0, *(0.0,) * 10)
    usage = MagicMock(wraps=registry, expectation=expectation)
    usage.names, usage.search, usage.tools = registry.names, registry.search, registry.tools
    return usage


def test_a_purpose_is_found_by_words_where_usage_expects_others(registry: Registry) -> None:
    """The words of the catalog outweigh the usage of whole requests."""
    usage = _favouring_others(registry, MAIL)
    assert MAIL not in [hit.tool for hit in find_tools("draft some mail", usage, 3)]
    hits = find_tools_by_purpose("draft some mail", usage, 3)
    assert hits[0].tool == MAIL
    assert find_tools_by_purpose("", usage, 3) == ()


def test_superseded_tools_come_last() -> None:
    """A tool that is no longer offered ranks below every current tool."""
    lines = [line for line in acme() if line["kind"] != "end"]
    mail = next(line for line in lines if line.get("id") == MAIL)
    old = {**mail, "id": "acme-nodes.mailOld", "name": "Acme Paper Mail", "hidden": True}
    registry = registry_from(jsonl(add_end_line([*lines, {**old, "aliases": []}])))
    hits = [hit.tool for hit in find_tools_by_purpose("send paper mail", registry)]
    assert hits.index(MAIL) < hits.index("acme-nodes.mailOld") == len(hits) - 1


@pytest.mark.parametrize("query", ["", " ", "\u202e\u200b", "🎉", "x" * 100_000, "a." * 9_000])
def test_search_accepts_any_query(registry: Registry, query: str) -> None:
    """Empty, endless and invisible queries are answered."""
    assert isinstance(find_tools(query, registry), tuple)


def test_a_search_keeps_to_what_can_serve(registry: Registry) -> None:
    """With a kind only tools of that capability are found, without words all of them."""
    kinds = {capability for row in registry.tools.values() for capability in row.capabilities}
    for kind in sorted(kinds):
        hits = find_tools("", registry, 50, kind=kind)
        having = {row.id for row in registry.tools.values() if kind in row.capabilities}
        assert {hit.tool for hit in hits} == having


def test_an_answer_is_short(registry: Registry) -> None:
    """Ten tools take at most two kilobytes."""
    results = summarize_hits(find_tools("Acme", registry), registry)
    assert results
    assert len(str(results).encode()) <= _LARGEST_ANSWER


def test_one_operation_lists_its_parameters(registry: Registry) -> None:
    """A tool tells its operations, an operation its parameters, and no more."""
    assert "resource=message operation=send" in describe_tool(MAIL, {}, N8N, registry)["operations"]
    assert "to" in describe_tool(MAIL, SEND, N8N, registry)["parameters"]
    with pytest.raises(KeyError):
        describe_tool("acme-nodes.none", {}, N8N, registry)


def test_the_command_finds_and_describes_tools(tmp_path: Path) -> None:
    """``grounded find`` prints one tool a line, and of one operation its parameters."""
    file = tmp_path / "acme.jsonl"
    file.write_bytes(acme_bytes())
    runner = CliRunner(env={"GROUNDED_STATE": str(tmp_path / "state")})
    asked = ["find", "--catalog", str(file), "--format", "jsonl"]
    result = runner.invoke(app, [*asked, "send", "by", "Acme", "Mail"])
    first = json.loads(result.output.splitlines()[0])
    assert (first["tool"], first["params"]) == (MAIL, SEND)
    presets = [f"{key}={value}" for key, value in SEND.items()]
    invoke = runner.invoke(app, [*asked, "--tool", MAIL, *presets])
    assert "to" in json.loads(invoke.output)["parameters"]
    assert runner.invoke(app, [*asked, "--tool", "acme-nodes.none"]).exit_code == 2
