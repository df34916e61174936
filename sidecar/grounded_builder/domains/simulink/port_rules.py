"""The rules that derive the numbers of a block's ports from its parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from grounded_builder.domains.simulink.values import Refused, evaluate, number_of, parse

Shape = dict[str, int]
Get = Callable[[str, str], str]
Rule = Callable[[Get], Shape]


class UnknownError(Exception):
    """A parameter that decides about ports is no known number."""


def _count(text: str) -> int:
    """A number of ports: a number, or as many as a vector or a list of names has."""
    plain = text.strip()
    if plain.isdigit():
        return int(plain)
    try:
        known = evaluate(parse(plain))
    except Refused:
        known = None
    if known is not None and not known.of_text:
        number = number_of(known)
        if number is not None and number >= 0 and number == int(number):
            return int(number)
        if known.rows * known.columns > 1:
            return known.rows * known.columns
    if "," in plain or plain.startswith("'"):
        return len(_listed(plain))
    raise UnknownError


def _listed(text: str) -> list[str]:
    return [one for one in text.strip().strip("{}").split(",") if one.strip()]


def _signs(text: str, signs: str) -> int:
    """The inputs of Sum or Product: a number, or one for each sign; bars are but gaps."""
    plain = text.strip().strip("'\"")
    if plain and all(mark in signs + "| \n" for mark in plain):
        return sum(mark in signs for mark in plain)
    return _count(plain)


def _on(get: Get, name: str, default: str = "off") -> int:
    return int(get(name, default) == "on")


def _is(get: Get, name: str, wanted: str, default: str = "") -> int:
    return int(get(name, default).casefold() == wanted.casefold())


def _not_none(get: Get, name: str) -> int:
    return int(get(name, "none").casefold() != "none")


def _integrator(get: Get) -> Shape:
    return {
        "in": 1
        + _not_none(get, "ExternalReset")
        + _is(get, "InitialConditionSource", "external", "internal"),
        "out": 1 + _on(get, "ShowSaturationPort"),
        "state": _on(get, "ShowStatePort"),
    }


def _second_order(get: Get) -> Shape:
    shown = get("ShowOutput", "both")
    return {
        "in": 1
        + _not_none(get, "ExternalReset")
        + _is(get, "ICSourceX", "external", "internal")
        + _is(get, "ICSourceDXDT", "external", "internal"),
        "out": 2 if shown == "both" else 1,
    }


def _multiport(get: Get) -> Shape:
    order = get("DataPortOrder", "One-based contiguous")
    if order == "Specify indices":
        inputs = _top_level(get("DataPortIndices", "{1,2,3}"))
    else:
        inputs = _count(get("Inputs", "3"))
    extra = inputs > 1 and _is(get, "DataPortForDefault", "Additional data port")
    return {"in": 1 + inputs + extra, "out": 1}


def _top_level(text: str) -> int:
    """The elements of a cell such as ``{1,[2 3]}``."""
    try:
        term = parse(text)
    except Refused:
        raise UnknownError from None
    if term.kind != "cell":
        return 1
    return sum(len(row.parts) for row in term.parts)


def _if(get: Get) -> Shape:
    branches = _listed(get("ElseIfExpressions", ""))
    return {
        "in": _count(get("NumInputs", "1")),
        "out": 1 + len(branches) + _on(get, "ShowElse", "on"),
    }


def _case(get: Get) -> Shape:
    cases = _top_level(get("CaseConditions", "{1}"))
    return {"in": 1, "out": cases + _on(get, "ShowDefaultCase", "on")}


def _delay(get: Get) -> Shape:
    return {
        "in": 1
        + _is(get, "DelayLengthSource", "Input port")
        + _is(get, "InitialConditionSource", "Input port")
        + _not_none(get, "ExternalReset")
        + _on(get, "ShowEnablePort"),
        "out": 1,
    }


def _filter(get: Get) -> Shape:
    sources = ("NumeratorSource", "DenominatorSource", "InitialStatesSource", "CoefSource")
    inputs = sum(_is(get, name, "Input port") for name in sources)
    return {
        "in": 1 + inputs + _not_none(get, "ExternalReset") + _on(get, "ShowEnablePort"),
        "out": 1,
    }


def _lookup(get: Get) -> Shape:
    count = _count(get("NumberOfTableDimensions", "1"))
    tables = _is(get, "TableSource", "Input port")
    for number in range(1, min(count, 30) + 1):
        tables += _is(get, f"BreakpointsForDimension{number}Source", "Input port")
    inputs = 1 if _on(get, "UseOneInputPortForAllInputData") else count
    return {"in": inputs + tables, "out": 1}


def _prelookup(get: Get) -> Shape:
    both = get("OutputSelection", "Index and fraction") == "Index and fraction"
    return {"in": 1 + _is(get, "BreakpointsDataSource", "Input port"), "out": 2 if both else 1}


def _indexed(get: Get, fixed: int) -> int:
    """Inputs of Selector and Assignment: those for indices that come through a port."""
    options = get("IndexOptionArray", "") or get("IndexOptions", "")
    older = int(get("ElementSrc", "Internal") == "External")
    return fixed + (options.count("(port)") or older)


def _assignment(get: Get) -> Shape:
    by_port = get("OutputInitialize", "Initialize using input port <Y0>").startswith(
        "Initialize using"
    )
    return {"in": _indexed(get, 1) + int(by_port), "out": 1}


def _probe(get: Get) -> Shape:
    names = ("ProbeWidth", "ProbeSampleTime", "ProbeComplexSignal", "ProbeSignalDimensions")
    framed = _on(get, "ProbeFramedSignal", "off")
    return {"in": 1, "out": sum(_on(get, name, "on") for name in names) + framed}


def _scope(get: Get) -> Shape:
    if _on(get, "Floating"):
        return {}
    return {"in": _count(get("NumInputPorts", "1"))}


def _bus_selector(get: Get) -> Shape:
    if _on(get, "OutputAsBus"):
        return {"in": 1, "out": 1}
    return {"in": 1, "out": len(_listed(get("OutputSignals", "signal1,signal2")))}


def _math(get: Get) -> Shape:
    two = get("Operator", "exp") in ("pow", "hypot", "mod", "rem")
    return {"in": 2 if two else 1, "out": 1}


def _trigonometry(get: Get) -> Shape:
    operator = get("Operator", "sin")
    return {"in": 1 + (operator == "atan2"), "out": 1 + (operator == "sincos")}


def _compared(get: Get) -> Shape:
    alone = get("Operator", ">=") in ("isInf", "isNaN", "isFinite")
    return {"in": 1 if alone else 2, "out": 1}


def _timed(get: Get) -> Shape:
    return {"in": _is(get, "TimeSource", "Use external signal"), "out": 1}


def _bitwise(get: Get) -> Shape:
    alone = get("logicop", "AND") == "NOT" or _on(get, "UseBitMask", "on")
    return {"in": 1 if alone else _count(get("NumInputPorts", "1")), "out": 1}


def _pid(get: Get, inputs: int) -> Shape:
    known = {"P": "P", "I": "I", "D": "D", "PI": "PI", "PD": "PDN", "PID": "PIDN"}
    external = _is(get, "ControllerParametersSource", "external")
    if external and get("Controller", "PID") not in known:
        raise UnknownError
    gains = len(known.get(get("Controller", "PID"), "")) if external else 0
    if external and "D" in get("Controller", "PID") and not _on(get, "UseFilter", "on"):
        gains -= 1
    starts = 0
    if _is(get, "InitialConditionSource", "external"):
        starts = sum(one in get("Controller", "PID") for one in "ID")
    more = _not_none(get, "ExternalReset") + _on(get, "TrackingMode") + _on(get, "UseExternalTs")
    return {"in": inputs + gains + starts + more, "out": 1}


RULES: Mapping[str, Rule] = {
    "Sum": lambda get: {"in": _signs(get("Inputs", "++"), "+-"), "out": 1},
    "Product": lambda get: {"in": _signs(get("Inputs", "2"), "*/"), "out": 1},
    "Mux": lambda get: {"in": _count(get("Inputs", "4")), "out": 1},
    "Demux": lambda get: {"in": 1, "out": _count(get("Outputs", "4"))},
    "Logic": lambda get: {
        "in": 1 if _is(get, "Operator", "NOT", "AND") else _count(get("Inputs", "2")),
        "out": 1,
    },
    "MinMax": lambda get: {"in": _count(get("Inputs", "1")), "out": 1},
    "BusCreator": lambda get: {"in": _count(get("Inputs", "2")), "out": 1},
    "BusSelector": _bus_selector,
    "Switch": lambda _: {"in": 3, "out": 1},
    "MultiPortSwitch": _multiport,
    "RelationalOperator": _compared,
    "Integrator": _integrator,
    "DiscreteIntegrator": _integrator,
    "SecondOrderIntegrator": _second_order,
    "Scope": _scope,
    "Display": lambda get: {"in": 1 - _on(get, "Floating")},
    "Delay": _delay,
    "DiscreteFilter": _filter,
    "DiscreteTransferFcn": _filter,
    "DiscreteFir": _filter,
    "Sin": _timed,
    "SignalGenerator": _timed,
    "DiscretePulseGenerator": _timed,
    "Math": _math,
    "Trigonometry": _trigonometry,
    "Selector": lambda get: {"in": _indexed(get, 1), "out": 1},
    "Assignment": _assignment,
    "Lookup_n-D": _lookup,
    "PreLookup": _prelookup,
    "Concatenate": lambda get: {"in": _count(get("NumInputs", "2")), "out": 1},
    "Merge": lambda get: {"in": _count(get("Inputs", "2")), "out": 1},
    "If": _if,
    "SwitchCase": _case,
    "DataTypeDuplicate": lambda get: {"in": _count(get("NumInputPorts", "2"))},
    "ComplexToRealImag": lambda get: {
        "in": 1,
        "out": 1 + get("Output", "RealAndImag").casefold().startswith(("realand", "real and")),
    },
    "ComplexToMagnitudeAngle": lambda get: {
        "in": 1,
        "out": 1 + ("and" in get("Output", "MagnitudeAndAngle").casefold()),
    },
    "RealImagToComplex": lambda get: {
        "in": 1 + ("and" in get("Input", "RealAndImag").casefold()),
        "out": 1,
    },
    "MagnitudeAngleToComplex": lambda get: {
        "in": 1 + ("and" in get("Input", "MagnitudeAndAngle").casefold()),
        "out": 1,
    },
    "HitCross": lambda get: {"in": 1, "out": _on(get, "ShowOutputPort", "on")},
    "TriggerPort": lambda get: {"out": _on(get, "ShowOutputPort")},
    "EnablePort": lambda get: {"out": _on(get, "ShowOutputPort")},
    "Probe": _probe,
    "FromFile": lambda _: {"out": 1},
    "Sqrt": lambda _: {"in": 1, "out": 1},
    "Inport": lambda _: {"out": 1},
    "Outport": lambda _: {"in": 1},
    "TransportDelay": lambda _: {"in": 1, "out": 1},
    "VariableTransportDelay": lambda _: {"in": 2, "out": 1},
}

# Masks of the base library whose ports depend on their parameters.
MASKED: Mapping[str, Rule] = {
    "simulink/Continuous/PID Controller": lambda get: _pid(get, 1),
    "simulink/Discrete/Discrete PID Controller": lambda get: _pid(get, 1),
    "simulink/Continuous/PID Controller (2DOF)": lambda get: _pid(get, 2),
    "simulink/Discrete/Discrete PID Controller (2DOF)": lambda get: _pid(get, 2),
    "simulink/Logic and Bit Operations/Bitwise Operator": _bitwise,
}
