"""Variables and members of values in expressions."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from grounded_builder.compiler.pipeline import compile_with_fixes
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.expressions.mask_literals import mask_literals
from grounded_builder.domains.n8n.expressions.members import ALL_MEMBERS, MEMBERS
from grounded_builder.ir.options import CompileOptions
from tests.support.time_bounds import PATIENCE_S
from tests.unit.domains.n8n.drafts import CODE, REGISTRY, START, STEP, findings_of, node, workflow


def _draft(value: str) -> dict[str, Any]:
    return workflow([node("S", START), node("T", STEP, {"text": "=" + value})], [("S", "T")])


def _code(value: str) -> dict[str, Any]:
    return workflow([node("S", START), node("C", CODE, {"jsCode": value})], [("S", "C")])


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("{{ $jsn.name }}", "$jsn"),
        ("a {{ 1 }} {{ $nodes['S'].json }}", "$nodes"),
        ("{{ [1].map(one => $itm.x + one) }}", "$itm"),
        ("{{ `a ${ $jsn.x }` }}", "$jsn"),
    ],
)
def test_a_variable_that_n8n_does_not_give_is_wrong(value: str, name: str) -> None:
    """A ``$name`` that is neither n8n's nor declared in the code is nothing."""
    assert [diagnostic.token for diagnostic in findings_of(_draft(value), "N8N326")] == [name]


@pytest.mark.parametrize(
    "value",
    [
        "{{ $json.$type }}",
        "{{ ({ $set: 1 }) }}",
        "{{ '$oid' + `$x ${1} $y` }}",
        "{{ [1].map($one => $one + 1) }}",
        "{{ [1].map(($one, $two) => $one + $two) }}",
        "{{ (() => { const $a = 1; return $a })() }}",
        "{{ (function ($a) { return $a })(1) }}",
        "{{ typeof $extra }}",
        "{{ $response.body }}",
        "{{ 1 /* $jsn */ }}",
        "{{ 'a'.replace(/$jsn/, '') }}",
        "$jsn",
        "{{ 1 }} $jsn",
    ],
)
def test_names_other_than_variables_are_not_reported(value: str) -> None:
    """Keys, members, texts, patterns, comments and declared names are not variables."""
    assert findings_of(_draft(value), "N8N326") == []


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("{{ moment().format() }}", "moment"),
        ("{{ new URL($json.url).host }}", "URL"),
        ("a {{ 1 }} {{ steps.fetch.output }}", "steps"),
        ("{{ $json.name | upper }}", "upper"),
        ("{{ $json.x.map(i => i.id + suffix) }}", "suffix"),
        ("{{ JSON.stringify({ at: moment(), b: { c: 1 } }) }}", "moment"),
        ("{{ (() => { const a = lodash.get($json, 'x'); return a })() }}", "lodash"),
        ("{{ $json.x ? yes : 'no' }}", "yes"),
        ("{{ Math.max(count, 1) }}", "count"),
        ("{{ [...rest, 1] }}", "rest"),
    ],
)
def test_a_bare_name_that_n8n_does_not_give_is_wrong(value: str, name: str) -> None:
    """An expression knows JavaScript's own values, luxon's and n8n's functions; nothing else."""
    assert [diagnostic.token for diagnostic in findings_of(_draft(value), "N8N326")] == [name]


