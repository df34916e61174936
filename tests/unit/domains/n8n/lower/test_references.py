"""References to steps become references to their nodes, and nothing else changes."""

from __future__ import annotations

import pytest

from grounded_builder.domains.n8n.lower.references import rename_references, rewrite_references
from tests.unit.domains.n8n.drafts import CODE, START, STEP, compiled

_NAMES = {"new lead": "Read row", "x": "It's X", "lead": "Lead", "JSON": "Parse"}


@pytest.mark.parametrize(
    ("value", "rewritten"),
    [
        ("={{ { ...$('new lead').item.json } }}", "={{ { ...$('Read row').item.json } }}"),
        ("={{ [...$('x').all()] }}", "={{ [...$('It\\'s X').all()] }}"),
        ("={{ $node.x.json.a }}", '={{ $node["It\'s X"].json.a }}'),
        ("={{ $node?.x.json.a }}", '={{ $node?.["It\'s X"].json.a }}'),
        ("it's {{ $('new lead').item.json.a }}", "it's {{ $('Read row').item.json.a }}"),
        ("={{ '\\}}' + $('x').item.json.a }}", "={{ '\\}}' + $('It\\'s X').item.json.a }}"),
        ("={{ lead.mail }}", "={{ $('Lead').item.json.mail }}"),
        ("={{ { ...lead.data } }}", "={{ { ...$('Lead').item.json.data } }}"),
        ("={{ 'lead.mail' + $json.lead.mail }}", "={{ 'lead.mail' + $json.lead.mail }}"),
        ("={{ $json.all.map(lead => lead.mail) }}", "={{ $json.all.map(lead => lead.mail) }}"),
        ("={{ JSON.stringify($json) }}", "={{ JSON.stringify($json) }}"),
        ("lead.mail", "lead.mail"),
        (
            "const $ = cheerio.load(html); return $('x').text()",
            "const $ = cheerio.load(html); return $('x').text()",
        ),
        ("return [...$('new lead').all()]", "return [...$('Read row').all()]"),
        ({"a": ["={{ $('x').first() }}"]}, {"a": ["={{ $('It\\'s X').first() }}"]}),
    ],
)
def test_only_references_to_steps_change(value: object, rewritten: object) -> None:
    """Names in strings, of members, bound by the code or of globals are not steps."""
    assert rewrite_references(value, _NAMES) == rewritten


def test_a_name_cannot_end_the_expression_or_its_string() -> None:
    """Braces, quotes and template marks of a new name are escaped."""
    names = {"a": "x}} 'y' `${z}`"}
    assert rename_references("={{ $('a') }}", names) == "={{ $('x}\\u007d \\'y\\' `${z}`') }}"
    assert rename_references("={{ $(`a`) }}", names) == "={{ $(`x}\\u007d 'y' \\`\\${z}\\``) }}"


def test_a_step_that_no_plan_has_is_reported_after_a_spread() -> None:
    """A spread of an unknown step fails in n8n, in an expression and in code."""
    for tool, key, value in (
        (STEP, "text", "={{ {...$('gone').item.json} }}"),
        (CODE, "jsCode", "return [...$('gone').all()];"),
    ):
        steps = [{"id": "s", "tool": START}, {"id": "t", "tool": tool, "params": {key: value}}]
        findings = compiled({"steps": steps}).diagnostics
        assert [finding.token for finding in findings if finding.code == "N8N322"] == ["gone"]
