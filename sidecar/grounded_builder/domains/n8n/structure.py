"""What a workflow needs as a whole: something that starts it, somebody who answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from grounded_builder.diagnostics import Diagnostic, Edit, Fix, found
from grounded_builder.domains.n8n.ports import filled
from grounded_builder.domains.n8n.workflow import base_route
from grounded_builder.graph import Bound, Resolved
from grounded_builder.registry.registry import Registry
from grounded_builder.setting import Setting

# n8n refuses to publish a workflow that only these start.
MANUAL = frozenset({"n8n-nodes-base.manualTrigger", "@n8n/n8n-nodes-langchain.manualChatTrigger"})
RESPOND = "n8n-nodes-base.respondToWebhook"
NOTE = "n8n-nodes-base.stickyNote"
WEBHOOK = "n8n-nodes-base.webhook"
_WAITING = "responseNode"
_EARLY = frozenset({"onReceived", "lastNode"})

Adjacency = Mapping[str, Iterable[str]]


def check(resolved: Resolved, registry: Registry, setting: Setting) -> Iterator[Diagnostic]:
    """Find workflows that nothing starts, and webhooks and answers that miss each other."""
    del registry
    after: dict[str, list[str]] = defaultdict(list)
    before: dict[str, list[str]] = defaultdict(list)
    for edge in resolved.graph.edges:
        if edge.source_kind == "main":
            after[edge.source].append(edge.target)
            before[edge.target].append(edge.source)
    yield from _starts(resolved, setting, before)
    yield from _answers(resolved, after, before)


def is_start(bound: Bound) -> bool:
    """Whether a run can begin at this node, by a person, a clock, a poll or a call."""
    traits = bound.spec.traits
    return bool(traits.get("trigger") or traits.get("polling"))


def _starts(resolved: Resolved, setting: Setting, before: Adjacency) -> Iterator[Diagnostic]:
    live = [bound for bound in resolved.bound if not bound.node.disabled]
    working = [bound for bound in live if bound.node.tool != NOTE]
    starts = [bound for bound in working if bound.spec is not None and is_start(bound)]
    if any(bound.spec is None and not before.get(bound.node.name) for bound in working):
        return  # an unresolved node that nothing leads to may be the start
    if not starts:
        what = "nothing starts the workflow: no trigger" if working else "the workflow has no nodes"
        if working and len(live) < len(resolved.bound):
            what = "nothing starts the workflow: no enabled trigger"
        yield found(
            "N8N301",
            (*base_route(resolved.graph), "nodes"),
            what,
            help="add a trigger: a schedule, a webhook, an app's trigger, a chat or a manual one",
        )
    elif all(bound.node.tool in MANUAL for bound in starts):
        first = starts[0].node
        publishing = setting.purpose == "publish"
        yield found(
            "N8N307" if publishing else "N8N302",
            first.at,
            f'only a person can start the workflow, by "{first.name}"',
            help="n8n does not publish such a workflow: add a trigger that starts it by itself"
            if publishing
            else "add a trigger to run it unattended",
            node=first.name,
        )


def _answers(resolved: Resolved, after: Adjacency, before: Adjacency) -> Iterator[Diagnostic]:
    live = [bound for bound in resolved.bound if not bound.node.disabled]
    responders = [b for b in live if b.spec is not None and b.node.tool == RESPOND]
    unknown = [bound.node.name for bound in live if bound.spec is None]
    open_calls = _reached([b.node.name for b in live if _may_wait(b)], after)
    answered = _reached([*(b.node.name for b in responders), *unknown], before)
    for bound in responders:
        if before.get(bound.node.name) and bound.node.name not in open_calls:
            yield _unasked(bound)
    owned = _reached([b.node.name for b in live if _waits_again(b)], after)
    unused = [b.node.name for b in responders if b.node.name not in owned]
    responding = _reached(unused, before)
    for bound in live:
        if bound.spec is None or not is_start(bound) or not _asks(bound):
            continue
        mode, name = _response_mode(bound), bound.node.name
        if mode == _WAITING and name not in answered:
            yield _unanswered(bound, resolved)
        elif mode in _EARLY and name in responding and _refuses_unused(bound):
            yield _unused(bound, mode)


def _unasked(bound: Bound) -> Diagnostic:
    name = bound.node.name
    return found(
        "N8N311",
        bound.node.at,
        f'no webhook leads to "{name}": it has nothing to respond to',
        help=f'start the workflow with a webhook that responds by "{name}", or take it out',
        node=name,
    )


def _unanswered(bound: Bound, resolved: Resolved) -> Diagnostic:
    name = bound.node.name
    off = next((b.node.name for b in resolved.bound if b.node.tool == RESPOND), None)
    more = f'; "{off}" is disabled or not reached' if off else ""
    return found(
        "N8N312",
        (*bound.node.at, "parameters", "responseMode"),
        f'"{name}" waits for a Respond to Webhook node, and none is reached{more}',
        help=f'lead "{name}" to an enabled Respond to Webhook node, or let it respond by itself',
        node=name,
        token=_WAITING,
    )


def _unused(bound: Bound, mode: str) -> Diagnostic:
    name, at = bound.node.name, (*bound.node.at, "parameters", "responseMode")
    return found(
        "N8N313",
        at,
        f'"{name}" responds by itself ({mode}), yet leads to a Respond to Webhook node: n8n fails '
        "each call",
        help=f'set "responseMode" to "{_WAITING}", or take the Respond to Webhook node out',
        node=name,
        token=mode,
        alternatives=(_WAITING,),
        fix=Fix(True, (Edit("set", at, _WAITING),), f'"{name}" leads to a Respond to Webhook node'),
    )


def _refuses_unused(bound: Bound) -> bool:
    """The webhook node compares its mode with the nodes after it since its version 2."""
    return bound.node.tool == WEBHOOK and (bound.version or 0) >= 2


def _waits_again(bound: Bound) -> bool:
    """Whether a node in the middle opens a call of its own, which a later node responds to."""
    if bound.spec is None:
        return True
    return any(
        isinstance(webhook, Mapping) and webhook.get("restartWebhook")
        for webhook in bound.spec.traits.get("webhooks") or ()
    )


def _asks(bound: Bound) -> bool:
    """Whether one of the node's webhooks answers as a parameter says."""
    return any(
        isinstance(webhook, Mapping)
        and not webhook.get("restartWebhook")
        and "responseMode" in str(webhook.get("responseMode"))
        for webhook in bound.spec.traits.get("webhooks") or ()
    )


def _may_wait(bound: Bound) -> bool:
    """Whether a node can hold a call open; one that is not known may."""
    if bound.spec is None:
        return True
    return any(
        isinstance(webhook, Mapping) and "responseMode" in str(webhook.get("responseMode"))
        for webhook in bound.spec.traits.get("webhooks") or ()
    )


def _response_mode(bound: Bound) -> str | None:
    parameters = filled(bound)
    options = parameters.get("options")
    mode = parameters.get("responseMode")
    if mode is None and isinstance(options, Mapping):
        mode = options.get("responseMode")
    return mode if isinstance(mode, str) else None


def _reached(starts: Iterable[str], edges: Adjacency) -> set[str]:
    """Every name that some start leads to; a start itself only when a path leads back to one."""
    seen: set[str] = set()
    stack = [name for start in starts for name in edges.get(start, ())]
    while stack:
        name = stack.pop()
        if name not in seen:
            seen.add(name)
            stack.extend(edges.get(name, ()))
    return seen
