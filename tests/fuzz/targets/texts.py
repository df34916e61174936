"""Small languages inside of drafts: expressions, Python, MATLAB values, and names of tools."""

from __future__ import annotations

import json
from collections.abc import Iterable

from grounded_builder.domains.n8n.expressions import (
    bare_names,
    mask_literals,
    plain_forms,
    python,
    references,
    split_code,
    tolerant_syntax,
)
from grounded_builder.domains.simulink.matlab.literal import quote_text
from grounded_builder.domains.simulink.matlab_expr.evaluate import evaluate, shape_of
from grounded_builder.domains.simulink.matlab_expr.parse import parse
from grounded_builder.domains.simulink.matlab_expr.scan import RejectedValueError
from grounded_builder.domains.simulink.matlab_expr.syntax_errors import find_syntax_error
from grounded_builder.domains.simulink.matlab_expr.unevaluable import (
    find_missing_operator,
    find_size_conflict,
)
from grounded_builder.resolve.query import QueryError, answer_query, as_json
from tests.fuzz.mutation import decode, encode
from tests.fuzz.target import Target
from tests.fuzz.targets.drafts import worlds


def read_expression(data: bytes) -> None:
    """Code in braces is cut, outlined and searched the same way each time, place by place."""
    text = data.decode("utf-8", "replace")
    chunks = split_code.split(text)
    assert chunks == split_code.split(text)
    for code in (text, *(chunk.code for chunk in chunks)):
        assert len(mask_literals.mask_literals(code)) == len(code), (
            "the outline is of another length"
        )
        list(references.find_references(code))
        list(bare_names.find_bare_names(code))
        list(bare_names.find_unquoted_nodes(code))
        plain_forms.is_plain(code)
        mended = tolerant_syntax.add_missing_commas(code)
        assert mended is None or isinstance(mended, str)


def read_python(data: bytes) -> None:
    """Python code is checked without being run, and is refused or read."""
    code = data.decode("utf-8", "replace")
    refusal = python.find_syntax_error(code)
    assert refusal == python.find_syntax_error(code)
    assert python.returns_nothing(code) in (True, False)
    for is_each in (None, True, False):
        list(python.find_unavailable_names(code, is_each=is_each))


def read_value(data: bytes) -> None:
    """A MATLAB value is refused with a reason or worked out, the same way each time."""
    text = data.decode("utf-8", "replace")
    find_syntax_error(text)
    find_missing_operator(text)
    assert "\n" not in quote_text(text)
    try:
        term = parse(text)
    except RejectedValueError as refusal:
        assert str(refusal)
        return
    find_size_conflict(term)
    shape_of(term)
    known = evaluate(term)
    assert repr(known) == repr(evaluate(term))


def resolve_name(data: bytes) -> None:
    """A name resolves to tools of the catalog alone, best first; a context is taken or refused."""
    question = decode(data)
    question = question if isinstance(question, dict) else {"text": data.decode("utf-8", "replace")}
    text = question.get("text")
    if not isinstance(text, str) or not 0 < len(text) <= 2_000:
        return
    for domain, registry in worlds().values():
        try:
            resolution = answer_query(
                text,
                question.get("context"),
                registry,
                domain.prompting.fallback,
                domain.resolving,
            )
        except QueryError as error:
            assert str(error)
            continue
        if (question.get("context") or {}).get("kind", "tool") in ("tool", "label"):
            for candidate in resolution.candidates:
                assert candidate.tool in registry.tools
        assert (resolution.tool is not None) == (resolution.status == "resolved")
        assert 0.0 <= resolution.confidence <= 1.0
        json.dumps(as_json(resolution, registry))


def _expressions() -> Iterable[bytes]:
    yield b"={{ $json.a?.b[0] ?? $('Mail').item.json[\"x\"] }} and {{ `a${1}` }}"
    yield b"={{ $input.all().map(i => ({...i.json, a: /x[/]y/g.test('\\'')})) /* c */ }}"
    yield b"={{ DateTime.now().minus({days: 1}).toISO() // x\n }}"
    yield b"const x = await $('A').all(); return [{json: {a: x.length}}]; <!-- y"


def _python() -> Iterable[bytes]:
    yield b"for item in _items:\n    item['json']['a'] = 1\nreturn _items"
    yield b"def f(x):\n  return [y for y in x if y]\nreturn f(_item)"


def _values() -> Iterable[bytes]:
    for text in (
        *("2*pi*50", "[1 2;3 4]*[1;2]", "zeros(3,1)'", "1e3:-0.5:2", "tf([1],[1 2 1])", "{1,'a'}"),
        *("struct('a',1).a", "@(x) x.^2", "~(a&&b)", "int8(5)+1i", "K(2).x", "'it''s'", "-[1,-2]"),
    ):
        yield text.encode()


def _names() -> Iterable[bytes]:
    for name in ("send mail", "Gmail Trigger", "gain block", "search documents", "\u00a9", "http"):
        yield encode({"text": name})
    yield encode({"text": "mial", "context": {"kind": "label", "goal": "a", "params": ["to"]}})
    yield encode({"text": "x", "context": {"denied": ["a*"], "packages": ["b"], "release": "2.0"}})
    yield encode({"text": "t", "context": {"kind": "parameter", "tool": "acme-nodes.mail"}})


TARGETS = (
    Target(
        "expressions",
        read_expression,
        _expressions,
        "text",
        4.0,
        150,
    ),
    Target("python", read_python, _python, "text", 4.0, 400),
    Target("matlab-values", read_value, _values, "text", 4.0, 600),
    Target("names", resolve_name, _names, "json", 4.0, 300),
)
