"""Makes plans of models, compiles them with the shipped catalog, and reads their parts."""

from __future__ import annotations

from typing import Any

from grounded_builder.compiler.pipeline import Compilation, compile_with_fixes
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.ir.options import CompileOptions
from tests.support.simulink import simulink_registry


def step(id_: str, tool: str, *inputs: Any, **more: Any) -> dict[str, Any]:
    """Returns a step of a plan."""
    return {"id": id_, "tool": tool, "inputs": list(inputs), **more}


def compile_steps(*steps: dict[str, Any], goal: str = "") -> Compilation:
    """Compiles a plan of these steps."""
    plan = {"version": 1, "goal": goal, "steps": list(steps)}
    return compile_with_fixes(plan, SIMULINK, simulink_registry(), CompileOptions())


def wires_of(made: Compilation) -> set[str]:
    """Returns the lines of the plan as ``id:port -> id:port``."""
    assert made.plan is not None
    return {f"{connection['from']} -> {connection['to']}" for connection in made.plan.connections}


def blocks_of(made: Compilation) -> dict[str, Any]:
    """Returns the blocks of the model's top diagram by name."""
    assert made.artifact is not None
    return {block["name"]: block for block in made.artifact["model"]["system"]["blocks"]}


def blocks_inside(made: Compilation, name: str) -> dict[str, Any]:
    """Returns the blocks of a subsystem by name."""
    return {block["name"]: block for block in blocks_of(made)[name]["system"]["blocks"]}
