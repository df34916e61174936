"""Values of another version or another place move to where the installed version reads them."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import Compilation, compile_with_fixes
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from tests.unit.domains.n8n.drafts import node, workflow

BASE = "n8n-nodes-base."
URL = {"url": "https://api.test"}
DRAFT = CompileOptions(is_draft=True)
TYPED = {"leftValue": "={{ $json.a }}", "rightValue": "b"}


def _compile(
    registry: Registry, tool: str, version: float, params: Any, options: CompileOptions = DRAFT
) -> Compilation:
    nodes = [
        node("Start", BASE + "manualTrigger", {}),
        node("Do", BASE + tool, params, typeVersion=version),
    ]
    draft = workflow(nodes, [("Start", "Do")])
    return compile_with_fixes(draft, N8N, registry, options)


def _parameters(compilation: Compilation) -> Any:
    return compilation.document["nodes"][1]["parameters"]


@pytest.mark.parametrize(
    ("tool", "version", "given", "expected"),
    [
        (
            "httpRequest",
            4.2,
            {"requestMethod": "POST", "jsonParameters": True, "bodyParametersJson": '{"a":1}'},
            {"method": "POST", "sendBody": True, "specifyBody": "json", "jsonBody": '{"a":1}'},
        ),
        (
            "httpRequest",
            4.2,
            {"headerParametersUi": {"parameter": [{"name": "X-A", "value": "1"}]}},
            {
                "sendHeaders": True,
                "headerParameters": {"parameters": [{"name": "X-A", "value": "1"}]},
            },
        ),
        (
            "httpRequest",
            4.2,
            {"headers": {"X-A": "1"}},
            {
                "sendHeaders": True,
                "headerParameters": {"parameters": [{"name": "X-A", "value": "1"}]},
            },
        ),
        (
            "httpRequest",
            4.2,
            {"method": "POST", "jsonBody": "{}"},
            {"method": "POST", "jsonBody": "{}", "sendBody": True, "specifyBody": "json"},
        ),
        (
            "merge",
            3,
            {"mode": "combine", "combinationMode": "mergeByPosition"},
            {"mode": "combine", "combineBy": "combineByPosition"},
        ),
    ],
)
def test_a_value_of_another_version_is_moved(
    tool: str, version: float, given: Any, expected: Any, installed_registry: Registry
) -> None:
    """The name, the label and the choices of both versions lead to a single parameter."""
    base = URL if tool == "httpRequest" else {}
    compilation = _compile(installed_registry, tool, version, {**base, **given})
    assert _parameters(compilation) == {**base, **expected}
    assert compilation.verdict != "wrong"


def test_a_choice_of_a_nested_list_takes_the_value(installed_registry: Registry) -> None:
    """A schedule has no ``cronExpression``, but a rule whose field is that."""
    trigger = node("Start", BASE + "scheduleTrigger", {"cronExpression": "0 9 * * *"})
    draft = {"nodes": [{**trigger, "typeVersion": 1.2}], "connections": {}}
    compilation = compile_with_fixes(draft, N8N, installed_registry, DRAFT)
    rule = compilation.document["nodes"][0]["parameters"]["rule"]
    assert rule == {"interval": [{"field": "cronExpression", "expression": "0 9 * * *"}]}


def test_a_value_that_nothing_takes_is_an_error_of_a_draft(installed_registry: Registry) -> None:
    """A person's workflow keeps the advice; the switch makes it an error there too."""
    params = {"time": 5}
    draft = _compile(installed_registry, "wait", 1.1, params)
    assert [d.code for d in draft.diagnostics if d.rule.kind == "wrong"] == ["GB345"]
    finished = _compile(installed_registry, "wait", 1.1, params, CompileOptions())
    assert finished.verdict == "ok"
    assert "GB303" in {d.code for d in finished.diagnostics}


def test_a_finished_workflow_is_not_changed(installed_registry: Registry) -> None:
    """A value that n8n ignored so far would change what a running workflow does."""
    params = {**URL, "requestMethod": "POST"}
    compilation = _compile(installed_registry, "httpRequest", 4.2, params, CompileOptions())
    assert _parameters(compilation) == params


def test_a_stated_setting_is_never_overruled(installed_registry: Registry) -> None:
    """A body beside ``sendBody: false`` has two meanings."""
    params = {**URL, "method": "POST", "sendBody": False, "jsonBody": "{}"}
    compilation = _compile(installed_registry, "httpRequest", 4.2, params)
    assert _parameters(compilation) == params
    assert "GB345" in {d.code for d in compilation.diagnostics}


