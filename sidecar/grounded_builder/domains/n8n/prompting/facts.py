"""Answers prompts' questions about n8n nodes: parameters, sub-nodes, events, defaults, usage."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tokenize import split_identifier, stem
from grounded_builder.catalog.tool import Operation
from grounded_builder.domains.n8n import prompting
from grounded_builder.domains.n8n.analysis.ports import Port, ports_of
from grounded_builder.domains.n8n.catalog.code_nodes import runs_code
from grounded_builder.domains.n8n.catalog.compile_tool import NodeSpec
from grounded_builder.domains.n8n.lower.intent_parameters import express
from grounded_builder.domains.n8n.parameters.defaults import fill
from grounded_builder.domains.n8n.parameters.properties import (
    CONTAINERS,
    LOCATORS,
    Property,
    only_dicts,
)
from grounded_builder.domains.n8n.parameters.value_types import choices_of
from grounded_builder.domains.n8n.parameters.visibility import Condition
from grounded_builder.domains.n8n.prompting.hints import HINTS
from grounded_builder.domains.n8n.prompting.native_form import NATIVE_FORM
from grounded_builder.domains.n8n.prompting.phrases import (
    CUES,
    GIVES,
    READ,
    REVIEW,
    STAPLES,
    STARTER,
    STARTERS,
)
from grounded_builder.ir.domain import OperationCue, PromptingFacts
from grounded_builder.ir.graph import Node, ResolvedNode

_MAIN = "main"
# The names of the list of trigger events in n8n 2.41.1.
_EVENTS = frozenset({"events", "event", "trigger", "triggerOn", "updates"})
_ANY_EVENT = "*"
# From so many nodes on, a parameter that none of them sets is left out.
_ENOUGH_NODES = 30
# A node is usual from so many uses on; of sub-nodes, so many of each kind are.
_OFTEN, _MOST_OF_A_KIND = 100, 3
_FEW = 4
_LEAST_SHARE = 0.02
_REVEALING = 6
_ADDED = 4
_AS_TOOL = "Tool"
# The uses of "message" count for "channelMessage" with one over this number as weight.
_PART_OF_NAME = 4
# Users choose credentials themselves, so drafts need no parameters about them.
_LOGIN = frozenset(
    {"authentication", "provideSslCertificates", "nodeCredentialType", "genericAuthType"}
)
_SUNDRY = frozenset({"options", "otherOptions"})
_KINDS = {
    "string": "",
    "resourceLocator": "locator",
    "workflowSelector": "locator",
    "resourceMapper": "mapper",
    "assignmentCollection": "assignments",
    "multiOptions": "list",
    "options": "",
    "dateTime": "date",
}
_CORE = frozenset({"filter", "assignmentCollection"})
_EDITORS = frozenset({"codeNodeEditor", "jsEditor"})
_QUIET = frozenset({"notice", "callout", "button", "hidden", "credentials", "curlImport"})


@dataclass(frozen=True, slots=True)
class _Detail:
    """The maximum numbers of listed parameters, options and fields of a collection, and
    whether parameters without a known use are listed.
    """

    named: int
    options: int
    fields: int
    is_whole: bool


_BRIEF = _Detail(named=12, options=7, fields=6, is_whole=False)
_WHOLE = _Detail(named=60, options=40, fields=120, is_whole=True)


def brief(spec: NodeSpec, preset: Mapping[str, Any]) -> str:
    """Returns the parameters shown with these presets, required ones first and marked ``*``.

    A parameter has its type, options or fields unless it is a text. Locators count as chosen. After
    an option of a required choice stand the required parameters that it shows.
    """
    return _outline(spec, preset, _BRIEF)


def outline_all(spec: NodeSpec, preset: Mapping[str, Any]) -> str:
    """Returns all parameters shown with these presets, with all their options and fields."""
    return _outline(spec, preset, _WHOLE)


def _outline(spec: NodeSpec, preset: Mapping[str, Any], detail: _Detail) -> str:
    """Returns the parameters shown with these presets in some detail.

    In brief, parameters and options without a known use are omitted.
    """
    visible = _visible(spec, preset)
    listed = visible.values() if detail.is_whole else _likely(spec, visible)
    ordered = sorted(listed, key=lambda prop: not prop.raw.get("required"))
    parts = [
        f"{_title(prop)}{_kind_of(prop, spec, preset, visible, detail)}"
        for prop in ordered[: detail.named]
    ]
    return ", ".join(parts) + (", ..." if len(ordered) > detail.named else "")


def _likely(spec: NodeSpec, visible: Mapping[str, Property]) -> Iterator[Property]:
    """Yields the parameters of a node that are required or that people set."""
    uses = parameter_uses(spec.id)
    nodes = uses.get("", 0)
    # The parameters of one operation of many are set by few nodes.
    least = 0 if "operation" in spec.declarations.root.by_name else nodes * _LEAST_SHARE
    for name, prop in visible.items():
        if prop.type == "collection" and name in _SUNDRY:
            is_used = bool(_used_fields(prop, spec))
        else:
            is_used = nodes < _ENOUGH_NODES or uses.get(name, 0) > least
        if is_used or prop.raw.get("required"):
            yield prop


def _used_fields(prop: Property, spec: NodeSpec) -> list[dict[str, Any]]:
    """Returns the fields of a collection that people use, most used first."""
    uses = parameter_uses(spec.id)
    least = uses.get("", 0) * _LEAST_SHARE

    def count(entry: Mapping[str, Any]) -> int:
        return uses.get(f"{prop.name}.{entry.get('name')}", 0)

    used = [entry for entry in only_dicts(prop.raw.get("options")) if count(entry) > least]
    return sorted(used, key=lambda entry: -count(entry))


def _visible(spec: NodeSpec, preset: Mapping[str, Any]) -> dict[str, Property]:
    """Returns the parameters shown with these presets by name, without those about logins."""
    chosen = {
        prop.name: {"__rl": True, "mode": "id", "value": "x"}
        for prop in spec.declarations.root.properties
        if prop.type in LOCATORS
    }
    simple, _ = fill(spec.declarations, {**chosen, **preset})
    visible: dict[str, Property] = {}
    for prop in spec.declarations.root.properties:
        is_quiet = prop.type in _QUIET or prop.name in _LOGIN or prop.name in preset
        if not is_quiet and prop.is_shown(simple, simple):
            visible.setdefault(prop.name, prop)
    return visible


def _title(prop: Property) -> str:
    return f"{prop.name}{'*' if prop.raw.get('required') else ''}"


def _kind_of(
    prop: Property,
    spec: NodeSpec,
    preset: Mapping[str, Any],
    visible: Mapping[str, Property],
    detail: _Detail,
) -> str:
    """Returns the type, options or fields of a parameter, with a sign before them."""
    choices = choices_of(prop) if prop.type in ("options", "multiOptions") else None
    if choices is not None:
        choices = tuple(dict.fromkeys(choices))
        if not prop.raw.get("required") or len(choices) > _REVEALING or prop.type != "options":
            if _is_range(choices):
                return f":{choices[0]}-{choices[-1]}"
            listed = [str(choice) for choice in choices[: detail.options]]
            return f":{'|'.join(listed)}{'|...' if len(choices) > detail.options else ''}"
        return ":" + "|".join(
            f"{choice}{_format_added_parameters(spec, {**preset, prop.name: choice}, visible)}"
            for choice in choices
        )
    if prop.type in CONTAINERS:
        return _fields_of(prop, spec, detail)
    short = _KINDS.get(prop.type, prop.type)
    return f":{short}" if short else ""


def _is_range(choices: Sequence[Any]) -> bool:
    """Returns whether choices are consecutive numbers, three or more."""
    first = choices[0] if choices else None
    return (
        type(first) is int
        and len(choices) > 2
        and tuple(choices) == tuple(range(first, first + len(choices)))
    )


def _format_added_parameters(
    spec: NodeSpec, preset: Mapping[str, Any], before: Mapping[str, Property]
) -> str:
    """Returns the parameters that a choice adds to those shown before it, in brackets."""
    added = [
        f"{_title(prop)}{':locator' if prop.type in LOCATORS else ''}"
        for name, prop in _visible(spec, preset).items()
        if name not in before and (prop.raw.get("required") or prop.type in LOCATORS)
    ]
    return f"({', '.join(added[:_ADDED])})" if added else ""


def _fields_of(prop: Property, spec: NodeSpec, detail: _Detail) -> str:
    """Returns the fields of a collection, or of the entries of its first group."""
    entries = [entry for entry in prop.raw.get("options") or () if isinstance(entry, dict)]
    if prop.type == "collection":
        uses = parameter_uses(spec.id)
        if not detail.is_whole:
            entries.sort(key=lambda entry: -uses.get(f"{prop.name}.{entry.get('name')}", 0))
        if prop.name in _SUNDRY and not detail.is_whole:
            entries = _used_fields(prop, spec)[:_FEW]
        return f":{{{_list_names(entries, detail)}}}"
    if not entries:
        return ":{}"
    inner = _list_names(only_dicts(entries[0].get("values")), detail)
    group = str(entries[0].get("name"))
    return f":{{{group}:[{{{inner}}}]}}" if prop.multiple else f":{{{group}:{{{inner}}}}}"


def _list_names(entries: Iterable[Mapping[str, Any]], detail: _Detail) -> str:
    names = list(dict.fromkeys(str(entry.get("name")) for entry in entries))
    more = ",..." if len(names) > detail.fields else ""
    return f"{','.join(names[: detail.fields])}{more}"


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
    kinds = tuple(ports_of(_make_resolved_node(spec, parameters)).outputs or ())
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
    return ports_of(_make_resolved_node(spec, parameters)).inputs or {}


def _make_resolved_node(spec: NodeSpec, parameters: Mapping[str, Any]) -> ResolvedNode:
    node = Node("", spec.id, spec.version, parameters, (), {"parameters": parameters})
    return ResolvedNode(node, None, spec.version, spec)


def count_uses(tool: str, params: Mapping[str, Any]) -> int:
    """Returns how often public workflows use an operation or an event of a tool, or with no tool
    how often an operation of this name, or one about such a resource, is used.

    ``scripts/count_operations.py`` made the file, from the 2,000 workflows that the measurements
    use.
    """
    counts = _operation_counts()
    values = (value for value in params.values())
    key = "/".join(str(value[0] if isinstance(value, list) else value) for value in values)
    if not tool:
        return _count_of_object(key) if "resource" in params else _uses_by_name().get(key, 0)
    own = counts.get(tool, {})
    return own.get(key, 0) or counts.get(tool.removesuffix(_AS_TOOL), {}).get(key, 0)


def parameter_uses(tool: str) -> Mapping[str, int]:
    """Returns how many nodes of public workflows set each parameter of a tool, and each key of its
    collections; ``""`` has the number of nodes.

    ``scripts/count_parameters.py`` made the file.
    """
    counts = _parameter_counts()
    return counts.get(tool) or counts.get(tool.removesuffix(_AS_TOOL), {})


def usual_tools(registry: Registry, hosts: Iterable[str]) -> Iterator[str]:
    """Yields the nodes that public workflows use most and that need no account, then for nodes
    that take sub-nodes, the ``hosts``, those of each kind that are used most.
    """
    usual, by_kind = _used_tools(registry)
    yield from usual
    for tool in hosts:
        for kind in takes(_spec_of(tool, registry), {}):
            yield from by_kind.get(kind, ())[:_MOST_OF_A_KIND]


@lru_cache(4)
def _used_tools(registry: Registry) -> tuple[tuple[str, ...], Mapping[str, Sequence[str]]]:
    """Returns the usual nodes without an account, and sub-nodes by kind; most used first."""
    uses = {tool: counts.get("", 0) for tool, counts in _parameter_counts().items()}
    usual: list[str] = []
    by_kind: dict[str, list[str]] = {}
    for tool in sorted(uses, key=lambda tool: -uses[tool]):
        row = registry.tools.get(tool)
        if row is None or row.is_superseded or row.availability != "installed":
            continue
        spec = _spec_of(tool, registry)
        kinds = serves(spec, {})
        for kind in kinds:
            by_kind.setdefault(kind, []).append(tool)
        has_ports = spec.variant["inputs"] or spec.variant["outputs"]
        if not kinds and uses[tool] >= _OFTEN and has_ports and not _needs_account(spec):
            usual.append(tool)
    return tuple(usual), by_kind


def _needs_account(spec: NodeSpec) -> bool:
    """Returns whether a node without parameters needs a credential."""
    simple, _ = fill(spec.declarations, {})
    return any(
        rule.required
        and (
            rule.condition.holds(simple, simple) if isinstance(rule.condition, Condition) else True
        )
        for rule in spec.credentials
    )


def _spec_of(tool: str, registry: Registry) -> NodeSpec:
    spec: NodeSpec = registry.spec(tool, registry.tools[tool].preferred_version)
    return spec


@lru_cache(1)
def _parameter_counts() -> Mapping[str, Mapping[str, int]]:
    text = files(prompting).joinpath("parameter_counts.json").read_text(encoding="utf-8")
    counts: dict[str, dict[str, int]] = json.loads(text)
    return counts


@lru_cache(1)
def _operation_counts() -> Mapping[str, Mapping[str, int]]:
    text = files(prompting).joinpath("operation_counts.json").read_text(encoding="utf-8")
    counts: dict[str, dict[str, int]] = json.loads(text)
    return counts


@lru_cache(1)
def _uses_by_name() -> Mapping[str, int]:
    total: Counter[str] = Counter()
    for counts in _operation_counts().values():
        for key, count in counts.items():
            total[key.rsplit("/", 1)[-1]] += count
    return total


def _count_of_object(resource: str) -> int:
    """Returns how often operations about a resource are used, by the last word of its name."""
    last = _last_word(resource)
    return _uses_by_object().get(last, 0) // (1 if last == stem(resource) else _PART_OF_NAME)


@lru_cache(1)
def _uses_by_object() -> Mapping[str, int]:
    """Returns the uses of operations by the last word of their resources, such as message."""
    total: Counter[str] = Counter()
    for counts in _operation_counts().values():
        for key, count in counts.items():
            resource, separator, _ = key.partition("/")
            total[_last_word(resource)] += count if separator else 0
    return total


def _last_word(text: str) -> str:
    words = split_identifier(text)
    return stem(words[-1]) if words else ""


def variant_for_agents(tool: str, registry: Registry) -> str:
    """Returns the id of the installed variant of a node that agents call, "" without one."""
    row = registry.tools.get(f"{tool}{_AS_TOOL}")
    return row.id if row is not None and row.availability == "installed" else ""


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
            '"executeOnce": true}. A second start is a trigger with "inputs": []. '
            'Of the plan: "settings": {"timezone": "Europe/Berlin"}.'
        ),
        'A loop is closed by {"from": "last step of its body", "back": true} in its inputs.',
        "Credentials are chosen by the user later: never write them.",
        (
            'Shapes in params: locator {"__rl":true,"mode":"id|url|name|list","value":"..."}; '
            'mapper {"mappingMode":"defineBelow","value":{"column":"=..."}}; '
            'filter {"combinator":"and","conditions":[{"leftValue":"={{ $json.a }}",'
            '"operator":{"type":"number","operation":"gt"},"rightValue":5}]}; '
            'assignments {"assignments":[{"name":"a","type":"string","value":"..."}]}; '
            'schedule {"rule":{"interval":[{"field":"cronExpression",'
            '"expression":"0 8 * * 1-5"}]}}; '
            'JSON body {"sendBody":true,"specifyBody":"json","jsonBody":"=..."}.'
        ),
    ),
    default_trigger=STARTER,
    fallback="n8n-nodes-base.httpRequest",
    always_shown_tools=STAPLES,
    phrases=CUES,
    operation_cues=(OperationCue(REVIEW, "sendAndWait"),),
    parameter_outline=brief,
    full_outline=outline_all,
    accepted_sub_nodes=takes,
    required_sub_nodes=wants,
    sub_node_kinds=serves,
    parameters_for=express,
    trigger_of_step=STARTERS,
    read_phrases=READ,
    trigger_events=events,
    default_parameters=defaults,
    text_output_fields=GIVES,
    missing_input=blank,
    runs_code=runs_code,
    hints=HINTS,
    count_uses=count_uses,
    usual_tools=usual_tools,
    variant_for_agents=variant_for_agents,
    native_form=NATIVE_FORM,
)
