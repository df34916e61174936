"""An HTTP Request calls an address that n8n takes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.domains.n8n.drafts import compile_workflow, node, registry, tool, workflow

CALL = "n8n-nodes-base.httpRequest"
REGISTRY = registry(
    tool(CALL, parameters=[{"name": "url", "type": "string", "default": "", "required": True}])
)


def report(url: Any, **more: Any) -> list[tuple[str, str]]:
    draft = workflow([node("A", CALL, {"url": url}, **more)])
    diagnostics = compile_workflow(draft, None, REGISTRY).diagnostics
    return [(d.code, d.rule.kind) for d in diagnostics if d.at[-1:] == ("url",)]


@pytest.mark.parametrize(
    "url",
    [
        "http://acme.test",
        "https://acme.test/{{ $json.id }}",
        " https://acme.test\n",
        "={{ $json.url }}",
        "=acme.test/{{ $json.id }}",
    ],
)
def test_callable_or_computed_url_is_accepted(url: str) -> None:
    """A supported scheme, surrounding blanks and expressions are accepted."""
    assert not [code for code, kind in report(url) if kind in ("wrong", "incomplete")]


@pytest.mark.parametrize(
    "url",
    [
        "acme.test",
        "acme.test/v1/items",
        "/v1/items",
        "HTTPS://acme.test",
        "ftp://acme.test",
        "//acme.test/v1",
        "{{ $vars.url }}/scans",
        "from=auto?to=whatsapp",
    ],
)
def test_an_address_without_a_protocol_is_wrong(url: str) -> None:
    """Every call of it fails, whatever is sent."""
    assert ("N8N355", "wrong") in report(url)


@pytest.mark.parametrize("url", ["<your apify url>", "WEBHOOK1", "webhook_url", "YOUR_URL_HERE"])
def test_placeholder_url_is_missing_value(url: str) -> None:
    """A placeholder in place of an address is a value that a person has to supply."""
    assert report(url) == [("GB331", "incomplete")]


def test_url_of_disabled_node_is_not_checked() -> None:
    """The URL of a disabled node is not checked."""
    assert report("acme.test", disabled=True) == []


def test_the_spelling_of_a_protocol_is_mended() -> None:
    """n8n compares the protocol as it is written: in lower case it is taken."""
    compilation = compile_workflow(
        workflow([node("A", CALL, {"url": "HTTPS://Acme.test/A"})]), None, REGISTRY
    )
    (diagnostic,) = [d for d in compilation.diagnostics if d.code == "N8N355"]
    assert diagnostic.fix is not None
    assert [edit.value for edit in diagnostic.fix.edits] == ["https://Acme.test/A"]