@pytest.mark.parametrize(
    "value",
    [
        "{{ Math.max(parseInt($json.a), Number.NaN) }}",
        "{{ DateTime.now() > Interval && Duration }}",
        "{{ average(1, 2) + max(1) + numberList(1, 3).length }}",
        "{{ process.version }}",
        "{{ typeof moment === 'undefined' }}",
        "{{ typeof (moment) }}",
        "{{ $json.a || fallback }}",
        "{{ fallback ?? $json.a }}",
        "{{ ({ a: 1, b: 2 }).a }}",
        "{{ ({ a, b }) }}",
        "{{ [1].map(one => one + 1) }}",
        "{{ [1].map((one, two) => one + two) }}",
        "{{ [1].map(({ a, b: [c], ...d }, e = a) => a + c + d + e) }}",
        "{{ (function f(a) { return a > 1 ? f(a - 1) : a })(1) }}",
        "{{ (() => { let a, b = 2; for (const [k, v] of [[1, 2]]) { a = k + v } return a })() }}",
        "{{ (() => { try { return 1 } catch (error) { return error.message } })() }}",
        "{{ x = 5 }}",
        "{{ $json.a.moment.format }}",
        "{{ $json.a?.moment }}",
        "{{ 'moment' + `moment` + /moment/.source }}",
        "{{ $json.x.some(a =>\n  /update|changed/i.test(a)) }}",
        "{{ 1 /* moment */ }}",
        "{{ 0xFF + 1e3 }}",
        "moment() {{ 1 }}",
    ],
)
def test_names_other_than_bare_names_are_not_reported(value: str) -> None:
    """Members, keys, texts, patterns, declared and tested names are not bare names."""
    assert findings_of(_draft(value), "N8N326") == []


def test_code_that_does_not_parse_is_one_finding() -> None:
    """Words between braces are one finding, not one for each word."""
    assert findings_of(_draft("{{ voice id }}"), "N8N326") == []


def test_bare_name_gets_missing_dollar_sign() -> None:
    """A name of n8n without ``$`` whose member is read gets the sign."""
    fixed = compile_with_fixes(_draft("{{ json.a + 1 }}"), N8N, REGISTRY, CompileOptions())
    assert fixed.document["nodes"][1]["parameters"]["text"] == "={{ $json.a + 1 }}"


def test_variable_with_wrong_case_is_corrected() -> None:
    """A variable that differs only in case is corrected."""
    fixed = compile_with_fixes(_draft("{{ $JSON.a + $JSON.b }}"), N8N, REGISTRY, CompileOptions())
    assert fixed.document["nodes"][1]["parameters"]["text"] == "={{ $json.a + $json.b }}"


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("{{ $now.minusDays(3) }}", "minusDays"),
        ("{{ $today.plus({ days: 1 }).toFormatted('dd') }}", "toFormatted"),
        ("{{ DateTime.nowUtc() }}", "nowUtc"),
        ("{{ DateTime.fromISO($json.at).addDays(1) }}", "addDays"),
        ("{{ Math.rand() }}", "rand"),
        ("{{ 'abc'.toUpercase() }}", "toUpercase"),
        ("{{ $json.name.trim().toUpercase() }}", "toUpercase"),
        ("{{ $json['a b'][0].tolowercase() }}", "tolowercase"),
        ("{{ $('S').json.name }}", "json"),
        ("{{ $('S').items[0].json }}", "items"),
        ("{{ $input.json.name }}", "json"),
        ("{{ $node['S'].first().json }}", "first"),
        ("{{ $workflow.title }}", "title"),
        ("{{ $now.toISOString() }}", "toISOString"),
    ],
)
def test_a_member_that_the_value_cannot_have_is_wrong(value: str, name: str) -> None:
    """A member that a known value lacks is reported with the nearest one that it has."""
    assert [diagnostic.token for diagnostic in findings_of(_draft(value), "N8N327")] == [name]


@pytest.mark.parametrize(
    ("value", "code", "token"),
    [
        ("{{ $now() }}", "N8N327", "$now"),
        ("{{ $json ('a') }}", "N8N327", "$json"),
        ("{{ $node('S').json.a }}", "N8N327", "$node"),
        ("{{ $execution.startTime }}", "N8N327", "startTime"),
        ("{{ $credentials.apiKey }}", "N8N326", "$credentials"),
    ],
)
def test_a_use_that_a_variable_does_not_allow_is_wrong(value: str, code: str, token: str) -> None:
    """Variables are called or read only as n8n defines them."""
    assert [diagnostic.token for diagnostic in findings_of(_draft(value), code)] == [token]


