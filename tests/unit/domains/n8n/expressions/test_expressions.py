"""An expression is broken where n8n's own parser refuses it, and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.compiler.pipeline import compile_draft, compile_with_fixes
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.expressions import split
from grounded_builder.domains.n8n.expressions.plain_forms import is_plain
from grounded_builder.ir.options import CompileOptions, Policy
from tests.support.time_bounds import limit_cpu_time
from tests.unit.domains.n8n.drafts import (
    CODE,
    REGISTRY,
    START,
    STEP,
    codes,
    compile_workflow,
    findings_of,
    node,
    workflow,
)

SOUND = [
    "{{ $json.a[0]['b c'].d }}",
    "{{ $('S').first().json.x?.y ?? 'none' }}",
    "{{ $json.a ? 'yes' : $json.b + 1 }}",
    "{{ [1, 2].map((one) => one + 1).join(', ') }}",
    "{{ `total ${ $json.a } of ${ $json.b }` }}",
    "{{ { a: 1, b: [2] } }}",
    "{{ new Date($json.at).toISOString() }}",
    "{{ a; b }}",
    "{{ await f() }}",
    "{{ unclosed",
    "{{ f(a b) }}",
    "{{ f('x' 'y') }}",
    "{{ f(async 'y') }}",
    "{{ f(a!b) }}",
    "{{ f({ a: 1 b: 2 }; c) }}",
    "{{ 1 = 2 }}",
    "{{ $json.a /* open }}",
    "{{ /a/.test($json.a) }}",
    "text {{ $json.a }} and {{ $json.b }}",
    "text \\{{ not code }}",
    "{{ $json.a }}{{",
    "{{ 'a' + /* c */ 'b' // d\n }}",
    "{{ (function () { return 1 })() }}",
    "{{ $json.if + $json.class }}",
]
BROKEN = [
    "{{ }}",
    "{{ // nothing }}",
    "{{ $json.a + }}",
    "{{ ($json.a }}",
    "{{ $json.a) + ($json.b }}",
    "{{ 'it's' }}",
    "{{ $('It's me').item }}",
    "{{ if (a) { b } }}",
    "{{ return $json.a }}",
    "{{ const a = 1 }}",
    "{{ let a = 1; a }}",
    "{{ let [a] = [1]; a }}",
    "{{ #each items }}",
    "{{ $json['a' 'b'] }}",
    "{{ ($json.a $json.b) }}",
    "{{ [1 2] }}",
    "{{ a: 1 }}",
    "{{ /* $json.a }}",
    "{{ @index }}",
    "{{ voice id }}",
    "{{ a ?? b || c }}",
    '{{ "a": 1 }}',
    "text {{ $json.a }} and {{ $json. }}",
]
EARLY = [
    "{{ '}}' }}",
    "{{ JSON.stringify({ a: { b: 1 }}) }}",
    "{{ { a: { b: 1 }} }} and {{ $json.b }}",
]


def draft_value(value: str) -> dict[str, Any]:
    return workflow([node("S", START), node("T", STEP, {"text": "=" + value})], [("S", "T")])


@pytest.mark.parametrize("value", SOUND)
def test_valid_expression_is_not_reported(value: str) -> None:
    """No expression that n8n's parser accepts is reported as broken."""
    assert findings_of(draft_value(value), "N8N321") == []


@pytest.mark.parametrize("value", BROKEN)
def test_a_broken_expression_is_wrong(value: str) -> None:
    """An expression that n8n's parser refuses is wrong, once, with the code quoted."""
    assert codes(draft_value(value)) == ["N8N321"]


@pytest.mark.parametrize("value", EARLY)
def test_braces_inside_end_an_expression(value: str) -> None:
    """If the code would parse without its inner braces, these are the fault."""
    assert codes(draft_value(value)) == ["N8N353"]


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("={{ $json.a", "N8N324"),
        ("=a {{ 1 }} b {{ $json.a, c", "N8N324"),
        ("={{ $json.a }", "N8N321"),
        ("=$json.a", "N8N325"),
        ("={ $json.a }", "N8N325"),
        ("=$json.a }}", "N8N325"),
        ("=text $('S').item.json.a", "N8N325"),
        ("=costs $5", None),
        ("=a {{", None),
        ("$json.a", None),
    ],
)
def test_braces_that_are_absent_are_reported(value: str, code: str | None) -> None:
    """A text with missing braces is reported, and plain text is not."""
    draft = workflow([node("S", START), node("T", STEP, {"text": value})], [("S", "T")])
    results = {"N8N321", "N8N323", "N8N324", "N8N325", "N8N353"}
    said_of_it = [
        diagnostic.code
        for diagnostic in compile_workflow(draft).diagnostics
        if diagnostic.code in results
    ]
    assert said_of_it == ([code] if code else [])


@pytest.mark.parametrize(
    ("value", "count"),
    [
        ("{{ $jmespath($json) }}", 1),
        ("{{ $jmespath() }}", 1),
        ("{{ $if($json.a) }}", 1),
        ("{{ $fromAI('two words') }}", 1),
        ("{{ $fromAI() }}", 1),
        ("{{ $jmespath($json, 'a[?b==`1`]') }}", 0),
        ("{{ $jmespath(...$json.list) }}", 0),
        ("{{ $if($json.a, [1, 2]) }}", 0),
        ("{{ $fromAI('one_word', `what, it is`, 'string') }}", 0),
        ("{{ $fromAI($json.key) }}", 0),
        ("{{ '$jmespath()' }}", 0),
    ],
)
def test_functions_want_their_arguments(value: str, count: int) -> None:
    """A call that n8n always fails is wrong."""
    assert len(findings_of(draft_value(value), "N8N350")) == count


