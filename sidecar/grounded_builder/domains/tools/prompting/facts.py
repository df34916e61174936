"""What drafters are told about calls beyond the catalog."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grounded_builder.domains.tools.catalog.compile_tool import ToolSpec
from grounded_builder.ir.domain import PromptingFacts
from grounded_builder.ir.intent import Meaning

_NAMED = 14
_OPTIONS = 8


def brief(spec: ToolSpec, preset: Mapping[str, Any]) -> str:
    """The arguments: name, type or options, ``*`` where required."""
    shown = [
        f"{name}{'*' if name in spec.required else ''}:{_kind(schema)}"
        for name, schema in spec.properties.items()
        if name not in preset
    ]
    more = ", ..." if len(shown) > _NAMED else ""
    return ", ".join(shown[:_NAMED]) + more


def _kind(schema: Mapping[str, Any]) -> str:
    values = schema.get("enum")
    if isinstance(values, list) and 0 < len(values) <= _OPTIONS:
        return "|".join(str(value) for value in values)
    declared = schema.get("type")
    if isinstance(declared, list):
        return "|".join(str(item) for item in declared)
    if isinstance(declared, str):
        return declared
    forms = schema.get("anyOf", schema.get("oneOf"))
    if isinstance(forms, list):
        return "|".join(dict.fromkeys(_kind(form) for form in forms if isinstance(form, dict)))
    return "any"


def _no_kinds(spec: ToolSpec, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    del spec, parameters
    return ()


def _unsaid(spec: ToolSpec, preset: Mapping[str, Any], meaning: Meaning) -> Mapping[str, Any]:
    del spec, preset, meaning
    return {}


SPEECH = PromptingFacts(
    rules=(
        "Each step is one call of a tool; steps run in the order in which they are written.",
        "What an earlier step gave is {{step_id}}, or {{step_id.field}}, inside an argument.",
    ),
    default_trigger="",
    always_shown_tools=(),
    phrases=(),
    parameter_outline=brief,
    accepted_sub_nodes=_no_kinds,
    required_sub_nodes=_no_kinds,
    sub_node_kinds=_no_kinds,
    parameters_for=_unsaid,
)
