"""Arguments are checked by the JSON Schema of their tool, and coerced where nothing is lost."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from grounded_builder.compiler.pipeline import Compilation, compile_draft, compile_with_fixes
from grounded_builder.domains.tools.domain import TOOLS
from grounded_builder.ir.options import CompileOptions
from tests.support.time_bounds import limit_cpu_time
from tests.support.tool_lists import make_tool_registry

NOWHERE = "https://schemas.invalid/word.json"


@pytest.mark.parametrize(
    ("schema", "value", "code"),
    [
        ({"type": "integer"}, "many", "GB304"),
        ({"type": "integer"}, 1.5, "GB304"),
        ({"type": "boolean"}, "yes", "GB304"),
        ({"type": ["integer", "null"]}, "many", "GB304"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "many", "GB304"),
        ({"enum": ["a", "b"]}, "c", "GB305"),
        ({"const": 3}, 4, "GB305"),
        ({"minimum": 3}, 2, "GB307"),
        ({"exclusiveMaximum": 3}, 3, "GB307"),
        ({"multipleOf": 5}, 7, "GB307"),
        ({"maxLength": 2}, "abc", "GB307"),
        ({"minItems": 1}, [], "GB307"),
        ({"pattern": "^a+$"}, "b", "GB329"),
        ({"uniqueItems": True}, [1, 1], "TLS304"),
        ({"not": {"type": "string"}}, "a", "TLS304"),
        ({"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}]}, ["a"],
         "GB304"),
        ({"type": "object", "required": ["x"]}, {}, "TLS301"),
        ({"type": "object", "properties": {"x": {}}, "additionalProperties": False}, {"y": 1},
         "TLS302"),
    ],
)  # fmt: skip
def test_each_fault_has_its_code(schema: dict[str, Any], value: Any, code: str) -> None:
    """A value that breaks a rule is reported with the code of that rule, at its place."""
    diagnostics = _compile_value(schema, value).diagnostics
    assert [diagnostic.code for diagnostic in diagnostics if diagnostic.rule.kind == "wrong"] == [
        code
    ]
    assert diagnostics[0].at[:4] == ("steps", 0, "arguments", "v")


@pytest.mark.parametrize(
    ("schema", "value", "became"),
    [
        ({"type": "integer"}, "12", 12),
        ({"type": "integer"}, 12.0, 12.0),
        ({"type": "number"}, "1.5", 1.5),
        ({"type": "boolean"}, "true", True),
        ({"type": "string"}, 5, "5"),
        ({"type": "array"}, '["a"]', ["a"]),
        ({"type": "object"}, '{"a": 1}', {"a": 1}),
        ({"enum": ["Move", "Copy"]}, "move", "Move"),
    ],
)
def test_values_are_coerced_where_nothing_is_lost(
    schema: dict[str, Any], value: Any, became: Any
) -> None:
    """A value that says the same in the type that is taken becomes that, and it is noted."""
    compilation = _compile_value(schema, value, compile_with_fixes)
    assert compilation.artifact is not None
    assert compilation.artifact["calls"][0]["arguments"]["v"] == became
    assert bool(compilation.corrections) == (type(value) is not type(became) or value != became)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "integer"}, "12.5"),
        ({"type": "integer"}, "007"),
        ({"type": "integer"}, "twelve"),
        ({"type": "boolean"}, 1),
        ({"type": "boolean"}, "True story"),
        ({"type": "string"}, True),
        ({"type": "array"}, "a, b"),
        ({"type": "integer"}, True),
        ({"type": "string"}, None),
        ({"type": "string"}, 0.1),
        ({"type": ["integer", "boolean"]}, ["1"]),
    ],
)
def test_ambiguous_value_is_not_coerced(schema: dict[str, Any], value: Any) -> None:
    """A value that could be lost or meant otherwise stays, and stays wrong."""
    assert _compile_value(schema, value, compile_with_fixes).verdict == "wrong"


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/properties/v"},
        {"$ref": NOWHERE},
        {"$ref": "#/$defs/absent"},
        {"type": "word"},
        {"allOf": [{"$ref": "#/properties/v"}, {"$ref": "#/properties/v"}]},
    ],
)
def test_a_schema_that_cannot_be_evaluated_is_reported(schema: dict[str, Any]) -> None:
    """References without end, or to what is not there, leave arguments unjudged, never wrong."""
    with limit_cpu_time(5):
        compilation = _compile_value(schema, "anything")
    assert compilation.verdict == "ok"
    assert [diagnostic.code for diagnostic in compilation.diagnostics] == ["TLS303"]


@pytest.mark.parametrize(
    "parameters",
    [
        {"type": "object", "$schema": 3},
        {"type": "object", "$schema": ["x"]},
        {"type": {"a": 1}, "properties": {"v": {"type": ["x"]}}},
        {"$schema": "http://json-schema.org/draft-04/schema#", "properties": {"v": {"$ref": 1}}},
    ],
)
def test_invalid_schema_is_fault_of_definition(parameters: dict[str, Any]) -> None:
    """Any value in place of a schema is a fault of the definition, not of the program."""
    registry = make_tool_registry([{"name": "t", "parameters": parameters}])
    compilation = compile_draft(
        [{"tool": "t", "arguments": {"v": 1}}], TOOLS, registry, CompileOptions()
    )
    assert [diagnostic.code for diagnostic in compilation.diagnostics] in (["TLS303"], ["TLS302"])


@pytest.mark.long
def test_a_schema_made_to_branch_without_end_is_given_up() -> None:
    """Doubling references cost a bounded number of steps."""
    names = [f"d{number}" for number in range(60)]
    defs: dict[str, Any] = {
        name: {"anyOf": [{"$ref": f"#/$defs/{after}"}, {"$ref": f"#/$defs/{after}"}]}
        for name, after in pairwise(names)
    }
    defs[names[-1]] = {"not": {}}
    parameters = {
        "type": "object",
        "properties": {"v": {"$ref": "#/$defs/d0"}},
        "$defs": defs,
    }
    with limit_cpu_time(20):
        registry = make_tool_registry([{"name": "t", "parameters": parameters}])
        diagnostics = compile_draft(
            [{"tool": "t", "arguments": {"v": 1}}], TOOLS, registry, CompileOptions()
        ).diagnostics
    assert [diagnostic.code for diagnostic in diagnostics] == ["TLS303"]


def test_a_schema_that_refers_to_itself_is_followed_as_deep_as_the_value() -> None:
    """A tree of trees is checked like anything else."""
    tree = {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#"}}}}
    registry = make_tool_registry([{"name": "t", "parameters": tree}])
    draft = [{"tool": "t", "arguments": {"kids": [{"kids": [{"kids": 3}]}]}}]
    diagnostics = compile_draft(draft, TOOLS, registry, CompileOptions()).diagnostics
    assert [(diagnostic.code, diagnostic.at[-1]) for diagnostic in diagnostics] == [
        ("GB304", "kids")
    ]


def test_a_pattern_without_end_is_undecided() -> None:
    """A regular expression of a definition cannot hold up a judgement."""
    with limit_cpu_time(3):
        assert _compile_value({"pattern": "^(?:a|a?b?a)+$"}, "a" * 4_000 + "c").verdict == "ok"


@pytest.mark.parametrize(
    "parameters",
    [
        {"type": "object", "properties": {"v": {}}, "additionalProperties": True},
        {"type": "object", "properties": {"v": {}}, "patternProperties": {"^x": {}}},
        {"type": "object"},
        {"type": "object", "properties": {"v": {}}, "allOf": [{"$ref": NOWHERE}]},
    ],
)
def test_arguments_that_may_be_taken_are_not_called_unknown(parameters: dict[str, Any]) -> None:
    """An unknown argument is accepted if the schema permits others or cannot be followed."""
    registry = make_tool_registry([{"name": "t", "parameters": parameters}])
    draft = [{"tool": "t", "arguments": {"xtra": 1}}]
    assert compile_draft(draft, TOOLS, registry, CompileOptions()).verdict == "ok"


def test_a_misspelled_argument_is_corrected() -> None:
    """Case and punctuation are corrected, and a misspelling is reported with the likely name."""
    parameters = {"type": "object", "properties": {"target_folder": {"type": "string"}}}
    registry = make_tool_registry([{"name": "t", "parameters": parameters}])

    def compile_with(key: str) -> Compilation:
        return compile_with_fixes(
            [{"tool": "t", "arguments": {key: "x"}}], TOOLS, registry, CompileOptions()
        )

    assert compile_with("targetFolder").verdict == "ok"
    assert [(d.code, d.alternatives) for d in compile_with("target_foldr").diagnostics] == [
        ("GB302", ("target_folder",))
    ]
    assert [d.code for d in compile_with("colour").diagnostics] == ["TLS302"]


def test_reference_to_later_output_is_not_checked() -> None:
    """A reference fits any value, and the other arguments are checked as usual."""
    parameters = {
        "type": "object",
        "properties": {"n": {"type": "integer", "minimum": 1}, "s": {"type": "string"}},
        "required": ["n", "s"],
    }
    registry = make_tool_registry([{"name": "t", "parameters": parameters}])
    plan = [
        {"id": "a", "tool": "t", "arguments": {"n": 1, "s": "x"}},
        {"id": "b", "tool": "t", "arguments": {"n": "{{a.count}}", "s": "got {{a.name}}"}},
        {"id": "c", "tool": "t", "arguments": {"n": "got {{a.count}}", "s": "{{b}}"}},
    ]
    diagnostics = compile_draft(plan, TOOLS, registry, CompileOptions()).diagnostics
    assert [(diagnostic.code, diagnostic.node) for diagnostic in diagnostics] == [("GB304", "c")]


def test_braces_of_a_template_are_plain_text() -> None:
    """A name that no call has, in braces, is what the tool is to be given."""
    plan = [{"id": "a", "tool": "t", "arguments": {"v": "Dear {{name}}, $100"}}]
    registry = make_tool_registry([{"name": "t", "parameters": {"v": "string"}}])
    compilation = compile_draft(plan, TOOLS, registry, CompileOptions())
    assert compilation.artifact is not None
    assert compilation.artifact["calls"][0]["arguments"]["v"] == "Dear {{name}}, $100"


def _compile_value(schema: dict[str, Any], value: Any, judged: Any = compile_draft) -> Compilation:
    parameters = {"type": "object", "properties": {"v": schema}}
    registry = make_tool_registry([{"name": "t", "parameters": parameters}])
    plan = {"steps": [{"tool": "t", "arguments": {"v": value}}]}
    compilation: Compilation = judged(plan, TOOLS, registry, CompileOptions())
    return compilation
