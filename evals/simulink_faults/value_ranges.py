"""Injects values that a block or a solver refuses into a model (third set); returns places."""

from __future__ import annotations

from collections.abc import Mapping

from evals.simulink_faults.fault import Places
from evals.simulink_faults.fault_places import add_fed_block, pick_diagram, pick_running_block
from evals.simulink_faults.scene import Scene

_ONE: Mapping[str, str] = {"Value": "1"}


def cross_slew_rates(scene: Scene) -> Places | None:
    """Sets a rising slew limit below the falling one."""
    return add_fed_block(scene, "RateLimiter", _ONE, RisingSlewLimit="-2", FallingSlewLimit="1")


def cross_random_range(scene: Scene) -> Places | None:
    """Sets a minimum of random numbers above the maximum."""
    return add_fed_block(scene, "UniformRandomNumber", Minimum="2", Maximum="-1")


def set_negative_variance(scene: Scene) -> Places | None:
    """Sets a negative variance."""
    return add_fed_block(scene, "RandomNumber", Mean="0", Variance="-1")


def exceed_period(scene: Scene) -> Places | None:
    """Sets a pulse longer than its period."""
    return add_fed_block(
        scene, "DiscretePulseGenerator", PulseType="Time based", Period="2", PulseWidth="150"
    )


def set_negative_backlash(scene: Scene) -> Places | None:
    """Sets a negative width of a backlash."""
    return add_fed_block(scene, "Backlash", _ONE, BacklashWidth="-1")


def set_negative_dead_time(scene: Scene) -> Places | None:
    """Sets a negative delay time."""
    return add_fed_block(scene, "TransportDelay", _ONE, DelayTime="-0.5")


def set_step_lengths(scene: Scene) -> Places | None:
    """Sets two step times and three final values."""
    return add_fed_block(scene, "Step", Time="[1 2]", Before="0", After="[1 2 3]")


def set_sine_lengths(scene: Scene) -> Places | None:
    """Sets two amplitudes and three frequencies of a sine."""
    return add_fed_block(scene, "Sin", Amplitude="[1 2]", Bias="0", Frequency="[1 2 3]", Phase="0")


def hold_continuously(scene: Scene) -> Places | None:
    """Sets the sample time of a hold to zero."""
    return add_fed_block(scene, "ZeroOrderHold", _ONE, SampleTime="0")


def exceed_offset(scene: Scene) -> Places | None:
    """Sets an offset longer than the sample time."""
    return add_fed_block(scene, "UnitDelay", _ONE, SampleTime="[0.1 0.3]")


def _change_settings(scene: Scene, **settings: str) -> None:
    scene.model["settings"] = scene.model.get("settings", {}) | settings


def stop_before_start(scene: Scene) -> Places | None:
    """Sets a stop time before the start time."""
    if not scene.whole:
        return None
    _change_settings(scene, StartTime="5.0", StopTime="1.0")
    return (("settings",),)


def use_unknown_solver(scene: Scene) -> Places | None:
    """Sets a solver that does not exist."""
    if not scene.whole:
        return None
    _change_settings(scene, Solver="ode99", SolverName="ode99")
    return (("settings",),)


def set_negative_step(scene: Scene) -> Places | None:
    """Sets a negative fixed step."""
    if not scene.whole:
        return None
    _change_settings(scene, Solver="ode4", SolverName="ode4", FixedStep="-0.01")
    return (("settings",),)


def add_state_to_discrete_model(scene: Scene) -> Places | None:
    """Adds a continuous state to a model with a discrete solver."""
    diagram = pick_diagram(scene)
    if diagram is None:
        return None
    _change_settings(
        scene, Solver="FixedStepDiscrete", SolverName="FixedStepDiscrete", FixedStep="0.01"
    )
    block = diagram.add("Integrator")
    diagram.join(diagram.add("Constant", Value="1"), block)
    diagram.join(block, diagram.add("Terminator"))
    return diagram.at(block), ("settings",)


def repeat_case(scene: Scene) -> Places | None:
    """Repeats a case of a switch."""
    return add_fed_block(scene, "SwitchCase", _ONE, CaseConditions="{1,2,1}", ShowDefaultCase="off")


def read_missing_input(scene: Scene) -> Places | None:
    """Reads the third of two inputs in a condition."""
    return add_fed_block(scene, "If", _ONE, _ONE, NumInputs="2", IfExpression="u1 > 0 & u3 < 2")


def break_condition(scene: Scene) -> Places | None:
    """Sets a condition that does not parse."""
    return add_fed_block(scene, "If", _ONE, NumInputs="1", IfExpression="(u1 > ")


def break_function(scene: Scene) -> Places | None:
    """Sets an expression that does not parse."""
    text = scene.pick(["sin(u", "u(1) +", "2**u)", "u ="])
    return add_fed_block(scene, "Fcn", _ONE, Expr=text)


def read_missing_element(scene: Scene) -> Places | None:
    """Reads the third of two elements in an expression."""
    return add_fed_block(scene, "Fcn", {"Value": "[1 2]"}, Expr="u(1) + sin(u(3))")


def read_existing_elements(scene: Scene) -> Places | None:
    """Sets an expression of variables and existing elements."""
    return add_fed_block(scene, "Fcn", {"Value": "[1 2]"}, Expr="k*u(1) + (u(2) > a)*u[2]^2")


def set_times_by_variable(scene: Scene) -> Places | None:
    """Sets the times of a simulation to variables."""
    if pick_running_block(scene, "Gain", "Sum") is None:
        return None
    _change_settings(scene, StartTime="t_0", StopTime="t_end", Solver="ode4", FixedStep="step")
    return (("settings",),)
