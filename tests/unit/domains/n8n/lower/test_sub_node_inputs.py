"""Inputs of sub-nodes lead to the step that is served, or are reported."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import Compilation, compile_with_fixes
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from tests.support.layout_plans import make_layout_registry
from tests.unit.domains.n8n.drafts import START, registry, tool


@pytest.fixture(scope="module")
def layout_tools() -> Registry:
    return make_layout_registry()


def _compile_model(known: Registry, **model: Any) -> Compilation:
    steps = [
        {"id": "begin", "tool": "acme-nodes.start"},
        {"id": "other", "tool": "acme-nodes.start"},
        {"id": "agent", "tool": "acme-nodes.agent1", "inputs": ["begin"]},
        {"id": "model", "tool": "acme-nodes.model"} | model,
    ]
    plan = {"version": 1, "goal": "Answer", "steps": steps}
    return compile_with_fixes(plan, N8N, known, CompileOptions())


@pytest.mark.parametrize(
    "model",
    [
        {"inputs": ["agent"]},
        {"inputs": ["begin", "agent"]},
        {"inputs": ["agent", "other"]},
        {"for": "agent", "inputs": ["begin"]},
        {"for": "agent", "after": "other"},
        {"for": "agent", "inputs": [{"from": "agent", "output": 3}]},
    ],
)
def test_a_sub_node_serves_the_step_that_takes_it(
    layout_tools: Registry, model: dict[str, Any]
) -> None:
    compilation = _compile_model(layout_tools, **model)
    assert compilation.artifact is not None, compilation.diagnostics
    names = [node["name"] for node in compilation.artifact["nodes"]]
    (targets,) = compilation.artifact["connections"][names[3]]["ai_model"]
    assert [edge["node"] for edge in targets] == [names[2]]


@pytest.mark.parametrize(
    ("model", "code", "place"),
    [
        ({"for": "agent", "inputs": ["other"]}, "GB117", ("inputs", 0)),
        ({"inputs": ["agent", "other"]}, "GB117", ("inputs", 1)),
        ({"for": "agent", "after": "other"}, "GB117", ("after",)),
        ({"for": "nobody", "inputs": ["other"]}, "GB117", ("inputs", 0)),
        # The step before the agent feeds the agent, not its model.
        ({"for": "agent", "inputs": ["begin"]}, "GB110", ("inputs", 0)),
        ({"inputs": [{"from": "agent", "output": 3}]}, "GB110", ("inputs", 0)),
        ({"inputs": [{"from": "agent", "input": 2}]}, "GB110", ("inputs", 0)),
        ({"inputs": [{"from": "agent", "back": True}]}, "GB110", ("inputs", 0)),
    ],
)
def test_an_input_without_a_connection_is_named(
    layout_tools: Registry, model: dict[str, Any], code: str, place: tuple[str | int, ...]
) -> None:
    findings = _compile_model(layout_tools, **model).diagnostics
    assert ("steps", 3, *place) in [d.at for d in findings if d.code == code]


def test_an_input_that_names_the_served_step_needs_no_note(layout_tools: Registry) -> None:
    for model in ({"inputs": ["agent"]}, {"for": "agent", "inputs": ["agent"]}, {"for": "agent"}):
        findings = _compile_model(layout_tools, **model).diagnostics
        assert [d for d in findings if d.code in ("GB110", "GB117")] == []


def test_all_inputs_that_do_not_take_a_sub_node_are_errors(layout_tools: Registry) -> None:
    findings = _compile_model(layout_tools, inputs=["begin", "other"]).diagnostics
    text = " ".join(d.message for d in findings if d.code == "GB314")
    assert 'to "Begin"' in text
    assert 'to "Other"' in text


def test_the_second_model_is_connected_to_the_second_input() -> None:
    """An agent with a fallback has two inputs for models; steps fill them in drafted order."""
    model = tool("acme-nodes.model", inputs=[], outputs=[{"kind": "ai_model"}])
    inputs = [{"kind": "main"}, {"kind": "ai_model"}, {"kind": "ai_model", "name": "Fallback"}]
    known = registry(model, tool("acme-nodes.judge", inputs=inputs))
    steps = [
        {"id": "start", "tool": START},
        {"id": "judge", "tool": "acme-nodes.judge"},
        {"id": "large", "tool": "acme-nodes.model", "for": "judge"},
        {"id": "small", "tool": "acme-nodes.model", "for": "judge"},
    ]
    plan = {"version": 1, "goal": "Judge", "steps": steps}
    compilation = compile_with_fixes(plan, N8N, known, CompileOptions())
    assert compilation.artifact is not None, compilation.diagnostics
    names = [node["name"] for node in compilation.artifact["nodes"]]
    edges = [compilation.artifact["connections"][name]["ai_model"][0][0] for name in names[2:4]]
    assert [(edge["node"], edge["index"]) for edge in edges] == [(names[1], 0), (names[1], 1)]
