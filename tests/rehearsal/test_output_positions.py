"""The installed n8n decides to which outputs Switch can send an item."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from tests.rehearsal.conftest import Rehearse
from tests.support.n8n_workflows import Workflow, node, workflow


def _rule(position: int | None = None) -> dict[str, Any]:
    if position is not None:
        return {"operation": "equal", "value2": "b", "output": position}
    compared = {
        "leftValue": "a",
        "rightValue": "b",
        "operator": {"type": "string", "operation": "equals"},
    }
    options = {"caseSensitive": True, "leftValue": "", "typeValidation": "strict", "version": 2}
    return {"conditions": {"options": options, "combinator": "and", "conditions": [compared]}}


def _draft(version: float, **parameters: Any) -> Workflow:
    return workflow(
        node("Start", "manualTrigger", 1), node("Choose", "switch", version, parameters)
    )


def _with_fallback(value: Any) -> Workflow:
    rules = {"values": [_rule(), _rule()]}
    return _draft(3.2, rules=rules, options={"fallbackOutput": value})


def _old(fallback: int) -> Workflow:
    rules = {"rules": [_rule(0), _rule(1)]}
    return _draft(2, dataType="string", value1="a", rules=rules, fallbackOutput=fallback)


@pytest.mark.parametrize(
    ("draft", "fails"),
    [
        (_with_fallback("none"), False),
        (_with_fallback("extra"), False),
        (_with_fallback(1), False),
        (_with_fallback("1"), False),
        (_with_fallback("default"), True),
        (_with_fallback(2), True),
        (_with_fallback(-1), True),
        (_old(-1), False),
        (_old(1), False),
        (_old(2), True),
        (_draft(3.2, mode="expression", numberOutputs=2, output=1), False),
        (_draft(3.2, mode="expression", numberOutputs=2, output=2), True),
    ],
)
def test_an_output_that_is_missing_is_wrong(
    rehearsed: Rehearse, registry: Registry, draft: Workflow, fails: bool
) -> None:
    """The check finds exactly what n8n fails on."""
    (run,) = rehearsed(draft).runs
    assert (run.execution.status != "success") is fails
    findings = compile_draft(draft, N8N, registry, CompileOptions()).diagnostics
    codes = {finding.rule.code for finding in findings if finding.rule.severity == "error"}
    assert bool(codes & {"N8N365", "GB305"}) is fails
