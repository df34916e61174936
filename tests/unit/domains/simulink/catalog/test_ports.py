"""Ports and feedthrough: derived from parameters by rules."""

from __future__ import annotations

import pytest

from grounded_builder.domains.simulink.catalog.feedthrough import feedthrough
from grounded_builder.domains.simulink.catalog.ports.counts import ports_of, usual_ports_of
from tests.support.simulink import block

DERIVED = [
    ("Sum", {"Inputs": "|++-"}, {"in": 3, "out": 1}),
    ("Sum", {"Inputs": "4"}, {"in": 4, "out": 1}),
    ("Product", {"Inputs": "*/"}, {"in": 2, "out": 1}),
    ("Mux", {"Inputs": "[2 3]"}, {"in": 2, "out": 1}),
    ("Demux", {"Outputs": "3"}, {"in": 1, "out": 3}),
    ("Logic", {"Operator": "NOT", "Inputs": "2"}, {"in": 1, "out": 1}),
    ("Integrator", {"ExternalReset": "rising"}, {"in": 2, "out": 1}),
    (
        "Integrator",
        {"InitialConditionSource": "external", "ShowStatePort": "on"},
        {"in": 2, "out": 1, "state": 1},
    ),
    ("MultiPortSwitch", {"Inputs": "3"}, {"in": 4, "out": 1}),
    ("RelationalOperator", {"Operator": "isNaN"}, {"in": 1, "out": 1}),
    ("BusSelector", {"OutputSignals": "a,b.c,d"}, {"in": 1, "out": 3}),
    ("Scope", {"NumInputPorts": "2"}, {"in": 2}),
    ("Scope", {"Floating": "on"}, {}),
    ("Scope", {"IOType": "viewer"}, {}),
    ("ArithShift", {"BitShiftNumberSource": "Input port"}, {"in": 2, "out": 1}),
    ("DataStoreRead", {"DataStoreElements": "A.x#A.y"}, {"out": 2}),
    ("DataStoreWrite", {"DataStoreElements": "A(1)"}, {"in": 1}),
    (
        "DataStoreRead",
        {"EnableIndexing": "on", "IndexOptionArray": "Index vector (port)"},
        {"in": 1, "out": 1},
    ),
    ("FunctionCallSplit", {}, {"in": 1, "out": 2}),
    ("FunctionCallSplit", {"NumOutputPorts": "3"}, {"in": 1, "out": 3}),
    ("LookupNDDirect", {"NumberOfTableDimensions": "3"}, {"in": 3, "out": 1}),
    (
        "LookupNDDirect",
        {"InputsSelectThisObjectFromTable": "Column", "TableIsInput": "on"},
        {"in": 2, "out": 1},
    ),
    (
        "Reshape",
        {"OutputDimensionality": "Derive from reference input port"},
        {"in": 2, "out": 1},
    ),
    ("Saturate", {"UpperLimitSource": "Input port"}, {"in": 2, "out": 1}),
    ("BusAssignment", {"AssignedSignals": "a,b.c"}, {"in": 3, "out": 1}),
    ("FunctionCaller", {"FunctionPrototype": "[a, b] = motor.step(u)"}, {"in": 1, "out": 2}),
    ("FunctionCaller", {"FunctionPrototype": "reset()"}, {}),
    ("ForIterator", {"IterationSource": "external"}, {"in": 1, "out": 1}),
    ("WhileIterator", {"WhileBlockType": "do-while"}, {"in": 1}),
    ("Trigonometry", {"Operator": "atan2"}, {"in": 2, "out": 1}),
    ("If", {"NumInputs": "2", "ElseIfExpressions": "u1 > 1, u2 > 1"}, {"in": 2, "out": 4}),
    ("SwitchCase", {"CaseConditions": "{1,[2 3]}"}, {"in": 1, "out": 3}),
    ("Lookup_n-D", {"NumberOfTableDimensions": "2"}, {"in": 2, "out": 1}),
]


@pytest.mark.parametrize(("kind", "parameters", "shape"), DERIVED)
def test_ports_follow_from_parameters(
    kind: str, parameters: dict[str, str], shape: dict[str, int]
) -> None:
    """Every rule gives the ports that Simulink draws."""
    assert ports_of(kind, None, parameters) == shape


def test_a_variable_leaves_the_ports_unknown() -> None:
    """If a number is a variable, the ports are unknown."""
    assert ports_of("Mux", None, {"Inputs": "n"}) is None
    assert ports_of("FunctionCaller", None, {"FunctionPrototype": "y = f(u"}) is None


