"""Checks block parameters (names, options, ranges), and finds texts with side effects.

A file was written by Simulink, possibly by a newer release than the catalog, so that only names and
options that no newer release can have are wrong in it. A draft is checked against the catalog.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from grounded_builder.catalog.likeness import digits_of, edits_between, find_nearest
from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Route, new_diagnostic
from grounded_builder.domains.simulink.catalog.common_properties import INTERNAL, PROPERTIES
from grounded_builder.domains.simulink.catalog.compile_tool import BlockSpec, Parameter
from grounded_builder.domains.simulink.check.parameter_values import (
    SHOWN,
    check_value,
    report_rejected,
)
from grounded_builder.domains.simulink.libraries.catalog_line import OWN
from grounded_builder.domains.simulink.matlab_expr import RejectedValueError, SideEffectError, parse
from grounded_builder.domains.simulink.resolve.name_index import fold
from grounded_builder.domains.simulink.resolve.options import option_for
from grounded_builder.domains.simulink.resolve.parameter_names import find_near_parameters
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode
from grounded_builder.ir.options import CompileOptions
from grounded_builder.ir.rules.parameters import (
    MISNAMED_PARAMETER,
    UNKNOWN_OPTION,
    UNKNOWN_PARAMETER,
)

# A text of words only, such as an option of a menu.
_WORDS = re.compile(r"[\w .,:/+-]*( \([\w .,-]*\))?")
# Callbacks that run when a model is opened, simulated or closed.
_CALLBACK = "Fcn"
# Menus whose options in all releases are known, by BlockType, and options of earlier releases.
_CLOSED = {
    "EnablePort": "StatesWhenEnabling",
    "Goto": "TagVisibility",
    "Integrator": "ExternalReset",
    "Logic": "Operator",
    "Math": "Operator",
    "MinMax": "Function",
    "Outport": "OutputWhenDisabled",
    "RelationalOperator": "Operator",
    "Rounding": "Operator",
    "Sum": "IconShape",
    "Switch": "Criteria",
    "TriggerPort": "TriggerType",
    "Trigonometry": "Operator",
}
# Parameters that are read literally and never evaluated.
_LITERAL = frozenset({"FileName", "Filename", "ModelFile", "Unit", "UnitNoProp"})
# BlockTypes whose parameters other files or masks define.
_OPEN = frozenset({"SubSystem", "S-Function", "M-S-Function", "ModelReference", "MATLABSystem"})
_ONCE = frozenset({"sqrt", "1/sqrt", "rSqrt", "signedSqrt", "!="})


def check_parameters(
    resolved: ResolvedGraph, registry: Registry, options: CompileOptions
) -> Iterator[Diagnostic]:
    """Checks the parameters of every known block."""
    del registry, options
    document = resolved.graph.document
    drafted = document.get("layout") in (None, "plan")
    unused: set[Route] = {node.node.at for node in resolved.nodes if node.node.disabled}
    for bound in resolved.nodes:
        # Blocks that are commented out are not evaluated, and neither are those inside them.
        at = bound.node.at
        if not drafted and unused and any(at[:end] in unused for end in range(3, len(at) + 1, 3)):
            continue
        if drafted:
            yield from _callbacks(bound)
        if isinstance(bound.spec, BlockSpec):
            yield from _block(bound, bound.spec, drafted=drafted)


def _callbacks(bound: ResolvedNode) -> Iterator[Diagnostic]:
    """Finds callbacks in a draft, which must not contain code."""
    properties = bound.node.source.get("properties") or {}
    for name in properties:
        if name in PROPERTIES and name.endswith(_CALLBACK):
            yield report_rejected(
                bound, (*bound.node.at, "properties", name), name, "Simulink runs it as code"
            )


def _block(bound: ResolvedNode, spec: BlockSpec, *, drafted: bool) -> Iterator[Diagnostic]:
    own = () if drafted else _own(bound)
    for name, text in bound.node.params.items():
        if not isinstance(text, str) or name in own:
            continue
        at = (*bound.node.at, "parameters", name)
        parameter = spec.parameters.get(name)
        if parameter is None:
            yield from _check_unknown(bound, spec, name, text, at, drafted=drafted)
        elif parameter.kind in ("switch", "choice"):
            held = drafted or _is_closed(spec, parameter, text)
            yield from _check_option(bound, parameter, text, at, drafted=held)
        elif parameter.kind == "value" and name not in _LITERAL:
            yield from check_value(bound, parameter, text, at, drafted=drafted)
        elif drafted:
            yield from _check_text(bound, name, text, at)


def _own(bound: ResolvedNode) -> Mapping[str, object]:
    """Returns the parameters that the mask of the block itself declares."""
    mask: Mapping[str, Mapping[str, object]] = bound.node.source.get("mask") or {}
    return mask.get("parameters", {})


def _check_unknown(
    bound: ResolvedNode, spec: BlockSpec, name: str, text: str, at: Route, *, drafted: bool
) -> Iterator[Diagnostic]:
    if name.endswith(_CALLBACK) and name in PROPERTIES:
        if drafted:
            yield report_rejected(bound, at, name, "Simulink runs it as code")
        return
    if drafted:
        # Whether Simulink evaluates the value is not known.
        yield from _check_text(bound, name, text, at, evaluated=name not in PROPERTIES)
    if name in PROPERTIES or spec.has(name) or not spec.has_parameters:
        return
    near = _find_misnamed(name, spec, bound.node.params)
    is_open = spec.block_type in _OPEN and spec.product != OWN
    if not drafted and (is_open or fold(near or "") == fold(name)):
        # The inside has parameters of its own; files write one of them in several cases.
        return
    if near is not None:
        edits = (Edit("rename", at, near),)
        yield new_diagnostic(
            MISNAMED_PARAMETER,
            at,
            f'{spec.id} has no parameter "{name}"; its parameter is {near}',
            help=f'write "{near}"',
            node=bound.node.name,
            token=name,
            alternatives=[near],
            fix=Fix(True, edits, f'"{name}" is {near}'),
        )
    elif drafted or (_is_documented(spec) and name not in INTERNAL):
        yield new_diagnostic(
            UNKNOWN_PARAMETER,
            at,
            f'{spec.id} has no parameter "{name}" in the catalog',
            help=f"use one of its parameters: {', '.join(list(spec.parameters)[:12])}",
            node=bound.node.name,
            token=name,
            alternatives=find_near_parameters(name, spec),
        )


def _is_documented(spec: BlockSpec) -> bool:
    """Returns whether the parameters of a BlockType are documented, so that few can be missing."""
    return spec.bare and any(not parameter.seen for parameter in spec.parameters.values())


def _find_misnamed(name: str, spec: BlockSpec, given: Mapping[str, object]) -> str | None:
    """Returns the parameter of which a name is a misspelling: by case, punctuation or a letter."""
    same = [parameter for parameter in spec.parameters if fold(parameter) == fold(name)]
    if not same and len(name) > 5:
        near = find_nearest(name, list(spec.parameters))[:1]
        same = [text for text in near if _is_slip(name, text)]
    free = [text for text in same if text not in given]
    return free[0] if len(free) == 1 else None


def _is_misspelt(text: str, option: str) -> bool:
    """Returns whether a text is a misspelling of an option, other than by case and punctuation."""
    return len(text) > 5 and fold(text) != fold(option) and _is_slip(text, option)


def _is_slip(name: str, other: str) -> bool:
    """Returns whether two names differ by one inserted letter or two swapped ones."""
    if name[0].casefold() != other[0].casefold() or digits_of(name + other):
        return False
    return edits_between(name, other) == 1


def _is_closed(spec: BlockSpec, parameter: Parameter, text: str) -> bool:
    """Returns whether no release can have an option for this text."""
    if parameter.kind == "switch":
        return not parameter.open and not parameter.seen
    if parameter.name != _CLOSED.get(spec.block_type) or text in _ONCE:
        return False
    return text.casefold() not in map(str.casefold, parameter.options)


def _check_option(
    bound: ResolvedNode, parameter: Parameter, text: str, at: Route, *, drafted: bool
) -> Iterator[Diagnostic]:
    if text in parameter.options or not parameter.options:
        return
    near = option_for(text, parameter.options)
    misspelt = near is not None and _is_misspelt(text, near)
    if not drafted and not misspelt:
        # Another release may have more options, or other words or punctuation for these.
        return
    yield new_diagnostic(
        UNKNOWN_OPTION,
        at,
        f'{parameter.name} of "{bound.node.name}" has no option "{text[:SHOWN]}"',
        help=f"use one of its options: {', '.join(parameter.options)}",
        node=bound.node.name,
        token=text[:SHOWN],
        alternatives=[near] if near else list(parameter.options[:8]),
        fix=Fix(True, (Edit("set", at, near),), f'"{text[:SHOWN]}" is {near}') if near else None,
    )


def _check_text(
    bound: ResolvedNode, name: str, text: str, at: Route, *, evaluated: bool = False
) -> Iterator[Diagnostic]:
    """Checks a text of a draft, which must not look like a command because MATLAB may evaluate it.

    A text that is probably ``evaluated`` must not name a function with side effects either.
    """
    bad = next((mark for mark in text if mark < " " and mark not in "\n\t"), None)
    reason = f"it contains {bad!r}" if bad else find_side_effect(text, evaluated=evaluated)
    if reason:
        yield report_rejected(bound, at, name, reason)


def find_side_effect(text: str, *, evaluated: bool = False) -> str | None:
    """Returns why a text may have side effects when MATLAB evaluates it; None for a plain text."""
    try:
        parse(text)
    except RejectedValueError as error:
        acts = isinstance(error, SideEffectError)
        if evaluated:
            return None if _WORDS.fullmatch(text) and not acts else str(error)
        return str(error) if acts and "(" in text else _find_command(text)
    return None


def _find_command(text: str) -> str | None:
    head = text.lstrip()
    if head.startswith(("!", "%{", "@")) or "..." in text or ";" in text.rstrip(";\n\t "):
        return "it looks like a command"
    return None
