"""Single tools as people describe them, and the paths that messages name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import grounded_builder
from grounded_builder.catalog.catalog_file import CatalogError
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.known import DOMAINS
from grounded_builder.ir.domain import convert_tool
from grounded_builder.ir.options import CompileOptions
from grounded_builder.settings import Settings
from grounded_builder.storage import OverlayError, Store, open_store
from tests.support import catalogs
from tests.support.databases import url_of

PACKAGE = Path(grounded_builder.__file__).parent
ROOT = PACKAGE.parent.parent
# A page or a schema that a text names, as "docs/tools.md".
PATH = re.compile(r"(?<![\w/.-])[\w-]+(?:/[\w.-]+)*/[\w-]+(?:\.schema\.json|\.md)(?!\w)")

BLOCK: dict[str, Any] = {
    "id": "acmelib/Sources/Ramp",
    "name": "Acme Ramp",
    "aliases": ["acme slope"],
    "description": "Generates a ramp.",
    "inputs": [],
    "outputs": [{"index": 1, "type": "double"}],
    "category": "Sources",
    "capabilities": ["signal_source"],
    "version_introduced": "R2016a",
    "is_generic": False,
    "equivalent_to": [],
    "requires_license": None,
}
NODE: dict[str, Any] = BLOCK | {
    "id": "acme-nodes.lookup",
    "name": "Acme Lookup",
    "inputs": [{"main": 1}],
    "outputs": [{"main": 2}],
    "version_introduced": "0.1.0",
}
ANGLE = {
    "type": "object",
    "properties": {"angle": {"type": "number", "minimum": 0, "maximum": 180}},
    "required": ["angle"],
}
SHAPES = {
    "an OpenAI function": {
        "type": "function",
        "function": {"name": "set_angle", "description": "Turns.", "parameters": ANGLE},
    },
    "an MCP tool": {"name": "set_angle", "inputSchema": ANGLE},
    "a JSON Schema": {"title": "set_angle", **ANGLE},
    "an object with a list of parameters": {
        "id": "set_angle",
        "name": "Set the angle",
        "provider": "motors",
        "operation": "turn",
        "description": "Turns.",
        "capabilities": ["motor.turn"],
        "parameters": {"angle": {"type": "number", "min": 0, "max": 180, "required": True}},
    },
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    compilers = {name: domain.resolving.compile_tool for name, domain in DOMAINS.items()}
    opened = open_store(Settings(state=tmp_path, database_url=url_of(tmp_path)), compilers)
    builtin = DOMAINS["simulink"].resolving.builtin
    convert = DOMAINS["tools"].resolving.convert_catalog
    assert builtin
    assert convert
    opened.load_catalog(catalogs.acme_bytes())
    opened.load_catalog(builtin())
    opened.load_catalog(convert(b'[{"name": "wait"}]') or b"")
    yield opened
    opened.close()


def put(store: Store, domain: str, document: dict[str, Any]) -> None:
    store.put_tool(domain, convert_tool(document, DOMAINS[domain]))


def codes(store: Store, domain: str, draft: Any) -> set[str]:
    registry = store.active(domain)
    assert registry is not None
    report = compile_draft(draft, DOMAINS[domain], registry, CompileOptions())
    return {finding.code for finding in report.diagnostics if finding.rule.severity == "error"}


@pytest.mark.parametrize("shape", SHAPES)
def test_arguments_of_a_put_tool_are_checked(store: Store, shape: str) -> None:
    """Whatever the shape, a call is checked for names, types, ranges and required arguments."""
    put(store, "tools", SHAPES[shape])
    for arguments, expected in (
        ({"angle": 180}, set()),
        ({"angle": "x"}, {"GB304"}),
        ({"angle": 181}, {"GB307"}),
        ({"angle": -0.5}, {"GB307"}),
        ({}, {"TLS301"}),
        ({"angle": 5, "colour": "red"}, {"TLS302"}),
    ):
        draft = {"calls": [{"id": "a", "tool": "set_angle", "arguments": arguments}]}
        assert codes(store, "tools", draft) == expected, arguments


def test_a_described_node_and_block_can_be_used(store: Store) -> None:
    """A description without variants becomes a tool with the ports that it states."""
    put(store, "n8n", NODE)
    put(store, "simulink", BLOCK)
    node, block = (store.active(domain) for domain in ("n8n", "simulink"))
    assert node
    assert block
    variant = node.tool(NODE["id"])["variants"][0]
    assert [port["kind"] for port in variant["outputs"]] == ["main", "main"]
    assert block.tool(BLOCK["id"])["variants"][0]["traits"]["ports"] == {"out": 1}
    steps: list[dict[str, Any]] = [
        {"id": "a", "tool": "acme slope"},
        {"id": "b", "tool": "Scope", "inputs": ["a"]},
    ]
    assert codes(store, "simulink", {"steps": steps}) == set()
    # The block has no input, so nothing can be connected to it.
    assert codes(store, "simulink", {"steps": [steps[0] | {"inputs": ["b"]}, steps[1]]})


@pytest.mark.parametrize(
    ("domain", "document", "message"),
    [
        ("tools", {"name": "a", "description": "x" * 5_000_000}, "5,000,0"),
        ("tools", {"name": "a", "parameters": {"b": {"type": "float"}}}, "not a JSON Schema"),
        ("tools", {"name": "a", "inputSchema": {"type": "object", "properties": {},
                                                "required": ["c"]}}, "requires c"),
        ("tools", {"properties": {"a": {}}}, '"title"'),
        ("tools", {"name": "\u202e\x00"}, "no printable character"),
        ("n8n", NODE | {"inputs": None}, "inputs is missing"),
        ("n8n", NODE | {"inputs": [{"main": 10**9}]}, "inputs/0"),
        ("n8n", NODE | {"outputs": [{"main": 1, "ai_tool": 1}]}, "outputs/0"),
        ("n8n", NODE | {"colour": "red"}, "colour"),
        ("simulink", BLOCK | {"id": "a\nb"}, "control characters"),
    ],
)  # fmt: skip
def test_a_faulty_tool_is_refused_by_name_and_place(
    store: Store, domain: str, document: dict[str, Any], message: str
) -> None:
    """A tool that could not be checked, or not be read, is refused when it is put."""
    with pytest.raises(CatalogError) as caught:
        put(store, domain, document)
    assert message in str(caught.value)


def test_two_tools_of_a_name_are_refused(store: Store) -> None:
    """A tool of the catalog is never replaced, whatever the case of its id."""
    with pytest.raises(OverlayError, match="Wait is taken: the catalog has wait"):
        put(store, "tools", {"name": "Wait"})


def test_paths_in_texts_exist() -> None:
    """Each page or schema that a text of the program names is there."""
    missing = {
        (str(source.relative_to(ROOT)), path)
        for source in PACKAGE.rglob("*.py")
        for path in PATH.findall(source.read_text())
        if not (ROOT / path).is_file()
    }
    assert not missing
