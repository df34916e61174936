"""Workflows need a trigger, and waiting webhooks need a response."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.compiler.pipeline import compile_with_fixes
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from tests.unit.domains.n8n.drafts import (
    REGISTRY,
    RESPOND,
    START,
    STEP,
    WEBHOOK,
    Edge,
    codes,
    findings_of,
    node,
    workflow,
)


def _call(mode: str | None, *more: dict[str, Any], edges: tuple[Edge, ...] = ()) -> dict[str, Any]:
    parameters = {"path": "p"} | ({} if mode is None else {"responseMode": mode})
    hook = node("W", WEBHOOK, parameters, typeVersion=2)
    return workflow([hook, node("T", STEP), *more], [("W", "T"), *edges])


ANSWER = node("R", RESPOND, typeVersion=2)
TO_ANSWER: Edge = ("T", "R")


@pytest.mark.parametrize(
    "nodes",
    [
        [],
        [node("T", STEP)],
        [node("S", START, disabled=True), node("T", STEP)],
    ],
)
def test_workflow_without_trigger_is_incomplete(nodes: list[dict[str, Any]]) -> None:
    """A workflow without nodes, or without an enabled trigger, is incomplete."""
    assert codes(workflow(nodes)) == ["N8N301"]


def test_an_unresolved_node_may_be_the_start() -> None:
    """An unknown node silences the rule, unless something leads to it."""
    ghost = node("G", "acme-nodes.noSuchThingAtAll")
    first = workflow([ghost, node("T", STEP)], [("G", "T")])
    second = workflow([ghost, node("T", STEP)], [("T", "G")])
    assert codes(first) == ["GB201"]
    assert sorted(codes(second)) == ["GB201", "N8N301"]


def test_a_manual_start_is_advice_until_it_is_to_be_published() -> None:
    """A manual trigger alone is advice in a validation and incomplete for publishing."""
    draft = workflow([node("S", START), node("T", STEP)], [("S", "T")])
    assert len(findings_of(draft, "N8N302")) == 1
    assert codes(draft, CompileOptions(purpose="import")) == []
    assert codes(draft, CompileOptions(purpose="publish")) == ["N8N307"]
    draft["nodes"].append(node("W", WEBHOOK, {"path": "p"}))
    assert codes(draft, CompileOptions(purpose="publish")) == []


def test_an_answer_needs_a_call() -> None:
    """A Respond node that no webhook leads to has nothing to respond to."""
    edges: list[Edge] = [("S", "R")]
    assert codes(workflow([node("S", START), ANSWER], edges)) == ["N8N311"]
    unknown = node("S", "acme-nodes.noSuchThingAtAll")
    assert codes(workflow([unknown, ANSWER], edges)) == ["GB201"]
    for harmless in ({"typeVersion": 1}, {"onError": "continueRegularOutput"}):
        assert codes(workflow([node("S", START), ANSWER | harmless], edges)) == []


def test_a_caller_that_is_switched_off_still_calls() -> None:
    """A Respond node behind a disabled webhook sleeps with it: it is not wrong."""
    hook = node("W", WEBHOOK, {"path": "p"}, typeVersion=2, disabled=True)
    draft = workflow([node("S", START), hook, ANSWER], [("W", "R")])
    assert findings_of(draft, "N8N311") == []


def test_a_webhook_without_a_version_does_not_compare() -> None:
    """n8n takes its newest version, and then compares none: the call is answered."""
    draft = _call("onReceived", ANSWER, edges=(TO_ANSWER,))
    del draft["nodes"][0]["typeVersion"]
    assert findings_of(draft, "N8N313") == []


def test_a_waiting_call_needs_an_answer() -> None:
    """A webhook that waits for a Respond node must lead to an enabled one."""
    assert codes(_call("responseNode")) == ["N8N312"]
    assert codes(_call("responseNode", ANSWER)) == ["N8N312"]
    assert codes(_call("responseNode", ANSWER, edges=(TO_ANSWER,))) == []
    off = node("R", RESPOND, disabled=True)
    assert codes(_call("responseNode", off, edges=(TO_ANSWER,))) == ["N8N312"]
    ghost = node("R", "acme-nodes.noSuchThingAtAll")
    assert sorted(codes(_call("responseNode", ghost, edges=(TO_ANSWER,)))) == ["GB201", "N8N312"]
    misspelt = node("R", "acme-nodes.respondToWebhok")
    assert codes(_call("responseNode", misspelt, edges=(TO_ANSWER,))) == ["GB203"]


@pytest.mark.parametrize("mode", [None, "onReceived", "lastNode"])
def test_an_early_response_leaves_no_answer_to_give(mode: str | None) -> None:
    """A webhook that responds by itself must not lead to a Respond node; it is made to wait."""
    draft = _call(mode, ANSWER, edges=(TO_ANSWER,))
    assert codes(draft) == ["N8N313"]
    fixed = compile_with_fixes(draft, N8N, REGISTRY, CompileOptions())
    assert fixed.verdict == "ok"
    assert fixed.document["nodes"][0]["parameters"]["responseMode"] == "responseNode"


def test_version_one_of_the_webhook_does_not_compare() -> None:
    """Before version 2 n8n lets a webhook respond by itself and lead to a Respond node."""
    draft = _call("onReceived", ANSWER, edges=(TO_ANSWER,))
    draft["nodes"][0]["typeVersion"] = 1
    assert codes(draft) == []


def test_a_mode_that_is_an_expression_is_not_judged() -> None:
    """How a webhook responds is unknown where it is decided at run time."""
    assert codes(_call("={{ $json.mode }}", ANSWER, edges=(TO_ANSWER,))) == []
