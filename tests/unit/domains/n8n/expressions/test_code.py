"""Code in nodes: Python is parsed, and code has to hand items back."""

from __future__ import annotations

import pytest

from grounded_builder.diagnostics import Diagnostic, Edit
from tests.support.code_results import ALL_ITEMS, EACH_ITEM
from tests.unit.domains.n8n.drafts import (
    START,
    compile_workflow,
    node,
    registry,
    text,
    tool,
    workflow,
)

_LANGUAGES = [{"name": item, "value": item} for item in ("javaScript", "python", "pythonNative")]
_JS = {"displayOptions": {"show": {"language": ["javaScript"]}}}
_PYTHON = {"displayOptions": {"show": {"language": ["python", "pythonNative"]}}}
CODE = "n8n-nodes-base.code"
KNOWN = registry(
    tool(
        CODE,
        parameters=[
            {"name": "language", "type": "options", "default": "javaScript", "options": _LANGUAGES},
            text("jsCode", typeOptions={"editor": "codeNodeEditor"}, **_JS),
            text(
                "pythonCode",
                typeOptions={"editor": "codeNodeEditor", "editorLanguage": "python"},
                **_PYTHON,
            ),
        ],
    )
)


def _report(code: str, **parameters: str) -> list[Diagnostic]:
    draft = workflow([node("S", START), node("C", CODE, parameters)], [("S", "C")])
    return [
        diagnostic
        for diagnostic in compile_workflow(draft, known=KNOWN).diagnostics
        if diagnostic.code == code
    ]


def _python(code: str) -> dict[str, str]:
    return {"language": "pythonNative", "pythonCode": code}


@pytest.mark.parametrize(
    "code",
    [
        "def f(:\n    return 1",
        "for x in range(3)\n    pass",
        "if True:\nreturn []",
        "items = [1, 2\nreturn items",
        "return {'a': }",
    ],
)
def test_python_that_does_not_parse_is_wrong(code: str) -> None:
    """Python code is checked as the body of a function, with the line of its fault."""
    (finding,) = _report("N8N321", **_python(code))
    assert "line" in finding.message
    assert finding.at[-1] == "pythonCode"


@pytest.mark.parametrize(
    "code",
    [
        "return [{'json': {'n': await f()}}]",
        "    rows = []\n    return rows",
        "def f():\r\n\treturn 1\r\nreturn [f()]",
        'return {"a": f"{x["b"]}"}',
        "text = '''a\nb'''\nreturn [{'json': {'t': text}}]",
        "# nothing\nreturn []",
    ],
)
def test_python_that_some_version_takes_is_not_wrong(code: str) -> None:
    """Await, a common indent, and what only newer Pythons take are fine."""
    assert _report("N8N321", **_python(code)) == []


def test_code_of_the_other_language_is_not_looked_at() -> None:
    """A node keeps the code of the language that it does not run."""
    assert _report("N8N321", language="pythonNative", pythonCode="return []", jsCode="(") == []
    assert _report("N8N321", language="javaScript", pythonCode="def (", jsCode="return []") == []


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"jsCode": "```javascript\nreturn $input.all();\n```"}, "return $input.all();"),
        ({"jsCode": "\n```\nconst a = `b`;\nreturn [a];\n```\n"}, "const a = `b`;\nreturn [a];"),
        (_python("```python\nreturn []\n```"), "return []"),
    ],
)
def test_fences_around_code_are_taken_off(parameters: dict[str, str], expected: str) -> None:
    """They parse as a text that is called: n8n fails on them, whatever stands between."""
    (finding,) = _report("N8N321", **parameters)
    assert finding.fix is not None
    assert finding.fix.safe
    assert finding.fix.edits == (Edit("set", finding.at, expected),)


def test_fences_that_hold_more_than_code_are_reported_only() -> None:
    """Text after a fence, and a second fenced part, are not for a program to leave out."""
    for code in ("```js\nreturn []\n```\nThat is it.", "```js\nreturn []\n```\n```js\na\n```"):
        (finding,) = _report("N8N321", jsCode=code)
        assert finding.fix is None


def test_backticks_of_javascript_are_no_fences() -> None:
    """A template text, and fences inside one, are code."""
    assert _report("N8N321", jsCode="`a`;\nreturn [{ json: { a: '```' } }]") == []


_MODES = [("runOnceForAllItems", ALL_ITEMS), ("runOnceForEachItem", EACH_ITEM)]
_SCRIPTS = [(mode, *row) for mode, rows in _MODES for row in rows.items()]


