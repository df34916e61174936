"""The letters by which engineers call parameters, by the block that has them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from grounded_builder.domains.simulink.keyword_plan.mention import Mention

# Letters of the trade in English and German usage, by the name of the block; the value may be a
# parameter, or one made with another one: the integral time is P over I, the rate time D over P.
_CONTROLLER: Mapping[str, str] = {
    **dict.fromkeys("p kp kr kc k".split(), "P"),
    **dict.fromkeys("i ki".split(), "I"),
    **dict.fromkeys("d kd".split(), "D"),
    **dict.fromkeys("ti tn taui".split(), "I=P/"),
    **dict.fromkeys("td tv taud".split(), "D=P*"),
    "n": "N",
}
_FIRST_ORDER = {
    **dict.fromkeys("k ks kp g gain".split(), "Gain"),
    **dict.fromkeys("t tau t1 ts \u03c4".split(), "TimeConstant"),
}
_SECOND_ORDER = {
    **dict.fromkeys("k ks kp g gain".split(), "Gain"),
    **dict.fromkeys("w0 wn omega0 omegan \u03c90 \u03c9n".split(), "NaturalFrequency"),
    **dict.fromkeys("d zeta xi damping \u03b6 \u03be".split(), "DampingRatio"),
}  # fmt: skip
_SYMBOLS: Mapping[str, Mapping[str, str]] = {
    "PID Controller": _CONTROLLER,
    "Discrete PID Controller": {**_CONTROLLER, "ts": "SampleTime", "t": "SampleTime"},
    "First-Order System": _FIRST_ORDER,
    "Second-Order System": _SECOND_ORDER,
    "Mass-Spring-Damper": {
        "m": "Mass", "c": "Damping", "b": "Damping", "d": "Damping", "k": "Stiffness",
    },
    "DC Motor Model": {
        **dict.fromkeys("r ra r_a".split(), "Resistance"),
        **dict.fromkeys("l la l_a".split(), "Inductance"),
        **dict.fromkeys("k kt km ke k_t".split(), "MotorConstant"),
        "j": "Inertia",
        **dict.fromkeys("b d".split(), "Friction"),
    },
    "Pendulum": {
        "m": "Mass", "l": "Length", "b": "Damping", "c": "Damping", "d": "Damping", "g": "Gravity",
    },
    "Gain": {"k": "Gain"},
    "Step": {**dict.fromkeys("w r ref u f x v".split(), "After"), "t": "Time"},
    "Constant": dict.fromkeys("w r ref u f x v a b c".split(), "Value"),
    "Sine Wave": {"a": "Amplitude", "f": "Frequency", "omega": "Frequency", "w": "Frequency"},
    "Resistor": {"r": "R"},
    "Inductor": {"l": "l"},
    "Capacitor": {"c": "c"},
}  # fmt: skip
# A PI has no rate time, a P neither; in the parallel form the integral gain is P over Ti.
_LACKING = {"P": "ID", "PI": "D", "PD": "I", "I": "PD"}
WRITTEN = re.compile(
    r"(?<![\w'])(?:([^\W\d]\w*)\s*:?=|(?!(?:a|i|A|I)\b)([^\W\d]\w*)\s*(?::|\bof\b|\bis\b|))\s*$"
)
ASSIGNED = re.compile(r"(?<![\w'])([^\W\d]\w*)\s*:?=\s*$")


def parameter_of(one: Mention, symbol: str) -> str | None:
    """The parameter of a block that a letter stands for; with "=" where it is made of another."""
    name = _SYMBOLS.get(one.spec.name, {}).get(symbol.casefold().replace("_", ""))
    name = name or _SYMBOLS.get(one.spec.name, {}).get(symbol.casefold())
    lacking = _LACKING.get(one.params.get("Controller", ""), "")
    return None if name is not None and name[0] in lacking and "P" in one.spec.parameters else name


def made(one: Mention, name: str, value: str) -> tuple[str, str] | None:
    """The parameter and its text, where it is made of the gain P that is told."""
    target, _, rule = name.partition("=")
    gain = one.params.get(rule[:-1])
    if gain is None:
        return None
    plain = re.fullmatch(r"[\w.]+", value)
    return target, f"{gain}{rule[-1]}{value if plain else f'({value})'}"
