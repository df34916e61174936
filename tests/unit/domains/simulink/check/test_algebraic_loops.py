"""Algebraic loops: of the motor that a PI controller drives, and through every kind of border."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.compiler.pipeline import Compilation, compile_draft, compile_with_fixes
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.simulink.build.slx.package import package_of
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.domains.simulink.read.model import open_model
from grounded_builder.ir.options import CompileOptions
from tests.support.simulink import simulink_registry
from tests.support.simulink_models import block, check_model, codes, model, system

ONE = block("one", "Constant")
SUM = block("sum", "Sum", Inputs="++")
K = block("k", "Gain")


def _motor(armature: str) -> Compilation:
    """A PI controller with a motor as one draws it; ``armature`` turns torque into speed."""
    steps: list[dict[str, Any]] = [
        {"id": "reference", "tool": "Step"},
        {
            "id": "error",
            "tool": "Sum",
            "params": {"Inputs": "|+-"},
            "inputs": ["reference", {"from": "motor", "back": True, "input": 2}],
        },
        {"id": "kp", "tool": "Gain", "params": {"Gain": "2"}, "inputs": ["error"]},
        {"id": "ki", "tool": "Gain", "params": {"Gain": "5"}, "inputs": ["error"]},
        {"id": "integral", "tool": "Integrator", "inputs": ["ki"]},
        {"id": "pi", "tool": "Sum", "params": {"Inputs": "++"}, "inputs": ["kp", "integral"]},
        {"id": "torque", "tool": "Gain", "params": {"Gain": "0.5"}, "inputs": ["pi"]},
        {"id": "motor", "tool": armature, "inputs": ["torque"]},
        {"id": "speed", "tool": "Scope", "inputs": ["motor"]},
    ]
    plan = {"version": 1, "goal": "a PI-controlled DC motor", "steps": steps}
    return compile_with_fixes(plan, SIMULINK, simulink_registry(), CompileOptions())


def _read_back(made: Compilation) -> tuple[Diagnostic, ...]:
    """Returns the findings on a model that was written as a file and read again."""
    assert made.artifact is not None
    again, diagnostics = open_model(package_of(made.artifact["model"]).raw, "motor")
    assert again is not None
    assert not diagnostics
    return compile_draft(again, SIMULINK, simulink_registry(), CompileOptions()).diagnostics


def _loops(expected: tuple[Diagnostic, ...]) -> list[str]:
    return [diagnostic.message for diagnostic in expected if diagnostic.code == "SLX326"]


def test_the_closed_loop_motor_is_no_algebraic_loop() -> None:
    """A cycle through an integrator compiles, from the plan and from the file made of it."""
    made = _motor("Integrator")
    assert made.verdict == "ok"
    assert _loops(made.diagnostics) == []
    assert _loops(_read_back(made)) == []


def test_the_motor_without_its_integrator_is_an_algebraic_loop() -> None:
    """With a gain in place of the integrator the cycle is reported with its blocks."""
    made = _motor("Gain")
    for diagnostics in (made.diagnostics, _read_back(made)):
        (loop,) = _loops(diagnostics)
        assert loop.startswith("algebraic loop: ")
        assert '"Integrator"' not in loop


@pytest.mark.parametrize(("controller", "loops"), [("PI", True), ("I", False)])
def test_a_controller_block_passes_its_input_on_unless_it_only_integrates(
    controller: str, *, loops: bool
) -> None:
    """A PID Controller around a gain is a loop as its terms say."""
    plan = {
        "version": 1,
        "goal": "a controlled gain",
        "steps": [
            {"id": "r", "tool": "Step"},
            {
                "id": "e",
                "tool": "Sum",
                "params": {"Inputs": "|+-"},
                "inputs": ["r", {"from": "p", "back": True, "input": 2}],
            },
            {
                "id": "c",
                "tool": "PID Controller",
                "params": {"Controller": controller},
                "inputs": ["e"],
            },
            {"id": "p", "tool": "Gain", "inputs": ["c"]},
            {"id": "o", "tool": "Scope", "inputs": ["p"]},
        ],
    }
    made = compile_with_fixes(plan, SIMULINK, simulink_registry(), CompileOptions())
    assert bool(_loops(made.diagnostics)) is loops


def _around(sub: dict[str, Any], *more: str) -> dict[str, Any]:
    return model([ONE, SUM, sub], "one -> sum:1", "sum -> sub", "sub -> sum:2", *more)


def _inner(*blocks: dict[str, Any], way: tuple[str, ...]) -> dict[str, Any]:
    return system([block("i", "Inport"), *blocks, block("o", "Outport")], *way)


@pytest.mark.parametrize("kind", ["EnablePort", "TriggerPort", "ResetPort"])
@pytest.mark.parametrize(("middle", "loops"), [("Gain", True), ("UnitDelay", False)])
def test_loops_through_what_is_controlled(kind: str, middle: str, *, loops: bool) -> None:
    """A controlled subsystem neither makes nor breaks a loop through its signals."""
    inner = _inner(block("c", kind), block("k", middle), way=("i -> k", "k -> o"))
    port = {"EnablePort": "enable", "TriggerPort": "trigger", "ResetPort": "reset"}[kind]
    sub = block("sub", "SubSystem", inner)
    document = model(
        [ONE, SUM, sub],
        f"one -> sum:1, sub.{port}1",
        "sum -> sub",
        "sub -> sum:2",
    )
    assert ("SLX326" in codes(document)) is loops


@pytest.mark.parametrize("kind", ["EnablePort", "TriggerPort"])
def test_control_signal_of_subsystem_feeds_through(kind: str) -> None:
    """An undelayed output that controls its own subsystem is a loop; a delayed one is not."""
    port = {"EnablePort": "enable", "TriggerPort": "trigger"}[kind]
    inner = _inner(block("c", kind), block("k", "UnitDelay"), way=("i -> k", "k -> o"))
    sub = block("sub", "SubSystem", inner)
    for between, loops in (("Gain", True), ("UnitDelay", False)):
        document = model(
            [ONE, sub, block("b", between)], "one -> sub", "sub -> b", f"b -> sub.{port}1"
        )
        assert ("SLX326" in codes(document)) is loops


@pytest.mark.parametrize(
    ("given", "loops"),
    [
        ({"TreatAsAtomicUnit": "on"}, True),
        ({"TreatAsAtomicUnit": "on", "MinAlgLoopOccurrences": "on"}, False),
        ({}, False),
    ],
)
def test_atomic_subsystem_waits_for_all_inputs(given: dict[str, str], *, loops: bool) -> None:
    """Two paths through an atomic subsystem form a loop if one feeds the other."""
    inner = system(
        [
            block("i", "Inport"),
            block("j", "Inport", Port="2"),
            block("k", "Gain"),
            block("l", "Gain"),
            block("o", "Outport"),
            block("p", "Outport", Port="2"),
        ],
        "i -> k",
        "k -> o",
        "j -> l",
        "l -> p",
    )
    sub = block("sub", "SubSystem", inner, **given)
    document = model([ONE, sub, block("t", "Terminator")], "one -> sub:1", "sub:1 -> sub:2")
    document["system"]["lines"].append(
        {
            "from": {"block": "sub", "kind": "out", "index": 2},
            "to": {"block": "t", "kind": "in", "index": 1},
        }
    )
    assert ("SLX326" in codes(document)) is loops


@pytest.mark.parametrize(("kind", "inputs"), [("Switch", 3), ("Merge", 2), ("MultiPortSwitch", 4)])
def test_every_input_of_what_chooses_feeds_through(kind: str, inputs: int) -> None:
    """A loop through any input of a switch, or of a merge, is one."""
    for looping in range(1, inputs + 1):
        others = ", ".join(f"b:{n}" for n in range(1, inputs + 1) if n != looping)
        document = model(
            [ONE, block("b", kind), K], f"one -> {others}", "b -> k", f"k -> b:{looping}"
        )
        assert [diagnostic.code for diagnostic in check_model(document)].count("SLX326") == 1


def test_a_scoped_tag_closes_a_loop_from_below() -> None:
    """A tag that a scope makes visible leads out of a subsystem."""
    inner = system(
        [block("i", "Inport"), K, block("g", "Goto", GotoTag="x", TagVisibility="scoped")],
        "i -> k",
        "k -> g",
    )
    scope = block("v", "GotoTagVisibility", GotoTag="x")
    document = model(
        [ONE, SUM, block("sub", "SubSystem", inner), scope, block("f", "From", GotoTag="x")],
        "one -> sum:1",
        "sum -> sub",
        "f -> sum:2",
    )
    assert "SLX326" in codes(document)


def test_a_state_port_is_no_loop() -> None:
    """The state port of an integrator shows the state as it was, so what it leads to may reset."""
    integrator = block(
        "int", "Integrator", ExternalReset="rising", ShowStatePort="on", InitialCondition="0"
    )
    document = model(
        [ONE, integrator, K, block("t", "Terminator")],
        "one -> int:1",
        "int.state1 -> k",
        "k -> int:2",
        "int -> t",
    )
    assert "SLX326" not in codes(document)
    again = model(
        [ONE, integrator, K, block("t", "Terminator")], "one -> int:1", "int -> k", "k -> int:2"
    )
    assert "SLX326" in codes(again)
