"""A loop comes back, comes to an end, and no sub-node needs itself."""

from __future__ import annotations

import pytest

from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.n8n.analysis.cycles import find_cycles
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.graph import Edge as Link
from grounded_builder.ir.options import CompileOptions
from tests.support.time_bounds import limit_cpu_time
from tests.unit.domains.n8n.drafts import STEP, Edge, node
from tests.unit.domains.n8n.structure_registry import (
    DECISION,
    LOOP,
    LOOPS,
    PARSER,
    TOOLBOX,
    draft,
    findings_of,
    fix_draft,
)

NODES = [node("L", LOOP, typeVersion=3), node("T", STEP), node("U", STEP)]
BODY: Edge = ("L", "main", 1, "T", "main", 0)
AFTER: Edge = ("L", "main", 0, "U", "main", 0)


def test_a_loop_that_comes_back_is_silent() -> None:
    """The body leads back to the loop node, what is done leads on."""
    document = draft(NODES, ("S", "L"), BODY, ("T", "L"), AFTER)
    assert [findings_of(document, code, LOOPS) for code in ("N8N316", "N8N317", "N8N348")] == [
        [],
        [],
        [],
    ]


@pytest.mark.parametrize("body", [(BODY,), ()])
def test_loop_without_way_back_is_reported(body: tuple[Edge, ...]) -> None:
    """Without a way back a loop is never done, whether or not it has a body."""
    diagnostics = findings_of(draft(NODES, ("S", "L"), *body, AFTER), "N8N317", LOOPS)
    assert [d.node for d in diagnostics] == ["L"]
    assert diagnostics[0].fix is None


@pytest.mark.parametrize(("version", "loop", "done"), [(2, 0, 1), (3, 1, 0)])
def test_a_body_on_the_wrong_output_is_moved(version: int, loop: int, done: int) -> None:
    """Steps that lead back to the loop node are its body: they are moved to its loop output."""
    nodes = [node("L", LOOP, typeVersion=version), *NODES[1:]]
    swapped: list[Edge] = [
        ("L", "main", done, "T", "main", 0),
        ("T", "L"),
        ("L", "main", loop, "U", "main", 0),
    ]
    document = draft(nodes, ("S", "L"), *swapped)
    assert len(findings_of(document, "N8N317", LOOPS)) == 1
    outputs = fix_draft(document, LOOPS).document["connections"]["L"]["main"]
    assert [outputs[index][0]["node"] for index in (loop, done)] == ["T", "U"]
    assert fix_draft(document, LOOPS).verdict == "ok"


def test_a_loop_with_one_batch_is_advice() -> None:
    """A loop without a way back, whose end no node awaits, passes one batch only."""
    assert len(findings_of(draft(NODES, ("S", "L"), BODY), "N8N348", LOOPS)) == 1
    itself: Edge = ("L", "main", 0, "L", "main", 0)
    assert findings_of(draft(NODES, ("S", "L"), BODY, itself), "N8N317", LOOPS) == []
    first = [node("L", LOOP), *NODES[1:]]
    assert len(findings_of(draft(first, ("S", "L"), ("L", "T")), "N8N348", LOOPS)) == 1
    assert findings_of(draft(first, ("S", "L"), ("L", "T"), ("T", "L")), "N8N348", LOOPS) == []


def test_a_circle_needs_a_way_out() -> None:
    """A circle in which every output leads round again is reported once, where it closes."""
    diagnostics = findings_of(draft(NODES[1:], ("S", "T"), ("T", "U"), ("U", "T")), "N8N316", LOOPS)
    assert [d.at[1:3] for d in diagnostics] == [("U", "main")]
    both = draft([*NODES[1:], node("V", STEP)], ("S", "T"), ("T", "U"), ("U", "T"), ("T", "V"))
    assert len(findings_of(both, "N8N316", LOOPS)) == 1
    itself = draft(NODES[1:], ("S", "T"), ("T", "T"))
    assert [d.at[1:3] for d in findings_of(itself, "N8N316", LOOPS)] == [("T", "main")]


