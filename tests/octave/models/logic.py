"""Models of logic: gates, comparisons, switches, conditional subsystems."""

from __future__ import annotations

from tests.octave.models.drafts import plan_requests, sentences, steps

LOGIC_REQUESTS = sentences(
    """
    AND of two constants shown on a display

    show on a scope when a sine wave is above 0.5

    switch between a sine wave and a constant 0 when a ramp exceeds 5, output to a scope

    relay with switch on point 0.8 and switch off point 0.2, fed by a sine wave, scope

    triggered subsystem driven by a sine wave, triggered by a pulse generator, scope on the
    output

    an enabled subsystem with a gain of 2 inside, enabled by a pulse generator, input a sine
    wave, output to a scope
    """
)
LOGIC = [
    steps(
        "one of three",
        ("a", "Constant", {"Value": "1"}),
        ("b", "Constant", {"Value": "0"}, []),
        ("c", "Constant", {"Value": "0"}, []),
        ("or", "Logical Operator", {"Operator": "OR", "Inputs": "3"}, ["a", "b", "c"]),
        ("v", "Display", {}, ["or"]),
    ),
    steps(
        "switch",
        ("a", "Constant", {"Value": "1"}),
        ("k", "Sine Wave", {}, []),
        ("b", "Constant", {"Value": "2"}, []),
        ("s", "Switch", {"Threshold": "0.5"}, ["a", "k", "b"]),
        ("v", "Scope", {}, ["s"]),
    ),
    steps(
        "choose",
        ("k", "Constant", {"Value": "2"}),
        ("a", "Constant", {"Value": "10"}, []),
        ("b", "Constant", {"Value": "20"}, []),
        ("m", "Multiport Switch", {"Inputs": "2"}, ["k", "a", "b"]),
        ("v", "Display", {}, ["m"]),
    ),
    steps(
        "edge",
        ("p", "Pulse Generator"),
        ("e", "Detect Increase"),
        ("v", "Scope"),
    ),
    *plan_requests(LOGIC_REQUESTS),
]
