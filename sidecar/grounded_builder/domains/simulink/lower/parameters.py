"""Fits the names and values of a step's parameters to those of its block."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Route, new_diagnostic
from grounded_builder.domains.simulink.catalog.common_properties import PROPERTIES
from grounded_builder.domains.simulink.catalog.compile_tool import BlockSpec, Parameter
from grounded_builder.domains.simulink.lower.polynomials import coefficients, variable_in
from grounded_builder.domains.simulink.lower.value_text import text_of
from grounded_builder.domains.simulink.resolve.options import option_for, same_option
from grounded_builder.domains.simulink.resolve.parameter_names import (
    find_near_parameters,
    parameter_for,
)
from grounded_builder.ir.rules.artifact import CORRECTED
from grounded_builder.ir.rules.parameters import (
    RENAMED_PARAMETER,
    UNKNOWN_PARAMETER,
    UNPLACED_VALUE,
)

_NAMED = 12
_NUMBER = re.compile(r"[-+]?[\d.]+(e[-+]?\d+)?", re.IGNORECASE)


@dataclass(slots=True)
class Fitting:
    """The fitted parameters; ``origin`` maps a parameter to the draft's key."""

    parameters: dict[str, str] = field(default_factory=dict)
    origin: dict[str, str] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)


def fit(
    spec: BlockSpec, preset: Mapping[str, Any], params: Mapping[str, Any], at: Route, node: str
) -> Fitting:
    """Fits drafted parameters; parameters without a match are reported and left out."""
    fitting = Fitting({name: str(value) for name, value in preset.items()})
    exact = [key for key in params if spec.has(key)]
    for key in (*exact, *(key for key in params if key not in exact)):
        _put(key, params[key], spec, at, node, fitting)
    return fitting


def _put(key: str, value: Any, spec: BlockSpec, at: Route, node: str, fitting: Fitting) -> None:
    if value is None:
        message = f'"{key}" is null, and was left out'
        fitting.diagnostics.append(new_diagnostic(CORRECTED, (*at, key), message, node=node))
        return
    name, how = parameter_for(key, spec, fitting.origin)
    if name is not None and how == "near" and not _may_be(value, spec.parameters[name]):
        name = None
    if name is None:
        if key in PROPERTIES or not spec.has_parameters:
            # The parameters of the block are unknown; the value is checked later.
            name, how = key, "exact"
            if not spec.has_parameters:
                fitting.diagnostics.append(_report_unchecked(key, spec, at, node))
        else:
            fitting.diagnostics.append(_report_unplaced(key, spec, at, node))
            return
    parameter = spec.parameters.get(name)
    text = text_of(value, parameter)
    if text is None:
        message = f"the value of {name} cannot be written in MATLAB; it was not used"
        result = "write numbers, texts, or lists of numbers"
        fitting.diagnostics.append(
            new_diagnostic(UNPLACED_VALUE, (*at, key), message, help=result, node=node)
        )
        return
    if parameter is not None and parameter.options:
        listed = parameter.kind in ("switch", "choice")
        option = (option_for if listed else same_option)(text, parameter.options)
        if option is not None and option != text:
            message = f'"{text}" is the option {option} of {name}'
            fitting.diagnostics.append(
                new_diagnostic(RENAMED_PARAMETER, (*at, key), message, node=node)
            )
            text = option
    variable = variable_in(text, spec.block_type, name)
    if variable is not None:
        row = coefficients(text, variable)
        fitting.diagnostics.append(_report_polynomial(text, name, variable, row, (*at, key), node))
        if row is None:
            return
        text = row
    fitting.parameters[name] = text
    fitting.origin[name] = key
    if how != "exact":
        message = f'"{key}" is the parameter {name}'
        fitting.diagnostics.append(
            new_diagnostic(RENAMED_PARAMETER, (*at, key), message, node=node)
        )


def _may_be(value: Any, parameter: Parameter) -> bool:
    """Returns whether a value is plausible for a parameter that a name only resembles."""
    if parameter.kind == "text":
        return bool(parameter.options) or not _NUMBER.fullmatch(str(value).strip())
    if parameter.kind not in ("switch", "choice"):
        return True
    return isinstance(value, bool) or option_for(str(value), parameter.options) is not None


def _report_polynomial(
    text: str, name: str, variable: str, row: str | None, at: Route, node: str
) -> Diagnostic:
    """Returns the finding for a polynomial, which becomes a ``row`` of coefficients if possible."""
    if row is not None:
        return new_diagnostic(RENAMED_PARAMETER, at, f'the polynomial "{text}" is {row}', node=node)
    message = f"{name} is written with {variable}, and takes coefficients; it was not used"
    value = "write the coefficients by descending powers, such as [1 2 1]"
    return new_diagnostic(UNPLACED_VALUE, at, message, help=value, node=node, token=text)


def _report_unplaced(key: str, spec: BlockSpec, at: Route, node: str) -> Diagnostic:
    names = list(spec.parameters)
    return new_diagnostic(
        UNPLACED_VALUE,
        (*at, key),
        f'{spec.id} has no parameter for "{key}"; its value was not used',
        help=f"its parameters: {', '.join(names[:_NAMED])}{', ...' if len(names) > _NAMED else ''}",
        node=node,
        token=key,
        alternatives=find_near_parameters(key, spec),
    )


def _report_unchecked(key: str, spec: BlockSpec, at: Route, node: str) -> Diagnostic:
    return new_diagnostic(
        UNKNOWN_PARAMETER,
        (*at, key),
        f'the catalog knows no parameters of {spec.id}: "{key}" is passed on unchecked',
        help="sync the catalog from the MATLAB that will open the model",
        node=node,
        token=key,
    )
