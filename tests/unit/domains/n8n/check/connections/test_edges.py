"""An edge is right when both nodes are there and both ends are ports that fit."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.compiler.pipeline import compile_with_fixes
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from tests.support.catalogs import AGENT, LOOKUP
from tests.support.catalogs import MODEL as ACME_MODEL
from tests.support.time_bounds import limit_cpu_time
from tests.unit.domains.n8n.drafts import (
    FORK,
    MODEL,
    PICKY,
    REGISTRY,
    START,
    STEP,
    STORE,
    Edge,
    codes,
    compile_workflow,
    findings_of,
    node,
    workflow,
)

AI: Edge = ("M", "ai_languageModel", 0, "P", "ai_languageModel", 0)


def _picky(*edges: Edge, **model: Any) -> dict[str, Any]:
    nodes = [node("S", START), node("P", PICKY), node("M", MODEL, **model)]
    return workflow(nodes, [("S", "P"), *edges])


def test_sound_edges_are_silent() -> None:
    """A workflow whose edges all fit has no finding on them."""
    assert codes(_picky(AI)) == []


def test_an_absent_target_is_dangling_and_respelt() -> None:
    """An edge to a name that differs by case and spaces only is led to the node that is meant."""
    draft = workflow([node("S", START), node("Send mail", STEP)], [("S", "send  Mail")])
    assert [d.alternatives for d in findings_of(draft, "GB313")] == [("Send mail",)]
    assert compile_with_fixes(draft, N8N, REGISTRY, CompileOptions()).verdict == "ok"


def test_an_absent_source_is_dangling() -> None:
    """Connections from a name that no node has are named once, and dropped when they are empty."""
    draft = workflow([node("S", START)], [("Ghost", "S"), ("Ghost", "S")])
    assert len([d for d in findings_of(draft, "GB313") if d.token == "Ghost"]) == 1
    empty = workflow([node("S", START)], connections={"Ghost": {"main": [[]]}})
    assert codes(empty) == ["GB313"]
    assert compile_with_fixes(empty, N8N, REGISTRY, CompileOptions()).verdict == "ok"


@pytest.mark.parametrize(
    ("edge", "token"),
    [
        (("S", "main", 1, "P", "main", 0), "1"),
        (("S", "main", 0, "P", "main", 1), "1"),
        (("S", "ai_tool", 0, "P", "ai_tool", 0), "ai_tool"),
        (("P", "S"), "main"),
    ],
)
def test_a_port_that_is_not_there_is_unknown(edge: Edge, token: str) -> None:
    """A kind that a node lacks, or an index beyond its ports, is wrong on either end."""
    assert [d.token for d in findings_of(_picky(AI, edge), "GB314")] == [token]


def test_an_edge_beyond_the_only_input_goes_to_it() -> None:
    """The index of an edge into a node with one main input can only mean that one."""
    draft = workflow([node("S", START), node("T", STEP)], [("S", "main", 0, "T", "main", 3)])
    assert compile_with_fixes(draft, N8N, REGISTRY, CompileOptions()).verdict == "ok"


def test_edges_to_several_inputs_of_one_stay() -> None:
    """Beside an edge to another input the fix is only offered: the node would run more often."""
    draft = _picky(AI, ("S", "main", 0, "P", "main", 3))
    assert compile_with_fixes(draft, N8N, REGISTRY, CompileOptions()).verdict == "wrong"
    assert compile_with_fixes(draft, N8N, REGISTRY, CompileOptions(), unsafe=True).verdict == "ok"


def test_the_output_behind_the_last_may_carry_failures() -> None:
    """The fix that adds an error output is only offered, because it changes the behaviour."""
    nodes = [node("S", START), node("T", STEP), node("U", STEP)]
    failing: Edge = ("T", "main", 1, "U", "main", 0)
    diagnostics = findings_of(workflow(nodes, [("S", "T"), failing]), "GB314")
    assert [d.fix is not None and not d.fix.safe for d in diagnostics] == [True]
    opened = [nodes[0], node("T", STEP, onError="continueErrorOutput"), nodes[2]]
    assert codes(workflow(opened, [("S", "T"), failing])) == []
    later: Edge = ("T", "main", 2, "U", "main", 0)
    assert findings_of(workflow(nodes, [("S", "T"), later]), "GB314")[0].fix is None


def test_a_parameter_opens_the_port_that_an_edge_needs() -> None:
    """An absent parameter that would add the port is set, and a present one is only named."""
    nodes = [node("S", START), node("V", STORE)]
    draft = workflow(nodes, [("S", "V")])
    assert "mode" in findings_of(draft, "GB314")[0].help
    fixed = compile_with_fixes(draft, N8N, REGISTRY, CompileOptions())
    assert fixed.document["nodes"][1]["parameters"] == {"mode": "insert"}
    chosen = workflow([nodes[0], node("V", STORE, {"mode": "load"})], [("S", "V")])
    assert findings_of(chosen, "GB314")[0].fix is not None
    assert compile_with_fixes(chosen, N8N, REGISTRY, CompileOptions()).verdict == "wrong"


@pytest.mark.parametrize("kinds", [("ai_languageModel", "main"), ("main", "ai_languageModel")])
def test_ends_of_different_kinds_do_not_fit(kinds: tuple[str, str]) -> None:
    """An edge that leaves as one kind and arrives as another is wrong once, and corrected."""
    draft = _picky(("M", kinds[0], 0, "P", kinds[1], 0))
    assert codes(draft) == ["GB315"]
    fixed = compile_with_fixes(draft, N8N, REGISTRY, CompileOptions())
    assert fixed.verdict == "ok"
    assert list(fixed.document["connections"]["M"]) == ["ai_languageModel"]


def test_a_key_for_failures_means_the_error_output() -> None:
    """Edges kept under a key such as "onError" leave by the output that carries failures."""
    nodes = [node("S", START), node("T", STEP), node("U", STEP)]
    draft = workflow(nodes, [("S", "T"), ("T", "onError", 0, "U", "main", 0)])
    assert codes(draft) == ["GB315"]
    fixed = compile_with_fixes(draft, N8N, REGISTRY, CompileOptions())
    assert fixed.document["nodes"][1]["onError"] == "continueErrorOutput"
    assert [len(item) for item in fixed.document["connections"]["T"]["main"]] == [0, 1]
    decided = node("T", STEP, onError="continueRegularOutput")
    draft["nodes"][1] = decided
    assert findings_of(draft, "GB315")[0].fix is None


def test_names_may_be_written_as_ids() -> None:
    """An end that is the id of a node means that node, where only one has this id."""
    nodes = [node("S", START), node("T", STEP), node("U", STEP)]
    draft = workflow(nodes, [("id-S", "id-T"), ("T", "id-U")])
    assert sorted(codes(draft)) == ["GB313"] * 3
    fixed = compile_with_fixes(draft, N8N, REGISTRY, CompileOptions())
    assert fixed.verdict == "ok"
    assert list(fixed.document["connections"]) == ["S", "T"]
    twice = workflow([nodes[0], nodes[1], node("U", STEP, id="id-T")], [("S", "id-T")])
    assert findings_of(twice, "GB313")[0].fix is None


@pytest.mark.parametrize(
    "edge",
    [("P", "ai_languageModel", 0, "M", "ai_languageModel", 0), ("P", "main", 0, "M", "main", 0)],
)
def test_a_sub_node_is_the_source(edge: Edge) -> None:
    """An edge drawn from the root to its sub-node is called backwards, once, and turned."""
    draft = _picky(edge, ("P", "T"))
    draft["nodes"].append(node("T", STEP))
    assert codes(draft) == ["GB314"]
    assert "backwards" in findings_of(draft, "GB314")[0].message
    fixed = compile_with_fixes(draft, N8N, REGISTRY, CompileOptions())
    assert fixed.verdict == "ok"
    assert fixed.document["connections"]["M"]["ai_languageModel"][0][0]["node"] == "P"


def test_all_edges_drawn_backwards_from_one_root_are_turned_together() -> None:
    """Several sub-nodes drawn as targets of one list are all turned in one fix."""
    many = [(f"L{i}", "ai_tool") for i in range(8)]
    backwards: list[Edge] = [("P", kind, 0, name, kind, 0) for name, kind in many]
    draft = _picky(AI, *backwards)
    draft["nodes"] += [node(name, LOOKUP, {"table": "x"}) for name, _ in many]
    assert set(codes(draft)) == {"GB314"}
    fixed = compile_with_fixes(draft, N8N, REGISTRY, CompileOptions())
    assert fixed.verdict == "ok"
    assert set(fixed.document["connections"]) >= {name for name, _ in many}


def test_a_sub_node_used_as_a_step_is_not_turned() -> None:
    """A sub-node that data is led through could mean anything: it is wrong without a fix."""
    draft = _picky(("P", "M"), ("M", "T"))
    draft["nodes"].append(node("T", STEP))
    assert {d.fix for d in findings_of(draft, "GB314")} == {None}


def test_a_sub_node_does_not_connect_as_main() -> None:
    """A sub-node wired as main is wrong once, and led to the input that takes its kind."""
    draft = _picky(("M", "P"))
    assert codes(draft) == ["GB314"]
    fixed = compile_with_fixes(draft, N8N, REGISTRY, CompileOptions())
    assert fixed.verdict == "ok"
    assert list(fixed.document["connections"]["M"]) == ["ai_languageModel"]


def test_a_required_input_needs_an_enabled_sub_node() -> None:
    """A node in use without its required sub-node is wrong; a disabled sub-node is none."""
    assert codes(_picky()) == ["GB316"]
    assert codes(_picky(AI, disabled=True)) == ["GB316"]
    assert "enable" in findings_of(_picky(AI, disabled=True), "GB316")[0].help


def test_a_node_out_of_use_needs_nothing() -> None:
    """Disabled nodes and nodes without edges need no sub-nodes."""
    alone = workflow([node("S", START), node("T", STEP), node("P", PICKY)], [("S", "T")])
    disabled = workflow([node("S", START), node("P", PICKY, disabled=True)], [("S", "P")])
    assert codes(alone) == codes(disabled) == []


def test_a_hole_counts_as_connected() -> None:
    """An unknown type on a required input is one finding, not two."""
    nodes = [node("S", START), node("P", PICKY), node("M", "acme-nodes.noSuchThingAtAll")]
    assert codes(workflow(nodes, [("S", "P"), AI])) == ["GB201"]


def test_an_input_takes_no_more_than_its_limit() -> None:
    """More enabled sub-nodes than the ports of a kind take together are wrong."""
    draft = _picky(AI, ("N", "ai_languageModel", 0, "P", "ai_languageModel", 0))
    draft["nodes"].append(node("N", MODEL))
    assert codes(draft) == ["GB317"]


def test_a_port_refuses_partners_that_it_does_not_list() -> None:
    """A port with a list of tools takes no other tool."""
    draft = _picky(AI, ("T", "ai_tool", 0, "P", "ai_tool", 0))
    draft["nodes"].append(node("T", "acme-nodes.otherTool"))
    assert codes(draft) == ["GB318"]
    draft["nodes"][-1] = node("T", LOOKUP, {"table": "x"})
    assert codes(draft) == []


def test_edges_of_unknown_ports_are_silent() -> None:
    """No index is too high if the ports are unknown."""
    nodes = [node("S", START), node("F", FORK, {"count": "={{ $json.n }}"}), node("T", STEP)]
    assert codes(workflow(nodes, [("S", "F"), ("F", "main", 7, "T", "main", 0)])) == []


def test_an_edge_is_drawn_once() -> None:
    """An edge that is there twice is advice, and one of the two is taken out."""
    nodes = [node("S", START), node("T", STEP), node("U", STEP)]
    twice = workflow(nodes, [("S", "T"), ("S", "T"), ("S", "U"), ("S", "T")])
    diagnostics = findings_of(twice, "GB319")
    assert [(d.at[-1], d.related[0].at[-1]) for d in diagnostics] == [(1, 0)]
    assert "runs 3 times" in diagnostics[0].message
    targets = compile_with_fixes(twice, N8N, REGISTRY, CompileOptions()).document["connections"][
        "S"
    ]["main"][0]
    assert [target["node"] for target in targets] == ["T", "U"]
    other: Edge = ("S", "main", 0, "T", "main", 1)
    assert findings_of(workflow(nodes, [("S", "T"), other]), "GB319") == []


def test_an_agent_and_its_model_are_found_in_either_order() -> None:
    """The order of nodes and connections has no influence."""
    login = {"acmeModelApi": {"id": "1", "name": "A"}}
    nodes = [node("S", START), node("A", AGENT), node("M", ACME_MODEL, credentials=login)]
    edges: list[Edge] = [("S", "A"), ("M", "ai_languageModel", 0, "A", "ai_languageModel", 0)]
    assert codes(workflow(nodes, edges)) == codes(workflow(nodes[::-1], edges[::-1])) == []


def test_five_thousand_nodes_take_seconds() -> None:
    """Time grows with nodes and edges, also when every edge is wrong."""
    size = 5000
    nodes = [node("S", START), *(node(f"N{i}", STEP) for i in range(size))]
    right: list[Edge] = [("S", "N0"), *((f"N{i}", f"N{i + 1}") for i in range(size - 1))]
    wrong: list[Edge] = [(f"N{i}", "main", 3, f"gone {i}", "ai_tool", 4) for i in range(size)]
    for edges in (right, wrong):
        draft = workflow(nodes, edges)
        with limit_cpu_time(4):
            compile_workflow(draft)
