"""Settings of a step become settings of its node, or are reported."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.compiler.pipeline import compile_with_fixes
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.edit.editor import EDITOR
from grounded_builder.domains.n8n.step_settings import STEP_SETTINGS
from grounded_builder.drafting.edits.apply import apply_edits
from grounded_builder.drafting.prompt import response_schema
from grounded_builder.ir.editor import EditContext
from grounded_builder.ir.options import CompileOptions
from tests.unit.domains.n8n.drafts import CODE, REGISTRY, START, STEP, findings_of, node, workflow

_ALL: dict[str, Any] = {
    "onError": "continueRegularOutput",
    "retryOnFail": True,
    "maxTries": 4,
    "waitBetweenTries": 2000,
    "alwaysOutputData": True,
    "executeOnce": True,
    "disabled": True,
    "notesInFlow": True,
    "continueOnFail": True,
}


def _compile_step(**step: Any) -> Any:
    steps = [{"id": "start", "tool": START}, {"id": "work", "tool": STEP, **step}]
    return compile_with_fixes({"goal": "g", "steps": steps}, N8N, REGISTRY, CompileOptions())


def _node(**step: Any) -> dict[str, Any]:
    compilation = _compile_step(**step)
    assert compilation.artifact is not None, compilation.diagnostics
    nodes: list[dict[str, Any]] = compilation.artifact["nodes"]
    return nodes[1]


@pytest.mark.parametrize(
    "step",
    [
        _ALL,
        {"settings": _ALL},
        {"params": _ALL},
        {"settings": {"on_error": "Continue", **{k: _ALL[k] for k in _ALL if k != "onError"}}},
        {"retry_on_fail": True, "settings": {k: v for k, v in _ALL.items() if k != "retryOnFail"}},
        {"settings": _ALL | {"maxTries": "4", "executeOnce": "true"}},
    ],
)
def test_settings_stand_in_the_node_wherever_they_are_written(step: dict[str, Any]) -> None:
    """Settings next to the other keys, under "settings" and among the parameters are equal."""
    assert set(_ALL) == set(STEP_SETTINGS)
    made = _node(**step)
    assert {key: made.get(key) for key in _ALL} == _ALL
    assert not set(made["parameters"]) & set(_ALL)


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ({"params": {"retry": 3}}, {"retryOnFail": True, "maxTries": 3}),
        ({"params": {"max_retries": "4"}}, {"retryOnFail": True, "maxTries": 4}),
        ({"params": {"retries": {"count": 2}}}, {"retryOnFail": True, "maxTries": 2}),
        (
            {"params": {"retryPolicy": {"maxAttempts": 2, "waitBetweenTries": 500}}},
            {"retryOnFail": True, "maxTries": 2, "waitBetweenTries": 500},
        ),
        ({"params": {"retry": True}}, {"retryOnFail": True}),
        ({"retry": 3}, {"retryOnFail": True, "maxTries": 3}),
        ({"attempts": 5, "settings": {"maxTries": 5}}, {"retryOnFail": True, "maxTries": 5}),
        ({"params": {"retry": False}}, {"retryOnFail": False}),
    ],
)
def test_tries_are_settings_whatever_they_are_called(
    step: dict[str, Any], expected: dict[str, Any]
) -> None:
    """The usual names of tries are read as the settings of the node, with a note."""
    compilation = _compile_step(**step)
    assert compilation.artifact is not None, compilation.diagnostics
    made = compilation.artifact["nodes"][1]
    assert {key: made[key] for key in made if key in STEP_SETTINGS} == expected
    assert made["parameters"] == {}
    assert any(d.code == "GB309" for d in compilation.diagnostics)


@pytest.mark.parametrize(
    "step",
    [
        {"params": {"retry": "exponential"}},
        {"params": {"retry": {"delay": 2, "count": 3}}},
        {"params": {"retry": 3}, "settings": {"maxTries": 2}},
        {"retry": "twice"},
        {"settings": {"retry": 3}},
    ],
)
def test_tries_that_cannot_be_read_are_reported_with_their_settings(step: dict[str, Any]) -> None:
    """The finding names the settings that n8n has."""
    findings = _compile_step(**step).diagnostics
    assert [d.help for d in findings if "retryOnFail" in d.help and "maxTries" in d.help]


@pytest.mark.parametrize(
    ("step", "plan", "expected"),
    [
        ({"params": {"timezone": "Europe/Berlin"}}, {}, {"timezone": "Europe/Berlin"}),
        ({"params": {"timeZone": "Asia/Tokyo"}}, {}, {"timezone": "Asia/Tokyo"}),
        ({"timezone": "Asia/Tokyo"}, {}, {"timezone": "Asia/Tokyo"}),
        ({"params": {"execution_timeout": 60}}, {}, {"executionTimeout": 60}),
        (
            {"params": {"timezone": "Asia/Tokyo"}},
            {"settings": {"timezone": "Asia/Tokyo"}},
            {"timezone": "Asia/Tokyo"},
        ),
    ],
)
def test_a_setting_of_the_workflow_among_parameters_moves_to_the_workflow(
    step: dict[str, Any], plan: dict[str, Any], expected: dict[str, Any]
) -> None:
    """A value that no node has and the workflow has is kept there, with a note."""
    steps = [{"id": "start", "tool": START, **step}, {"id": "work", "tool": STEP}]
    compilation = compile_with_fixes({**plan, "steps": steps}, N8N, REGISTRY, CompileOptions())
    assert compilation.artifact is not None, compilation.diagnostics
    assert compilation.artifact["settings"] == {"executionOrder": "v1", **expected}
    assert compilation.artifact["nodes"][0]["parameters"] == {}
    (note,) = [d for d in compilation.diagnostics if d.code == "GB309"]
    assert "of the workflow" in note.message


@pytest.mark.parametrize(
    ("value", "plan", "code", "at"),
    [
        ("Berlin/Europe", {}, "N8N356", ("steps", 0, "params", "timezone")),
        (2, {}, "GB308", ("steps", 0, "params", "timezone")),
        (
            "Asia/Tokyo",
            {"settings": {"timezone": "Asia/Seoul"}},
            "GB308",
            ("steps", 0, "params", "timezone"),
        ),
    ],
)
def test_a_setting_that_the_workflow_cannot_have_is_reported_where_it_is_written(
    value: Any, plan: dict[str, Any], code: str, at: tuple[Any, ...]
) -> None:
    """An unknown zone, another type and a second value are findings."""
    steps = [{"id": "start", "tool": START, "params": {"timezone": value}}]
    findings = compile_with_fixes({**plan, "steps": steps}, N8N, REGISTRY, CompileOptions())
    assert (code, at) in [(d.code, d.at) for d in findings.diagnostics]


def test_a_resolved_plan_and_its_findings_name_the_settings() -> None:
    """The resolved plan has the settings; a wrong value is reported where it was written."""
    compilation = _compile_step(settings={"maxTries": 3})
    assert compilation.plan is not None
    assert compilation.plan.nodes[1]["settings"] == {"maxTries": 3, "retryOnFail": True}
    findings = _compile_step(settings={"retryOnFail": []}).diagnostics
    places = [finding.at for finding in findings if finding.code == "N8N103"]
    assert places == [("steps", 1, "settings", "retryOnFail")]


@pytest.mark.parametrize(
    ("step", "code", "at"),
    [
        ({"onError": "explode"}, "GB111", ("onError",)),
        ({"settings": {"onError": 3}}, "GB111", ("settings", "onError")),
        ({"settings": "retryOnFail"}, "GB111", ("settings",)),
        ({"settings": {"colour": "red"}}, "GB117", ("settings", "colour")),
        (
            {"retryOnFail": True, "settings": {"retryOnFail": False}},
            "GB117",
            ("settings", "retryOnFail"),
        ),
        ({"retryOnFail": True, "maxTries": 9}, "N8N356", ("maxTries",)),
        ({"retryOnFail": True, "waitBetweenTries": 60_000}, "N8N356", ("waitBetweenTries",)),
    ],
)
def test_unusable_node_setting_is_reported(
    step: dict[str, Any], code: str, at: tuple[str, ...]
) -> None:
    """Unknown values, keys and shapes, second values and numbers out of range are reported."""
    findings = [(d.code, d.at) for d in _compile_step(**step).diagnostics]
    assert (code, ("steps", 1, *at)) in findings


def test_a_workflow_has_bounds_as_a_plan_has() -> None:
    """Tries out of bounds, and tries of a node that does not retry, are reported; others not."""
    tries: dict[str, Any] = {"retryOnFail": True, "maxTries": 9, "waitBetweenTries": -1}
    nodes = [node("S", START), node("A", STEP, **tries), node("B", STEP, maxTries=3)]
    nodes += [node("C", STEP, retryOnFail=True, maxTries=5, waitBetweenTries=5000)]
    nodes += [node("D", STEP, retryOnFail=False, maxTries=3)]
    draft = workflow(nodes, [("S", "A"), ("A", "B"), ("B", "C"), ("C", "D")])
    reported = [(d.node, d.token) for d in findings_of(draft, "N8N356")]
    assert reported == [("A", "maxTries"), ("A", "waitBetweenTries"), ("B", "maxTries")]


def test_texts_for_people_stay_together() -> None:
    """Remarks and notes of a step are the notes of its node."""
    made = _node(remarks="Choose the list", notes="Runs daily", settings={"notes": "Of the shop"})
    assert made["notes"] == "Choose the list\nRuns daily\nOf the shop"


def test_the_schema_of_replies_has_the_settings_with_their_bounds() -> None:
    """A model held to the schema can state every setting."""
    plan = response_schema(("a",), STEP_SETTINGS)["anyOf"][0]
    step = plan["properties"]["steps"]["items"]["properties"]
    assert step["settings"]["properties"] == STEP_SETTINGS
    assert "settings" not in str(response_schema(("a",)))


def test_edits_add_change_and_remove_settings() -> None:
    """A new step, a change and a replacement have settings; null takes one away."""
    nodes = [node("S", START), node("A", STEP, {"text": "x"}, onError="stopWorkflow")]
    nodes.append(node("B", STEP, {"text": "x"}))
    changes = [
        {"add": {"id": "n", "tool": STEP, "settings": {"maxTries": 2}}, "after": "A"},
        {"set": "A", "settings": {"onError": None, "retry_on_fail": True}},
        {"replace": "B", "by": {"tool": CODE, "settings": {"executeOnce": True}}},
    ]
    ground = EditContext(N8N, REGISTRY, CompileOptions())
    revision = apply_edits(
        workflow(nodes, [("S", "A"), ("A", "B")]), {"changes": changes}, EDITOR, ground
    )
    assert revision.document is not None, revision.compilation.diagnostics
    stated = [
        {key: made[key] for key in STEP_SETTINGS if key in made}
        for made in revision.document["nodes"][1:]
    ]
    assert stated == [
        {"retryOnFail": True},
        {"executeOnce": True},
        {"retryOnFail": True, "maxTries": 2},
    ]
    shown = EDITOR.describe(revision.document, ground)
    assert 'settings={"executeOnce": true}' in shown


@pytest.mark.parametrize("key", ["retryOnFail", "retry_on_fail"])
def test_two_values_of_a_setting_are_reported(key: str) -> None:
    """The step's own value is written; the one among the parameters is a finding."""
    compilation = _compile_step(retryOnFail=False, params={key: True})
    assert compilation.artifact is not None
    assert compilation.artifact["nodes"][1]["retryOnFail"] is False
    lost = [d.at for d in compilation.diagnostics if d.code == "GB117"]
    assert lost == [("steps", 1, "params", key)]


def test_a_tool_with_the_name_of_a_kind_of_call_is_a_tool() -> None:
    """The word "function" is the kind of a call only under "type"."""
    steps = [{"id": "start", "tool": START}, {"id": "work", "tool": "function", "params": {}}]
    plan = {"goal": "g", "steps": steps}
    compilation = compile_with_fixes(plan, N8N, REGISTRY, CompileOptions())
    assert [d.token for d in compilation.diagnostics if d.code.startswith("GB20")] == ["function"]
