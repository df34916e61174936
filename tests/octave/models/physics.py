"""Models of physical networks: circuits, machines, heat, with the structure that they need."""

from __future__ import annotations

from typing import Any

from tests.octave.models.drafts import Plan, plan_requests, sentences

CIRCUIT: list[dict[str, Any]] = [
    {"id": "source", "tool": "DC Voltage Source", "params": {"v0": "12"}},
    {
        "id": "resistor",
        "tool": "Resistor",
        "library": "fl_lib",
        "params": {"R": "100"},
        "inputs": [{"from": "source", "output": "LConn1", "input": "LConn1"}],
    },
    {
        "id": "ground",
        "tool": "Electrical Reference",
        "inputs": [
            {"from": "source", "output": "RConn1", "input": "LConn1"},
            {"from": "resistor", "output": "RConn1", "input": "LConn1"},
        ],
    },
    {
        "id": "solver",
        "tool": "Solver Configuration",
        "inputs": [{"from": "ground", "output": "LConn1", "input": "RConn1"}],
    },
]


def circuit(name: str, tool: str, params: dict[str, Any] | None = None) -> Plan:
    """A circuit with one element in the place of the resistor."""
    drawn = [dict(item) for item in CIRCUIT]
    drawn[1] |= {"tool": tool, "params": params or {}}
    return {"version": 1, "goal": name, "steps": drawn}


PHYSICS_REQUESTS = sentences(
    """
    Simscape RC circuit with a DC voltage source of 5 V, resistor 1 kOhm and capacitor 1 uF,
    measure the capacitor voltage on a scope

    series RLC circuit with R = 10 Ohm, L = 1 mH, C = 100 nF and an AC voltage source of 10 V at
    50 Hz, measure the current

    Simscape mass-spring-damper with mass 1 kg, spring rate 100 N/m, damping 5 N*s/m, ideal
    force source driven by a step, position measured and shown on a scope

    Simscape DC motor supplied by a 12 V DC voltage source with an inertia on the shaft and a
    rotational motion sensor to a scope

    thermal mass heated by a controlled heat flow rate source from a constant of 100, convective
    heat transfer to the ambient, temperature sensor and scope
    """
)
PHYSICS = [
    circuit("a resistor on a source", "Resistor", {"R": "100"}),
    *plan_requests(PHYSICS_REQUESTS),
]
