"""Reports parameter values of one block that contradict each other."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.simulink.analysis.model_view import BlockView, ModelView
from grounded_builder.domains.simulink.analysis.propagation.indices import read_selection
from grounded_builder.domains.simulink.analysis.propagation.mask_overrides import MaskOverrides
from grounded_builder.domains.simulink.analysis.propagation.values import (
    number,
    numbers,
    read_count,
    value,
)
from grounded_builder.domains.simulink.check.contradiction_rules import (
    SOURCES,
    Clash,
    ClashRule,
    make_order_rule,
)

CONTRADICTING_VALUES = Rule.wrong(
    "SLX338", "contradicting-values", "TypeMismatch", "Values of one block contradict each other."
)


_USED_INPUT = re.compile(r"(?<![\w.])u(\d+)(?!\w)")
_CONDITIONS = (("IfExpression", "u1 > 0"), ("ElseIfExpressions", ""))


def _missing_input(item: BlockView) -> tuple[str, str] | None:
    """Returns the first input that a condition uses and the block lacks, with the parameter."""
    count = read_count(number(item, "NumInputs", "1"))
    if count is None:
        return None
    for name, otherwise in _CONDITIONS:
        for match in _USED_INPUT.finditer(item.value(name, otherwise) or ""):
            if int(match[1]) > count:
                has = f"there {'is' if count == 1 else 'are'} {count} input{'s' * (count != 1)}"
                return f"{name} names {match[0]}, and {has}", name
    return None


def check_parts(view: ModelView) -> Iterator[Diagnostic]:
    """Finds values that contradict each other; values that a variable decides are not checked."""
    rewriting = MaskOverrides(view)
    for diagram in view.checked_diagrams():
        for kind, rule in _RULES.items():
            for item in diagram.of(kind):
                if not item.active or item.opaque is not None or rewriting.may_set(item):
                    continue
                clash = rule(item)
                if clash is not None:
                    yield _report_contradiction(item, *clash)


def _report_contradiction(item: BlockView, why: str, name: str) -> Diagnostic:
    at = (*item.at, "parameters", name) if name in item.given else item.at
    return new_diagnostic(
        CONTRADICTING_VALUES,
        at,
        f'values of "{item.name}" contradict each other: {why}',
        help="make the values agree",
        node=item.name,
        token=item.value(name),
    )


def _rational(item: BlockView) -> Clash | None:
    """Finds a numerator of higher order than the denominator."""
    top, under = "Numerator", "Denominator"
    if "Input port" in (item.value(f"{top}Source"), item.value(f"{under}Source")):
        return None
    above, below = numbers(item, top), numbers(item, under)
    matrix = value(item, top)
    # Each row of a matrix is the polynomial of one output.
    if not above or not below or matrix is None or matrix.rows != 1:
        return None
    if not any(below):
        return f"{under} is 0 throughout", under
    while above and not above[0]:
        above = above[1:]
    if len(above) > len(below):
        return f"{top} is of order {len(above) - 1}, {under} of {len(below) - 1}", top
    return None


def _find_zero_leading_coefficient(item: BlockView) -> Clash | None:
    """Finds a filter whose first denominator coefficient, by which it divides, is 0."""
    if item.value("DenominatorSource") == "Input port":
        return None
    below = numbers(item, "Denominator")
    if below and len(below) > 1 and not below[0]:
        return "the first coefficient of Denominator is 0", "Denominator"
    return None


def _zeros(item: BlockView) -> Clash | None:
    zeros, poles = value(item, "Zeros"), value(item, "Poles")
    if zeros is None or poles is None or min(zeros.rows, zeros.columns) > 1:
        return None
    if min(poles.rows, poles.columns) > 1:
        return None
    above, below = zeros.rows * zeros.columns, poles.rows * poles.columns
    return (f"there are {above} zeros and {below} poles", "Zeros") if above > below else None


def _state_space(item: BlockView) -> Clash | None:
    """Finds matrices of a state-space model whose sizes do not match."""
    a, b, c, d = (value(item, name) for name in "ABCD")
    # An empty matrix stands for an absent part.
    a, b, c, d = (
        known if known is not None and known.rows * known.columns else None
        for known in (a, b, c, d)
    )
    if a is not None and a.rows != a.columns:
        return f"A is {a.rows} by {a.columns}, not square", "A"
    if a is not None and b is not None and b.rows != a.rows:
        return f"A has {a.rows} rows and B {b.rows}", "B"
    if a is not None and c is not None and c.columns != a.columns:
        return f"A has {a.columns} columns and C {c.columns}", "C"
    if d is None or d.rows * d.columns == 1:
        return None
    if c is not None and d.rows != c.rows:
        return f"C has {c.rows} rows and D {d.rows}", "D"
    if b is not None and d.columns != b.columns:
        return f"B has {b.columns} columns and D {d.columns}", "D"
    return None


def _is_limited(item: BlockView) -> bool:
    return item.value("LimitOutput", "off") == "on"


def _table(item: BlockView) -> Clash | None:
    """Finds tables whose size differs from their breakpoints, and decreasing breakpoints."""
    if item.value("DataSpecification", "Table and breakpoints") != "Table and breakpoints":
        return None
    if item.value("BreakpointsSpecification", "Explicit values") != "Explicit values":
        return None
    count = number(item, "NumberOfTableDimensions")
    if count not in (1, 2) or not _own(item, "Table", int(count)):
        return None
    sizes: list[int | None] = []
    for dimension in range(1, int(count) + 1):
        name = f"BreakpointsForDimension{dimension}"
        if item.value(f"{name}Source", "Dialog") != "Dialog":
            return None
        points = numbers(item, name)
        sizes.append(len(points) if points else None)
        if points and any(b <= a for a, b in pairwise(points)):
            return f"{name} does not increase", name
    table = value(item, "Table")
    if table is None or item.value("TableSource", "Dialog") != "Dialog":
        return None
    if count == 1 and sizes[0] is not None and 1 in (table.rows, table.columns):
        entries = table.rows * table.columns
        if entries != sizes[0]:
            return f"Table has {entries} entries, and there are {sizes[0]} breakpoints", "Table"
    if count == 2:
        for dimension, size in enumerate((table.rows, table.columns)):
            wanted = sizes[dimension]
            if wanted is not None and wanted != size:
                what = "columns" if dimension else "rows"
                return f"Table has {size} {what}, and there are {wanted} breakpoints", "Table"
    return None


def _own(item: BlockView, table: str, dimensions: int) -> bool:
    """Returns whether the file writes table and breakpoints; defaults depend on the release."""
    names = [table, *(f"BreakpointsForDimension{n}" for n in range(1, dimensions + 1))]
    return all(name in item.given or name in item.defaults for name in names)


def _older_table(item: BlockView) -> Clash | None:
    """Finds the same in the one-dimensional table of older releases; breakpoints may repeat."""
    points, table = numbers(item, "InputValues"), value(item, "Table")
    if points and any(b < a for a, b in pairwise(points)):
        return "InputValues fall", "InputValues"
    own = all(name in item.given or name in item.defaults for name in ("Table", "InputValues"))
    if points and table is not None and own:
        entries = table.rows * table.columns
        if entries != len(points):
            return f"Table has {entries} entries, InputValues {len(points)}", "Table"
    return None


def _delay(item: BlockView) -> Clash | None:
    if item.value("DelayLengthSource", "Dialog") != "Dialog":
        return None
    length = number(item, "DelayLength")
    if length is not None and not math.isnan(length) and (length < 0 or length % 1):
        return "DelayLength is not an integer number of samples", "DelayLength"
    return None


def _selector(item: BlockView) -> Clash | None:
    """Finds selected elements beyond the input width that the block states."""
    width = read_count(number(item, "InputPortWidth"))
    if number(item, "NumberOfDimensions", "1") != 1 or width is None or width < 1:
        return None
    for entry in read_selection(item):
        beyond = [index for index in entry.elements or () if not 1 <= index <= width]
        if beyond:
            return f"it selects element {beyond[0]} of {width}", "Indices"
    return None


_RULES: Mapping[str, ClashRule] = {
    **SOURCES,
    "DeadZone": make_order_rule("LowerValue", "UpperValue"),
    "Delay": _delay,
    "DiscreteFilter": _find_zero_leading_coefficient,
    "DiscreteIntegrator": make_order_rule(
        "LowerSaturationLimit", "UpperSaturationLimit", _is_limited
    ),
    "DiscreteStateSpace": _state_space,
    "DiscreteTransferFcn": _rational,
    "DiscreteZeroPole": _zeros,
    "Integrator": make_order_rule("LowerSaturationLimit", "UpperSaturationLimit", _is_limited),
    "If": _missing_input,
    "Lookup": _older_table,
    "Lookup_n-D": _table,
    "Relay": make_order_rule("OffSwitchValue", "OnSwitchValue"),
    "Saturate": make_order_rule(
        "LowerLimit",
        "UpperLimit",
        lambda item: (
            "Input port"
            not in (
                item.value("UpperLimitSource"),
                item.value("LowerLimitSource"),
            )
        ),
    ),
    "Selector": _selector,
    "StateSpace": _state_space,
    "TransferFcn": _rational,
    "ZeroPole": _zeros,
}
