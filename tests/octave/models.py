"""Forty models of control, signals, logic and physics, as a drafter might write them."""

from __future__ import annotations

from typing import Any

Plan = dict[str, Any]


def steps(goal: str, *given: tuple[Any, ...]) -> Plan:
    """A plan of steps ``(id, tool, params, inputs)``; the last two may be left out."""
    keys = ("id", "tool", "params", "inputs")
    return {
        "version": 1,
        "goal": goal,
        "steps": [dict(zip(keys, one, strict=False)) for one in given],
    }


def back(step: str) -> dict[str, Any]:
    """An edge that closes a loop on purpose."""
    return {"from": step, "back": True}


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
    steps(
        "limited actuator",
        ("u", "Ramp", {"slope": "0.5"}),
        ("rate", "Rate Limiter", {"RisingSlewLimit": "1", "FallingSlewLimit": "-1"}),
        ("limit", "Saturation", {"UpperLimit": "2", "LowerLimit": "-2"}),
        ("view", "Scope"),
    ),
    steps(
        "hysteresis heater",
        ("room", "Sine Wave", {"Amplitude": "5", "Bias": "20"}),
        ("relay", "Relay", {"OnSwitchValue": "21", "OffSwitchValue": "19"}),
        ("view", "Display"),
    ),
    steps(
        "dead zone and backlash",
        ("u", "Sine Wave", {"Frequency": "2*pi"}),
        ("dead", "Dead Zone", {"LowerValue": "-0.2", "UpperValue": "0.2"}),
        ("gap", "Backlash", {"BacklashWidth": "0.1"}),
        ("view", "Scope"),
    ),
    steps(
        "transport belt",
        ("u", "Step"),
        ("belt", "Transport Delay", {"DelayTime": "3"}),
        ("view", "Scope"),
    ),
    steps(
        "zeros and poles",
        ("u", "Step"),
        ("plant", "Zero-Pole", {"Zeros": "[]", "Poles": "[-1 -2]", "Gain": "[4]"}),
        ("view", "Scope"),
    ),
    steps(
        "discrete integrator",
        ("u", "Constant", {"Value": "0.2"}),
        ("sum", "Discrete-Time Integrator", {"SampleTime": "0.05"}),
        ("view", "Scope"),
    ),
]

SIGNALS = [
    steps("connect a sine to a scope", ("s", "Sine Wave", {"Frequency": "3"}), ("v", "Scope")),
    steps(
        "two signals on one scope",
        ("a", "Sine Wave", {"Amplitude": "2"}),
        ("b", "Constant", {"Value": "1"}, []),
        ("m", "Mux", {"Inputs": "2"}, ["a", "b"]),
        ("v", "Scope", {}, ["m"]),
    ),
    steps(
        "parts of a vector",
        ("c", "Constant", {"Value": "[1 2 3]"}),
        ("d", "Demux", {"Outputs": "3"}, ["c"]),
        ("a", "Display", {}, [{"from": "d", "output": 1}]),
        ("b", "Terminator", {}, [{"from": "d", "output": 2}]),
        ("e", "Terminator", {}, [{"from": "d", "output": 3}]),
    ),
    steps("magnitude", ("s", "Sine Wave"), ("a", "Abs"), ("v", "Scope")),
    steps("root", ("c", "Constant", {"Value": "9"}), ("r", "Sqrt"), ("v", "Display")),
    steps(
        "power",
        ("u", "Sine Wave", {}),
        ("i", "Sine Wave", {"Phase": "pi/4"}, []),
        ("p", "Product", {}, ["u", "i"]),
        ("v", "Scope", {}, ["p"]),
    ),
    steps(
        "noise",
        ("n", "Random Number", {"Variance": "0.1", "SampleTime": "0.01"}),
        ("g", "Gain", {"Gain": "[1 2]"}),
        ("v", "Scope"),
    ),
    steps("slope", ("s", "Sine Wave"), ("d", "Derivative"), ("v", "Scope")),
    steps(
        "table",
        ("r", "Ramp"),
        ("t", "1-D Lookup Table", {"Table": "[0 1 4 9]", "BreakpointsForDimension1": "[0 1 2 3]"}),
        ("v", "Scope"),
    ),
    steps("clock", ("c", "Clock"), ("w", "To Workspace", {"VariableName": "t"})),
    steps(
        "low pass of a chirp",
        ("c", "Chirp Signal"),
        ("f", "Transfer Fcn", {"Denominator": "[0.1 1]"}),
        ("v", "Scope"),
    ),
    steps(
        "bus",
        ("a", "Constant", {"Value": "1"}),
        ("b", "Constant", {"Value": "2"}, []),
        ("bus", "Bus Creator", {"Inputs": "2"}, ["a", "b"]),
        ("v", "Terminator", {}, ["bus"]),
    ),
]

