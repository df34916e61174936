"""Injects values that a block or a solver refuses into a model (third set); returns places."""

from __future__ import annotations

from collections.abc import Mapping

from evals.simulink_faults.fault import Places
from evals.simulink_faults.fault_places import pick_running_block, put, room
from evals.simulink_faults.scene import Scene

_ONE: Mapping[str, str] = {"Value": "1"}


def slew_rates_crossed(scene: Scene) -> Places | None:
    """A signal may rise at most by less than it must fall."""
    return put(scene, "RateLimiter", _ONE, RisingSlewLimit="-2", FallingSlewLimit="1")


def random_range_crossed(scene: Scene) -> Places | None:
    """The least random number is above the greatest."""
    return put(scene, "UniformRandomNumber", Minimum="2", Maximum="-1")


def negative_variance(scene: Scene) -> Places | None:
    """A random number has a negative variance."""
    return put(scene, "RandomNumber", Mean="0", Variance="-1")


def pulse_over_period(scene: Scene) -> Places | None:
    """A pulse is longer than its period."""
    return put(
        scene, "DiscretePulseGenerator", PulseType="Time based", Period="2", PulseWidth="150"
    )


def negative_backlash(scene: Scene) -> Places | None:
    """A backlash has a negative width."""
    return put(scene, "Backlash", _ONE, BacklashWidth="-1")


def negative_dead_time(scene: Scene) -> Places | None:
    """A signal comes before it is sent."""
    return put(scene, "TransportDelay", _ONE, DelayTime="-0.5")


def step_of_two_lengths(scene: Scene) -> Places | None:
    """A step rises at two times to three values."""
    return put(scene, "Step", Time="[1 2]", Before="0", After="[1 2 3]")


def sine_of_two_lengths(scene: Scene) -> Places | None:
    """A sine has two amplitudes and three frequencies."""
    return put(scene, "Sin", Amplitude="[1 2]", Bias="0", Frequency="[1 2 3]", Phase="0")


def held_continuously(scene: Scene) -> Places | None:
    """A hold has a sample time of zero."""
    return put(scene, "ZeroOrderHold", _ONE, SampleTime="0")


def offset_beyond(scene: Scene) -> Places | None:
    """An offset is longer than the period."""
    return put(scene, "UnitDelay", _ONE, SampleTime="[0.1 0.3]")


def _settings(scene: Scene, **settings: str) -> None:
    scene.model["settings"] = scene.model.get("settings", {}) | settings


def stop_before_start(scene: Scene) -> Places | None:
    """A simulation stops before it starts."""
    if not scene.whole:
        return None
    _settings(scene, StartTime="5.0", StopTime="1.0")
    return (("settings",),)


def unknown_solver(scene: Scene) -> Places | None:
    """There is no such solver."""
    if not scene.whole:
        return None
    _settings(scene, Solver="ode99", SolverName="ode99")
    return (("settings",),)


def negative_step(scene: Scene) -> Places | None:
    """A fixed step goes backwards."""
    if not scene.whole:
        return None
    _settings(scene, Solver="ode4", SolverName="ode4", FixedStep="-0.01")
    return (("settings",),)


def states_without_solver(scene: Scene) -> Places | None:
    """A solver without continuous states is chosen for a model that has one."""
    diagram = room(scene)
    if diagram is None:
        return None
    _settings(scene, Solver="FixedStepDiscrete", SolverName="FixedStepDiscrete", FixedStep="0.01")
    block = diagram.add("Integrator")
    diagram.join(diagram.add("Constant", Value="1"), block)
    diagram.join(block, diagram.add("Terminator"))
    return diagram.at(block), ("settings",)


def repeated_case(scene: Scene) -> Places | None:
    """Two cases are the same."""
    return put(scene, "SwitchCase", _ONE, CaseConditions="{1,2,1}", ShowDefaultCase="off")


def condition_of_absent_input(scene: Scene) -> Places | None:
    """A condition asks for the third of two inputs."""
    return put(scene, "If", _ONE, _ONE, NumInputs="2", IfExpression="u1 > 0 & u3 < 2")


def broken_condition(scene: Scene) -> Places | None:
    """A condition ends in the middle."""
    return put(scene, "If", _ONE, NumInputs="1", IfExpression="(u1 > ")


def broken_function(scene: Scene) -> Places | None:
    """An expression of the input ends in the middle."""
    text = scene.pick(["sin(u", "u(1) +", "2**u)", "u ="])
    return put(scene, "Fcn", _ONE, Expr=text)


def function_of_absent_element(scene: Scene) -> Places | None:
    """An expression asks for the third of two elements."""
    return put(scene, "Fcn", {"Value": "[1 2]"}, Expr="u(1) + sin(u(3))")


def function_of_few_elements(scene: Scene) -> Places | None:
    """An expression of variables and of elements that are there."""
    return put(scene, "Fcn", {"Value": "[1 2]"}, Expr="k*u(1) + (u(2) > a)*u[2]^2")


def settings_by_variable(scene: Scene) -> Places | None:
    """Times of a simulation are variables."""
    if pick_running_block(scene, "Gain", "Sum") is None:
        return None
    _settings(scene, StartTime="t_0", StopTime="t_end", Solver="ode4", FixedStep="step")
    return (("settings",),)
