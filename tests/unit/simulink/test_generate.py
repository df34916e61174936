"""A request without a model at hand: planned over the catalog, the same every time."""

from __future__ import annotations

import orjson

from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.pipeline import correct
from grounded_builder.planner.propose import propose
from grounded_builder.setting import Setting
from tests.support.simulink import simulink_registry


def test_a_sine_is_connected_to_a_scope_the_same_way_every_time() -> None:
    """Twenty plans of one request become the same bytes."""
    registry = simulink_registry()
    made = set()
    for _ in range(20):
        proposal = propose("connect a sine to a scope", SIMULINK, registry)
        compilation = correct(proposal.plan, SIMULINK, registry, Setting())
        assert compilation.verdict == "ok"
        assert compilation.plan is not None
        tools = [node["tool_id"] for node in compilation.plan.nodes]
        assert tools == ["simulink/Sources/Sine Wave", "simulink/Sinks/Scope"]
        assert len(compilation.plan.connections) == 1
        made.add(orjson.dumps(compilation.artifact))
    assert len(made) == 1
