"""Reports unmatched Respond nodes and webhooks that wait for one; lists a node's webhooks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Rule, new_diagnostic
from grounded_builder.domains.n8n.analysis.links import Wiring, predecessors, successors
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
_CONTINUE_MODES = frozenset({"continueRegularOutput", "continueErrorOutput"})
_IMMEDIATE_MODES = frozenset({"onReceived", "lastNode"})


def check_responses(resolved: ResolvedGraph, wiring: Wiring) -> Iterator[Diagnostic]:
    """Reports Respond nodes without a waiting webhook, and webhooks without a Respond node."""
    after, before = wiring.after, wiring.before
    if not any(bound.spec is not None and _is_concerned(bound) for bound in resolved.nodes):
        return
    live = [bound for bound in resolved.nodes if not bound.node.disabled]
    responders = [b for b in live if b.spec is not None and b.node.tool == RESPOND]
    # An unresolved node holds a finding back only if it may be the node that responds.
    unknown = [b.node.name for b in live if b.spec is None and _may_respond(b)]
    # Disabled webhooks count as well, as in n8n's own check.
    open_calls = successors([b.node.name for b in resolved.nodes if _may_hold_call(b)], after)
    answered = predecessors([*(b.node.name for b in responders), *unknown], before)
    for bound in responders:
        if (
            before.get(bound.node.name)
            and bound.node.name not in open_calls
            and _requires_webhook(bound)
        ):
            yield _respond_without_webhook(bound)
    owned = successors([b.node.name for b in live if _opens_own_call(b)], after)
    unused = [b.node.name for b in responders if b.node.name not in owned]
    responding = predecessors(unused, before)
    for bound in live:
        if bound.spec is None or not is_start(bound) or not _has_response_mode(bound):
            continue
        mode, name = _response_mode(bound), bound.node.name
        if mode == _WAITING and name not in answered:
            yield _webhook_without_respond(bound, resolved)
        elif mode in _IMMEDIATE_MODES and name in responding and _rejects_unused_respond(bound):
            yield _unused_respond(bound, mode)


def _is_concerned(bound: ResolvedNode) -> bool:
    return bound.node.tool == RESPOND or _may_hold_call(bound)


def _may_respond(bound: ResolvedNode) -> bool:
    """Returns whether an unresolved node may be a Respond node of another spelling."""
    name = f"{bound.node.tool or ''} {bound.node.name}"
    return not bound.node.tool or "respon" in name.casefold()


def _requires_webhook(bound: ResolvedNode) -> bool:
    """Returns whether the node fails without a webhook: since version 1.1, unless it continues."""
    goes_on = bound.node.source.get("onError") in _CONTINUE_MODES
    return (bound.version or 0) >= 1.1 and not goes_on


def _respond_without_webhook(bound: ResolvedNode) -> Diagnostic:
    name = bound.node.name
    return new_diagnostic(
        RESPOND_WITHOUT_WEBHOOK,
        bound.node.at,
        f'no webhook leads to "{name}": it has nothing to respond to',
        help=f'start the workflow with a webhook that responds with "{name}", or remove it',
        node=name,
    )


def _webhook_without_respond(bound: ResolvedNode, resolved: ResolvedGraph) -> Diagnostic:
    name = bound.node.name
    off = next((b.node.name for b in resolved.nodes if b.node.tool == RESPOND), None)
    more = f'; "{off}" is disabled or not reachable' if off else ""
    return new_diagnostic(
        WEBHOOK_WITHOUT_RESPOND,
        (*bound.node.at, "parameters", "responseMode"),
        f'"{name}" waits for a Respond to Webhook node, and no path leads to one{more}',
        help=f'connect "{name}" to an enabled Respond to Webhook node, or let it respond by itself',
        node=name,
        token=_WAITING,
    )


def _unused_respond(bound: ResolvedNode, mode: str) -> Diagnostic:
    name, at = bound.node.name, (*bound.node.at, "parameters", "responseMode")
    return new_diagnostic(
        UNUSED_RESPOND,
        at,
        f'"{name}" responds by itself ({mode}) but leads to a Respond to Webhook node: n8n fails '
        "each call",
        help=f'set "responseMode" to "{_WAITING}", or remove the Respond to Webhook node',
        node=name,
        token=mode,
        alternatives=(_WAITING,),
        fix=Fix(True, (Edit("set", at, _WAITING),), f'"{name}" leads to a Respond to Webhook node'),
    )


def _rejects_unused_respond(bound: ResolvedNode) -> bool:
    """Returns whether the webhook node rejects a Respond node that it does not wait for.

    It does since version 2 as written; n8n takes the newest version for a missing one and does not
    compare.
    """
    written = bound.node.source.get("typeVersion")
    return bound.node.tool == WEBHOOK and isinstance(written, int | float) and written >= 2


def webhooks_of(bound: ResolvedNode) -> list[Mapping[str, Any]]:
    """Returns the webhooks that the type of a resolved node declares."""
    declared = bound.spec.traits.get("webhooks") or ()
    return [webhook for webhook in declared if isinstance(webhook, Mapping)]


def _opens_own_call(bound: ResolvedNode) -> bool:
    """Returns whether a node opens a call of its own that a later Respond node responds to.

    A Wait node does if a call resumes it and it responds by that node, and not for a length of time
    (``checkResponseModeConfiguration`` of n8n's Webhook node).
    """
    if bound.spec is None:
        return False
    restarts = (hook for hook in webhooks_of(bound) if hook.get("restartWebhook"))
    return any(map(_states_response_mode, restarts)) and _response_mode(bound) == _WAITING


def _has_response_mode(bound: ResolvedNode) -> bool:
    """Returns whether a parameter selects how one of the node's webhooks responds."""
    own = (hook for hook in webhooks_of(bound) if not hook.get("restartWebhook"))
    return any(map(_states_response_mode, own))


def _may_hold_call(bound: ResolvedNode) -> bool:
    """Returns whether a node can hold a call open; unresolved nodes count as able."""
    return bound.spec is None or any(map(_states_response_mode, webhooks_of(bound)))


def _states_response_mode(webhook: Mapping[str, Any]) -> bool:
    return "responseMode" in str(webhook.get("responseMode"))


def _response_mode(bound: ResolvedNode) -> str | None:
    parameters = effective_parameters(bound)
    options = parameters.get("options")
    mode = parameters.get("responseMode")
    if mode is None and isinstance(options, Mapping):
        mode = options.get("responseMode")
    return mode if isinstance(mode, str) else None