@pytest.mark.parametrize(("mode", "script", "is_refused"), _SCRIPTS)
def test_a_result_that_n8n_refuses_is_wrong(mode: str, script: str, is_refused: bool) -> None:
    """The same tables are tried on n8n itself by the tests of rehearsals."""
    codes = ("N8N364", "N8N326")
    findings = [one for code in codes for one in _report(code, mode=mode, jsCode=script)]
    assert bool(findings) is is_refused


@pytest.mark.parametrize(
    ("parameters", "code"),
    [
        ({"jsCode": "if ($json.a) { return 1 }\nreturn []"}, "N8N352"),
        ({"jsCode": "for (const a of items) { return [a] }\nreturn false"}, "N8N352"),
        ({"jsCode": "const a = 1", "mode": "runOnceForEachItem"}, "N8N352"),
        (_python("rows = [1]\ndef f():\n    return rows"), "N8N364"),
    ],
)
def test_a_result_that_may_be_refused_is_advice(parameters: dict[str, str], code: str) -> None:
    """A branch may never be taken, and code that runs for each item may be for its effects."""
    assert len(_report(code, **parameters)) == 1


def test_a_refused_result_names_the_line() -> None:
    """The message states the value and its line."""
    (finding,) = _report("N8N364", jsCode="const a = 1;\nreturn [\n  {json: {}}, 'x'];")
    assert "its list has a text in place of an object (line 2)" in finding.message


@pytest.mark.parametrize(
    "parameters",
    [
        {"jsCode": "throw new Error('stop')"},
        {"jsCode": "while (true) { if ($json.a) return items }"},
        {"jsCode": ""},
        {"jsCode": "return " + "[" * 5_000 + "]" * 5_000},
        _python("if _items:\n    return _items\nraise ValueError('none')"),
    ],
)
def test_code_that_may_return_items_is_accepted(parameters: dict[str, str]) -> None:
    """Code that means to fail, and code that cannot be judged, is not reported."""
    assert [*_report("N8N352", **parameters), *_report("N8N364", **parameters)] == []


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("for item in _input.all():\n    pass\nreturn []", ["_input"]),
        ("return [_('Gone').first().json]", ["_"]),
        ("a = _node['S'].json\nreturn [{'json': {'t': _now}}]", ["_node", "_now"]),
        ("return [_item]", ["_item"]),
    ],
)
def test_unavailable_name_in_python_is_wrong(code: str, names: list[str]) -> None:
    """Python code in n8n 2 has its items and no other names of n8n."""
    assert [diagnostic.token for diagnostic in _report("N8N326", **_python(code))] == names


@pytest.mark.parametrize(
    "code",
    [
        "return _items",
        "return [_item for _item in _items]",
        "_ = 5\nfor _ in range(3):\n    pass\nreturn _items",
        "def f(_input):\n    return _input\nreturn f(_items)",
        "import json as _json\nreturn _json.loads('[]')",
        "if '_input' in globals():\n    return _input.all()\nreturn _items",
        "# _input.all()\nreturn [{'json': {'text': '_input'}}]",
        "return (",
    ],
)
def test_names_that_python_has_are_not_reported(code: str) -> None:
    """Items, what the code binds itself, what it looks for first, and texts are fine."""
    assert _report("N8N326", **_python(code)) == []


def test_each_item_has_its_own_name_in_python() -> None:
    """The name of the items in Python code depends on how often the code runs."""
    each = {**_python("return _item"), "mode": "runOnceForEachItem"}
    assert _report("N8N326", **each) == []
    every = {**each, "pythonCode": "return _items"}
    assert [diagnostic.token for diagnostic in _report("N8N326", **every)] == ["_items"]
    assert _report("N8N326", **{**every, "mode": "={{ $json.mode }}"}) == []


def test_the_python_of_n8n_1_knows_more() -> None:
    """In a catalog that offers it, code is checked with the names of n8n 1."""
    code = {"language": "python", "pythonCode": "return _input.all()"}
    assert _report("N8N326", **code) == []


def test_a_node_asked_for_without_quotes_is_mended() -> None:
    """JavaScript knows no such name; where it is a node's the quotes are put."""
    (finding,) = _report("N8N326", jsCode="const a = $(S).first();\nreturn [a, $( S ).all()];")
    assert finding.token == "S"
    assert finding.fix is not None
    value = "const a = $('S').first();\nreturn [a, $( 'S' ).all()];"
    assert finding.fix.edits == (Edit("set", finding.at, value),)
    (other,) = _report("N8N326", jsCode="return [$(Other).first()]")
    assert other.fix is None
    for fine in (
        "const S = 'S';\nreturn [$(S).first()]",
        "return ['S'].map((S) => $(S).first())",
        "const $ = require();\nreturn [$(title).text()]",
        "return [$('S').first()] // $(S)",
    ):
        assert _report("N8N326", jsCode=fine) == []
