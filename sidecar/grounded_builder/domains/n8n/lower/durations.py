"""Reads durations such as "2 hours" as a number and the option of a unit parameter."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from grounded_builder.domains.n8n.parameters.properties import Property, only_dicts
from grounded_builder.drafting.planner.schedules import Times, duration_at, read_times

_MAX_TEXT_CHARS = 40
_DAYS_OF_A_WEEK = 7
# The values of the units of n8n's Wait node, which other nodes share.
_UNITS = frozenset({"seconds", "minutes", "hours", "days"})


def read_duration(value: Any, units: Iterable[Property]) -> tuple[float, str, str] | None:
    """Returns the number of a duration, with the name and the value of the parameter for its unit.

    ``units`` are the parameters next to the number; None where the value is no duration, or where
    not exactly one of them has its unit.
    """
    stated = _duration_of(value)
    if stated is None:
        return None
    count, unit = stated
    if unit == "weeks":
        count, unit = count * _DAYS_OF_A_WEEK, "days"
    names = {prop.name for prop in units if unit in _values_of(prop)}
    number = int(count) if count == int(count) else count
    return (number, names.pop(), unit) if len(names) == 1 else None


def read_unit(value: Any, declared: Property) -> str | None:
    """Returns the value of the unit of time that a short or single word names: "h", "minute"."""
    stated = _duration_of(f"2 {value}") if isinstance(value, str) else None
    return stated[1] if stated is not None and stated[1] in _values_of(declared) else None


def _duration_of(value: Any) -> tuple[float, str] | None:
    """Returns the number and the unit of a text that states nothing but a duration."""
    if not isinstance(value, str) or len(value) > _MAX_TEXT_CHARS:
        return None
    text = value.strip()
    match = duration_at(text, 0, len(text))
    if match is not None and match[1:] == (0, len(text)):
        return match[0].amount, match[0].unit
    times = read_times(text)
    is_short = times is not None and times == Times(times.unit, times.count)
    return (times.count, f"{times.unit}s") if times is not None and is_short else None


def _values_of(declared: Property) -> frozenset[str]:
    """Returns the units that a parameter offers, none if it is no list of such units."""
    values = {str(option.get("value")) for option in only_dicts(declared.raw.get("options"))}
    is_unit = declared.type == "options" and len(values & _UNITS) > 1
    return frozenset(values & _UNITS) if is_unit else frozenset()
