"""Maps library paths of masks to the rules that derive the number of ports from parameters."""

from __future__ import annotations

from collections.abc import Mapping

from grounded_builder.domains.simulink.catalog.ports.parameter_texts import (
    Get,
    Rule,
    Shape,
    UnknownError,
    count_in,
    equals,
    is_on,
    is_set,
)


def _bitwise(get: Get) -> Shape:
    alone = get("logicop", "AND") == "NOT" or is_on(get, "UseBitMask", "on")
    return {"in": 1 if alone else count_in(get("NumInputPorts", "1")), "out": 1}


def _pid(get: Get, inputs: int) -> Shape:
    known = {"P": "P", "I": "I", "D": "D", "PI": "PI", "PD": "PDN", "PID": "PIDN"}
    external = equals(get, "ControllerParametersSource", "external")
    if external and get("Controller", "PID") not in known:
        raise UnknownError
    gains = len(known.get(get("Controller", "PID"), "")) if external else 0
    if external and "D" in get("Controller", "PID") and not is_on(get, "UseFilter", "on"):
        gains -= 1
    starts = 0
    if equals(get, "InitialConditionSource", "external"):
        starts = sum(name in get("Controller", "PID") for name in "ID")
    more = is_set(get, "ExternalReset") + is_on(get, "TrackingMode") + is_on(get, "UseExternalTs")
    return {"in": inputs + gains + starts + more, "out": 1}


_SENSED = ("Position", "Velocity", "Acceleration", "TorqueForce", "Force", "Torque")
_SENSED_AT_ALL = ("ConstraintForce", "ConstraintTorque", "TotalForce", "TotalTorque")


def _joint(*primitives: str) -> Rule:
    """Returns the rule of a joint: frames, actuation inputs and sensing outputs."""

    def rule(get: Get) -> Shape:
        driven = sum(
            equals(get, f"{primitive}MotionActuationMode", "InputMotion")
            + equals(get, f"{primitive}TorqueActuationMode", "InputTorque")
            + equals(get, f"{primitive}ForceActuationMode", "InputForce")
            for primitive in primitives
        )
        sensed = sum(
            is_on(get, f"{primitive}Sense{what}") for primitive in primitives for what in _SENSED
        )
        whole = sum(is_on(get, f"Sense{what}") for what in _SENSED_AT_ALL)
        return {"lconn": 1 + driven, "rconn": 1 + sensed + whole}

    return rule


MASKED: Mapping[str, Rule] = {
    "simulink/Continuous/PID Controller": lambda get: _pid(get, 1),
    "simulink/Discrete/Discrete PID Controller": lambda get: _pid(get, 1),
    "simulink/Continuous/PID Controller (2DOF)": lambda get: _pid(get, 2),
    "simulink/Discrete/Discrete PID Controller (2DOF)": lambda get: _pid(get, 2),
    "simulink/Logic and Bit Operations/Bitwise Operator": _bitwise,
    "slpidlib/PID Controller": lambda get: _pid(get, 1),
    "pid_lib/PID Controller": lambda get: _pid(get, 1),
    "slpidlib/PID Controller (2DOF)": lambda get: _pid(get, 2),
    "sm_lib/Joints/Revolute Joint": _joint(""),
    "sm_lib/Joints/Prismatic Joint": _joint(""),
    "sm_lib/Joints/Planar Joint": _joint("Px", "Py", "Rz"),
    "sm_lib/Joints/Rectangular Joint": _joint("Px", "Py"),
    "sm_lib/Joints/Cartesian Joint": _joint("Px", "Py", "Pz"),
    "sm_lib/Joints/Cylindrical Joint": _joint("Pz", "Rz"),
    "sm_lib/Joints/Pin Slot Joint": _joint("Px", "Rz"),
    "sm_lib/Joints/Universal Joint": _joint("Rx", "Ry"),
    "sm_lib/Joints/Gimbal Joint": _joint("Rx", "Ry", "Rz"),
    "sm_lib/Joints/Bearing Joint": _joint("Pz", "Rx", "Ry", "Rz"),
    "sm_lib/Joints/Bushing Joint": _joint("Px", "Py", "Pz", "Rx", "Ry", "Rz"),
}
