"""Counts the ports of lookup table blocks by their parameters."""

from __future__ import annotations

from grounded_builder.domains.simulink.catalog.ports.parameter_texts import (
    Get,
    Shape,
    UnknownError,
    count_in,
    equals,
    is_on,
)


def lookup(get: Get) -> Shape:
    """Returns the ports of an n-D table, whose table and breakpoints may be inputs as well."""
    if get("numDimsPopupSelect", ""):
        raise UnknownError  # the notation of releases before R2011a
    count = count_in(get("NumberOfTableDimensions", "1"))
    tables = equals(get, "TableSource", "Input port")
    for number in range(1, min(count, 30) + 1):
        tables += equals(get, f"BreakpointsForDimension{number}Source", "Input port")
    inputs = 1 if is_on(get, "UseOneInputPortForAllInputData") else count
    return {"in": inputs + tables, "out": 1}


def direct(get: Get) -> Shape:
    """Returns the ports of a Direct Lookup Table, which returns an element, vector or matrix."""
    if get("maskTabDims", ""):
        raise UnknownError  # the notation of releases before R2011a
    picked = get("InputsSelectThisObjectFromTable", "Element")
    whole = {"Element": 0, "Vector": 1, "Column": 1, "2-D Matrix": 2}.get(picked)
    if whole is None:
        raise UnknownError
    inputs = count_in(get("NumberOfTableDimensions", "2")) - whole
    return {"in": inputs + is_on(get, "TableIsInput"), "out": 1}


def prelookup(get: Get) -> Shape:
    """Returns the ports of a Prelookup, which finds the position among breakpoints."""
    both = get("OutputSelection", "Index and fraction") == "Index and fraction"
    return {"in": 1 + equals(get, "BreakpointsDataSource", "Input port"), "out": 2 if both else 1}
