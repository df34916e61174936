"""Injects loops without a delay, and look-alikes, into a model (third set); returns places."""

from __future__ import annotations

from typing import Any

from evals.simulink_faults.fault import Places
from evals.simulink_faults.fault_places import add_subsystem, pick_diagram
from evals.simulink_faults.scene import Diagram, Scene


def _add_loop(scene: Scene, kind: str, **values: str) -> Places | None:
    """Adds a loop of a sum and a block of this type."""
    diagram = pick_diagram(scene)
    if diagram is None:
        return None
    return _close_loop(diagram, diagram.add(kind, **values))


def _close_loop(diagram: Diagram, block: dict[str, Any], port: int = 1) -> Places:
    total = diagram.add("Sum", Inputs="+-")
    diagram.join(diagram.add("Constant", Value="1"), total, 1)
    diagram.join(total, block, port)
    back = diagram.join(block, total, 2)
    return diagram.at(total), diagram.at(block), diagram.at_line(back)


def loop_through_equal_orders(scene: Scene) -> Places | None:
    """Adds a loop through a transfer function with direct feedthrough."""
    return _add_loop(scene, "TransferFcn", Numerator="[2 1]", Denominator="[1 3]")


def loop_through_direct_space(scene: Scene) -> Places | None:
    """Adds a loop through a state space with direct feedthrough."""
    return _add_loop(scene, "StateSpace", A="-1", B="1", C="1", D="0.5")


def loop_through_zero_delay(scene: Scene) -> Places | None:
    """Adds a loop through a delay of zero samples."""
    return _add_loop(scene, "Delay", DelayLength="0")


def loop_through_backward_integrator(scene: Scene) -> Places | None:
    """Adds a loop through an integrator that uses its newest input."""
    return _add_loop(scene, "DiscreteIntegrator", IntegratorMethod="Integration: Backward Euler")


def loop_through_subsystem(scene: Scene) -> Places | None:
    """Adds a loop through two nested subsystems that contain only gains."""
    return _choose_nested(scene, "Gain")


def loop_through_delayed_subsystem(scene: Scene) -> Places | None:
    """Adds a loop through two nested subsystems that contain a delay."""
    return _choose_nested(scene, "UnitDelay")


def _choose_nested(scene: Scene, kind: str) -> Places | None:
    diagram = pick_diagram(scene)
    if diagram is None:
        return None
    block, outer = add_subsystem(diagram, "Inport", "Outport")
    deep, inner = add_subsystem(outer, "Inport", kind, "Outport")
    outer.join(outer.blocks[0], deep)
    outer.join(deep, outer.blocks[1])
    for first, second in zip(inner.blocks, inner.blocks[1:], strict=False):
        inner.join(first, second)
    return *_close_loop(diagram, block), *(inner.at(item) for item in inner.blocks)


def loop_through_tags(scene: Scene) -> Places | None:
    """Adds a loop that is closed through a tag."""
    diagram = pick_diagram(scene)
    if diagram is None:
        return None
    gain, total = diagram.add("Gain", Gain="0.5"), diagram.add("Sum", Inputs="++")
    diagram.join(diagram.add("Constant", Value="1"), total, 1)
    diagram.join(diagram.add("From", GotoTag="injected_circle"), total, 2)
    diagram.join(total, gain)
    goto = diagram.add("Goto", GotoTag="injected_circle")
    diagram.join(gain, goto)
    return tuple(diagram.at(item) for item in (total, gain, goto))


def loop_through_lookup(scene: Scene) -> Places | None:
    """Adds a loop through a lookup table and a saturation."""
    diagram = pick_diagram(scene)
    if diagram is None:
        return None
    table = diagram.add("Lookup_n-D", NumberOfTableDimensions="1")
    total, limit = diagram.add("Sum", Inputs="+-"), diagram.add("Saturate")
    diagram.join(diagram.add("Constant", Value="1"), total, 1)
    diagram.join(total, table)
    diagram.join(table, limit)
    diagram.join(limit, total, 2)
    return tuple(diagram.at(item) for item in (total, table, limit))
