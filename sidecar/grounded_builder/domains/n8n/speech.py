"""What n8n tells drafters: its rules of thumb, its staples, and a tool's parameters in brief."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grounded_builder.domain import Speech
from grounded_builder.domains.n8n.catalog import NodeSpec
from grounded_builder.domains.n8n.cues import CUES, STAPLES, STARTER
from grounded_builder.domains.n8n.parameters.defaults import fill
from grounded_builder.domains.n8n.ports import ports_of
from grounded_builder.graph import Bound, Node

_NAMED = 14
_OPTIONS = 8
_QUIET = frozenset({"notice", "callout", "button", "hidden", "credentials"})


def brief(spec: NodeSpec, preset: Mapping[str, Any]) -> str:
    """The parameters shown with these presets: name, type or options, ``*`` where required."""
    simple, _ = fill(spec.declarations, dict(preset))
    parts: list[str] = []
    for one in spec.declarations.root.properties:
        if one.name in preset or one.type in _QUIET or not one.shown(simple, simple):
            continue
        mark = "*" if one.raw.get("required") else ""
        parts.append(f"{one.name}{mark}:{_kind(one.raw)}")
    shown = list(dict.fromkeys(parts))
    more = ", ..." if len(shown) > _NAMED else ""
    return ", ".join(shown[:_NAMED]) + more


def wants(spec: NodeSpec, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """The kinds of sub-node that a node cannot work without."""
    source = {"parameters": parameters}
    node = Node("", spec.id, spec.version, parameters, (), source)
    inputs = ports_of(Bound(node, None, spec.version, spec)).inputs or {}
    return tuple(
        kind
        for kind, ports in inputs.items()
        if kind != "main" and any(port.required for port in ports)
    )


def _kind(raw: Mapping[str, Any]) -> str:
    if raw.get("type") == "options":
        values = [str(o.get("value")) for o in raw.get("options") or () if isinstance(o, dict)]
        if 0 < len(values) <= _OPTIONS:
            return "|".join(values)
    return str(raw.get("type"))


SPEECH = Speech(
    rules=(
        "The first step is a trigger: something that starts the workflow.",
        (
            "Data of the step before is {{ $json.field }}; of any earlier step "
            "{{ $('step id').item.json.field }}. A value with {{ }} begins with =."
        ),
        'A model, memory or tool of an agent is a step of its own with "for": the agent\'s id.',
        'Outputs of a branch are named: {"from": "check", "output": "true"}.',
        'A loop is closed by {"from": "last step of the body", "back": true} in the loop\'s inputs.',
        "Credentials are chosen by the user later: never write them.",
    ),
    starter=STARTER,
    staples=STAPLES,
    cues=CUES,
    brief=brief,
    wants=wants,
)
