"""References to steps become references to their nodes, and nothing else changes."""

from __future__ import annotations

import pytest

from grounded_builder.domains.n8n.lower.references import rename_references, rewrite_references
from tests.support.growth import confirm_fault, find_growth_fault
from tests.unit.domains.n8n.drafts import CODE, START, STEP, compile_workflow

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
        findings = compile_workflow({"steps": steps}).diagnostics
        assert [finding.token for finding in findings if finding.code == "N8N322"] == ["gone"]


_HELPER = "const get = n => $(n).all();\n"


@pytest.mark.parametrize(
    ("code", "rewritten"),
    [
        (_HELPER + "return get('x')", _HELPER + "return get('It\\'s X')"),
        (
            "const get = (n) => $(n).all(); found.push('x'); return get('x')",
            "const get = (n) => $(n).all(); found.push('x'); return get('It\\'s X')",
        ),
        (
            "function read(step, i) { return $(step).first() } return read(`x`, 'x')",
            "function read(step, i) { return $(step).first() } return read(`It's X`, 'x')",
        ),
        (
            "const read = async function (n) { return $items(n) }; await read('lead')",
            "const read = async function (n) { return $items(n) }; await read('Lead')",
        ),
        (
            "return ['x', 'lead'].map(n => $(n).first())",
            "return ['It\\'s X', 'Lead'].map(n => $(n).first())",
        ),
        (_HELPER + "['x'].flatMap(get)", _HELPER + "['It\\'s X'].flatMap(get)"),
        (
            "for (const n of ['x', 'lead']) out.push(...$(n).all())",
            "for (const n of ['It\\'s X', 'Lead']) out.push(...$(n).all())",
        ),
        ("const n = 'lead'; return $(n).all()", "const n = 'Lead'; return $(n).all()"),
        ("={{ ['x'].map((n) => $node[n].json) }}", "={{ ['It\\'s X'].map((n) => $node[n].json) }}"),
        # The texts are data as well: the code has no reading that keeps both.
        (
            "for (const n of ['x']) out[n] = $(n).all()",
            "for (const n of ['x']) out[n] = $(n).all()",
        ),
        ("const all = ['x']; all.map(n => $(n))", "const all = ['x']; all.map(n => $(n))"),
        ("const get = n => other(n); get('x')", "const get = n => other(n); get('x')"),
        ("const get = n => $(m); get('x')", "const get = n => $(m); get('x')"),
        ("// get('x')\n" + _HELPER, "// get('x')\n" + _HELPER),
        (_HELPER + "a.get('x')", _HELPER + "a.get('x')"),
    ],
)
def test_a_step_that_code_names_by_a_helper_is_its_node(code: str, rewritten: str) -> None:
    """A text that only reaches a computed reference is a name of a step; others are data."""
    assert rewrite_references(code, _NAMES) == rewritten


@pytest.mark.parametrize(
    ("code", "tokens"),
    [
        ("for (const n of ['read']) out[n] = $(n).all(); return out", ["read"]),
        ("const all = ['read']; return all.map(n => $(n).first())", ["read"]),
        ("const all = ['read']; return $(all[0]).all()", ["read"]),
        ("return $(`${'read'}`).all()", ["read"]),
        ("const get = n => $(n).all(); return get('read')", []),
        ("const get = n => $(n).all(); x.push('read'); return get('read')", []),
        ("const all = ['other']; return $(all[0]).all()", []),
        ("const all = ['read']; return $('read').all()", []),
    ],
)
def test_a_step_that_code_may_name_keeps_its_id(code: str, tokens: list[str]) -> None:
    """If an id may be data as well, it is the name of its node, so that both readings are right."""
    steps = [
        {"id": "start", "tool": START},
        {"id": "read", "tool": STEP, "action": "read the rows"},
        {"id": "work", "tool": CODE, "params": {"jsCode": code}},
    ]
    compilation = compile_workflow({"steps": steps})
    assert not [d for d in compilation.diagnostics if d.code == "N8N322"]
    assert compilation.artifact is not None
    nodes = [node for node in compilation.artifact["nodes"] if "jsCode" in node["parameters"]]
    names = [node["name"] for node in compilation.artifact["nodes"]]
    assert ("read" in names) == bool(tokens)
    assert ("Read the rows" in names) != bool(tokens)
    if tokens:
        assert nodes[0]["parameters"]["jsCode"] == code


def test_an_id_that_another_node_has_as_its_name_is_reported() -> None:
    """If the name is already used, the finding states the name of the node."""
    steps = [
        {"id": "start", "tool": START},
        {"id": "Count rows", "tool": STEP, "action": "read the rows"},
        {"id": "other", "tool": STEP, "action": "Count rows"},
        {
            "id": "work",
            "tool": CODE,
            "params": {"jsCode": "for (const n of ['Count rows']) out[n] = $(n).all(); return out"},
        },
    ]
    findings = [d for d in compile_workflow({"steps": steps}).diagnostics if d.code == "N8N322"]
    assert [finding.token for finding in findings] == ["Count rows"]
    assert all("Read the rows" in finding.help for finding in findings)
    assert all(finding.at == ("steps", 3, "params", "jsCode") for finding in findings)


@pytest.mark.parametrize(
    "piece",
    ["get('x');", "['x',", "$(n);n=>", "const n='x';", _HELPER + "get('x');", "for(const n of ["],
)
def test_computed_references_take_linear_time(piece: str) -> None:
    """Long code with many helpers, lists and strings is read once."""

    def make(size: int) -> str:
        return _HELPER + piece * (size // len(piece))

    fault = confirm_fault(
        lambda: find_growth_fault(lambda code: rewrite_references(code, _NAMES), make)
    )
    assert not fault
