"""Supplies prompts with facts on n8n nodes: sub-nodes, blanks, events, defaults, usual tools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tool import Operation
from grounded_builder.domains.n8n.analysis.node_outputs import EVENT_TRIGGERS, output_of
from grounded_builder.domains.n8n.analysis.ports import Port, ports_of
from grounded_builder.domains.n8n.catalog.code_nodes import runs_code
from grounded_builder.domains.n8n.catalog.compile_tool import NodeSpec
from grounded_builder.domains.n8n.lower.intent_parameters import express
from grounded_builder.domains.n8n.parameters.defaults import fill
from grounded_builder.domains.n8n.prompting.expectations import EXPECTATIONS
from grounded_builder.domains.n8n.prompting.hints import HINTS
from grounded_builder.domains.n8n.prompting.native_form import NATIVE_FORM
from grounded_builder.domains.n8n.prompting.outline import (
    brief,
    needs_account,
    outline_all,
    outline_shortly,
)
from grounded_builder.domains.n8n.prompting.phrases import (
    CUES,
    GIVES,
    READ,
    REVIEW,
    STAPLES,
    STARTER,
    STARTERS,
)
from grounded_builder.domains.n8n.prompting.use_counts import count_uses, parameter_counts
from grounded_builder.ir.domain import OperationCue, PromptingFacts
from grounded_builder.ir.graph import Node, ResolvedNode

_MAIN = "main"
# The names of the list of trigger events in n8n 2.41.1.
_EVENTS = frozenset({"events", "event", "trigger", "triggerOn", "updates"})
_ANY_EVENT = "*"
# From so many nodes on, a parameter that none of them sets is left out.
_ENOUGH_NODES = 30
# A node is usual from so many uses on, one of n8n's categories for no service from fewer; of
# sub-nodes, so many of each kind are.
_OFTEN, _OFTEN_IN_CORE, _MOST_OF_A_KIND = 10, 5, 3
_CORE_CATEGORIES = frozenset({"Core Nodes", "AI"})
# The category of the nodes for no service, which may have an account of a server, and kinds of
# sub-node that take none themselves.
_OWN = "Core Nodes"
_COMMON_KINDS = frozenset({"ai_languageModel", "ai_memory", "ai_tool"})
_FEW = 4
_MOST_FIELDS = 15
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


def event_fields(spec: NodeSpec) -> str:
    """Returns the fields that a trigger of a service outputs by default, "" if they are unknown:
    all names, ``name.*`` where the data are below one, or a usual name that is elsewhere.
    """
    if spec.id.rpartition(".")[2] not in EVENT_TRIGGERS:
        return ""
    transfer = output_of(_make_resolved_node(spec, {}))
    shape = transfer(None) if transfer is not None else None
    if shape is None or not (shape.fields or shape.absent):
        return ""
    if shape.is_open:
        return "; ".join(f"no {name}: {help_}" for name, help_ in [*shape.absent.items()][:1])
    names = [name for name in shape.fields if name != shape.payload.split(".", maxsplit=1)[0]]
    if shape.payload:
        return ", ".join([f"{shape.payload}.*", *names[:_FEW]])
    more = ", ..." if len(names) > _MOST_FIELDS else ""
    return f"only {', '.join(names[:_MOST_FIELDS])}{more}"


def _inputs(spec: NodeSpec, parameters: Mapping[str, Any]) -> Mapping[str, tuple[Port, ...]]:
    return ports_of(_make_resolved_node(spec, parameters)).inputs or {}


def _make_resolved_node(spec: NodeSpec, parameters: Mapping[str, Any]) -> ResolvedNode:
    node = Node("", spec.id, spec.version, parameters, (), {"parameters": parameters})
    return ResolvedNode(node, None, spec.version, spec)


def usual_tools(registry: Registry, hosts: Iterable[str]) -> Iterator[str]:
    """Yields n8n's own nodes and those without an account that public workflows use, then for nodes
    that take sub-nodes, the ``hosts``, the usual ones of each kind, and those that these take.
    """
    usual, by_kind = _used_tools(registry)
    yield from usual
    reached = list(hosts)
    for tool in reached:
        for kind in _possible_kinds(_spec_of(tool, registry)):
            serving = [other for other in by_kind.get(kind, ()) if other not in reached]
            yield from serving[:_MOST_OF_A_KIND]
            if kind not in _COMMON_KINDS:
                reached += serving[:1]


def _possible_kinds(spec: NodeSpec) -> tuple[str, ...]:
    """Returns the kinds of sub-node that a node accepts with any parameters."""
    inputs = spec.variant["inputs"]
    rows = inputs.get("table") or () if isinstance(inputs, dict) else ()
    ports = (port for row in rows for port in row.get("ports") or ())
    kinds = dict.fromkeys((*takes(spec, {}), *(str(port.get("kind")) for port in ports)))
    return tuple(kind for kind in kinds if kind != _MAIN)


@lru_cache(4)
def _used_tools(registry: Registry) -> tuple[tuple[str, ...], Mapping[str, Sequence[str]]]:
    """Returns the usual nodes of the main line, and sub-nodes by kind; most used first."""
    uses = {tool: counts.get("", 0) for tool, counts in parameter_counts().items()}
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
        often = _OFTEN_IN_CORE if row.category in _CORE_CATEGORIES else _OFTEN
        is_own = row.category == _OWN or not needs_account(spec)
        if not kinds and uses[tool] >= often and has_ports and is_own:
            usual.append(tool)
    return tuple(usual), by_kind


def _spec_of(tool: str, registry: Registry) -> NodeSpec:
    spec: NodeSpec = registry.spec(tool, registry.tools[tool].preferred_version)
    return spec


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
            "A step runs once for each item that reaches it. For one message about all items, "
            "aggregate, summarize or code makes one item of them first; splitOut makes many of one."
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
            'Shapes in params: locator {"__rl":true,"mode":"list","value":"..."}, its modes stand '
            "in brackets, list and id if none do; "
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
    short_outline=outline_shortly,
    accepted_sub_nodes=takes,
    required_sub_nodes=wants,
    sub_node_kinds=serves,
    parameters_for=express,
    trigger_of_step=STARTERS,
    read_phrases=READ,
    trigger_events=events,
    event_fields=event_fields,
    default_parameters=defaults,
    text_output_fields=GIVES,
    missing_input=blank,
    runs_code=runs_code,
    hints=HINTS,
    count_uses=count_uses,
    usual_tools=usual_tools,
    variant_for_agents=variant_for_agents,
    native_form=NATIVE_FORM,
    expectations=EXPECTATIONS,
)
