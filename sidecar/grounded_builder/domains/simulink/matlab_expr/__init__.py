"""Values of parameters: MATLAB texts of which only plain value expressions are taken."""

from grounded_builder.domains.simulink.matlab_expr.constant import Known, number_of
from grounded_builder.domains.simulink.matlab_expr.evaluate import evaluate, shape_of
from grounded_builder.domains.simulink.matlab_expr.parse import parse
from grounded_builder.domains.simulink.matlab_expr.scan import RejectedValueError, SideEffectError

__all__ = [
    "Known",
    "RejectedValueError",
    "SideEffectError",
    "evaluate",
    "number_of",
    "parse",
    "shape_of",
]
