"""Tests the graph of a model, and the findings on a malformed one."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.domains.simulink.read.graph import read
from tests.support.simulink_models import block, model, system


def test_blocks_of_all_diagrams_are_nodes() -> None:
    """A node is named by its path, and its tool is its library path or its BlockType."""
    inner = system([block("a/b", "Gain")])
    linked = block("l", "", source="lib/A\nblock")
    graph = read(model([block("sub", "SubSystem", inner), linked])).graph
    assert graph is not None
    assert [(node.name, node.tool) for node in graph.nodes] == [
        ("sub", "built-in/SubSystem"),
        ("l", "lib/A block"),
        ("sub/a//b", "built-in/Gain"),
    ]
    assert graph.nodes[2].at == ("system", "blocks", 0, "system", "blocks", 0)


def test_every_end_of_a_line_is_an_edge() -> None:
    """A branched line gives an edge for each block that it arrives at."""
    blocks = [block("one", "Constant"), block("a", "Terminator"), block("b", "Terminator")]
    graph = read(model(blocks, "one -> a, b")).graph
    assert graph is not None
    assert [(edge.source, edge.target, edge.target_index) for edge in graph.edges] == [
        ("one", "a", 0),
        ("one", "b", 0),
    ]


@pytest.mark.parametrize("document", [None, [], "model", {}, {"system": []}, {"nodes": []}])
def test_another_document_is_no_model(document: Any) -> None:
    """A document without a system is reported as no Simulink model."""
    reading = read(document)
    assert reading.graph is None
    assert [d.code for d in reading.diagnostics] == ["GB106"]


GOOD = {"sid": "1", "name": "a", "type": "Gain"}


@pytest.mark.parametrize(
    "part",
    [
        {"blocks": {}, "lines": []},
        {"blocks": []},
        {"blocks": [3], "lines": []},
        {"blocks": [{"name": "a"}], "lines": []},
        {"blocks": [{**GOOD, "parameters": {"Gain": 2}}], "lines": []},
        {"blocks": [{**GOOD, "parameters": []}], "lines": []},
        {"blocks": [{**GOOD, "ports": {"in": "2"}}], "lines": []},
        {"blocks": [GOOD, GOOD], "lines": []},
        {"blocks": [{**GOOD, "system": []}], "lines": []},
        {"blocks": [{**GOOD, "mask": 1}], "lines": []},
        {"blocks": [{**GOOD, "source": 1}], "lines": []},
        {"blocks": [GOOD], "lines": [1]},
        {"blocks": [GOOD], "lines": [{"from": "1"}]},
        {"blocks": [GOOD], "lines": [{"from": {"block": "1", "kind": "up", "index": 1}}]},
        {"blocks": [GOOD], "lines": [{"branches": {}}]},
    ],
)
def test_a_part_out_of_shape_is_reported(part: Any) -> None:
    """Every departure from the shape is a finding, never an exception."""
    reading = read({"simulink": 1, "system": part})
    assert reading.graph is None
    assert {d.code for d in reading.diagnostics} == {"SLX104"}
