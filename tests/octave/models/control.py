"""Models of control: loops around plants, limits, plants by their equations."""

from __future__ import annotations

from tests.octave.models.drafts import back, plan_requests, sentences, steps

CONTROL_REQUESTS = sentences(
    """
    a PI-controlled DC motor with a step reference and a scope

    PID controller with P = 2, I = 1 and D = 0.5 around the plant 1/(s^2 + 2s + 1), unit step
    reference, output on a scope

    closed loop with a PI controller, a saturation between -1 and 1 and the plant 5/(0.2s+1);
    step reference of 3

    cascade control with an outer PI controller and an inner P controller, inner plant
    1/(0.1s+1), outer plant 1/s, step reference and scope

    speed control of a DC motor by a PID controller with a step disturbance on the plant input
    and a scope

    mass-spring-damper system with mass 2, stiffness 50 and damping 3 driven by a step force,
    plot the position

    a ramp through a rate limiter with rising limit 2 and falling limit -2 and then a saturation
    from 0 to 10 to a scope
    """
)
CONTROL = [
    steps(
        "PI motor",
        ("ref", "Step"),
        ("err", "Sum", {"Inputs": "+-"}, ["ref", back("motor")]),
        ("pi", "PID Controller", {"Controller": "PI", "P": "2", "I": "1"}, ["err"]),
        ("motor", "Transfer Fcn", {"Numerator": "[1]", "Denominator": "[0.5 1]"}, ["pi"]),
        ("view", "Scope", {}, ["motor"]),
    ),
    steps(
        "mass on a spring",
        ("force", "Constant", {"Value": "1"}),
        ("sum", "Sum", {"Inputs": "+--"}, ["force", back("damper"), back("spring")]),
        ("mass", "Gain", {"Gain": "1/2"}, ["sum"]),
        ("speed", "Integrator", {}, ["mass"]),
        ("way", "Integrator", {"InitialCondition": "0.1"}, ["speed"]),
        ("damper", "Gain", {"Gain": "0.4"}, ["speed"]),
        ("spring", "Gain", {"Gain": "3"}, ["way"]),
        ("view", "Scope", {}, ["way"]),
    ),
    steps(
        "discrete filter",
        ("in", "Pulse Generator", {"Period": "4", "PulseWidth": "50"}),
        ("hold", "Zero-Order Hold", {"SampleTime": "0.1"}),
        ("late", "Unit Delay", {"SampleTime": "0.1"}),
        ("view", "Scope"),
    ),
    steps(
        "state space plant",
        ("u", "Step", {"Time": "1", "After": "2"}),
        (
            "plant",
            "State-Space",
            {"A": "[0 1; -2 -3]", "B": "[0; 1]", "C": "[1 0]", "D": "0"},
        ),
        ("y", "To Workspace", {"VariableName": "y"}),
    ),
    *plan_requests(CONTROL_REQUESTS),
]