@pytest.mark.parametrize(
    "value",
    [
        "{{ $execution.customData.get('a') }}",
        "{{ $execution.resumeFormUrl }}",
        "{{ $items('S')[0].json.a + $itemIndex }}",
        "{{ '$now() of ' + $now }}",
    ],
)
def test_a_use_that_a_variable_allows_is_accepted(value: str) -> None:
    """Functions of n8n may be called, and texts may hold anything."""
    assert [*findings_of(_draft(value), "N8N326"), *findings_of(_draft(value), "N8N327")] == []


@pytest.mark.parametrize(
    "value",
    [
        "{{ $now.plus(1, 'day').toFormat('yyyy').replace('a', 'b').toTitleCase() }}",
        "{{ $now.foo?.() }}",
        "{{ $now.ts }}",
        "{{ DateTime.DATE_FULL }}",
        "{{ $json.any.field.$thing }}",
        "{{ $json.list.first().isNotEmpty() }}",
        "{{ $json.list.reduce((all, one) => all, { foo() {} }).foo() }}",
        "{{ $('S').first().json.a.extractEmail() }}",
        "{{ $node['S'].json.a.hash('md5') }}",
        "{{ '$now.foo()' }}",
        "{{ f.foo() }}",
        "{{ $vars.x.foo() }}",
        "{{ Date.now() + new Date().getTime() }}",
        "{{ $input.all().length + $('S').all().map(one => one.json).length }}",
    ],
)
def test_a_member_that_the_value_may_have_is_silent(value: str) -> None:
    """Values of an unknown kind and optional calls are not reported."""
    assert findings_of(_draft(value), "N8N327") == []


def test_code_is_asked_for_sure_members_only() -> None:
    """Code may bind any name again; what it asks of n8n's own objects is checked."""
    assert [
        diagnostic.token for diagnostic in findings_of(_code("return [$now.addDays(1)]"), "N8N327")
    ] == ["addDays"]
    assert findings_of(_code("const a = $json.foo(); return a.bar()"), "N8N327") == []
    assert findings_of(_code("const $ = load(html);\nreturn $('title').text()"), "N8N327") == []
    assert findings_of(_code("const $ = load(html);\nreturn $('title').text()"), "N8N322") == []
    code = "return `${$('Ghost').first()}: mind %, &, $, and _` // const $ = 1"
    assert [diagnostic.token for diagnostic in findings_of(_code(code), "N8N322")] == ["Ghost"]
    assert [diagnostic.token for diagnostic in findings_of(_code("return $jsn.a"), "N8N326")] == [
        "$jsn"
    ]


def test_an_outline_keeps_every_place() -> None:
    """Texts, comments and patterns become blanks; all else stays where it is."""
    code = "a('b {', `c ${ d('e') } f`) /* g */ / 2 + /h'/.test(i) // j"
    assert mask_literals(code) == "a('   ', `  ${ d(' ') }  `)         / 2 + /  /.test(i)     "


def test_the_members_are_those_of_the_installed_copies(
    n8n_dir: Path, node: Path, tmp_path: Path
) -> None:
    """Every member of JavaScript's, luxon's and n8n's values is known, and none is made up."""
    script = Path(__file__).with_name("members.cjs")
    command = [str(node), str(script), str(n8n_dir / "node_modules" / "n8n-workflow")]
    answered = subprocess.run(
        command, check=True, capture_output=True, timeout=PATIENCE_S, cwd=tmp_path
    )
    real: dict[str, list[str]] = json.loads(answered.stdout)
    kinds = {name: kind for name, kind in MEMBERS.items() if name in real}
    assert {"a DateTime", "a text", "DateTime", "Math"} <= kinds.keys()
    for name, kind in kinds.items():
        assert set(real[name]) <= kind, name
    assert set(real["a value"]) <= ALL_MEMBERS
    everything = set().union(*(set(names) for names in real.values()))
    assert everything >= ALL_MEMBERS
