"""Contradicting values of sources, limits and numbers of ports, and valid ones."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.simulink_models import block, codes, model


@pytest.mark.parametrize(
    ("kind", "given", "wrong"),
    [
        ("RateLimiter", {"RisingSlewLimit": "-2", "FallingSlewLimit": "1"}, True),
        ("RateLimiter", {"RisingSlewLimit": "2", "FallingSlewLimit": "low"}, False),
        ("UniformRandomNumber", {"Minimum": "2", "Maximum": "-1"}, True),
        ("UniformRandomNumber", {"Minimum": "[1 2]", "Maximum": "[3 4 5]"}, True),
        ("UniformRandomNumber", {"Minimum": "0", "Maximum": "[3 4 5]"}, False),
        ("DiscretePulseGenerator", {"PulseType": "Time based", "PulseWidth": "100"}, True),
        ("DiscretePulseGenerator", {"PulseType": "Time based", "PulseWidth": "0"}, True),
        ("DiscretePulseGenerator", {"PulseType": "Time based", "PulseWidth": "99"}, False),
        ("DiscretePulseGenerator", {"Period": "4", "PulseWidth": "5"}, True),
        ("DiscretePulseGenerator", {"Period": "n", "PulseWidth": "5"}, False),
        ("Step", {"Time": "[1 2]", "After": "[1 2 3]"}, True),
        ("Step", {"Time": "[1 2]", "After": "[3;4]"}, False),
        ("Sin", {"Amplitude": "[1 2]", "Frequency": "[1 2 3]"}, True),
        (
            "Sin",
            {"SineType": "Sample based", "Amplitude": "[1 2]", "Frequency": "[1 2 3]"},
            False,
        ),
    ],
)
def test_contradicting_values_are_wrong(kind: str, given: dict[str, Any], wrong: bool) -> None:
    """Only numbers that the file states contradict each other."""
    results = codes(model([block("b", kind, **given)]))
    assert ("SLX338" in results) == wrong


@pytest.mark.parametrize(
    ("kind", "given", "wrong"),
    [
        ("Mux", {"Inputs": "0"}, True),
        ("Mux", {"Inputs": "2.5"}, True),
        ("Mux", {"Inputs": "n"}, False),
        ("Mux", {"Inputs": "[2 -1]"}, False),
        ("Demux", {"Outputs": "11."}, False),
        ("Logic", {"Operator": "AND", "Inputs": "-2"}, True),
        ("Logic", {"Operator": "NOT", "Inputs": "0"}, False),
        ("Sum", {"Inputs": "+*"}, True),
        ("Sum", {"Inputs": "|+-|"}, False),
        ("Sum", {"Inputs": "3"}, False),
        ("Sum", {"Inputs": "signs"}, False),
        ("Product", {"Inputs": "*-"}, True),
        ("Product", {"Inputs": "*/"}, False),
        ("Inport", {"Port": "0"}, True),
        ("Outport", {"Port": "1.5"}, True),
        ("Inport", {"Port": "3"}, False),
    ],
)
def test_counts_are_whole_numbers_from_one(kind: str, given: dict[str, Any], wrong: bool) -> None:
    """A number of ports that is none, and a list of signs with another among them, are wrong."""
    assert ("GB307" in codes(model([block("b", kind, **given)]))) == wrong


def test_a_hold_has_a_period() -> None:
    """A hold is never continuous, where a delay may be."""
    assert "SLX341" in codes(model([block("b", "ZeroOrderHold", SampleTime="0")]))
    assert "SLX341" not in codes(model([block("b", "UnitDelay", SampleTime="0")]))
    assert "SLX341" not in codes(model([block("b", "ZeroOrderHold", SampleTime="Ts")]))
