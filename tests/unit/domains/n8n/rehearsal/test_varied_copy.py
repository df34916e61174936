"""The copies of further runs end: a changed node closes no cycle but a loop over batches."""

from __future__ import annotations

from typing import Any

from grounded_builder.domains.n8n.rehearsal.variants import Variant
from grounded_builder.domains.n8n.rehearsal.varied_copy import vary_workflow
from tests.support.n8n_workflows import node, workflow


def _vary(edges: dict[str, list[list[str]]], variant: Variant) -> dict[str, list[list[str]]]:
    """Returns the targets by source and output, of nodes that are named after their types."""
    kinds = {"Loop": "splitInBatches", "Start": "manualTrigger"}
    names = {*edges, *(name for outputs in edges.values() for listed in outputs for name in listed)}
    links: Any = {
        source: {"main": [[{"node": t, "type": "main", "index": 0} for t in o] for o in outputs]}
        for source, outputs in edges.items()
    }
    nodes = [node(name, kinds.get(name, "if"), 1) for name in sorted(names)]
    document = workflow(*nodes, edges=links, pinData={"Start": [{"json": {}}]})
    varied = vary_workflow(document, variant, {})
    return {
        source: [[entry["node"] for entry in listed] for listed in by_kind["main"]]
        for source, by_kind in varied["connections"].items()
    }


def test_a_poll_is_left_where_it_would_begin_again() -> None:
    """The connection back is cut, and not the one by which the data enters the cycle."""
    edges = {
        "Start": [["Wait"]],
        "Wait": [["Ask"]],
        "Ask": [["Done"]],
        "Done": [["Save"], ["Wait"]],
    }
    varied = _vary(edges, Variant("Start", "forced", forced={"Done": frozenset({0, 1})}))
    assert varied == {**edges, "Done": [["Save"]]}


def test_a_pause_behind_a_decision_runs() -> None:
    """The nodes of the way back keep their connections up to the node where the data entered."""
    edges = {"Start": [["Ask"]], "Ask": [["Done"]], "Done": [[], ["Note"]], "Note": [["Ask"]]}
    varied = _vary(edges, Variant("Start", "forced", forced={"Done": frozenset({1})}))
    assert varied == {**edges, "Done": [["Note"]], "Note": [[]]}


def test_a_loop_over_batches_stays() -> None:
    """It counts its batches, so that a changed node in it cannot run without end."""
    edges = {"Start": [["Loop"]], "Loop": [["End"], ["Check"]], "Check": [["Loop"], []]}
    varied = _vary(edges, Variant("Start", "forced", forced={"Check": frozenset({0})}))
    assert varied == {**edges, "Check": [["Loop"]]}


def test_a_changed_loop_over_batches_is_passed_once() -> None:
    """Without its count, the way back to it is cut."""
    edges = {"Start": [["Loop"]], "Loop": [["End"], ["Check"]], "Check": [["Loop"]]}
    varied = _vary(edges, Variant("Start", "forced", forced={"Loop": frozenset({0, 1})}))
    assert varied == {"Start": [["Loop"]], "Loop": [["End", "Check"]], "Check": [[]]}
