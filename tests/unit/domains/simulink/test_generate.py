"""A request without a model at hand: planned over the catalog, the same every time."""

from __future__ import annotations

import orjson
import pytest

from grounded_builder.compiler.pipeline import compile_with_fixes
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.drafting.planner.propose import propose
from grounded_builder.ir.options import CompileOptions
from tests.support.simulink import simulink_registry


def test_a_sine_is_connected_to_a_scope_the_same_way_every_time() -> None:
    """Twenty plans of one request become the same bytes."""
    registry = simulink_registry()
    made = set()
    for _ in range(20):
        proposal = propose("connect a sine to a scope", SIMULINK, registry)
        compilation = compile_with_fixes(proposal.plan, SIMULINK, registry, CompileOptions())
        assert compilation.verdict == "ok"
        assert compilation.plan is not None
        tools = [node["tool_id"] for node in compilation.plan.nodes]
        assert tools == ["simulink/Sources/Sine Wave", "simulink/Sinks/Scope"]
        assert len(compilation.plan.connections) == 1
        made.add(orjson.dumps(compilation.artifact))
    assert len(made) == 1


CHAINS = {
    "a step through a gain of 5 into an integrator shown on a scope": (
        ["Step", "Gain", "Integrator", "Scope"],
        {"Gain": {"Gain": "5"}},
    ),
    "a ramp and a constant of 4 into a product, then to a scope": (
        ["Ramp", "Constant", "Product", "Scope"],
        {"Constant": {"Value": "4"}},
    ),
    "PI controller in closed loop with a transfer function, a step reference and a scope": (
        ["Step", "Sum", "PID Controller", "Transfer Fcn", "Scope"],
        {"PID Controller": {"Controller": "PI"}},
    ),
}


@pytest.mark.parametrize(("request_", "tools", "params"), [(k, *v) for k, v in CHAINS.items()])
def test_blocks_that_a_request_names_are_connected(
    request_: str, tools: list[str], params: dict[str, dict[str, str]]
) -> None:
    """Sources come first, sinks last, numbers reach the blocks that they stand behind."""
    registry = simulink_registry()
    proposal = propose(request_, SIMULINK, registry)
    assert proposal.refusal is None
    assert proposal.unplaced_clauses == ()
    made = compile_with_fixes(proposal.plan, SIMULINK, registry, CompileOptions())
    assert made.verdict == "ok", [diagnostic.message for diagnostic in made.diagnostics]
    assert made.plan is not None
    named = [registry.tools[str(node["tool_id"])].name for node in made.plan.nodes]
    assert named == tools
    for node, name in zip(made.plan.nodes, named, strict=True):
        assert params.get(name, {}).items() <= node["params"].items()


def test_request_without_block_is_not_drawn() -> None:
    """A request without a known block is refused, or reported as not covered."""
    proposal = propose("build a flux capacitor", SIMULINK, simulink_registry())
    assert proposal.refusal is not None


def test_generate_lists_omitted_parts() -> None:
    """Parts of a request without a block, and numbers without a parameter, are listed."""
    proposal = propose(
        "lead a step of 2 through a flux compensator with 77 teeth. A gain of 3 to a scope",
        SIMULINK,
        simulink_registry(),
    )
    named = " | ".join(proposal.unplaced_notes)
    assert '"flux compensator", "77 teeth"' in named
    assert [step["tool"] for step in proposal.plan["steps"]] == [
        "simulink/Math Operations/Gain", "simulink/Sinks/Scope",
    ]  # fmt: skip
