"""Physical networks: domains, solver, reference."""

from __future__ import annotations

import json

import pytest

from tests.support.simulink_models import block, check_model, codes, model, system

ELECTRICAL = "fl_lib/Electrical/Electrical Elements/"
EARTH = block("earth", "", source=f"{ELECTRICAL}Electrical Reference")
RESISTOR = block("r", "", source=f"{ELECTRICAL}Resistor")
SHAFT = block(
    "shaft", "", source="fl_lib/Mechanical/Rotational Elements/Mechanical Rotational Reference"
)
SOLVER = block("solver", "", source="nesl_utility/Solver\nConfiguration")


def test_a_whole_circuit_is_silent() -> None:
    """A resistor between two ends of a solved and referenced circuit gives nothing to say."""
    document = model(
        [RESISTOR, EARTH, SOLVER],
        "r.lconn1 -- earth.lconn1",
        "r.rconn1 -- earth.lconn1, solver.rconn1",
    )
    assert codes(document) == []


def test_domains_do_not_mix() -> None:
    """A resistor cannot be joined to a shaft, not even through a subsystem."""
    assert "SLX323" in codes(model([RESISTOR, SHAFT], "r.lconn1 -- shaft.lconn1"))
    inner = system([SHAFT, block("port", "PMIOPort", Side="Left")], "shaft.lconn1 -- port.rconn1")
    sub = block("sub", "SubSystem", inner)
    assert "SLX323" in codes(model([RESISTOR, sub], "r.lconn1 -- sub.lconn1"))


@pytest.mark.parametrize(
    ("right", "expected"),
    [
        (["output", "output", "output"], False),
        (["foundation.mechanical.rotational.rotational", "output", "output"], True),
        (["foundation.electrical.electrical[3]", "output", "output"], True),
        (["", "output", "output"], False),
    ],
)
def test_the_ports_that_a_file_lists_go_before_the_catalog(
    right: list[str], expected: bool
) -> None:
    """A sensor has as many ports in another release, of other domains: the file lists which."""
    sides = {
        "Left": [{"id": "R", "type": "foundation.mechanical.rotational.rotational"}],
        "Right": [{"id": str(place), "type": kind} for place, kind in enumerate(right)],
        "Top": [],
        "Bottom": [],
    }
    sensor = block(
        "sensor",
        "",
        source="fl_lib/Mechanical/Mechanical Sensors/Ideal Rotational Motion Sensor",
        InternalSimscapePortConfiguration=json.dumps(sides),
    )
    out = block("out", "", source="nesl_utility/PS-Simulink\nConverter")
    document = model([sensor, out], "sensor.rconn1 -- out.lconn1")
    assert ("SLX323" in codes(document)) is expected


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"Left":[{}]}', '{"Left":3}', "null"])
def test_a_malformed_list_of_ports_is_unknown(text: str) -> None:
    """A malformed list of ports leaves the ports to the catalog."""
    resistor = block(
        "r", "", source=f"{ELECTRICAL}Resistor", InternalSimscapePortConfiguration=text
    )
    assert "SLX323" in codes(model([resistor, SHAFT], "r.lconn1 -- shaft.lconn1"))


def test_a_network_needs_a_solver_configuration() -> None:
    """A network without one is wrong in a model, and open in a library."""
    document = model([RESISTOR, EARTH], "r.lconn1 -- earth.lconn1")
    assert codes(document) == ["SLX324"]
    assert codes({**document, "kind": "library"}) == []


def test_a_circuit_needs_a_reference() -> None:
    """An electrical circuit that floats is reported."""
    assert codes(model([RESISTOR, SOLVER], "r.lconn1 -- solver.rconn1")) == ["SLX325"]


def test_a_network_with_an_unknown_block_is_open() -> None:
    """A link into a library that is not known may bring solver and reference with it."""
    other = block("x", "", source="my_library/Supply")
    document = model([RESISTOR, other], "r.lconn1 -- x.lconn1")
    assert [d.code for d in check_model(document)] == []


def test_a_network_has_one_solver_configuration() -> None:
    """Two are too many at one node or across a resistor, and right in two networks."""
    second = block("second", "", source="nesl_utility/Solver Configuration")
    other = block("other", "", source=f"{ELECTRICAL}Electrical Reference")
    one_node = model(
        [EARTH, SOLVER, second], "earth.lconn1 -- solver.rconn1", "earth.lconn1 -- second.rconn1"
    )
    across = model(
        [EARTH, RESISTOR, SOLVER, second],
        "r.lconn1 -- earth.lconn1, solver.rconn1",
        "r.rconn1 -- second.rconn1",
    )
    apart = model(
        [EARTH, other, SOLVER, second],
        "earth.lconn1 -- solver.rconn1",
        "other.lconn1 -- second.rconn1",
    )
    assert "SLX344" in codes(one_node)
    assert "SLX344" in codes(across)
    assert "SLX344" not in codes(apart)
