"""The installed n8n decides which results of code it refuses."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rehearsal.conftest import Rehearse
from tests.support.code_results import ALL_ITEMS, EACH_ITEM
from tests.support.n8n_workflows import node, workflow


@pytest.mark.parametrize(
    ("mode", "scripts"), [("runOnceForAllItems", ALL_ITEMS), ("runOnceForEachItem", EACH_ITEM)]
)
def test_n8n_refuses_these_results(
    rehearsed: Rehearse, mode: str, scripts: dict[str, bool]
) -> None:
    """Each script of the tables fails on n8n exactly if the table says so."""
    names = {f"Code {number}": script for number, script in enumerate(scripts)}
    codes = [
        node(name, "code", 2, {"mode": mode, "jsCode": script}, onError="continueRegularOutput")
        for name, script in names.items()
    ]
    document: dict[str, Any] = workflow(node("Start", "manualTrigger", 1), *codes)
    edges = [{"node": name, "type": "main", "index": 0} for name in names]
    document["connections"] = {"Start": {"main": [edges]}}
    (run,) = rehearsed(document).runs
    refused: dict[str, bool] = {}
    for step in run.execution.steps:
        if step.node in names:
            items = [item for output in step.outputs.get("main", ()) for item in output]
            has_error = any("error" in item.get("json", {}) for item in items)
            refused[names[step.node]] = bool(step.error) or has_error
    assert {script: refused.get(script) for script in scripts} == scripts
