"""The community packages of the user's n8n run on the stage, and cannot be changed there."""

from __future__ import annotations

from pathlib import Path

from tests.rehearsal.conftest import Rehearse
from tests.support.n8n_workflows import node, workflow

_PACKAGE = "n8n-nodes-datastore"


def test_a_community_node_runs_its_own_code(rehearsed: Rehearse, user_folder: Path) -> None:
    """A value that the node stores is what it then reads; its package is as before."""
    package = user_folder / ".n8n" / "nodes" / "node_modules" / _PACKAGE
    before = {path: path.stat().st_mtime_ns for path in package.rglob("*")}
    write = {"operation": "set", "keyName": "city", "valueString": "Oslo"}
    read = {"operation": "get", "keyName": "city", "valueName": "found"}
    document = workflow(
        node("Start", "manualTrigger", 1),
        node("Write", f"{_PACKAGE}.datastore", 1, write),
        node("Read", f"{_PACKAGE}.datastore", 1, read),
    )
    (run,) = rehearsed(document).runs
    assert run.execution.status == "success", run.execution.failure
    assert "Oslo" in str(run.steps[-1].step.outputs)
    assert {path: path.stat().st_mtime_ns for path in package.rglob("*")} == before