LOGIC = [
    steps(
        "both",
        ("a", "Constant", {"Value": "true"}),
        ("b", "Constant", {"Value": "false"}, []),
        ("and", "Logical Operator", {"Operator": "AND"}, ["a", "b"]),
        ("v", "Display", {}, ["and"]),
    ),
    steps(
        "one of three",
        ("a", "Constant", {"Value": "1"}),
        ("b", "Constant", {"Value": "0"}, []),
        ("c", "Constant", {"Value": "0"}, []),
        ("or", "Logical Operator", {"Operator": "OR", "Inputs": "3"}, ["a", "b", "c"]),
        ("v", "Display", {}, ["or"]),
    ),
    steps(
        "not",
        ("a", "Constant", {"Value": "1"}),
        ("n", "Logical Operator", {"Operator": "NOT"}),
        ("v", "Display"),
    ),
    steps(
        "above a threshold",
        ("s", "Sine Wave"),
        ("c", "Compare To Constant", {"const": "0.5", "relop": ">="}),
        ("v", "Scope"),
    ),
    steps(
        "larger",
        ("a", "Sine Wave"),
        ("b", "Constant", {"Value": "0"}, []),
        ("r", "Relational Operator", {"Operator": ">"}, ["a", "b"]),
        ("v", "Scope", {}, ["r"]),
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
    steps(
        "latch",
        ("p", "Pulse Generator", {"Period": "2"}),
        ("m", "Memory"),
        ("v", "Scope"),
    ),
    steps(
        "smallest",
        ("a", "Sine Wave"),
        ("b", "Constant", {"Value": "0.2"}, []),
        ("m", "MinMax", {"Function": "min", "Inputs": "2"}, ["a", "b"]),
        ("v", "Scope", {}, ["m"]),
    ),
    steps(
        "counter",
        ("c", "Counter Limited", {"uplimit": "7", "tsamp": "0.5"}),
        ("v", "Display"),
    ),
]


def port(step: str, name: str) -> dict[str, Any]:
    """The output of a step by the name of its port."""
    return {"from": step, "output": name}


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
    drawn = [dict(one) for one in CIRCUIT]
    drawn[1] |= {"tool": tool, "params": params or {}}
    return {"version": 1, "goal": name, "steps": drawn}


PHYSICS = [
    circuit("a resistor on a source", "Resistor", {"R": "100"}),
    circuit("a capacitor on a source", "fl_lib/Electrical/Electrical Elements/Capacitor"),
    circuit("an inductor on a source", "fl_lib/Electrical/Electrical Elements/Inductor"),
    circuit("a diode on a source", "fl_lib/Electrical/Electrical Elements/Diode"),
]

NESTED = [
    {
        "version": 1,
        "goal": "a controller in its own diagram",
        "steps": [
            {"id": "ref", "tool": "Step"},
            {"id": "box", "tool": "Subsystem", "inputs": ["ref"]},
            {"id": "u", "tool": "In1", "in": "box", "inputs": []},
            {"id": "gain", "tool": "Gain", "in": "box", "params": {"Gain": "5"}, "inputs": ["u"]},
            {"id": "y", "tool": "Out1", "in": "box", "inputs": ["gain"]},
            {"id": "view", "tool": "Scope", "inputs": ["box"]},
        ],
    },
    {
        "version": 1,
        "goal": "names that need care",
        "steps": [
            {
                "id": "a",
                "tool": "Constant",
                "action": "10 m/s: it's 'fast'",
                "params": {"Value": "10"},
            },
            {"id": "b", "tool": "Gain", "action": "Größe \u00d7 2", "params": {"Gain": "2"}},
            {"id": "c", "tool": "Display", "remarks": "look\nhere"},
        ],
    },
    steps("one block", ("s", "Scope")),
]

MODELS = [*CONTROL, *SIGNALS, *LOGIC, *PHYSICS, *NESTED]
