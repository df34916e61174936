"""The note of a built workflow lists exactly what is left to a person."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.edit.editor import EDITOR
from grounded_builder.drafting.edits.apply import apply_edits
from grounded_builder.ir.editor import EditContext
from grounded_builder.ir.options import CompileOptions
from tests.support.editor_canvas import STICKY, find_faults
from tests.unit.domains.n8n.drafts import START, registry, text, tool

WRITER = tool("acme-nodes.writer", parameters=[text("words", displayName="Words", required=True)])
KNOWN = registry(WRITER, tool(STICKY, inputs=[], outputs=[]))


def _build_workflow(*words: str, **more: Any) -> dict[str, Any]:
    """The workflow of writers in a row; one without words has something left to do."""
    steps: list[dict[str, Any]] = [{"id": "start", "tool": START}]
    for index, word in enumerate(words):
        step = {"id": f"w{index}", "tool": "acme-nodes.writer", "action": f"Write part {index}"}
        steps.append(step | {"params": {"words": word} if word else {}})
    plan = {"version": 1, "goal": "Write much", "steps": steps} | more
    built = compile_draft(plan, N8N, KNOWN, CompileOptions())
    assert built.artifact is not None, built.diagnostics
    return dict(built.artifact)


def _notes(document: Any) -> list[str]:
    return [n["parameters"]["content"] for n in document["nodes"] if n["type"] == STICKY]


def _edit_document(document: Any, *changes: dict[str, Any]) -> Any:
    context = EditContext(N8N, KNOWN, CompileOptions())
    revision = apply_edits(document, {"changes": list(changes)}, EDITOR, context)
    assert revision.document is not None, revision.compilation.diagnostics
    return revision.document


def test_a_workflow_with_nothing_left_to_do_has_no_note() -> None:
    assert _notes(_build_workflow("a", "b")) == []


def test_the_note_names_the_node_of_each_open_point() -> None:
    (note,) = _notes(_build_workflow("", "b", ""))
    points = [line for line in note.splitlines() if line.startswith("- [ ] ")]
    assert len(points) == len({"first", "third"})
    assert '"Write part 0"' in points[0]
    assert '"Write part 2"' in points[1]
    assert "Write much" not in note


@pytest.mark.parametrize("open_points", [1, 3, 12, 40])
def test_the_note_stands_above_the_nodes_whatever_its_length(open_points: int) -> None:
    built = _build_workflow(*[""] * open_points)
    assert find_faults(built, KNOWN) == []
    (note,) = _notes(built)
    assert note.count("- [ ] ") <= open_points
    assert (f"and {open_points - 12} more" in note) == (open_points > 12)


def test_an_edit_takes_what_it_settles_out_of_the_note() -> None:
    built = _build_workflow("", "")
    after = _edit_document(built, {"set": "Write part 0", "params": {"words": "a"}})
    (note,) = _notes(after)
    assert "Write part 0" not in note
    assert '"Write part 1"' in note
    assert find_faults(after, KNOWN) == []
    places = {n["name"]: n["position"] for n in built["nodes"] if n["type"] != STICKY}
    assert places == {n["name"]: n["position"] for n in after["nodes"] if n["type"] != STICKY}


def test_an_edit_that_settles_everything_removes_the_note() -> None:
    after = _edit_document(_build_workflow(""), {"set": "Write part 0", "params": {"words": "a"}})
    assert _notes(after) == []


def test_an_edit_leaves_the_notes_of_a_person() -> None:
    built = _build_workflow("")
    (note,) = (n for n in built["nodes"] if n["type"] == STICKY)
    own = {**note, "id": "own", "name": "Mine", "position": [0, -900]}
    own["parameters"] = {**note["parameters"], "content": "## Read this\n- [ ] by Monday"}
    built["nodes"] = [*(n for n in built["nodes"] if n is not note), own]
    after = _edit_document(built, {"set": "Write part 0", "params": {"words": "a"}})
    assert own in after["nodes"]


def test_remarks_of_the_plan_stay_in_the_note() -> None:
    built = _build_workflow("", assumptions=["the text is English"])
    assert "Assumed: the text is English" in _notes(built)[0]
    after = _edit_document(built, {"set": "Write part 0", "params": {"words": "a"}})
    assert "Assumed: the text is English" in _notes(after)[0]