def test_the_environment_is_advice() -> None:
    """n8n 2 hides the environment by default; an instance may show it."""
    for value in ("{{ $env.TOKEN }}", "{{ $env['A'] }}", "{{ process.env.HOME }}"):
        assert len(findings_of(draft_value(value), "N8N351")) == 1
        assert codes(draft_value(value)) == []
    for value in ("{{ $json.process.env.x }}", "{{ '$env.A' }}", "{{ $environment.x }}"):
        assert findings_of(draft_value(value), "N8N351") == []


def test_an_environment_that_is_shown_is_no_remark() -> None:
    """The policy says whether the instance lets expressions read its environment."""
    shown = CompileOptions(policy=Policy(allow_environment=True))
    compilation = compile_draft(draft_value("{{ $env.TOKEN }}"), N8N, REGISTRY, shown)
    assert "N8N351" not in {diagnostic.code for diagnostic in compilation.diagnostics}


@pytest.mark.long
@pytest.mark.parametrize(
    "code",
    [
        "1 + " * 250_000 + "1",
        "f(" + "a b " * 250_000 + ")",
        "$if( " * 200_000,
        "$json.a( " * 110_000,
        "$json" + "[0]" * 330_000 + ".foo()",
        "$x + " * 200_000 + "1",
        "/**/" * 250_000,
        "'" * 1_000_000,
    ],
    ids=["sum", "neighbours", "calls", "members", "places", "names", "comments", "quotes"],
)
def test_a_large_expression_takes_bounded_time(code: str) -> None:
    """A megabyte of code is checked within seconds of processor time, whatever it holds."""
    with limit_cpu_time(10):
        compile_workflow(draft_value("{{ " + code + " }}"))


def test_a_bounded_number_of_unknown_names_is_reported_per_text() -> None:
    """Of many unknown names in a text a few are reported, each once."""
    pieces = "".join(f"{{{{ $u{place} + $u1 }}}}" for place in range(2_000))
    results = [diagnostic.token for diagnostic in findings_of(draft_value(pieces), "N8N326")]
    assert len(results) == len(set(results)) == 20


def test_code_is_cut_where_n8n_cuts_it() -> None:
    """Code ends at the first pair of braces that no odd number of backslashes precedes."""
    pieces = split("a {{ b }} c {{ '}}' }} \\{{ d }} \\\\{{ e \\}} f }}{{ g")
    assert [piece.code for piece in pieces] == [" b ", " '", " e }} f ", " g"]
    assert [piece.closed for piece in pieces] == [True, True, True, False]
    assert split("a {{") == []


@pytest.mark.parametrize(
    "code",
    [
        *("$json.a ?? b || c", "$json.a b", "$json.", "if", "'a' 'b'", "$json.a +", "1.a", ""),
        *("$json.a[\u0663]", "$json\u24d0", "$json.a\x1c.b", "012", "$json.a[01]", "$json['a\rb']"),
    ],
)
def test_only_valid_code_is_plain(code: str) -> None:
    """The fast way says yes to nothing that has to be refused."""
    assert not is_plain(code)


def test_code_nodes_are_compiled_not_run() -> None:
    """Code that does not compile is wrong; top-level await and return are fine."""
    fine = "const a = await f();\nfor (;;) { break }\nreturn [{ json: { a } }]"
    nodes = [node("S", START), node("C", CODE, {"jsCode": fine})]
    assert codes(workflow(nodes, [("S", "C")])) == []
    nodes[1] = node("C", CODE, {"jsCode": "const a = 1; const a = 2;"})
    assert codes(workflow(nodes, [("S", "C")])) == ["N8N321"]


def test_braces_without_an_equals_sign_stay_text() -> None:
    """An expression without = is pointed out; where it is the whole text, = is put before it."""
    draft = workflow([node("S", START), node("T", STEP, {"text": "{{ $json.a }}"})], [("S", "T")])
    assert codes(draft) == []
    assert len(findings_of(draft, "N8N323")) == 1
    fixed = compile_with_fixes(draft, N8N, REGISTRY, CompileOptions())
    assert fixed.document["nodes"][1]["parameters"]["text"] == "={{ $json.a }}"
    dated = node("T", STEP, {"text": "Sent {{new Date()}}"})
    assert len(findings_of(workflow([node("S", START), dated], [("S", "T")]), "N8N323")) == 1


@pytest.mark.parametrize(
    "parameters",
    [
        {"page": "<p>{{ $json.a }}</p>"},
        {"text": "Dear {{ name }}"},
        {"text": "{{#if a}}"},
        {"text": '{"nodes": [{"value": "={{ $json.a }}"}]}'},
    ],
)
def test_braces_of_templates_are_not_reported(parameters: dict[str, str]) -> None:
    """Braces under a name that takes no expressions, and those of other languages, are text."""
    draft = workflow([node("S", START), node("T", STEP, parameters)], [("S", "T")])
    assert findings_of(draft, "N8N323") == []
