"""Maps BlockTypes to the rules that derive the number of ports from parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping

from grounded_builder.domains.simulink.catalog.ports.parameter_texts import (
    Get,
    Rule,
    Shape,
    UnknownError,
    cells_in,
    count_in,
    equals,
    is_on,
    is_set,
    signs_in,
    split_names,
)


def _lookup(get: Get) -> Shape:
    """Returns the ports of an n-D table, whose table and breakpoints may be inputs as well."""
    if get("numDimsPopupSelect", ""):
        raise UnknownError  # the notation of releases before R2011a
    count = count_in(get("NumberOfTableDimensions", "1"))
    tables = equals(get, "TableSource", "Input port")
    for number in range(1, min(count, 30) + 1):
        tables += equals(get, f"BreakpointsForDimension{number}Source", "Input port")
    inputs = 1 if is_on(get, "UseOneInputPortForAllInputData") else count
    return {"in": inputs + tables, "out": 1}


def _direct_lookup(get: Get) -> Shape:
    """Returns the ports of a Direct Lookup Table, which returns an element, vector or matrix."""
    if get("maskTabDims", ""):
        raise UnknownError  # the notation of releases before R2011a
    picked = get("InputsSelectThisObjectFromTable", "Element")
    whole = {"Element": 0, "Vector": 1, "Column": 1, "2-D Matrix": 2}.get(picked)
    if whole is None:
        raise UnknownError
    inputs = count_in(get("NumberOfTableDimensions", "2")) - whole
    return {"in": inputs + is_on(get, "TableIsInput"), "out": 1}


def _prelookup(get: Get) -> Shape:
    """Returns the ports of a Prelookup, which finds the position among breakpoints."""
    both = get("OutputSelection", "Index and fraction") == "Index and fraction"
    return {"in": 1 + equals(get, "BreakpointsDataSource", "Input port"), "out": 2 if both else 1}


def _integrator(get: Get) -> Shape:
    return {
        "in": 1
        + is_set(get, "ExternalReset")
        + equals(get, "InitialConditionSource", "external", "internal"),
        "out": 1 + is_on(get, "ShowSaturationPort"),
        "state": is_on(get, "ShowStatePort"),
    }


def _second_order(get: Get) -> Shape:
    shown = get("ShowOutput", "both")
    return {
        "in": 1
        + is_set(get, "ExternalReset")
        + equals(get, "ICSourceX", "external", "internal")
        + equals(get, "ICSourceDXDT", "external", "internal"),
        "out": 2 if shown == "both" else 1,
    }


def _multiport(get: Get) -> Shape:
    order = get("DataPortOrder", "One-based contiguous")
    if order == "Specify indices":
        inputs = cells_in(get("DataPortIndices", "{1,2,3}"))
    else:
        inputs = count_in(get("Inputs", "3"))
    extra = inputs > 1 and equals(get, "DataPortForDefault", "Additional data port")
    return {"in": 1 + inputs + extra, "out": 1}


def _if(get: Get) -> Shape:
    branches = split_names(get("ElseIfExpressions", ""))
    return {
        "in": count_in(get("NumInputs", "1")),
        "out": 1 + len(branches) + is_on(get, "ShowElse", "on"),
    }


def _case(get: Get) -> Shape:
    cases = cells_in(get("CaseConditions", "{1}"))
    return {"in": 1, "out": cases + is_on(get, "ShowDefaultCase", "on")}


def _delay(get: Get) -> Shape:
    return {
        "in": 1
        + equals(get, "DelayLengthSource", "Input port")
        + equals(get, "InitialConditionSource", "Input port")
        + is_set(get, "ExternalReset")
        + is_on(get, "ShowEnablePort"),
        "out": 1,
    }


def _filter(get: Get) -> Shape:
    sources = ("NumeratorSource", "DenominatorSource", "InitialStatesSource", "CoefSource")
    inputs = sum(equals(get, name, "Input port") for name in sources)
    return {
        "in": 1 + inputs + is_set(get, "ExternalReset") + is_on(get, "ShowEnablePort"),
        "out": 1,
    }


def _count_store_ports(get: Get) -> tuple[int, int]:
    """Returns the number of data store elements that are accessed, and of index ports."""
    parts = [part for part in get("DataStoreElements", "").split("#") if part.strip()]
    by_port = _by_port(get)
    return max(1, len(parts)), by_port * is_on(get, "EnableIndexing")


def _read(get: Get) -> Shape:
    parts, indices = _count_store_ports(get)
    return {"in": indices, "out": parts}


def _write_ports(get: Get) -> Shape:
    return {"in": sum(_count_store_ports(get))}


def _limit_ports(get: Get) -> Shape:
    sources = ("UpperLimitSource", "LowerLimitSource")
    return {"in": 1 + sum(equals(get, name, "Input port") for name in sources), "out": 1}


def _count_record_inputs(get: Get) -> int:
    """Returns the number of inputs of a Record block; an XY view has two."""
    count = get("NumPorts", "")
    default = 2 if get("CompatibilityTag", "") == "XY" else 1
    return count_in(count) if count else default


def _analyzer(get: Get) -> Shape:
    if is_on(get, "IsFrequencyInputMode"):
        raise UnknownError
    return {"in": count_in(get("NumInputPorts", "1"))}


def _count_index_inputs(get: Get, fixed: int) -> int:
    """Returns the number of inputs of Selector and Assignment, including index ports."""
    older = int(get("ElementSrc", "Internal") == "External")
    return fixed + (_by_port(get) or older)


def _by_port(get: Get) -> int:
    """Returns the number of index ports, which one parameter states, or one for each dimension."""
    return max(get(name, "").count("(port)") for name in ("IndexOptionArray", "IndexOptions"))


def _assignment(get: Get) -> Shape:
    by_port = get("OutputInitialize", "Initialize using input port <Y0>").startswith(
        "Initialize using"
    )
    return {"in": _count_index_inputs(get, 1) + int(by_port), "out": 1}


def _probe(get: Get) -> Shape:
    names = ("ProbeWidth", "ProbeSampleTime", "ProbeComplexSignal", "ProbeSignalDimensions")
    framed = is_on(get, "ProbeFramedSignal", "off")
    return {"in": 1, "out": sum(is_on(get, name, "on") for name in names) + framed}


def _scope(get: Get) -> Shape:
    # A viewer shows signals without lines to it.
    if is_on(get, "Floating") or equals(get, "IOType", "viewer"):
        return {}
    return {"in": count_in(get("NumInputPorts", "1"))}


def _bus_selector(get: Get) -> Shape:
    if is_on(get, "OutputAsBus"):
        return {"in": 1, "out": 1}
    return {"in": 1, "out": len(split_names(get("OutputSignals", "signal1,signal2")))}


def _caller(get: Get) -> Shape:
    """Returns the ports of a Function Caller from its prototype, such as ``[a,b] = f(x)``."""
    call = _CALL.fullmatch(get("FunctionPrototype", "y = f(u)"))
    if call is None:
        raise UnknownError
    return {
        "in": len(_NAME.findall(call["inputs"] or "")),
        "out": len(_NAME.findall(call["outputs"] or "")),
    }


def _while(get: Get) -> Shape:
    """Returns the ports of a While Iterator: the condition and its initial value."""
    first = equals(get, "WhileBlockType", "while", "while")
    return {"in": 1 + first, "out": is_on(get, "ShowIterationPort")}


def _for(get: Get) -> Shape:
    inputs = equals(get, "IterationSource", "external", "internal") + is_on(
        get, "ExternalIncrement"
    )
    return {"in": inputs, "out": is_on(get, "ShowIterationPort", "on")}


def _math(get: Get) -> Shape:
    two = get("Operator", "exp") in ("pow", "hypot", "mod", "rem")
    return {"in": 2 if two else 1, "out": 1}


def _trigonometry(get: Get) -> Shape:
    operator = get("Operator", "sin")
    return {"in": 1 + (operator == "atan2"), "out": 1 + (operator == "sincos")}


def _comparison_ports(get: Get) -> Shape:
    alone = get("Operator", ">=") in ("isInf", "isNaN", "isFinite")
    return {"in": 1 if alone else 2, "out": 1}


def _time_ports(get: Get) -> Shape:
    return {"in": equals(get, "TimeSource", "Use external signal"), "out": 1}


_NAME = re.compile(r"\w+")
_CALL = re.compile(
    r"\s*(?:(?P<outputs>\[[\w ,]*\]|\w+)\s*=\s*)?[\w.]+(?:\s*\((?P<inputs>[\w ,]*)\))?\s*"
)

RULES: Mapping[str, Rule] = {
    "Sum": lambda get: {"in": signs_in(get("Inputs", "++"), "+-"), "out": 1},
    "Product": lambda get: {"in": signs_in(get("Inputs", "2"), "*/"), "out": 1},
    "Mux": lambda get: {"in": count_in(get("Inputs", "4")), "out": 1},
    "Demux": lambda get: {"in": 1, "out": count_in(get("Outputs", "4"))},
    "Logic": lambda get: {
        "in": 1 if equals(get, "Operator", "NOT", "AND") else count_in(get("Inputs", "2")),
        "out": 1,
    },
    "MinMax": lambda get: {"in": count_in(get("Inputs", "1")), "out": 1},
    "BusCreator": lambda get: {"in": count_in(get("Inputs", "2")), "out": 1},
    "BusSelector": _bus_selector,
    "Switch": lambda _: {"in": 3, "out": 1},
    "MultiPortSwitch": _multiport,
    "RelationalOperator": _comparison_ports,
    "Integrator": _integrator,
    "DiscreteIntegrator": _integrator,
    "SecondOrderIntegrator": _second_order,
    "Scope": _scope,
    "Display": lambda get: {"in": 1 - is_on(get, "Floating")},
    "Delay": _delay,
    "DiscreteFilter": _filter,
    "DiscreteTransferFcn": _filter,
    "DiscreteFir": _filter,
    "Sin": _time_ports,
    "SignalGenerator": _time_ports,
    "DiscretePulseGenerator": _time_ports,
    "Math": _math,
    "Trigonometry": _trigonometry,
    "Selector": lambda get: {"in": _count_index_inputs(get, 1), "out": 1},
    "Assignment": _assignment,
    "Lookup_n-D": _lookup,
    "PreLookup": _prelookup,
    "Concatenate": lambda get: {"in": count_in(get("NumInputs", "2")), "out": 1},
    "Merge": lambda get: {"in": count_in(get("Inputs", "2")), "out": 1},
    "If": _if,
    "SwitchCase": _case,
    "DataTypeDuplicate": lambda get: {"in": count_in(get("NumInputPorts", "2"))},
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
    "HitCross": lambda get: {"in": 1, "out": is_on(get, "ShowOutputPort", "on")},
    "TriggerPort": lambda get: {"out": is_on(get, "ShowOutputPort")},
    "EnablePort": lambda get: {"out": is_on(get, "ShowOutputPort")},
    "Probe": _probe,
    "FromFile": lambda _: {"out": 1},
    "Sqrt": lambda _: {"in": 1, "out": 1},
    "Inport": lambda _: {"out": 1},
    "Outport": lambda _: {"in": 1},
    "TransportDelay": lambda _: {"in": 1, "out": 1},
    "BusAssignment": lambda get: {"in": 1 + len(split_names(get("AssignedSignals", ""))), "out": 1},
    "ForIterator": _for,
    "FunctionCaller": _caller,
    "WhileIterator": _while,
    "Record": lambda get: {"in": _count_record_inputs(get)},
    "Playback": lambda get: {"out": count_in(get("NumPorts", "1"))},
    "ArithShift": lambda get: {
        "in": 1 + equals(get, "BitShiftNumberSource", "Input port"),
        "out": 1,
    },
    "DataStoreRead": _read,
    "DataStoreWrite": _write_ports,
    "FunctionCallSplit": lambda get: {"in": 1, "out": count_in(get("NumOutputPorts", "2"))},
    "IdentityMatrix": lambda get: {"in": is_on(get, "InheritSize"), "out": 1},
    "LookupNDDirect": _direct_lookup,
    "Reshape": lambda get: {
        "in": 1 + get("OutputDimensionality", "").startswith("Derive"),
        "out": 1,
    },
    "Saturate": _limit_ports,
    "SpectrumAnalyzer": _analyzer,
    "VariableTransportDelay": lambda _: {"in": 2, "out": 1},
}
