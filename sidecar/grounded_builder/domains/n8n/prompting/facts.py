"""Facts about n8n for drafters: rules of thumb, staple tools, and parameters in brief."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.catalog.tool import Operation
from grounded_builder.domains.n8n.analysis.ports import Port, ports_of
from grounded_builder.domains.n8n.catalog.code_nodes import runs_code
from grounded_builder.domains.n8n.catalog.compile_tool import NodeSpec
from grounded_builder.domains.n8n.lower.intent_parameters import express
from grounded_builder.domains.n8n.parameters.defaults import fill
from grounded_builder.domains.n8n.prompting.phrases import (
    BRANCH,
    CUES,
    GIVES,
    READ,
    STAPLES,
    STARTER,
    STARTERS,
)
from grounded_builder.ir.domain import PromptingFacts
from grounded_builder.ir.graph import Node, ResolvedNode

_MAIN = "main"
# The names of the list of trigger events in n8n 2.41.1.
_EVENTS = frozenset({"events", "event", "trigger", "triggerOn", "updates"})
_ANY_EVENT = "*"
_NAMED = 14
_OPTIONS = 8
_CORE = frozenset({"filter", "assignmentCollection"})
_EDITORS = frozenset({"codeNodeEditor", "jsEditor"})
_QUIET = frozenset({"notice", "callout", "button", "hidden", "credentials"})


def brief(spec: NodeSpec, preset: Mapping[str, Any]) -> str:
    """Returns the parameters shown with these presets: name, type or options, ``*``
    where required.
    """
    simple, _ = fill(spec.declarations, dict(preset))
    parts: list[str] = []
    for prop in spec.declarations.root.properties:
        if prop.name in preset or prop.type in _QUIET or not prop.is_shown(simple, simple):
            continue
        mark = "*" if prop.raw.get("required") else ""
        parts.append(f"{prop.name}{mark}:{_kind(prop.raw)}")
    shown = list(dict.fromkeys(parts))
    more = ", ..." if len(shown) > _NAMED else ""
    return ", ".join(shown[:_NAMED]) + more


def takes(spec: NodeSpec, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns the kinds of sub-node that a node accepts."""
    return tuple(kind for kind in _inputs(spec, parameters) if kind != _MAIN)


def wants(spec: NodeSpec, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns the kinds of sub-node that a node requires."""
    inputs = _inputs(spec, parameters)
    return tuple(
        kind
        for kind, ports in inputs.items()
        if kind != _MAIN and any(port.required for port in ports)
    )


def serves(spec: NodeSpec, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns the kinds by which a node serves another; empty for a node of the main line."""
    kinds = tuple(ports_of(_bound(spec, parameters)).outputs or ())
    return () if _MAIN in kinds else kinds


def blank(spec: NodeSpec, parameters: Mapping[str, Any]) -> str:
    """Returns the required conditions, fields or code that a node has only as a blank."""
    simple, _ = fill(spec.declarations, dict(parameters))
    for prop in spec.declarations.root.properties:
        is_core = prop.type in _CORE or _editor(prop.raw) in _EDITORS or _holds_filter(prop.raw)
        if is_core and prop.is_shown(simple, simple) and not parameters.get(prop.name):
            return str(prop.raw.get("displayName", prop.name)).casefold()
    return ""


def _editor(raw: Mapping[str, Any]) -> Any:
    options = raw.get("typeOptions")
    return options.get("editor") if isinstance(options, dict) else None


def _holds_filter(raw: Mapping[str, Any]) -> bool:
    """Returns whether the entries of a list have conditions, as the rules of a switch do."""
    groups = raw.get("options") if raw.get("type") == "fixedCollection" else None
    return any(
        isinstance(value, dict) and value.get("type") == "filter"
        for group in groups or ()
        if isinstance(group, dict)
        for value in group.get("values") or ()
    )


def events(variant: Mapping[str, Any]) -> Iterator[Operation]:
    """Yields the events of a trigger: each option of its event list."""
    for declared in variant.get("parameters") or ():
        if declared.get("type") != "multiOptions" or declared.get("name") not in _EVENTS:
            continue
        for option in declared.get("options") or ():
            if option.get("value") != _ANY_EVENT:
                params = {declared["name"]: [option.get("value")]}
                yield Operation(str(option.get("name", "")), params)
        return


def defaults(spec: NodeSpec) -> Mapping[str, Any]:
    """Returns the simple parameters of a node of which none is set."""
    simple, _ = fill(spec.declarations, {})
    return simple


def _inputs(spec: NodeSpec, parameters: Mapping[str, Any]) -> Mapping[str, tuple[Port, ...]]:
    return ports_of(_bound(spec, parameters)).inputs or {}


def _bound(spec: NodeSpec, parameters: Mapping[str, Any]) -> ResolvedNode:
    node = Node("", spec.id, spec.version, parameters, (), {"parameters": parameters})
    return ResolvedNode(node, None, spec.version, spec)


def _kind(raw: Mapping[str, Any]) -> str:
    if raw.get("type") == "options":
        values = [str(o.get("value")) for o in raw.get("options") or () if isinstance(o, dict)]
        if 0 < len(values) <= _OPTIONS:
            return "|".join(values)
    return str(raw.get("type"))


SPEECH = PromptingFacts(
    rules=(
        "The first step is a trigger: something that starts the workflow.",
        (
            "Data of the step before is {{ $json.field }}; of any earlier step "
            "{{ $('step id').item.json.field }}. A value with {{ }} begins with =."
        ),
        (
            'A model, memory or tool of an agent is a step of its own with "for": the agent\'s id, '
            "or a list of ids; an ordinary node becomes a tool of the agent."
        ),
        (
            'Outputs of a branch are named: {"from": "check", "output": "true"}; "true" and '
            '"false", "loop" and "done", "fallback", the name or number of a rule, and "error" '
            "for failures of any step."
        ),
        (
            'Settings of a step: "settings": {"onError": "continueRegularOutput", "retryOnFail": '
            'true, "maxTries": 3, "waitBetweenTries": 1000, "alwaysOutputData": true, '
            '"executeOnce": true}. A second start is a trigger with "inputs": [].'
        ),
        'A loop is closed by {"from": "last step of its body", "back": true} in its inputs.',
        "Credentials are chosen by the user later: never write them.",
    ),
    default_trigger=STARTER,
    fallback="n8n-nodes-base.httpRequest",
    always_shown_tools=STAPLES,
    phrases=CUES,
    parameter_outline=brief,
    accepted_sub_nodes=takes,
    required_sub_nodes=wants,
    sub_node_kinds=serves,
    parameters_for=express,
    trigger_of_step=STARTERS,
    read_phrases=READ,
    branch_tool=BRANCH,
    trigger_events=events,
    default_parameters=defaults,
    text_output_fields=GIVES,
    missing_input=blank,
    runs_code=runs_code,
)
