"""A draft under other keys is read, and nothing around it is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest

from grounded_builder.compiler.pipeline import Compilation, compile_with_fixes
from grounded_builder.diagnostics import to_pointer
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from grounded_builder.ir.plan import assumptions_in
from tests.support.registries import acme_registry
from tests.support.time_bounds import limit_cpu_time

_REGISTRY = acme_registry()
_STEPS = [{"id": "a", "tool": "acme-nodes.hook", "params": {"path": "hello"}}]
_PLAN = {"goal": "Example", "steps": _STEPS}
_NODE = {
    "id": "n",
    "name": "Hook",
    "type": "acme-nodes.hook",
    "typeVersion": 1,
    "position": [0, 0],
    "parameters": {"path": "hello"},
}
_NATIVE = {"name": "Native", "nodes": [_NODE], "connections": {}}


def _compile(draft: Any) -> Compilation:
    return compile_with_fixes(draft, N8N, _REGISTRY, CompileOptions(seed="s"))


def _artifact(compilation: Compilation) -> Any:
    assert compilation.artifact is not None, compilation.diagnostics
    return compilation.artifact


def _open(compilation: Compilation) -> list[tuple[str, str]]:
    return [
        (finding.code, to_pointer(finding.at))
        for finding in compilation.diagnostics
        if finding.rule.kind != "advice" or finding.rule.severity != "info"
    ]


@pytest.mark.parametrize("key", ["draft", "workflow", "result", "json", "data", "antwort"])
@pytest.mark.parametrize("draft", [_PLAN, _NATIVE, _STEPS])
@pytest.mark.parametrize("as_text", [False, True])
def test_a_draft_under_any_key_is_read(key: str, draft: Any, *, as_text: bool) -> None:
    """Also where it is written as text; that it was is noted."""
    compilation = _compile({key: json.dumps(draft) if as_text else draft})
    assert _artifact(compilation)["nodes"][0]["parameters"]["path"] == "hello"


@pytest.mark.parametrize("path", [("draft", "plan"), ("result", "workflow"), ("a", "b", "c")])
@pytest.mark.parametrize("draft", [_PLAN, _NATIVE])
def test_a_draft_under_several_keys_is_read(path: tuple[str, ...], draft: Any) -> None:
    """Up to a few levels."""
    for key in reversed(path):
        draft = {key: draft}
    assert _artifact(_compile(draft))["nodes"][0]["parameters"]["path"] == "hello"


@pytest.mark.parametrize("key", ["plan", "draft"])
def test_name_and_settings_are_read_around_plan(key: str) -> None:
    """Name, settings and assumptions are read inside a wrapped plan and around it."""
    facts = {"name": "Hello", "settings": {"timezone": "Europe/Berlin"}, "assumptions": ["Yes."]}
    for draft in ({key: {**_PLAN, **facts}}, {**facts, key: _PLAN}):
        compilation = _compile(draft)
        assert _artifact(compilation)["name"] == "Hello"
        assert _artifact(compilation)["settings"]["timezone"] == "Europe/Berlin"
        assert assumptions_in(compilation.document) == ("Yes.",)


@pytest.mark.parametrize("key", ["workflow", "data", "draft"])
def test_settings_beside_workflow_belong_to_it(key: str) -> None:
    """The settings and the name next to a wrapped workflow are part of it."""
    native = {"nodes": [_NODE], "connections": {}}
    artifact = _artifact(
        _compile({"name": "Hello", "settings": {"timezone": "Europe/Berlin"}, key: native})
    )
    assert artifact["name"] == "Hello"
    assert artifact["settings"]["timezone"] == "Europe/Berlin"


@pytest.mark.parametrize("key", ["workflow", "draft"])
@pytest.mark.parametrize("draft", [_PLAN, _NATIVE])
def test_different_values_inside_and_around_are_reported(key: str, draft: Any) -> None:
    """The inner one is used."""
    inner = {"timezone": "Europe/Berlin"}
    outer = {"timezone": "Europe/Paris"}
    compilation = _compile({"settings": outer, key: {**draft, "settings": inner}})
    assert _artifact(compilation)["settings"]["timezone"] == "Europe/Berlin"
    assert ("GB117", "/settings") in _open(compilation)


def test_an_unread_key_around_a_plan_is_reported() -> None:
    """A text of several words is noted only."""
    compilation = _compile({"draft": _PLAN, "colour": 3, "why": "It is a good plan."})
    assert ("GB117", "/colour") in _open(compilation)


def test_two_different_drafts_under_keys_are_an_error() -> None:
    """None is chosen silently."""
    other = {"goal": "Other", "steps": [{"tool": "acme-nodes.mail"}]}
    compilation = _compile({"first": _PLAN, "second": other})
    assert [d.code for d in compilation.diagnostics] == ["GB116"]


@pytest.mark.parametrize("draft", [{}, {"a": 1}, {"draft": {}}, {"draft": {"a": {"b": []}}}])
def test_object_without_draft_is_refused(draft: Any) -> None:
    """An object without a plan or workflow is an error."""
    assert _compile(draft).verdict == "wrong"


def test_a_key_that_a_draft_in_a_text_repeats_is_reported() -> None:
    """A repeated key of a draft in a text is reported at its place in the draft."""
    text = json.dumps(_PLAN).replace('"path": "hello"', '"path": "hello", "path": "bye"')
    assert ("GB118", "/steps/0/params/path") in _open(_compile({"draft": text}))


@pytest.mark.parametrize("text", ['{"a": ' * 300, '{"steps": [' * 2_000, '{"a": [' + "1," * 10_000])
def test_texts_that_are_no_json_cost_little(text: str) -> None:
    """They are not repaired, however many there are."""
    with limit_cpu_time(2):
        assert _compile({f"k{number}": text for number in range(300)}).verdict == "wrong"


def test_keys_of_a_model_other_than_settings_are_reported() -> None:
    """Unknown keys of the model of a plan are reported like those of the plan."""
    compilation = _compile({**_PLAN, "model": {"settings": {}, "colour": 3}})
    assert ("GB117", "/model/colour") in _open(compilation)


def test_settings_in_two_places_count_both() -> None:
    """Different values of one are reported."""
    plan = {
        **_PLAN,
        "settings": {"timezone": "Europe/Berlin", "callerPolicy": "any"},
        "model": {"settings": {"timezone": "Europe/Paris"}},
    }
    compilation = _compile(plan)
    assert _artifact(compilation)["settings"]["callerPolicy"] == "any"
    assert ("GB117", "/settings/timezone") in _open(compilation)


def test_a_group_is_reported() -> None:
    """Workflows have no groups of nodes."""
    compilation = _compile({**_PLAN, "steps": [{**_STEPS[0], "in": "intake"}]})
    assert ("GB117", "/steps/0/in") in _open(compilation)


@pytest.mark.parametrize("key", ["assumptions", "remarks", "notes"])
@pytest.mark.parametrize("stated", ["Set X-Note-Key.", ["Set X-Note-Key."]])
def test_what_people_are_to_read_stands_at_a_plan_too(key: str, stated: Any) -> None:
    """Remarks of a plan are read like its assumptions, and reported as neither lost nor unread."""
    compilation = _compile({**_PLAN, key: stated})
    assert assumptions_in(compilation.document) == ("Set X-Note-Key.",)
    assert "unread-key" not in {finding.rule.name for finding in compilation.diagnostics}
