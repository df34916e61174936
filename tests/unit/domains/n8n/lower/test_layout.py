"""The layout of built workflows, checked by the sizes of n8n's editor."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.edit.editor import EDITOR
from grounded_builder.drafting.edits.apply import apply_edits
from grounded_builder.ir.editor import EditContext
from grounded_builder.ir.options import CompileOptions
from tests.support.editor_canvas import find_faults
from tests.support.layout_plans import make_layout_plan, make_layout_registry
from tests.unit.domains.n8n.drafts import Edge, workflow

GRAPHS = 200
STEP, FORK, AGENT, MODEL = (f"acme-nodes.{name}" for name in ("step", "fork", "agent2", "model"))
LINKED: list[Edge] = [("a", "b")]


@pytest.fixture(scope="module")
def layout_tools() -> Registry:
    return make_layout_registry()


def _node(name: str, x: int, y: int, type_: str = STEP, **parameters: Any) -> dict[str, Any]:
    """A node at a place."""
    return {
        "id": name,
        "name": name,
        "type": type_,
        "typeVersion": 1,
        "position": [x, y],
        "parameters": parameters,
    }


NOTE = "n8n-nodes-base.stickyNote"
BAD_LAYOUTS: dict[str, tuple[list[dict[str, Any]], list[Edge]]] = {
    "node on node": ([_node("a", 0, 0), _node("b", 64, 64)], []),
    "name on node": ([_node("a", 0, 0), _node("b", 0, 112)], []),
    "name on name": ([_node("a", 0, 0), _node("b", 160, 0)], []),
    "node on note": ([_node("a", 0, 0), _node("b", -64, -64, NOTE, width=128, height=96)], []),
    "label on node": (
        [_node("a", 0, 0, FORK), _node("b", 112, 0), _node("c", 512, 256)],
        [("a", "b"), ("a", "main", 1, "c", "main", 0)],
    ),
    "edge through node": ([_node("a", 0, 0), _node("b", 672, 0), _node("c", 336, 0)], LINKED),
    "edge through name": ([_node("a", 0, 96), _node("b", 672, 96), _node("c", 336, 16)], LINKED),
    "off the grid": ([_node("a", 0, 10)], []),
    # The edge back runs 130 under its source, through what stands there.
    "edge through node (back)": (
        [_node("a", 672, 0), _node("b", 0, 0), _node("c", 336, 128)],
        LINKED,
    ),
    # A node with sub-nodes is 224 wide.
    "node on node (wide)": ([_node("a", 0, 0, AGENT), _node("b", 208, 0)], []),
    "name on node (sub-node)": (
        [_node("a", 0, 0, AGENT), _node("b", 0, 144, MODEL), _node("c", 0, 240)],
        [("b", "ai_model", 0, "a", "ai_model", 0)],
    ),
}


@pytest.mark.parametrize("kind", BAD_LAYOUTS)
def test_the_checker_finds_a_fault_made_by_hand(kind: str, layout_tools: Registry) -> None:
    nodes, edges = BAD_LAYOUTS[kind]
    kinds = [fault.kind for fault in find_faults(workflow(nodes, edges), layout_tools)]
    assert kind.partition(" (")[0] in kinds


def test_the_checker_accepts_a_good_layout(layout_tools: Registry) -> None:
    nodes = [
        _node("a", 0, 0),
        _node("b", 256, 0, AGENT),
        _node("c", 256, 240, MODEL),
        _node("d", 640, 0),
    ]
    edges: list[Edge] = [("a", "b"), ("b", "d"), ("c", "ai_model", 0, "b", "ai_model", 0)]
    assert find_faults(workflow(nodes, edges), layout_tools) == []


@pytest.mark.long
def test_generated_layouts_have_no_overlap(layout_tools: Registry) -> None:
    kinds: Counter[str] = Counter()
    for seed in range(GRAPHS):
        built = compile_draft(make_layout_plan(seed), N8N, layout_tools, CompileOptions())
        assert built.artifact is not None, built.diagnostics
        kinds.update(fault.kind for fault in find_faults(built.artifact, layout_tools))
    through_words = kinds.pop("edge through name", 0) + kinds.pop("edge through label", 0)
    assert kinds == {}
    assert through_words < GRAPHS // 10


SIZES: list[dict[str, Any]] = [
    {"width": 700, "height": 900},
    {},
    {"width": 2400, "height": 80},
    {"width": "wide", "height": True},
    {"width": -4, "height": 1e400},
]


@pytest.mark.parametrize("seed", [1, 4, 11])
def test_notes_of_a_plan_cover_nothing(seed: int, layout_tools: Registry) -> None:
    plan = make_layout_plan(seed)
    count = len(plan["steps"])
    for index, size in enumerate(SIZES[:3] * 3):
        note = {"id": f"note {index}", "tool": NOTE, "params": {"content": "Read this"} | size}
        plan["steps"].insert(index * count // 8, note)
    built = compile_draft(plan, N8N, layout_tools, CompileOptions())
    assert built.artifact is not None, built.diagnostics
    assert [
        f for f in find_faults(built.artifact, layout_tools) if "note" in f.kind or "node" in f.kind
    ] == []


@pytest.mark.parametrize("size", SIZES)
def test_a_note_of_any_size_has_a_place(size: dict[str, Any], layout_tools: Registry) -> None:
    steps = [
        {"id": "start", "tool": "acme-nodes.start"},
        {"id": "note", "tool": NOTE, "params": size, "inputs": []},
        {"id": "sub", "tool": MODEL, "for": "note", "as": "ai_model"},
        {"id": "end", "tool": STEP, "inputs": ["start", "note"]},
    ]
    plan = {"version": 1, "goal": "Read", "steps": steps}
    compiled = compile_draft(plan, N8N, layout_tools, CompileOptions())
    assert compiled.plan is not None


def test_a_step_added_after_an_agent_stands_clear_of_it(layout_tools: Registry) -> None:
    nodes = [_node("a", 0, 0), _node("b", 224, 0, AGENT), _node("m", 224, 224, MODEL)]
    edges: list[Edge] = [("a", "b"), ("m", "ai_model", 0, "b", "ai_model", 0)]
    step = {"tool": STEP, "action": "Tell the team"}
    for change in ({"add": step, "after": "b"}, {"add": step, "after": "a", "inline": False}):
        context = EditContext(N8N, layout_tools, CompileOptions())
        draft = {"changes": [change]}
        revision = apply_edits(workflow(nodes, edges), draft, EDITOR, context)
        assert revision.document is not None, revision.compilation.diagnostics
        assert len(revision.document["nodes"]) == len(nodes) + 1
        assert find_faults(revision.document, layout_tools) == []
