"""Webhooks that wait and nodes that respond: each needs the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Rule, new_diagnostic
from grounded_builder.domains.n8n.analysis.links import Wiring, leading_to, successors
from grounded_builder.domains.n8n.analysis.ports import effective_parameters
from grounded_builder.domains.n8n.analysis.start_nodes import is_start
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

RESPOND_WITHOUT_WEBHOOK = Rule.wrong(
    "N8N311", "respond-without-webhook", "InvalidConnection", "No call waits for this response."
)
WEBHOOK_WITHOUT_RESPOND = Rule.wrong(
    "N8N312",
    "webhook-without-respond",
    "InvalidConnection",
    "The webhook waits for a response that never comes.",
)
UNUSED_RESPOND = Rule.wrong(
    "N8N313", "unused-respond", "InvalidConnection", "The webhook does not wait for a Respond node."
)

RESPOND = "n8n-nodes-base.respondToWebhook"
WEBHOOK = "n8n-nodes-base.webhook"
_WAITING = "responseNode"
_GOING_ON = frozenset({"continueRegularOutput", "continueErrorOutput"})
_EARLY = frozenset({"onReceived", "lastNode"})


def check_answers(resolved: ResolvedGraph, wiring: Wiring) -> Iterator[Diagnostic]:
    """Find answers that nobody asked for, and webhooks that nobody or too many answer."""
    after, before = wiring.after, wiring.before
    if not any(bound.spec is not None and _is_concerned(bound) for bound in resolved.nodes):
        return
    live = [bound for bound in resolved.nodes if not bound.node.disabled]
    responders = [b for b in live if b.spec is not None and b.node.tool == RESPOND]
    unknown = [bound.node.name for bound in live if bound.spec is None]
    # A caller that is switched off puts what follows to sleep: n8n's own check counts it too.
    open_calls = successors([b.node.name for b in resolved.nodes if _may_wait(b)], after)
    answered = leading_to([*(b.node.name for b in responders), *unknown], before)
    for bound in responders:
        if before.get(bound.node.name) and bound.node.name not in open_calls and _looks(bound):
            yield _unasked(bound)
    owned = successors([b.node.name for b in live if _waits_again(b)], after)
    unused = [b.node.name for b in responders if b.node.name not in owned]
    responding = leading_to(unused, before)
    for bound in live:
        if bound.spec is None or not is_start(bound) or not _asks(bound):
            continue
        mode, name = _response_mode(bound), bound.node.name
        if mode == _WAITING and name not in answered:
            yield _unanswered(bound, resolved)
        elif mode in _EARLY and name in responding and _refuses_unused(bound):
            yield _unused(bound, mode)


def _is_concerned(bound: ResolvedNode) -> bool:
    return bound.node.tool == RESPOND or _may_wait(bound)


def _looks(bound: ResolvedNode) -> bool:
    """The node looks for its webhook since its version 1.1, and may be told to go on without."""
    goes_on = bound.node.source.get("onError") in _GOING_ON
    return (bound.version or 0) >= 1.1 and not goes_on


def _unasked(bound: ResolvedNode) -> Diagnostic:
    name = bound.node.name
    return new_diagnostic(
        RESPOND_WITHOUT_WEBHOOK,
        bound.node.at,
        f'no webhook leads to "{name}": it has nothing to respond to',
        help=f'start the workflow with a webhook that responds by "{name}", or take it out',
        node=name,
    )


def _unanswered(bound: ResolvedNode, resolved: ResolvedGraph) -> Diagnostic:
    name = bound.node.name
    off = next((b.node.name for b in resolved.nodes if b.node.tool == RESPOND), None)
    more = f'; "{off}" is disabled or not reached' if off else ""
    return new_diagnostic(
        WEBHOOK_WITHOUT_RESPOND,
        (*bound.node.at, "parameters", "responseMode"),
        f'"{name}" waits for a Respond to Webhook node, and none is reached{more}',
        help=f'lead "{name}" to an enabled Respond to Webhook node, or let it respond by itself',
        node=name,
        token=_WAITING,
    )


def _unused(bound: ResolvedNode, mode: str) -> Diagnostic:
    name, at = bound.node.name, (*bound.node.at, "parameters", "responseMode")
    return new_diagnostic(
        UNUSED_RESPOND,
        at,
        f'"{name}" responds by itself ({mode}), yet leads to a Respond to Webhook node: n8n fails '
        "each call",
        help=f'set "responseMode" to "{_WAITING}", or take the Respond to Webhook node out',
        node=name,
        token=mode,
        alternatives=(_WAITING,),
        fix=Fix(True, (Edit("set", at, _WAITING),), f'"{name}" leads to a Respond to Webhook node'),
    )


def _refuses_unused(bound: ResolvedNode) -> bool:
    """The webhook node compares its mode with the nodes after it since its version 2.

    The version counts as written: without one n8n takes the newest and compares nothing.
    """
    written = bound.node.source.get("typeVersion")
    return bound.node.tool == WEBHOOK and isinstance(written, int | float) and written >= 2


def _waits_again(bound: ResolvedNode) -> bool:
    """Whether a node in the middle opens a call of its own, which a later node responds to."""
    if bound.spec is None:
        return True
    webhooks = bound.spec.traits.get("webhooks")
    return bool(webhooks) and any(
        isinstance(webhook, Mapping) and webhook.get("restartWebhook") for webhook in webhooks
    )


def _asks(bound: ResolvedNode) -> bool:
    """Whether one of the node's webhooks answers as a parameter says."""
    webhooks = bound.spec.traits.get("webhooks")
    return bool(webhooks) and any(
        isinstance(webhook, Mapping)
        and not webhook.get("restartWebhook")
        and "responseMode" in str(webhook.get("responseMode"))
        for webhook in webhooks
    )


def _may_wait(bound: ResolvedNode) -> bool:
    """Whether a node can hold a call open; one that is not known may."""
    if bound.spec is None:
        return True
    webhooks = bound.spec.traits.get("webhooks")
    return bool(webhooks) and any(
        isinstance(webhook, Mapping) and "responseMode" in str(webhook.get("responseMode"))
        for webhook in webhooks
    )


def _response_mode(bound: ResolvedNode) -> str | None:
    parameters = effective_parameters(bound)
    options = parameters.get("options")
    mode = parameters.get("responseMode")
    if mode is None and isinstance(options, Mapping):
        mode = options.get("responseMode")
    return mode if isinstance(mode, str) else None
