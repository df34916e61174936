"""Parses and evaluates parameter values: MATLAB texts that are plain value expressions."""

from grounded_builder.domains.simulink.matlab_expr.constant import Known, number_of
from grounded_builder.domains.simulink.matlab_expr.evaluate import evaluate, shape_of
from grounded_builder.domains.simulink.matlab_expr.parse import parse
from grounded_builder.domains.simulink.matlab_expr.scan import (
    RejectedValueError,
    SideEffectError,
    UnknownFunctionError,
)

__all__ = [
    "Known",
    "RejectedValueError",
    "SideEffectError",
    "UnknownFunctionError",
    "evaluate",
    "number_of",
    "parse",
    "shape_of",
]
