"""How long and by which solver a draft runs."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.compiler.pipeline import Compilation, compile_draft
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.ir.options import CompileOptions
from tests.support.simulink import simulink_registry


def make_plan(**settings: Any) -> Compilation:
    """A plan of a step on a scope, with these settings of its model."""
    steps = [{"id": "a", "tool": "Step"}, {"id": "b", "tool": "Scope", "inputs": ["a"]}]
    plan = {"goal": "x", "model": {"settings": settings}, "steps": steps}
    return compile_draft(plan, SIMULINK, simulink_registry(), CompileOptions())


def test_the_settings_of_a_draft_reach_the_script() -> None:
    """The simulation settings of a plan are written into the model unchanged."""
    compilation = make_plan(StopTime="20", Solver="ode45", MaxStep=0.5)
    assert compilation.artifact is not None
    assert "set_param(model, 'StopTime', '20', 'Solver', 'ode45'" in compilation.artifact["script"]
    assert compilation.artifact["model"]["settings"]["MaxStep"] == "0.5"


@pytest.mark.parametrize(
    ("name", "value"),
    [("StopTime", "system('ls')"), ("StopTime", -1), ("Solver", "ode99"), ("FixedStep", [1])],
)
def test_an_unknown_setting_is_reported(name: str, value: Any) -> None:
    """A value that acts or has no meaning is left out, and said."""
    compilation = make_plan(**{name: value})
    assert compilation.artifact is not None
    assert "settings" not in compilation.artifact["model"]
    assert [d.code for d in compilation.diagnostics if d.at[-1:] == (name,)] == ["GB110"]


def test_draft_cannot_set_callback() -> None:
    """A callback among the settings of a draft is never written."""
    compilation = make_plan(InitFcn="disp(1)", StopTime="5")
    assert compilation.artifact is not None
    assert compilation.artifact["model"]["settings"] == {"StopTime": "5"}
    assert "InitFcn" not in compilation.artifact["script"]
