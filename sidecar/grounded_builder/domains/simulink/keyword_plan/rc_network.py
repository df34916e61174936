"""Adds the RC network that a request names to a draft: source, resistor, capacitor and sensor."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from grounded_builder.domains.simulink.keyword_plan.blocks import Library
from grounded_builder.domains.simulink.keyword_plan.quantities import Quantity
from grounded_builder.drafting.planner.draft import Draft, Step
from grounded_builder.drafting.planner.reading import Reading

_ELECTRICAL = "fl_lib/Electrical/"
_SOURCE = f"{_ELECTRICAL}Electrical Sources/DC Voltage Source"
_RESISTOR = f"{_ELECTRICAL}Electrical Elements/Resistor"
_CAPACITOR = f"{_ELECTRICAL}Electrical Elements/Capacitor"
_GROUND = f"{_ELECTRICAL}Electrical Elements/Electrical Reference"
_SENSOR = f"{_ELECTRICAL}Electrical Sensors/Voltage Sensor"
_SOLVER = "nesl_utility/Solver Configuration"
_TO_SIGNAL = "nesl_utility/PS-Simulink Converter"
_SCOPE = "simulink/Sinks/Scope"
_RC = re.compile(
    r"\b(?:an? |the )?(?:simple |series )?RC[ -](?:(?P<high>high)|low)?(?:[- ]?pass)?"
    r"(?:[ -]?(?:filter|circuit|network))?(?: in Simscape)?(?![\w-])"
)
_VALUE = {
    "resistance": re.compile(r"(?:\bR\s*(?:=|of|is)?\s*|\bresist(?:or|ance)\s*(?:of|=|is)?\s*)$"),
    "capacitance": re.compile(r"(?:\bC\s*(?:=|of|is)?\s*|\bcapacit(?:or|ance)\s*(?:of|=|is)?\s*)$"),
}
_BEHIND = re.compile(r"\s*(?:resistor|capacitor)\b")
_DC = re.compile(r"\s*(?:DC )?(?:voltage )?(?:source|supply)\b", re.IGNORECASE)
_DRIVEN = re.compile(r"\b(?:driven|supplied|fed|powered) by (?:an? |the )?$", re.IGNORECASE)
_SHOWN = re.compile(
    r"\b(?:(?:measure|show|display|plot)(?: the)? )?(?:(?P<what>capacitor|resistor|output) voltage)"
    r"(?: (?:is )?(?:shown|displayed|measured))?"
    r"(?: and (?:show|display|plot) it)? (?:on|in|with) (?:an? |the )?scope\b"
    r"|\b(?:an? )?scope (?:on|for|across|showing) the (?P<shown>capacitor|resistor|output)"
    r"(?: voltage)?\b",
    re.IGNORECASE,
)


def draw_rc_network(
    reading: Reading, draft: Draft, library: Library, numbers: Sequence[Quantity]
) -> bool:
    """Draws the RC network of a request that names one; returns whether it did."""
    named = _RC.search(reading.masked)
    tools = library.registry.tools
    if named is None or any(tool not in tools for tool in (_SOURCE, _CAPACITOR, _TO_SIGNAL)):
        return False
    reading.take(*named.span())
    at = named.start()
    source = draft.add(_SOURCE, _source(reading, numbers), at)
    if not source["params"]:
        draft.note(source, "its source is not stated: a DC voltage source is assumed")
    resistor = draft.add(_RESISTOR, _value(reading, numbers, "resistance", "R"), at)
    capacitor = draft.add(_CAPACITOR, _value(reading, numbers, "capacitance", "c"), at)
    for step, letter in ((resistor, "R"), (capacitor, "C")):
        if not step["params"]:
            draft.note(step, f"{letter} is not stated: the default of the library is used")
    ground, solver = draft.add(_GROUND, {}, at), draft.add(_SOLVER, {}, at)
    shown = _SHOWN.search(reading.masked)
    is_high = named["high"] is not None
    across = resistor if is_high else capacitor
    what = "output" if shown is None else (shown["what"] or shown["shown"]).casefold()
    if what != "output":
        across = resistor if what == "resistor" else capacitor
    _join(resistor, "LConn1", source, "LConn1")
    _join(capacitor, "LConn1", resistor, "RConn1")
    _join(capacitor, "RConn1", source, "RConn1")
    _join(ground, "LConn1", source, "RConn1")
    _join(solver, "RConn1", source, "RConn1")
    if shown is None:
        draft.note(source, "what of the network is to be measured is not stated")
        return True
    reading.take(*shown.span())
    sensor = draft.add(_SENSOR, {}, shown.start())
    _join(sensor, "LConn1", across, "LConn1")
    _join(sensor, "RConn2", across, "RConn1")
    converter = draft.add(_TO_SIGNAL, {}, shown.start())
    _join(converter, "LConn1", sensor, "RConn1")
    scope = draft.add(_SCOPE, {}, shown.start())
    scope["inputs"] = [converter["id"]]
    return True


def _join(step: Step, port: str, other: Step, other_port: str) -> None:
    source: dict[str, Any] = {"from": other["id"], "output": other_port, "input": port}
    step["inputs"].append(source)


def _source(reading: Reading, numbers: Sequence[Quantity]) -> dict[str, str]:
    """Returns the voltage that directly precedes the source."""
    for number in numbers:
        behind = _DC.match(reading.masked, number.end)
        if number.measures == "voltage" and behind:
            lead = _DRIVEN.search(reading.masked, max(0, number.start - 30), number.start)
            reading.take(lead.start() if lead else number.start, behind.end())
            return {"v0": number.value}
    return {}


def _value(
    reading: Reading, numbers: Sequence[Quantity], measures: str, name: str
) -> dict[str, str]:
    """Returns the only value of an element, by its unit, its letter or its name."""
    lead = _VALUE[measures]
    fits = [
        number
        for number in numbers
        if number.measures == measures
        or (
            not number.measures
            and lead.search(reading.masked, max(0, number.start - 30), number.start)
        )
    ]
    if len(fits) != 1:
        return {}
    quantity = fits[0]
    begin = lead.search(reading.masked, max(0, quantity.start - 30), quantity.start)
    behind = _BEHIND.match(reading.masked, quantity.end)
    reading.take(
        begin.start() if begin else quantity.start, behind.end() if behind else quantity.end
    )
    return {name: quantity.value}
