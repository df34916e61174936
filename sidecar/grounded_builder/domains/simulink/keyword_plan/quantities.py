"""Reads the numbers of a request with their units, as MATLAB texts in SI units."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_PREFIXES = {
    "p": "e-12", "n": "e-9", "u": "e-6", "\u00b5": "e-6", "\u03bc": "e-6", "m": "e-3", "k": "e3",
    "M": "e6", "G": "e9", "": "",
}  # fmt: skip
_SPELT = {
    "pico": "p", "nano": "n", "micro": "u", "milli": "m", "kilo": "k", "mega": "M", "giga": "G",
}  # fmt: skip
# Symbols and words of units by quantity; with a prefix where it is customary.
_PREFIXED = {
    unit: kind
    for kind, units in {
        "frequency": "Hz hertz", "time": "s sec second seconds", "voltage": "V volt volts",
        "current": "A amp amps ampere", "capacitance": "F farad", "inductance": "H henry",
        "resistance": "Ohm Ohms ohm ohms \u03a9 \u2126", "power": "W watt watts", "force": "N",
        "length": "m",
    }.items()
    for unit in units.split()
}  # fmt: skip
# Units without a prefix: what they measure, the factor to SI units, and their writings.
_WHOLE = {
    unit: (kind, factor)
    for kind, factor, units in (
        ("angular frequency", "", ("rad/s", "rad/sec")),
        ("angular frequency", "*2*pi/60", ("rpm",)),
        ("angle", "", ("rad",)),
        ("angle", "*pi/180", ("degrees", "deg")),
        ("percent", "", ("%", "percent")),
        ("time", "*60", ("min", "minutes", "minute")),
        ("time", "*3600", ("h", "hours")),
        ("samples", "", ("samples", "sample", "steps")),
        ("inputs", "", ("inputs",)),
        ("mass", "", ("kg",)),
        ("mass", "e-3", ("g",)),
        ("inertia", "", ("kg*m^2", "kg m^2", "kgm^2", "kgm2")),
        ("stiffness", "", ("N/m",)),
        ("damping", "", ("N*s/m", "Ns/m", "N s/m", "N/(m/s)", "N*m*s/rad")),
        ("torque", "", ("N*m", "Nm")),
        ("temperature", "", ("K", "degC", "\u00b0C")),
    )
    for unit in units
}
UNITS: dict[str, tuple[str, str]] = {
    f"{prefix}{unit}": (kind, power)
    for unit, kind in _PREFIXED.items()
    for prefix, power in _PREFIXES.items()
}
UNITS |= {
    f"{spelt}{unit}": (_PREFIXED[unit], _PREFIXES[prefix])
    for spelt, prefix in _SPELT.items()
    for unit in _PREFIXED
    if len(unit) > 2
}
UNITS |= _WHOLE
_UNIT = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))
_TERM = r"(?:pi\b|(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?)"
_NUMBER = rf"[-\u2212]?{_TERM}(?:[*/]{_TERM}){{0,4}}(?![*/^]\s?[\d(])"
_QUANTITY = re.compile(
    rf"(?:(?<![\w.\])^*/+])|(?<=\d\.\.)(?!\.)|(?<=\d\.\.\.))"
    rf"(?P<both>plus(?:/|-| or )minus\s+|\+/-\s*|\+-\s*|\u00b1\s*)?"
    rf"(?P<number>{_NUMBER})(?!-?[dD]\b|\.?\d)"
    rf"(?:[\s-]?(?P<unit>{_UNIT})(?![\w*^/])|(?P<power>[kMGunp\u00b5])(?!\w))?(?![A-Za-z_(])"
)
_ZERO = re.compile(
    r"(?:\b(?:than|above|below|exceeds|reaches|equals|of|over|under)\s+)(zero)\b", re.IGNORECASE
)
_MATRIX = re.compile(r"\[[-+\w\s.,;*/^'()]*\]|\b(?:eye|zeros|ones)\(\d{1,3}(?:,\s*\d{1,3})?\)")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number or matrix of a text from ``start`` to ``end``.

    ``value`` is a MATLAB text in SI units. ``measures`` is the quantity of its unit, empty without
    one. ``both`` is true where it stands for the value and its negative.
    """

    start: int
    end: int
    value: str
    measures: str = ""
    both: bool = False


def quantities_in(text: str) -> Iterator[Quantity]:
    """Yields the numbers and matrices of a text in order; none from inside a matrix."""
    matrices = list(_MATRIX.finditer(text))
    for match in matrices:
        yield Quantity(match.start(), match.end(), match[0])
    inside = [matrice.span() for matrice in matrices]
    for match in _ZERO.finditer(text):
        yield Quantity(match.start(1), match.end(1), "0")
    for match in _QUANTITY.finditer(text):
        if not any(start <= match.start() < end for start, end in inside):
            bare = ("", _PREFIXES[match["power"] or ""])
            measures, power = UNITS.get(match["unit"] or "", bare)
            value = _apply_power(match["number"].replace("\u2212", "-"), power)
            yield Quantity(match.start(), match.end(), value, measures, bool(match["both"]))


def _apply_power(number: str, power: str) -> str:
    if power.startswith("e") and not number[-1:].isdigit():
        return f"{number}*1{power}"
    if power.startswith("e") and "e" in number.casefold():
        return f"{number}*1{power}"
    return f"{number}{power}"
