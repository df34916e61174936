"""A key that a JSON text states twice is reported with both values."""

from __future__ import annotations

import json

import pytest

from grounded_builder.compiler.parse import parse
from grounded_builder.compiler.pipeline import compile_with_fixes
from grounded_builder.diagnostics import to_pointer
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions, Limits
from tests.support.registries import acme_registry


def _places(text: str) -> list[str]:
    return [to_pointer(d.at) for d in parse(text, Limits())[1] if d.code == "GB118"]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ('{"a": 1, "a": 2}', ["/a"]),
        ('{"a": 1, "b": {"a": 2}}', []),
        ('{"a": {"x": [1]}, "a": { "x" : [ 1 ] }}', []),
        ('{"a": true, "a": 1}', ["/a"]),
        ('{"a": "x", "a": "x"}', []),
        ('{"a": ":", "b": "\\":"}', []),
        ('{"a": [{"b": 1}, {"b": ",", "c": {}, "b": "}"}]}', ["/a/1/b"]),
        ('{"a": 1, "\\u0061": 2}', ["/a"]),
        ('{"a": 1, "a": 2, "a": 3}', ["/a", "/a"]),
        ('{"": 1, "": 2}', ["/"]),
        ('{"a": {"b": 1, "b": 2}, "a": 3}', ["/a", "/a/b"]),
        ('{"a": 12345678901234567890123, "b": 2}', []),
        ('[{"a": null, "a": {}}]', ["/0/a"]),
        ('{"a": 1, "a": 2,}', ["/a"]),
        ('Sure:\n```json\n{"a": 1, "a": 2}\n```', ["/a"]),
        ('Sure: {"steps": [{"a": 1, "a": 2}]} and {"b": 1}', ["/steps/0/a"]),
    ],
)
def test_a_key_with_two_values_is_found_at_its_place(text: str, places: list[str]) -> None:
    """Equal values are one value, however they are written."""
    assert sorted(_places(text)) == places


def test_the_finding_names_both_values() -> None:
    """It states which one is used."""
    (finding,) = parse('{"limit": 5, "limit": {"a": "b"}}', Limits())[1]
    assert '5 and as {"a": "b"}; the last one is used' in finding.message


def test_the_last_of_many_findings_has_the_number_of_other_keys() -> None:
    """Twenty keys are listed."""
    for count, rest in ((20, None), (21, "1"), (1_500, "1,480")):
        text = "{" + ", ".join(f'"k{n}": 1, "k{n}": 2' for n in range(count)) + "}"
        messages = [finding.message for finding in parse(text, Limits())[1]]
        assert len(messages) == 20
        assert not any("further" in message for message in messages[:-1])
        assert messages[-1].endswith(f"; further keys written twice: {rest}" if rest else "is used")


def test_a_finding_in_the_text_outlives_corrections() -> None:
    """It is reported although the corrected document does not show it."""
    node = {"name": "In", "type": "acme-nodes.hook", "typeVersion": "1", "parameters": {"path": 1}}
    text = json.dumps({"name": "x", "nodes": [node], "connections": {}, "colour": 1})
    text = text.replace('"path": 1', '"path": "a", "path": "b"')
    result = compile_with_fixes(text, N8N, acme_registry(), CompileOptions(seed="s"))
    assert result.corrections
    assert "GB118" in [d.code for d in result.diagnostics]
    assert result.verdict == "incomplete"


@pytest.mark.parametrize("key", ["arguments", "params"])
def test_parameters_as_text_are_searched_too(key: str) -> None:
    """The finding stands below the key of the text."""
    step = {"tool": "acme-nodes.hook", key: '{"path": "a", "path": "b"}'}
    draft = {"goal": "x", "steps": [step]}
    result = compile_with_fixes(draft, N8N, acme_registry(), CompileOptions(seed="s"))
    places = [to_pointer(d.at) for d in result.diagnostics if d.code == "GB118"]
    assert places == [f"/steps/0/{key}/path"]
