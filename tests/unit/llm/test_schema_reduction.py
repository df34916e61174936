"""The schema that a small model is held to."""

from __future__ import annotations

from jsonschema import Draft202012Validator

from grounded_builder.drafting.prompt import response_schema
from grounded_builder.llm.schema_reduction import reduce_schema

TOOLS = ("acme-nodes.hook", "acme-nodes.mail")


def test_only_choices_are_left() -> None:
    """A reduced schema has only the choice among tools, without texts or refusals."""
    narrow = reduce_schema(response_schema(TOOLS))
    step = narrow["properties"]["steps"]["items"]
    assert step["properties"] == {"tool": {"type": "string", "enum": list(TOOLS)}}
    assert narrow["properties"]["steps"]["maxItems"] == 6
    assert "cannot" not in str(narrow)


def test_reduced_schema_allows_no_more_than_whole() -> None:
    """Every reply that the reduced schema allows fits the whole schema."""
    narrow = reduce_schema(response_schema(TOOLS))
    Draft202012Validator.check_schema(narrow)
    reply = {"steps": [{"tool": TOOLS[0]}]}
    assert Draft202012Validator(narrow).is_valid(reply)
    assert not Draft202012Validator(narrow).is_valid({"steps": [{"tool": "acme-nodes.pigeon"}]})


def test_texts_without_a_choice_beside_are_bounded() -> None:
    """Texts and lists of a schema without choices stay, with limits."""
    schema = {
        "type": "object",
        "properties": {"a": {"type": ["null", "string"]}, "b": {"type": "array", "items": {}}},
        "required": ["a", "b"],
    }
    narrow = reduce_schema(schema)["properties"]
    assert narrow["a"] == {"type": "string", "maxLength": 24}
    assert narrow["b"]["maxItems"] == 6
