"""Plans of models, compiled against the catalog that ships with the package, and their parts."""

from __future__ import annotations

from typing import Any

from grounded_builder.compiler.pipeline import Compilation, compile_with_fixes
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.ir.options import CompileOptions
from tests.support.simulink import simulink_registry


def step(id_: str, tool: str, *inputs: Any, **more: Any) -> dict[str, Any]:
    """A step of a plan."""
    return {"id": id_, "tool": tool, "inputs": list(inputs), **more}


def made_of(*steps: dict[str, Any], goal: str = "") -> Compilation:
    """What a plan of these steps is compiled to."""
    plan = {"version": 1, "goal": goal, "steps": list(steps)}
    return compile_with_fixes(plan, SIMULINK, simulink_registry(), CompileOptions())


def wires_of(made: Compilation) -> set[str]:
    """The lines of the plan as ``id:port -> id:port``."""
    assert made.plan is not None
    return {f"{connection['from']} -> {connection['to']}" for connection in made.plan.connections}


def blocks_of(made: Compilation) -> dict[str, Any]:
    """The blocks of the model's top diagram by name."""
    assert made.artifact is not None
    return {block["name"]: block for block in made.artifact["model"]["system"]["blocks"]}


def inside_of(made: Compilation, name: str) -> dict[str, Any]:
    """The blocks of a subsystem by name."""
    return {block["name"]: block for block in blocks_of(made)[name]["system"]["blocks"]}
