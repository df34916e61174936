"""Injects contradictory values of one block into a model (second set); returns their places."""

from __future__ import annotations

from typing import Any

from evals.simulink_faults.fault import Places
from evals.simulink_faults.scene import Diagram, Scene, is_active


def _place_block(scene: Scene, kind: str) -> tuple[Diagram, dict[str, Any]] | None:
    """Returns an active block of a type, or adds one next to another block."""
    here = [item for item in scene.blocks(kind) if is_active(item[1])]
    if here:
        return scene.pick(here)  # type: ignore[no-any-return] # picks from the list
    others = [item for item in scene.blocks("Gain", "Sum", "Integrator") if is_active(item[1])]
    if not others:
        return None
    diagram, block = scene.pick(others)
    added = diagram.add(kind)
    line = next((line for line, _ in diagram.list_incoming_lines(block)), None)
    if line is not None:
        diagram.lines.append(
            {
                "from": dict(line["from"]),
                "to": {"block": added["sid"], "kind": "in", "index": 1},
            }
        )
    return diagram, added


def _set_values(scene: Scene, kind: str, **values: str) -> Places | None:
    chosen = _place_block(scene, kind)
    if chosen is None:
        return None
    diagram, block = chosen
    block["parameters"] = block.get("parameters", {}) | values
    return (diagram.at(block),)


def raise_numerator_order(scene: Scene) -> Places | None:
    """Makes the order of a numerator higher than that of the denominator."""
    return _set_values(scene, "TransferFcn", Numerator="[1 2 3]", Denominator="[1 1]")


def set_more_zeros_than_poles(scene: Scene) -> Places | None:
    """Sets more zeros than poles."""
    return _set_values(scene, "ZeroPole", Zeros="[1 2 3]", Poles="[-1 -2]", Gain="[1]")


def set_wrong_input_matrix(scene: Scene) -> Places | None:
    """Sets an input matrix with more rows than the state matrix."""
    return _set_values(scene, "StateSpace", A="[0 1;-1 -1]", B="[1;0;0]", C="[1 0]", D="0")


def set_wide_state_matrix(scene: Scene) -> Places | None:
    """Sets a state matrix that is not square."""
    return _set_values(scene, "StateSpace", A="[0 1 0;-1 -1 0]", B="[1;0]", C="[1 0]", D="0")


def set_table_of_other_size(scene: Scene) -> Places | None:
    """Sets a table of four entries over three breakpoints."""
    return _set_table(scene, "[1 2 3]", "[1 2 3 4]")


def set_falling_breakpoints(scene: Scene) -> Places | None:
    """Sets breakpoints that decrease."""
    return _set_table(scene, "[1 3 2]", "[1 2 3]")


def _set_table(scene: Scene, breakpoints: str, entries: str) -> Places | None:
    """Sets a table over one dimension."""
    chosen = _place_block(scene, "Lookup_n-D")
    if chosen is None:
        return None
    diagram, block = chosen
    block["parameters"] = {
        "NumberOfTableDimensions": "1",
        "BreakpointsForDimension1": breakpoints,
        "Table": entries,
    }
    return (diagram.at(block),)


def cross_limits(scene: Scene) -> Places | None:
    """Sets an upper limit below the lower one."""
    return _set_values(scene, "Saturate", UpperLimit="-2", LowerLimit="3")


def cross_zone(scene: Scene) -> Places | None:
    """Ends a dead zone before it starts."""
    return _set_values(scene, "DeadZone", LowerValue="0.5", UpperValue="-0.5")


def cross_relay(scene: Scene) -> Places | None:
    """Sets the switch-on point of a relay below its switch-off point."""
    return _set_values(scene, "Relay", OnSwitchValue="-1", OffSwitchValue="1")


def set_leading_zero(scene: Scene) -> Places | None:
    """Sets the first coefficient of a filter's denominator to zero."""
    return _set_values(
        scene,
        "DiscreteFilter",
        Numerator="[1]",
        Denominator="[0 1 0.5]",
        NumeratorSource="Dialog",
        DenominatorSource="Dialog",
    )


def set_noncausal_discrete(scene: Scene) -> Places | None:
    """Sets a discrete transfer function that is not causal."""
    return _set_values(
        scene,
        "DiscreteTransferFcn",
        Numerator="[1 2 3]",
        Denominator="[1 0.5]",
        NumeratorSource="Dialog",
        DenominatorSource="Dialog",
    )


def cross_integrator_limits(scene: Scene) -> Places | None:
    """Sets the upper limit of an integrator below its lower one."""
    return _set_values(
        scene,
        "Integrator",
        LimitOutput="on",
        UpperSaturationLimit="0",
        LowerSaturationLimit="1",
    )
