"""Artifacts have no field that n8n refuses, lack none, and keep the rest unchanged."""

from __future__ import annotations

import json
from typing import Any

from grounded_builder.domains.n8n.build.artifact import node_id
from grounded_builder.ir.options import CompileOptions
from tests.unit.domains.n8n.drafts import START, STEP, WEBHOOK, compile_workflow, node, workflow

OPTIONS = CompileOptions(seed="seed", path_secret=b"secret")


def _artifact(draft: Any, options: CompileOptions = OPTIONS) -> dict[str, Any]:
    artifact = compile_workflow(draft, options).artifact
    assert artifact is not None
    return dict(artifact)


def test_a_complete_workflow_is_sent_as_it_is() -> None:
    """A workflow that n8n takes as it stands is not changed by a single value."""
    draft = workflow(
        [node("S", START, notes="n"), node("T", STEP, {"text": "=a"}, onError="stopWorkflow")],
        [("S", "T")],
        settings={"executionOrder": "v1"},
        pinData={"S": [{"json": {"a": 1}}]},
        staticData={"last": 1},
    )
    assert _artifact(draft) == draft


def test_build_adds_missing_fields() -> None:
    """Name, connections, settings, ids, positions, versions and parameters are added."""
    draft = {"nodes": [{"name": "S", "type": START}, {"name": "T", "type": STEP}]}
    artifact = _artifact(draft)
    assert artifact["name"]
    assert artifact["connections"] == artifact["settings"] == {}
    for item in artifact["nodes"]:
        assert item["id"] == node_id("seed", item["name"])
        assert item["parameters"] == {}
        assert item["typeVersion"] == 2
    assert len({tuple(entry["position"]) for entry in artifact["nodes"]}) == 2


def test_added_positions_lie_below_the_present_ones() -> None:
    """A node without a place does not cover one that has a place."""
    bare = node("T", STEP)
    del bare["position"]
    first, second = _artifact(workflow([node("S", START, position=[10, 700]), bare]))["nodes"]
    assert first["position"] == [10, 700]
    assert second["position"][1] > 700


def test_webhooks_get_ids_and_paths_that_nobody_can_guess() -> None:
    """A webhook's id and empty path follow from the secret; given ones stay."""
    draft = workflow([node("W", WEBHOOK)])
    entries, other = (
        _artifact(draft),
        _artifact(draft, CompileOptions(seed="seed", path_secret=b"other")),
    )
    for key in ("webhookId", "parameters"):
        assert entries["nodes"][0][key] != other["nodes"][0][key]
    given = workflow([node("W", WEBHOOK, {"path": "mine"}, webhookId="w")])
    assert _artifact(given)["nodes"] == given["nodes"]


def test_the_same_input_gives_the_same_bytes() -> None:
    """Compiling twice gives equal bytes, another seed other ids."""
    draft = {"nodes": [{"name": "S", "type": START}, {"name": "W", "type": WEBHOOK}]}
    assert json.dumps(_artifact(draft)) == json.dumps(_artifact(draft))
    assert _artifact(draft) != _artifact(
        draft, CompileOptions(seed="another", path_secret=b"secret")
    )


def test_the_draft_is_not_changed() -> None:
    """Building leaves the document as it was."""
    draft = {"id": "1", "nodes": [{"name": "W", "type": WEBHOOK, "parameters": {}}]}
    before = json.dumps(draft)
    _artifact(draft)
    assert json.dumps(draft) == before