def test_a_decision_or_a_loop_node_is_a_way_out() -> None:
    """An output that leads elsewhere, or nowhere, leaves a circle; so does a loop node's end."""
    decision = [node("T", STEP), node("D", DECISION)]
    back: Edge = ("D", "main", 1, "T", "main", 0)
    assert findings_of(draft(decision, ("S", "T"), ("T", "D"), back), "N8N316", LOOPS) == []
    first = [node("L", LOOP), node("T", STEP)]
    assert findings_of(draft(first, ("S", "L"), ("L", "T"), ("T", "L")), "N8N316", LOOPS) == []
    unknown = [node("T", STEP), node("X", "acme-nodes.noSuchThingAtAll")]
    assert findings_of(draft(unknown, ("S", "T"), ("T", "X"), ("X", "T")), "N8N316", LOOPS) == []


def test_a_node_does_not_decide_twice_over_the_same() -> None:
    """An output that leads straight back into its node is reported, though another one leads on."""
    nodes = [node("D", DECISION), node("T", STEP)]
    back: Edge = ("D", "main", 1, "D", "main", 0)
    diagnostics = findings_of(draft(nodes, ("S", "D"), ("D", "T"), back), "N8N316", LOOPS)
    assert [d.at[1:4] for d in diagnostics] == [("D", "main", 1)]


def test_a_loop_that_starts_anew_each_time_has_no_end() -> None:
    """A loop node that resets on every run never comes to its end."""
    reset = node("L", LOOP, {"options": {"reset": True}}, typeVersion=3)
    document = draft([reset, *NODES[1:]], ("S", "L"), BODY, ("T", "L"), AFTER)
    assert len(findings_of(document, "N8N316", LOOPS)) == 1


def test_sub_node_cycle_is_reported() -> None:
    """Sub-nodes that are set up from each other are never set up; tools are called one by one."""
    entries, two = node("P", PARSER), node("Q", PARSER)

    def edge(source: str, target: str, kind: str = "ai_outputParser") -> Edge:
        return (source, kind, 0, target, kind, 0)

    assert len(findings_of(draft([entries], edge("P", "P")), "GB320", LOOPS)) == 1
    assert (
        len(findings_of(draft([entries, two], edge("P", "Q"), edge("Q", "P")), "GB323", LOOPS)) == 1
    )
    box = draft([node("B", TOOLBOX)], edge("B", "B", "ai_tool"))
    assert findings_of(box, "GB320", LOOPS) == []


def test_circles_are_found_in_linear_time() -> None:
    """Every group of nodes that lead to each other is found once, however long the way round."""
    size = 5000

    def link(source: int, target: int) -> Link:
        return Link(f"N{source}", "main", 0, f"N{target}", "main", 0, ())

    after = {f"N{i}": [link(i, (i + 1) % size), link(i, (i + 7) % size)] for i in range(size)}
    with limit_cpu_time(4):
        assert [len(circle) for circle in find_cycles(after)] == [size]
    chain = {f"N{i}": [link(i, i + 1)] for i in range(size)}
    assert list(find_cycles(chain)) == []


@pytest.mark.long
@pytest.mark.parametrize("kind", [STEP, LOOP])
def test_five_thousand_nodes_in_loops_take_seconds(kind: str) -> None:
    """The rules of structure stay linear where every node is in a circle, or in none."""
    size = 2500
    pairs: list[Edge] = [(f"A{i}", f"B{i}") for i in range(size)]
    pairs += [(f"B{i}", f"A{i}") for i in range(size)]
    line: list[Edge] = [(f"A{i}", f"A{i + 1}") for i in range(size - 1)]
    line += [(f"A{i}", "main", 1, f"B{i}", "main", 0) for i in range(size)]
    for edges in (pairs, line):
        nodes = [node(f"A{i}", kind, typeVersion=2) for i in range(size)]
        nodes += [node(f"B{i}", STEP) for i in range(size)]
        with limit_cpu_time(4):
            compile_draft(draft(nodes, ("S", "A0"), *edges), N8N, LOOPS, CompileOptions())