def test_a_resource_is_never_chosen_for_a_value(installed_registry: Registry) -> None:
    """The id of a message fits operations that delete it, too."""
    compilation = _compile(installed_registry, "gmail", 2.1, {"messageId": "17c0ffee"})
    assert "operation" not in _parameters(compilation)
    assert compilation.verdict == "wrong"


def test_a_node_is_never_moved_to_an_older_version(installed_registry: Registry) -> None:
    """The parameters of Slack 1 become those of the written version."""
    given = {"resource": "message", "operation": "post", "channel": "#a", "text": "hi"}
    compilation = _compile(installed_registry, "slack", 2.2, given)
    assert compilation.document["nodes"][1]["typeVersion"] == 2.2
    written = _parameters(compilation)
    assert written["channelId"] == {"__rl": True, "mode": "name", "value": "#a"}
    assert (written["select"], written["text"]) == ("channel", "hi")


def test_conditions_of_the_first_version_become_a_filter(installed_registry: Registry) -> None:
    """The comparison stays without regard to types, as it was."""
    given = {
        "conditions": {
            "string": [{"value1": "={{ $json.a }}", "value2": "b"}],
            "number": [{"value1": "={{ $json.n }}", "operation": "isEmpty"}],
        },
        "combineOperation": "any",
    }
    compilation = _compile(installed_registry, "if", 2.2, given, CompileOptions())
    written = _parameters(compilation)
    assert written["looseTypeValidation"] is True
    assert "combineOperation" not in written
    assert written["conditions"]["combinator"] == "or"
    assert [item["operator"] for item in written["conditions"]["conditions"]] == [
        {"type": "string", "operation": "equals"},
        {"type": "number", "operation": "empty", "singleValue": True},
    ]


def test_rules_of_the_first_version_become_filters_in_order(installed_registry: Registry) -> None:
    """Rules of one output are alternatives, and the fallback keeps its output."""
    rules = [
        {"value2": "late", "output": 1},
        {"value2": "new", "output": 0},
        {"operation": "contains", "value2": "open", "output": 0},
    ]
    given = {
        "dataType": "string",
        "value1": "={{ $json.state }}",
        "rules": {"rules": rules},
        "fallbackOutput": 2,
    }
    compilation = _compile(installed_registry, "switch", 3.2, given, CompileOptions())
    written = _parameters(compilation)
    values = [
        [
            (item["operator"]["operation"], item["rightValue"])
            for item in rule["conditions"]["conditions"]
        ]
        for rule in written["rules"]["values"]
    ]
    assert values == [[("equals", "new"), ("contains", "open")], [("equals", "late")]]
    assert written["options"] == {"fallbackOutput": "extra"}
    assert written.keys() <= {"rules", "options", "looseTypeValidation"}


def test_rules_with_a_gap_between_outputs_are_left(installed_registry: Registry) -> None:
    """The outputs of filters have no gaps, so the edges would lead elsewhere."""
    given = {"value1": 1, "rules": {"rules": [{"value2": 2, "output": 3}]}}
    compilation = _compile(installed_registry, "switch", 3.2, given)
    assert compilation.verdict == "wrong"
    assert _parameters(compilation) == given


@pytest.mark.parametrize("operation", ["==", "===", "="])
def test_an_operation_that_begins_with_an_equals_sign_is_no_expression(
    operation: str, installed_registry: Registry
) -> None:
    """n8n evaluates braces alone; without them the sign only begins a text."""
    condition = {**TYPED, "operator": {"type": "string", "operation": operation}}
    given = {"conditions": {"combinator": "and", "conditions": [condition]}}
    compilation = _compile(installed_registry, "if", 2.2, given, CompileOptions())
    written = _parameters(compilation)["conditions"]["conditions"][0]
    assert written["operator"]["operation"] == "equals"


def test_a_text_after_an_equals_sign_is_held_against_the_list(installed_registry: Registry) -> None:
    """``=FETCH`` is the method FETCH, which does not exist; ``=POST`` is POST."""
    wrong = _compile(installed_registry, "httpRequest", 4.2, {**URL, "method": "=FETCH"})
    assert "GB305" in {d.code for d in wrong.diagnostics}
    right = _compile(installed_registry, "httpRequest", 4.2, {**URL, "method": "=POST"})
    assert right.verdict == "ok"
