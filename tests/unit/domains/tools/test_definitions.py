"""Tool definitions of every published shape become one catalog."""

from __future__ import annotations

import json
import random

import pytest

from grounded_builder.catalog.catalog_file import CatalogError
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.tools.catalog.compile_tool import ToolSpec, find_contradictions
from grounded_builder.domains.tools.domain import TOOLS
from grounded_builder.domains.tools.read.convert_catalog import convert_catalog, make_catalog
from grounded_builder.domains.tools.read.definitions import read_definitions
from grounded_builder.ir.options import CompileOptions
from tests.support.tool_lists import make_desk_tools, make_tool_registry, make_web_tools

SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}


@pytest.mark.parametrize(
    "entry",
    [
        {"type": "function", "function": {"name": "find", "parameters": SCHEMA}},
        {"type": "function", "name": "find", "parameters": SCHEMA},
        {"name": "find", "inputSchema": SCHEMA},
        {"name": "find", "input_schema": SCHEMA},
        {"name": "find", "parameters": json.dumps(SCHEMA)},
        {"id": "find", "name": "Find it", "parameters": {"schema": SCHEMA}},
        {"id": "find", "parameters": {"q": {"type": "string", "required": True}}},
        {
            "id": "n-1",
            "name": "find",
            "parameters": [{"name": "q", "type": "string", "required": 1}],
        },
    ],
)
def test_every_published_shape_is_one_tool(entry: dict[str, object]) -> None:
    """OpenAI functions, MCP tools and the shape of agents all define the same tool."""
    spec = make_tool_registry([entry]).spec("find", 1)
    assert isinstance(spec, ToolSpec)
    assert spec.names == frozenset({"q"})
    assert dict(spec.properties)["q"]["type"] == "string"


@pytest.mark.parametrize("wrap", ["tools", "functions", "result"])
def test_lists_are_found_where_they_are_published(wrap: str) -> None:
    """A list of tools may stand below the key of a file or of an MCP answer."""
    inner = {"tools": make_desk_tools()} if wrap == "result" else make_desk_tools()
    assert len(read_definitions({wrap: inner})) == 8


def test_the_order_of_tools_changes_nothing() -> None:
    """A shuffled list is byte for byte the same catalog."""
    tools = [*make_desk_tools(), *make_web_tools()]
    shuffled = list(tools)
    random.Random(5).shuffle(shuffled)
    assert make_catalog(tools) == make_catalog(shuffled)


def test_two_tools_of_one_name_are_both_named() -> None:
    """Tools that differ and are called alike are refused with both places; equal ones are one."""
    twice = [{"name": "find", "description": "A"}, {"name": "find", "description": "B"}]
    with pytest.raises(CatalogError, match='tools 0 and 1 are both called "find" and differ'):
        make_catalog(twice)
    assert len(read_definitions([twice[0], dict(twice[0])])) == 1


def test_tools_of_one_name_with_ids_are_called_by_their_ids() -> None:
    """If ids distinguish tools with one name, the name alone is ambiguous."""
    registry = make_tool_registry(
        [{"id": "mail_a", "name": "send"}, {"id": "mail_b", "name": "send"}]
    )
    assert sorted(registry.tools) == ["mail_a", "mail_b"]
    diagnostics = compile_draft(
        [{"tool": "send", "arguments": {}}], TOOLS, registry, CompileOptions()
    ).diagnostics
    assert [diagnostic.code for diagnostic in diagnostics] == ["GB202"]
    assert set(diagnostics[0].alternatives) == {"mail_a", "mail_b"}


def test_invalid_definition_is_reported_with_position() -> None:
    """Every entry that is no tool is reported with its number and fault."""
    with pytest.raises(CatalogError) as caught:
        read_definitions([{"description": "nameless"}, "find", {"name": "a", "parameters": 3}])
    text = str(caught.value)
    assert 'tool 0: it has neither a "name" nor an "id"' in text
    assert "tool 1: text, not an object" in text or "tool 1:" in text
    assert "a: its parameters are" in text


def test_a_catalog_file_is_not_adopted() -> None:
    """A text that is no list of tools is left to the reader of catalog files."""
    assert convert_catalog(make_catalog(make_desk_tools())) is None
    assert convert_catalog(b"not json") is None
    assert convert_catalog(json.dumps({"nodes": []}).encode()) is None


def test_a_function_without_parameters_takes_none() -> None:
    """OpenAI defines it: a function without parameters accepts any arguments."""
    registry = make_tool_registry([{"function": {"name": "now"}}, {"name": "any"}])
    of_now = compile_draft(
        [{"tool": "now", "arguments": {"x": 1}}], TOOLS, registry, CompileOptions()
    )
    of_any = compile_draft(
        [{"tool": "any", "arguments": {"x": 1}}], TOOLS, registry, CompileOptions()
    )
    assert [diagnostic.code for diagnostic in of_now.diagnostics] == ["TLS302"]
    assert of_any.verdict == "ok"


def test_an_invalid_schema_is_reported_when_it_is_loaded() -> None:
    """A definition that cannot check arguments is reported in one line."""
    registry = make_tool_registry(
        [{"name": "odd", "parameters": {"type": "object", "required": "q"}}]
    )
    doubts = list(find_contradictions(registry.tool("odd")))
    assert len(doubts) == 1
    assert doubts[0].startswith("odd: arguments are not checked")


def test_an_operation_and_capabilities_are_normal() -> None:
    """Capabilities have one spelling, aliases resolved, whoever wrote them."""
    row = make_tool_registry(make_web_tools()).tools["web_search"]
    assert "internet.search" in row.capabilities
    spelt = [{"name": "a", "capabilities": ["Lookup Web", "lookup_web", "find.internet"]}]
    assert "search.internet" in make_tool_registry(spelt).tools["a"].capabilities
    assert len([c for c in make_tool_registry(spelt).tools["a"].capabilities if "search" in c]) == 1
