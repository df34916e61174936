"""Reports values that are not plain (drafts), no MATLAB expression (files) or out of range."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grounded_builder.diagnostics import Diagnostic, Route, Rule, new_diagnostic
from grounded_builder.domains.simulink.catalog.compile_tool import BlockSpec, Parameter
from grounded_builder.domains.simulink.matlab_expr import (
    RejectedValueError,
    evaluate,
    number_of,
    parse,
)
from grounded_builder.domains.simulink.matlab_expr.ast import Term
from grounded_builder.domains.simulink.matlab_expr.syntax_errors import find_syntax_error
from grounded_builder.domains.simulink.matlab_expr.unevaluable import (
    find_missing_operator,
    find_size_conflict,
)
from grounded_builder.ir.graph import ResolvedNode
from grounded_builder.ir.rules.parameters import OUT_OF_RANGE

REFUSED_VALUE = Rule.wrong(
    "SLX301", "refused-value", "TypeMismatch", "A value is not a plain value."
)
SIDE_EFFECT_IN_VALUE = Rule.advice(
    "SLX303", "side-effect-in-value", "TypeMismatch", "A value has side effects."
)
BROKEN_VALUE = Rule.wrong(
    "SLX335", "broken-value", "TypeMismatch", "A value in a file is not an expression."
)

SHOWN = 60
# Functions with access to files, programs, the network or the workspace.
_RUNNING = re.compile(
    r"(?<![\w.])(system|dos|unix|eval|evalc|evalin|assignin|feval|run|delete|rmdir|movefile|"
    r"copyfile|urlread|urlwrite|webread|webwrite|websave|fopen|perl|python|mex|load|save)\s*\("
)
# Functions that create systems, which blocks of the Control System Toolbox take.
_SYSTEMS = frozenset({"ss", "tf", "zpk"})
# Blocks whose parameters must all be numeric.
_COMPUTING = frozenset(
    """
    Bias DeadZone DiscreteFilter DiscreteIntegrator DiscreteTransferFcn Gain Integrator Quantizer
    RateLimiter Saturate Sin StateSpace Step TransferFcn TransportDelay ZeroPole
    """.split()
)


def check_value(
    bound: ResolvedNode, parameter: Parameter, text: str, at: Route, *, drafted: bool
) -> Iterator[Diagnostic]:
    """Checks one value; a draft may only write plain values."""
    try:
        term = parse(text)
    except RejectedValueError as reason:
        if drafted and not _is_empty(text, parameter):
            yield report_rejected(bound, at, parameter.name, str(reason))
        elif not drafted:
            yield from _check_unparsed(bound, parameter, text, at)
        return
    why = find_size_conflict(term) or (_no_number(term, bound) if _is_numeric(parameter) else None)
    if why is not None:
        yield (
            report_rejected(bound, at, parameter.name, why)
            if drafted
            else _report_broken(bound, parameter, text, at, why)
        )
        return
    number = number_of(evaluate(term))
    if number is None or _is_within(number, parameter):
        return
    yield new_diagnostic(
        OUT_OF_RANGE,
        at,
        f"{parameter.name} is {text[:SHOWN]}, and must be {_bounds(parameter)}",
        help=f"give {parameter.name} a number {_bounds(parameter)}",
        node=bound.node.name,
        token=text[:SHOWN],
    )


def _no_number(term: Term, bound: ResolvedNode) -> str | None:
    """Returns why a value is not a number where the default is one; None otherwise."""
    if term.kind == "call" and term.text in _SYSTEMS:
        return f"{term.text}(...) is a system, and a number is required"
    spec = bound.spec
    computing = isinstance(spec, BlockSpec) and not spec.mask_type and spec.block_type in _COMPUTING
    return "it is a text, and a number is required" if computing and term.kind == "text" else None


def _check_unparsed(
    bound: ResolvedNode, parameter: Parameter, text: str, at: Route
) -> Iterator[Diagnostic]:
    """Checks a value of a file that is not a plain value but may be an expression."""
    if (called := find_acting_call(text)) is not None:
        yield new_diagnostic(
            SIDE_EFFECT_IN_VALUE,
            at,
            f"{parameter.name} calls {called}, which has side effects",
            help="write a value or the name of a variable",
            node=bound.node.name,
            token=text[:SHOWN],
        )
        return
    why = find_syntax_error(text) if text.strip() else None
    if why is None and _is_numeric(parameter):
        why = find_missing_operator(text) if text.strip() else "it is empty"
    if why is not None:
        yield _report_broken(bound, parameter, text, at, why)


def _report_broken(
    bound: ResolvedNode, parameter: Parameter, text: str, at: Route, why: str
) -> Diagnostic:
    return new_diagnostic(
        BROKEN_VALUE,
        at,
        f'{parameter.name} of "{bound.node.name}" is not an expression: {why}',
        help="write a value that MATLAB can evaluate",
        node=bound.node.name,
        token=text[:SHOWN],
    )


def _is_numeric(parameter: Parameter) -> bool:
    """Returns whether the default of a parameter is numeric, so that its text is evaluated."""
    try:
        known = evaluate(parse(parameter.default or parameter.builtin or ""))
    except RejectedValueError:
        return False
    return known is not None and not known.of_text


def find_acting_call(text: str) -> str | None:
    """Returns the function with side effects that a text calls; None where it calls none."""
    match = _RUNNING.search(text)
    return match[1] if match is not None else None


def _is_empty(text: str, parameter: Parameter) -> bool:
    return not text.strip() and (parameter.default or "") == ""


def _is_within(number: float, parameter: Parameter) -> bool:
    low, high = parameter.low, parameter.high
    if low is not None and (number <= low if parameter.above else number < low):
        return False
    return high is None or number <= high


def _bounds(parameter: Parameter) -> str:
    low = (
        ""
        if parameter.low is None
        else f"{'above' if parameter.above else 'at least'} {parameter.low:g}"
    )
    high = "" if parameter.high is None else f"at most {parameter.high:g}"
    return " and ".join(name for name in (low, high) if name)


def report_rejected(bound: ResolvedNode, at: Route, name: str, reason: str) -> Diagnostic:
    """Returns the finding for a drafted value that is rejected."""
    return new_diagnostic(
        REFUSED_VALUE,
        at,
        f'the value of {name} of "{bound.node.name}" is rejected: {reason}',
        help="write numbers, vectors, strings, variables and plain functions of them",
        node=bound.node.name,
        token=name,
    )
