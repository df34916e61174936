"""Operations of real nodes are chosen by any form in which a plan states them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from evals.operations.writings import classify_case, sample_cases
from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import Compilation, compile_draft
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.parameters.defaults import fill
from grounded_builder.ir.options import CompileOptions

Step = dict[str, Any]

SHEETS = "n8n-nodes-base.googleSheets"
SLACK = "n8n-nodes-base.slack"
DRIVE = "n8n-nodes-base.googleDrive"
POSTGRES = "n8n-nodes-base.postgres"
MERGE = "n8n-nodes-base.merge"
APPEND = {"resource": "sheet", "operation": "append"}
POST = {"resource": "message", "operation": "post"}


def _compile(step: Step, registry: Registry) -> Compilation:
    start = {"id": "go", "tool": "n8n-nodes-base.manualTrigger"}
    draft = {"goal": "Test", "steps": [start, step]}
    return compile_draft(draft, N8N, registry, CompileOptions())


def _operation(step: Step, registry: Registry) -> Mapping[str, Any]:
    """The resource and the operation that n8n runs for the node of the step."""
    compilation = _compile(step, registry)
    assert compilation.plan is not None
    node = compilation.plan.nodes[1]
    row = registry.tools[str(node["tool_id"])]
    spec = registry.spec(row.id, row.preferred_version)
    simple, _ = fill(spec.declarations, dict(node["params"]))
    return {key: simple.get(key) for key in ("resource", "operation")}


def _codes(step: Step, registry: Registry) -> list[str]:
    return [finding.code for finding in _compile(step, registry).diagnostics]


@pytest.mark.parametrize(
    "text",
    [
        "sheet/append",
        "append",
        "sheet:append",
        "sheet.append",
        "sheetAppend",
        "Append row in sheet",
        "Append Row",
        "append a row to the sheet",
        "append the row",
        "Google Sheets: Append Row",
        "googleSheets.append",
        "row append",
    ],
)
@pytest.mark.parametrize("place", ["action", "operation", "params.operation", "params.action"])
def test_an_operation_is_read_in_any_writing_at_any_place(
    text: str, place: str, registry: Registry
) -> None:
    values: Step = {"columns": {"mappingMode": "autoMapInputData"}}
    step: Step = {"tool": SHEETS, "params": values}
    _, _, key = place.rpartition(".")
    (values if place.startswith("params") else step)[key] = text
    assert _operation(step, registry) == APPEND
    assert "GB308" not in _codes(step, registry)


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ({"tool": SLACK, "resource": "message", "operation": "post"}, POST),
        ({"tool": SLACK, "resource": "message", "params": {"operation": "post"}}, POST),
        ({"tool": SLACK, "operation": "message.post"}, POST),
        ({"tool": SLACK, "action": "Send a message"}, POST),
        ({"tool": SLACK, "action": "post message"}, POST),
        ({"tool": SLACK, "action": "Post a message"}, POST),
        ({"tool": SLACK, "resource": "Message", "operation": "Send"}, POST),
        ({"tool": SLACK, "operation": "archive"}, {"resource": "channel", "operation": "archive"}),
        (
            {"tool": SLACK, "action": "Archive a channel", "params": {"channelId": "C1"}},
            {"resource": "channel", "operation": "archive"},
        ),
        ({"tool": DRIVE, "operation": "share"}, {"resource": "file", "operation": "share"}),
        ({"tool": POSTGRES, "action": "Execute a SQL query"}, {"operation": "executeQuery"}),
        ({"tool": POSTGRES, "operation": "execute query"}, {"operation": "executeQuery"}),
        (
            {"tool": "n8n-nodes-base.gmail", "operation": "getAll", "resource": "label"},
            {"resource": "label", "operation": "getAll"},
        ),
    ],
)
def test_resource_and_operation_beside_the_parameters_count(
    step: Step, expected: Mapping[str, Any], registry: Registry
) -> None:
    chosen = _operation(step, registry)
    assert {key: chosen[key] for key in expected} == expected


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ({"tool": SLACK, "params": {"channel": "C0123456789", "text": "x"}}, ("message", "post")),
        ({"tool": SLACK, "params": {"channelId": "C0123456789", "text": "x"}}, ("message", "post")),
        ({"tool": POSTGRES, "params": {"query": "select 1"}}, ("database", "executeQuery")),
        ({"tool": "n8n-nodes-base.telegram", "params": {"chatId": "1", "text": "x"}},
         ("message", "sendMessage")),
        ({"tool": "n8n-nodes-base.awsSns", "params": {"topic": "t", "message": "x"}},
         (None, "publish")),
        ({"tool": "n8n-nodes-base.removeDuplicates", "params": {}},
         (None, "removeDuplicateInputItems")),
    ],
)  # fmt: skip
def test_parameters_choose_an_operation_that_nothing_states(
    step: Step, expected: tuple[str | None, str], registry: Registry
) -> None:
    resource, operation = expected
    assert _operation(step, registry) == {"resource": resource, "operation": operation}


def test_plan_without_verb_deletes_nothing(registry: Registry) -> None:
    step = {"tool": "n8n-nodes-base.travisCi", "params": {"buildId": "7"}}
    assert "GB341" in _codes(step, registry)


def test_an_operation_that_stays_open_is_asked_with_its_candidates(registry: Registry) -> None:
    step = {"tool": SHEETS, "params": {"columns": {"mappingMode": "autoMapInputData"}}}
    (finding,) = [d for d in _compile(step, registry).diagnostics if d.code == "GB341"]
    assert "sheet/append" in finding.alternatives
    assert finding.rule.error_type == "MissingParameter"


def test_a_parameter_of_other_operations_names_them(registry: Registry) -> None:
    step = {"tool": POSTGRES, "params": {"operation": "insert", "sqlQuery": "select 1"}}
    findings = [d for d in _compile(step, registry).diagnostics if d.at[-1:] == ("sqlQuery",)]
    assert any("executeQuery" in f"{d.message} {d.help}" for d in findings)


def test_an_action_that_names_no_operation_is_reported(registry: Registry) -> None:
    step = {"tool": SLACK, "action": "Frobnicate the gizmo", "params": {"text": "x"}}
    assert _operation(step, registry) == POST
    assert "GB342" in _codes(step, registry)


def test_the_default_of_a_node_stays_where_all_parameters_fit(registry: Registry) -> None:
    step = {"tool": SHEETS, "params": {"documentId": "1", "sheetName": "gid=0"}}
    assert _operation(step, registry) == {"resource": "sheet", "operation": "read"}
    assert "GB341" not in _codes(step, registry)


@pytest.mark.parametrize("seed", [1, 2])
def test_no_operation_becomes_another_one_silently(seed: int, registry: Registry) -> None:
    """A sample of what `python -m evals.operations` reads whole."""
    outcomes = {case: classify_case(case, registry) for case in sample_cases(registry, 250, seed)}
    assert [case for case, result in outcomes.items() if result == "silent"] == []
    clear = [result for case, result in outcomes.items() if case.writing != "value"]
    assert clear.count("chosen") >= 0.97 * len(clear)


@pytest.mark.parametrize(
    ("written", "entry"),
    [
        (
            {"cronExpression": "0 8 * * 1-5"},
            {"field": "cronExpression", "expression": "0 8 * * 1-5"},
        ),
        ({"cron": "0 8 * * 1-5"}, {"field": "cronExpression", "expression": "0 8 * * 1-5"}),
        ({"minutesInterval": 15}, {"field": "minutes", "minutesInterval": 15}),
        ({"hours": 2}, {"field": "hours", "hoursInterval": 2}),
    ],
)
def test_a_schedule_takes_effect_by_the_name_of_its_unit(
    written: Step, entry: Step, registry: Registry
) -> None:
    step = {"tool": "n8n-nodes-base.scheduleTrigger", "params": written}
    compilation = compile_draft({"steps": [step]}, N8N, registry, CompileOptions())
    assert compilation.plan is not None
    assert compilation.plan.nodes[0]["params"]["rule"] == {"interval": [entry]}
    assert "GB345" not in {finding.code for finding in compilation.diagnostics}


@pytest.mark.parametrize(
    ("title", "params"),
    [
        ("Telegram response", {"tool": "n8n-nodes-base.telegram"}),
        ("Notify #general of a newly created channel", {"tool": SLACK, "text": "x"}),
        ("Get the customer told", {"tool": SLACK, "channelId": "C0123456789", "text": "x"}),
    ],
)
def test_a_title_without_the_verb_of_an_operation_names_none(
    title: str, params: Step, registry: Registry
) -> None:
    values = dict(params)
    step = {"tool": values.pop("tool"), "action": title, "params": values}
    plain = {"tool": step["tool"], "params": values}
    assert _operation(step, registry) == _operation(plain, registry)
    assert "GB342" in _codes(step, registry)


@pytest.mark.parametrize(
    ("tool", "params", "path"),
    [
        ("mattermost", {"resource": "message", "operation": "post", "channel": "c1"}, "channelId"),
        (
            "asana",
            {"resource": "task", "operation": "update", "id": "12", "name": "New name"},
            "otherProperties.name",
        ),
    ],
)
def test_a_parameter_of_another_operation_yields_to_the_shown_one(
    tool: str, params: Step, path: str, registry: Registry
) -> None:
    """A key that names a hidden parameter is written where the chosen operation reads it."""
    step = {"tool": f"n8n-nodes-base.{tool}", "params": params}
    compilation = compile_draft({"steps": [step]}, N8N, registry, CompileOptions())
    assert compilation.plan is not None
    written: Any = compilation.plan.nodes[0]["params"]
    *_, value = params.values()
    for name in path.split("."):
        written = written[name]
    assert value in (written, written.get("value") if isinstance(written, dict) else None)
    assert "GB345" not in {finding.code for finding in compilation.diagnostics}