def test_library_defaults_apply_to_new_blocks_only() -> None:
    """A block of a file has built-in defaults where it states none, a new block those of the
    library.
    """
    assert block("built-in/Display").value("Decimation", {}) == "10"
    assert block("simulink/Sinks/Display").value("Decimation", {}) == "1"
    assert block("built-in/Sum").value("Inputs", {}) == "++"
    assert block("simulink/Math Operations/Sum").value("Inputs", {}) == "|++"
    divide = block("simulink/Math Operations/Divide")
    assert ports_of("Product", divide.path, {}, divide) == {"in": 2, "out": 1}


def test_physical_ports_have_domains() -> None:
    """A resistor has two electrical ports, a motion sensor mechanical and signal ones."""
    resistor = block("fl_lib/Electrical/Electrical Elements/Resistor")
    assert [
        (connection.kind, connection.id, connection.domain) for connection in resistor.physical
    ] == [
        ("lconn", "p", "electrical"),
        ("rconn", "n", "electrical"),
    ]


def test_a_joint_has_a_port_for_all_that_drives_it_and_that_it_senses() -> None:
    """A joint joins two frames; actuation adds inputs, sensing adds outputs."""
    path = "sm_lib/Joints/Planar Joint"
    plain = ports_of("Reference", path, {}, block(path))
    assert plain == {"lconn": 1, "rconn": 1}
    sensing = {
        "PxSensePosition": "on",
        "RzSenseVelocity": "on",
        "SenseTotalForce": "on",
        "RzMotionActuationMode": "InputMotion",
    }
    assert ports_of("Reference", path, sensing, block(path)) == {"lconn": 2, "rconn": 4}


def test_three_phases_are_one_port_or_three() -> None:
    """A block of three phases whose ports are apart has one for each."""
    path = "ee_lib/Sensors & Transducers/Current Sensor (Three-Phase)"
    spec = block(path)
    composite = {"ComponentPath": "ee.sensors.current.abc"}
    apart = {"ComponentPath": "ee.sensors.current.Xabc"}
    assert usual_ports_of("Reference", path, composite, spec) == {"lconn": 1, "rconn": 2}
    assert usual_ports_of("Reference", path, apart, spec) == {"lconn": 3, "rconn": 4}
    option = {"port_option": "ee.enum.threePhasePort.expanded"}
    assert usual_ports_of("Reference", path, option, spec) == {"lconn": 3, "rconn": 4}


PASSING = [
    ("Gain", {}, 1, True),
    ("Integrator", {}, 1, False),
    ("Integrator", {"ExternalReset": "rising"}, 2, True),
    ("UnitDelay", {}, 1, False),
    ("Delay", {"DelayLength": "0"}, 1, True),
    ("Delay", {"DelayLength": "3"}, 1, False),
    ("Delay", {"DelayLength": "n"}, 1, None),
    ("TransferFcn", {"Numerator": "[1]", "Denominator": "[1 1]"}, 1, False),
    ("TransferFcn", {"Numerator": "[1 0]", "Denominator": "[1 1]"}, 1, True),
    ("TransferFcn", {"Numerator": "num", "Denominator": "[1 1]"}, 1, None),
    ("StateSpace", {"D": "0"}, 1, False),
    ("StateSpace", {"D": "[0 1]"}, 1, True),
    ("ZeroPole", {"Zeros": "[]", "Poles": "[-1]"}, 1, False),
    ("DiscreteIntegrator", {}, 1, False),
    ("DiscreteIntegrator", {"IntegratorMethod": "Integration: Trapezoidal"}, 1, True),
    ("DiscreteFilter", {"Numerator": "[0 1]"}, 1, False),
    ("SubSystem", {}, 1, None),
]


@pytest.mark.parametrize(("kind", "parameters", "input_", "passes"), PASSING)
def test_feedthrough_follows_from_parameters(
    kind: str, parameters: dict[str, str], input_: int, passes: bool | None
) -> None:
    """An output depends at once on an input, or not, or that is not known."""
    assert feedthrough(kind, parameters, input_) is passes


@pytest.mark.parametrize("text", ["1" * 9_000, "\u00b2"])
def test_a_number_of_ports_beyond_all_use_is_unknown(text: str) -> None:
    """Digits that no number is read of are no number of ports."""
    assert ports_of("Sum", "", {"Inputs": text}) is None
    assert ports_of("Mux", "", {"Inputs": text}) is None
