"""Draws the icons inside blocks: formulas, curves and names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from grounded_builder.domains.simulink.draw.curves import CURVES
from grounded_builder.domains.simulink.draw.geometry import Box
from grounded_builder.domains.simulink.draw.svg import fit_text, path, polyline, text

# BlockTypes with a text as icon; values of parameters are in braces.
_TEXTS = {
    "Abs": "|u|",
    "ActionPort": "Action",
    "Assertion": "Assert",
    "Bias": "u+{Bias}",
    "Concatenate": "Concat",
    "Constant": "{Value}",
    "DataStoreMemory": "{DataStoreName}",
    "DataStoreRead": "{DataStoreName}",
    "DataStoreWrite": "{DataStoreName}",
    "DataTypeConversion": "Convert",
    "Derivative": "du/dt",
    "DotProduct": "\u2022",
    "EnablePort": "\u238d",
    "Fcn": "{Expr}",
    "ForEach": "For Each",
    "FromFile": "{FileName}",
    "FromWorkspace": "{VariableName}",
    "HitCross": "\u2571 0",
    "InitialCondition": "[{Value}]",
    "Logic": "{Operator}",
    "MATLABFcn": "{MATLABFcn}",
    "Memory": "mem",
    "Merge": "Merge",
    "MinMax": "{Function}",
    "ModelReference": "{ModelNameDialog}",
    "RateTransition": "ZOH",
    "RelationalOperator": "{Operator}",
    "Reshape": "U( : )",
    "Rounding": "{Operator}",
    "S-Function": "{FunctionName}",
    "Selector": "U Y",
    "SignalConversion": "copy",
    "Signum": "sgn",
    "Sqrt": "\u221au",
    "Stop": "STOP",
    "ToFile": "{Filename}",
    "ToWorkspace": "{VariableName}",
    "Trigonometry": "{Operator}",
    "UnaryMinus": "\u2212u",
    "Width": "width",
}
_DEFAULTS = {
    ("Constant", "Value"): "1",
    ("Logic", "Operator"): "AND",
    ("MinMax", "Function"): "min",
    ("RelationalOperator", "Operator"): ">=",
    ("Trigonometry", "Operator"): "sin",
    ("Bias", "Bias"): "0",
    ("Fcn", "Expr"): "f(u)",
    ("DataStoreMemory", "DataStoreName"): "A",
    ("DataStoreRead", "DataStoreName"): "A",
    ("DataStoreWrite", "DataStoreName"): "A",
    ("ToWorkspace", "VariableName"): "simout",
}
_SPOKEN = {"<=": "\u2264", ">=": "\u2265", "~=": "\u2260"}
_MATH = {
    "exp": "e\u1d58",
    "log": "ln",
    "10^u": "10\u1d58",
    "log10": "log\u2081\u2080",
    "magnitude^2": "|u|\u00b2",
    "square": "u\u00b2",
    "pow": "u\u1d5b",
    "reciprocal": "1/u",
    "hypot": "hypot",
    "transpose": "u\u1d40",
}
_VECTOR = re.compile(r"\[([^\[\]]*)\]")


def icon(block: Mapping[str, Any], box: Box) -> list[str]:
    """Returns the marks inside a block."""
    kind = block["type"]
    parameters: Mapping[str, str] = block.get("parameters", {})
    drawn = _DRAWN.get(kind)
    if drawn is not None:
        return drawn(parameters, box)
    if kind in CURVES:
        return [_curve(CURVES[kind], box)]
    if kind == "Math":
        operator = parameters.get("Operator", "exp")
        return _words(_MATH.get(operator, operator), box)
    if kind in _TEXTS:
        shown = re.sub(r"\{(\w+)\}", lambda m: _value(kind, m[1], parameters), _TEXTS[kind])
        return _words(_SPOKEN.get(shown, shown), box)
    return _words(_find_icon_text(block), box)


def _value(kind: str, name: str, parameters: Mapping[str, str]) -> str:
    return parameters.get(name) or _DEFAULTS.get((kind, name), name)


def _find_icon_text(block: Mapping[str, Any]) -> str:
    """Returns the text inside a block without an icon of its own."""
    if block.get("opaque") in ("chart", "function"):
        return "Chart" if block["opaque"] == "chart" else "fcn"
    if block["type"] in ("SubSystem", "Reference"):
        return ""
    return str(block["type"])


def _words(words: str, box: Box) -> list[str]:
    if not words:
        return []
    shown, size = fit_text(words, box.width - 4, min(11, box.height * 0.7))
    return [text(box.centre, shown, size)]


def _curve(points: tuple[tuple[float, float], ...], box: Box) -> str:
    return polyline(
        [(box.left + x * box.width, box.bottom - y * box.height) for x, y in points], "icon"
    )


def _fraction(top: str, under: str, box: Box) -> list[str]:
    x, y = box.centre
    above, first = fit_text(top, box.width - 6, min(11, box.height * 0.36))
    below, second = fit_text(under, box.width - 6, min(11, box.height * 0.36))
    size = min(first, second)
    half = min(max(len(above), len(below)) * size * 0.3 + 2, box.width / 2 - 2)
    return [
        text((x, y - size * 0.7), above, size),
        polyline([(x - half, y), (x + half, y)], "icon"),
        text((x, y + size * 0.75), below, size),
    ]


def _polynomial(text_: str, variable: str) -> str:
    """Returns ``[1 0 2]`` as ``s^2+2``; a text that is not a row of numbers and names as it is."""
    match = _VECTOR.fullmatch(text_.strip())
    if match is None:
        return f"{text_}({variable})" if text_.isidentifier() else text_
    terms = match[1].replace(",", " ").split()
    powers = range(len(terms) - 1, -1, -1)
    parts = []
    for term, power in zip(terms, powers, strict=True):
        if term in ("0", "0.0"):
            continue
        unit = "" if power == 0 else variable if power == 1 else f"{variable}{_format_power(power)}"
        parts.append(unit if term == "1" and unit else f"{term}{unit}")
    return "+".join(parts).replace("+-", "-") or "0"


def _format_power(power: int) -> str:
    return "".join(
        "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"[int(d)] for d in str(power)
    )


def _transfer(variable: str) -> Callable[[Mapping[str, str], Box], list[str]]:
    def draw_fraction(parameters: Mapping[str, str], box: Box) -> list[str]:
        top = _polynomial(parameters.get("Numerator", "[1]"), variable)
        under = _polynomial(parameters.get("Denominator", "[1 1]"), variable)
        return _fraction(top, under, box)

    return draw_fraction


def _state_space(parameters: Mapping[str, str], box: Box) -> list[str]:
    del parameters
    x, y = box.centre
    size = min(9.0, box.height * 0.3, box.width / 9)
    return [
        text((x, y - size * 0.7), "x\u0307 = Ax+Bu", size),
        text((x, y + size * 0.7), "y = Cx+Du", size),
    ]


def _sine(parameters: Mapping[str, str], box: Box) -> list[str]:
    del parameters
    left, width, (_, middle) = box.left + 4, box.width - 8, box.centre
    high = box.height * 0.35
    steps = (
        f"M{left:.1f},{middle:.1f} q{width / 4:.1f},{-2 * high:.1f} {width / 2:.1f},0 "
        f"q{width / 4:.1f},{2 * high:.1f} {width / 2:.1f},0"
    )
    return [path(steps, "icon")]


def _scope(parameters: Mapping[str, str], box: Box) -> list[str]:
    del parameters
    left, right = box.left + box.width * 0.2, box.right - box.width * 0.2
    top, bottom = box.top + box.height * 0.15, box.top + box.height * 0.55
    frame = polyline(
        [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)], "icon"
    )
    x, y = box.centre
    del y
    dots = "".join(
        f'<circle cx="{x + shift:.1f}" cy="{box.bottom - box.height * 0.22:.1f}" r="1.6"/>'
        for shift in (-6, 0, 6)
        if box.width > 18
    )
    return [frame, dots]


def _clock(parameters: Mapping[str, str], box: Box) -> list[str]:
    del parameters
    (x, y), size = box.centre, min(box.width, box.height) * 0.4
    return [
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size:.1f}" class="icon"/>',
        polyline([(x, y - size * 0.7), (x, y), (x + size * 0.5, y + size * 0.3)], "icon"),
    ]


def _switch(parameters: Mapping[str, str], box: Box) -> list[str]:
    criterion = parameters.get("Criteria", "u2 >= Threshold")
    shown = criterion.replace("u2", "").replace("Threshold", parameters.get("Threshold", "0"))
    words, size = fit_text(shown.strip(), box.width * 0.7, 9, 5)
    (x, y), third = box.centre, box.height / 6
    return [
        polyline([(box.left + 4, box.top + third), (x - 2, box.top + third)], "icon"),
        polyline([(box.left + 4, box.bottom - third), (x - 2, box.bottom - third)], "icon"),
        polyline([(x - 2, box.top + third), (x + box.width * 0.25, y), (box.right - 4, y)], "icon"),
        text((box.left + box.width * 0.38, y), words, size),
    ]


def _product(parameters: Mapping[str, str], box: Box) -> list[str]:
    given = parameters.get("Inputs", "2")
    if "/" in given:
        count = len(given)
        marks = []
        for index, sign in enumerate(given, 1):
            y = box.top + box.height * (index - 0.5) / count
            marks.append(text((box.left + 9, y), "\u00d7" if sign == "*" else "\u00f7", 11))
        return marks
    matrix = parameters.get("Multiplication", "").startswith("Matrix")
    return _words("Matrix \u00d7" if matrix else "\u03a0" if given == "1" else "\u00d7", box)


def _delay(parameters: Mapping[str, str], box: Box) -> list[str]:
    length = parameters.get("DelayLength", "2")
    if length.isdigit():
        return _words(f"z\u207b{_format_power(int(length))}", box)
    return _words(f"z^-{length}", box)


def _display(parameters: Mapping[str, str], box: Box) -> list[str]:
    del parameters
    left, top = box.left + 5, box.top + box.height * 0.25
    right, bottom = box.right - 5, box.bottom - box.height * 0.25
    return [
        polyline([(left, top), (right, top), (right, bottom), (left, bottom), (left, top)], "icon")
    ]


def _none(parameters: Mapping[str, str], box: Box) -> list[str]:
    del parameters, box
    return []


_DRAWN: Mapping[str, Callable[[Mapping[str, str], Box], list[str]]] = {
    "Integrator": lambda _, box: _fraction("1", "s", box),
    "SecondOrderIntegrator": lambda _, box: _fraction("1", "s\u00b2", box),
    "DiscreteIntegrator": lambda _, box: _fraction("K Ts", "z-1", box),
    "UnitDelay": lambda _, box: _fraction("1", "z", box),
    "Delay": _delay,
    "TransferFcn": _transfer("s"),
    "DiscreteTransferFcn": _transfer("z"),
    "DiscreteFilter": _transfer("z"),
    "ZeroPole": lambda _, box: _fraction("(s-z)", "(s-p)", box),
    "StateSpace": _state_space,
    "DiscreteStateSpace": _state_space,
    "Sin": _sine,
    "Scope": _scope,
    "Clock": _clock,
    "DigitalClock": lambda _, box: _words("12:34", box),
    "Switch": _switch,
    "Product": _product,
    "Display": _display,
    "Mux": _none,
    "Demux": _none,
    "BusCreator": _none,
    "BusSelector": _none,
}
