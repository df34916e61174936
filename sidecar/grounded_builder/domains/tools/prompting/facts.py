"""Provides the facts about tool calls that prompts state beyond the catalog."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grounded_builder.domains.tools.catalog.compile_tool import ToolSpec
from grounded_builder.ir.domain import PromptingFacts
from grounded_builder.ir.intent import Meaning

_NAMED = 14
_OPTIONS = 8


def outline_parameters(spec: ToolSpec, preset: Mapping[str, Any]) -> str:
    """Returns the arguments in brief: name, type or options, and ``*`` where required."""
    shown = [
        f"{name}{'*' if name in spec.required else ''}:{_format_type(schema)}"
        for name, schema in spec.properties.items()
        if name not in preset
    ]
    more = ", ..." if len(shown) > _NAMED else ""
    return ", ".join(shown[:_NAMED]) + more


def _format_type(schema: Mapping[str, Any]) -> str:
    values = schema.get("enum")
    if isinstance(values, list) and 0 < len(values) <= _OPTIONS:
        return "|".join(str(value) for value in values)
    declared = schema.get("type")
    if isinstance(declared, list):
        return "|".join(str(kind) for kind in declared)
    if isinstance(declared, str):
        return declared
    forms = schema.get("anyOf", schema.get("oneOf"))
    if isinstance(forms, list):
        return "|".join(
            dict.fromkeys(_format_type(form) for form in forms if isinstance(form, dict))
        )
    return "any"


def _list_no_kinds(spec: ToolSpec, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    del spec, parameters
    return ()


def _set_no_parameters(
    spec: ToolSpec, preset: Mapping[str, Any], meaning: Meaning
) -> Mapping[str, Any]:
    del spec, preset, meaning
    return {}


PROMPTING_FACTS = PromptingFacts(
    rules=(
        "Each step is one call of a tool; steps run in the order in which they are written.",
        "The result of an earlier step is {{step_id}}, or {{step_id.field}}, inside an argument.",
    ),
    default_trigger="",
    always_shown_tools=(),
    phrases=(),
    parameter_outline=outline_parameters,
    accepted_sub_nodes=_list_no_kinds,
    required_sub_nodes=_list_no_kinds,
    sub_node_kinds=_list_no_kinds,
    parameters_for=_set_no_parameters,
)
