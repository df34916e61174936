"""Provides Simulink's facts for prompts and the keyword planner: rules, blocks, parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grounded_builder.domains.simulink.catalog.compile_tool import BlockSpec
from grounded_builder.ir.domain import PhraseRule, PromptingFacts
from grounded_builder.ir.intent import Meaning

_NAMED = 12
_OPTIONS = 6
_QUIET = frozenset({"OutMin", "OutMax", "LockScale", "RndMeth", "ZeroCross", "VectorParams1D"})


def outline_parameters(spec: BlockSpec, preset: Mapping[str, Any]) -> str:
    """Returns the parameters in brief: each name with its options or default."""
    shown = [
        f"{parameter.name}:{_kind(parameter.options, parameter.default)}"
        for parameter in spec.parameters.values()
        if parameter.name not in preset and parameter.name not in _QUIET
    ]
    more = ", ..." if len(shown) > _NAMED else ""
    return ", ".join(shown[:_NAMED]) + more


def _kind(options: tuple[str, ...], default: str | None) -> str:
    if options and len(options) <= _OPTIONS:
        return "|".join(options)
    return default if default is not None else "value"


def _list_no_kinds(spec: BlockSpec, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    del spec, parameters
    return ()


def _set_no_parameters(
    spec: BlockSpec, preset: Mapping[str, Any], meaning: Meaning
) -> Mapping[str, Any]:
    del spec, preset, meaning
    return {}


_SOURCES, _SINKS = "simulink/Sources/", "simulink/Sinks/"
_MATH, _CONTINUOUS = "simulink/Math Operations/", "simulink/Continuous/"
PROMPTING_FACTS = PromptingFacts(
    rules=(
        "Each step is one block; its inputs name the steps whose outputs lead into it.",
        'Ports are counted from 1: {"from": "plant", "input": 2}.',
        'A line that closes a loop is marked {"from": "plant", "back": true}.',
        "Parameter values are MATLAB texts: numbers, vectors, names of variables.",
        "Physical blocks are joined by port ids such as R, C, p, n, or LConn1, RConn1.",
    ),
    default_trigger="",
    always_shown_tools=(
        f"{_SOURCES}Sine Wave",
        f"{_SOURCES}Step",
        f"{_SOURCES}Constant",
        f"{_MATH}Gain",
        f"{_MATH}Sum",
        f"{_MATH}Product",
        f"{_CONTINUOUS}Integrator",
        f"{_CONTINUOUS}Transfer Fcn",
        f"{_CONTINUOUS}PID Controller",
        f"{_SINKS}Scope",
    ),
    phrases=(
        PhraseRule(r"\bsin(e|usoid\w*)?( wave)?\b", f"{_SOURCES}Sine Wave", starts=True),
        PhraseRule(r"\b(step|reference)\b( input| signal)?", f"{_SOURCES}Step", starts=True),
        PhraseRule(r"\b(scope|plot|display (it|the signal))\b", f"{_SINKS}Scope"),
    ),
    parameter_outline=outline_parameters,
    accepted_sub_nodes=_list_no_kinds,
    required_sub_nodes=_list_no_kinds,
    sub_node_kinds=_list_no_kinds,
    parameters_for=_set_no_parameters,
)
