"""A node that code names must be there, under exactly that name."""

from __future__ import annotations

import pytest

from grounded_builder.compiler.pipeline import compile_with_fixes
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.expressions.references import find_references
from grounded_builder.ir.options import CompileOptions
from tests.unit.domains.n8n.drafts import (
    CODE,
    REGISTRY,
    START,
    STEP,
    codes,
    findings_of,
    node,
    workflow,
)


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("$('A').item.json.x", ["A"]),
        ('$( "A" ).first()', ["A"]),
        ("$(`A`).all()", ["A"]),
        ("$node['A b'].json", ["A b"]),
        ("$node.A.json", ["A"]),
        ('$items("A", 0, 1)', ["A"]),
        ('$item(0).$node["A"].json', ["A"]),
        ('$item("0") .$node.A.json', ["A"]),
        ("$item($itemIndex).$node[$json.key].json", []),
        ('a.$item(0).$node["A"].json', []),
        ("$items()", []),
        ("$('Don\\'t \\u0041').item", ["Don't A"]),
        ("$('A').item + $('B').item", ["A", "B"]),
        ("$('A' + x).item", []),
        ("$(name).item", []),
        ("$node[$json.key]", []),
        ("// $('A')\n1", []),
        ("/* $('A') */ 1", []),
        ("\"write $('A') here\"", []),
        ("`text $('A')`", []),
        ("`text ${ $('A').item } $('B')`", ["A"]),
        ("`a ${ `b ${ $('A') } $('B')` } c` + $('C')", ["A", "C"]),
        ("({ a: { b: $('A') } })", ["A"]),
        ("jQuery$('A')", []),
        ("it's $('A')", []),
    ],
)
def test_constant_names_in_code_are_found(code: str, names: list[str]) -> None:
    """Names by a constant are found; those in comments, strings and template texts are not."""
    assert [reference.name for reference in find_references(code)] == names


def test_the_place_of_a_name_is_where_it_is_written() -> None:
    """A reference has the position of its name, so that it can be rewritten."""
    code = "1 + $('Old name').item"
    (reference,) = find_references(code)
    assert code[reference.start : reference.end] == "Old name"


@pytest.mark.parametrize(
    ("type_", "name", "value"),
    [
        (STEP, "text", "={{ $('Gone').item.json.x }}"),
        (STEP, "text", '=a {{ $node["Gone"].json.x }} b'),
        (STEP, "text", '={{ $item(0).$node["Gone"].json.x }}'),
        (CODE, "jsCode", "return $('Gone').all()"),
    ],
)
def test_a_name_that_no_node_has_is_wrong(type_: str, name: str, value: str) -> None:
    """Expressions and code that name an absent node fail when they run."""
    draft = workflow([node("S", START), node("T", type_, {name: value})], [("S", "T")])
    assert [d.token for d in findings_of(draft, "N8N322")] == ["Gone"]
    nodes = [*draft["nodes"], node("Gone", STEP)]
    assert codes(workflow(nodes, [("S", "Gone"), ("Gone", "T")])) == []


@pytest.mark.parametrize("value", ["{{ $('Gone') }}", "=$('Gone')", "$('Gone')"])
def test_a_text_that_is_not_evaluated_names_nothing(value: str) -> None:
    """Plain text, and an expression without braces, is not code."""
    draft = workflow([node("S", START), node("T", STEP, {"text": value})], [("S", "T")])
    assert codes(draft) == []


def test_references_of_disabled_node_are_not_checked() -> None:
    """A node that never runs may refer to missing nodes."""
    entries = node("T", STEP, {"text": "={{ $('Gone').item }}"}, disabled=True)
    assert codes(workflow([node("S", START), entries], [("S", "T")])) == []


def test_names_that_differ_by_case_and_spaces_are_mended_together() -> None:
    """All near names of one text are written as the nodes are called, quotes escaped."""
    value = "={{ $('read  MAIL').item.json.a + $(\"it's me\").item.json.b }}"
    nodes = [node("S", START), node("Read mail", STEP), node("It's me", STEP)]
    nodes.append(node("T", STEP, {"text": value}))
    draft = workflow(nodes, [("S", "Read mail"), ("Read mail", "It's me"), ("It's me", "T")])
    assert len(findings_of(draft, "N8N322")) == 2
    fixed = compile_with_fixes(draft, N8N, REGISTRY, CompileOptions())
    assert fixed.verdict == "ok"
    wanted = "={{ $('Read mail').item.json.a + $(\"It's me\").item.json.b }}"
    assert fixed.document["nodes"][3]["parameters"]["text"] == wanted


def test_a_name_that_is_only_like_another_is_not_mended() -> None:
    """A near name is offered, not written, when more than case and spaces differ."""
    nodes = [node("S", START), node("Read mails", STEP)]
    text = {"text": "={{ $('Read mail').item }}"}
    draft = workflow([*nodes, node("T", STEP, text)], [("S", "T")])
    (finding,) = findings_of(draft, "N8N322")
    assert finding.alternatives == ("Read mails",)
    assert finding.fix is None


def test_halves_of_a_character_are_one_name() -> None:
    """A name written by the escapes of its two halves is the node's, as JavaScript has it."""
    value = "={{ $('\\ud83d\\udd27 Build').item.json.a }}"
    nodes = [node("S", START), node("\U0001f527 Build", STEP), node("T", STEP, {"text": value})]
    draft = workflow(nodes, [("S", "\U0001f527 Build"), ("\U0001f527 Build", "T")])
    assert findings_of(draft, "N8N322") == []


def test_a_failure_that_code_catches_is_advice() -> None:
    """Code that tries a node and continues without it works; a mention outside is wrong."""
    tried = "try { return $('Gone').all(); } catch (e) { return []; }"
    draft = workflow([node("S", START), node("T", CODE, {"jsCode": tried})], [("S", "T")])
    assert findings_of(draft, "N8N322") == []
    assert [d.token for d in findings_of(draft, "N8N329")] == ["Gone"]
    both = tried.replace("return []", "return $('Gone').all()")
    draft = workflow([node("S", START), node("T", CODE, {"jsCode": both})], [("S", "T")])
    assert [d.token for d in findings_of(draft, "N8N322")] == ["Gone"]
