"""Code in nodes: Python is parsed, and code has to hand items back."""

from __future__ import annotations

import pytest

from grounded_builder.diagnostics import Diagnostic
from tests.unit.n8n.drafts import START, compiled, node, registry, text, tool, workflow

_LANGUAGES = [{"name": one, "value": one} for one in ("javaScript", "python", "pythonNative")]
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


def _said(code: str, **parameters: str) -> list[Diagnostic]:
    draft = workflow([node("S", START), node("C", CODE, parameters)], [("S", "C")])
    return [one for one in compiled(draft, known=KNOWN).diagnostics if one.code == code]


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
    """Python code is judged as the body of a function, with the line of its fault."""
    (finding,) = _said("N8N321", **_python(code))
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
    assert _said("N8N321", **_python(code)) == []


def test_code_of_the_other_language_is_not_looked_at() -> None:
    """A node keeps the code of the language that it does not run."""
    assert _said("N8N321", language="pythonNative", pythonCode="return []", jsCode="(") == []
    assert _said("N8N321", language="javaScript", pythonCode="def (", jsCode="return []") == []


@pytest.mark.parametrize(
    "parameters",
    [
        {"jsCode": "const a = 1; // return a"},
        {"jsCode": "return 'done';"},
        {"jsCode": "return;"},
        {"jsCode": "return true"},
        _python("rows = [1]\ndef f():\n    return rows"),
    ],
)
def test_code_that_hands_nothing_back_is_advice(parameters: dict[str, str]) -> None:
    """n8n fails where code returns no object."""
    assert len(_said("N8N352", **parameters)) == 1


@pytest.mark.parametrize(
    "parameters",
    [
        {"jsCode": "return [{ json: {} }]"},
        {"jsCode": "throw new Error('stop')"},
        {"jsCode": "return 'a,b'.split(',').map((x) => ({ json: { x } }))"},
        {"jsCode": "if (a) { return 1 }\nreturn []"},
        {"jsCode": ""},
        _python("if _items:\n    return _items\nraise ValueError('none')"),
    ],
)
def test_code_that_may_hand_items_back_is_silent(parameters: dict[str, str]) -> None:
    """A return that may be of an object, and code that means to fail, are fine."""
    assert _said("N8N352", **parameters) == []
