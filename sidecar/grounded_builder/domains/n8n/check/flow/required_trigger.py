"""Reports form pages and chat nodes in runs that no form or chat trigger starts."""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.n8n.analysis.links import Wiring, successors
from grounded_builder.domains.n8n.analysis.ports import effective_parameters
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

WRONG_TRIGGER = Rule.wrong(
    "N8N349", "wrong-trigger", "MissingTrigger", "A node requires another trigger."
)

# n8n-nodes-base Form.node execute throws without a form trigger before it, and if a form follows
# its last page.
FORM = "n8n-nodes-base.form"
FORM_TRIGGER = "n8n-nodes-base.formTrigger"
# @n8n/n8n-nodes-langchain Chat.node execute throws without a chat trigger in the workflow, and
# unless that trigger is hosted and lets nodes respond.
CHAT = "@n8n/n8n-nodes-langchain.chat"
CHAT_TRIGGER = "@n8n/n8n-nodes-langchain.chatTrigger"
_CHECKED_TOOLS = frozenset({FORM, CHAT})


def check_required_triggers(resolved: ResolvedGraph, wiring: Wiring) -> Iterator[Diagnostic]:
    """Reports form pages and chat messages in runs that no form or chat trigger starts."""
    concerned = [
        bound
        for bound in resolved.by_name.values()
        if bound.node.tool in _CHECKED_TOOLS
        and bound.spec is not None
        and not bound.node.disabled
        and bound.node.name in wiring.before
    ]
    forms = [bound for bound in concerned if bound.node.tool == FORM]
    if forms:
        yield from _check_forms(forms, resolved, wiring)
    yield from _check_chats([bound for bound in concerned if bound.node.tool == CHAT], resolved)


def _check_forms(
    forms: Sequence[ResolvedNode], resolved: ResolvedGraph, wiring: Wiring
) -> Iterator[Diagnostic]:
    triggers = [
        name
        for name, bound in resolved.by_name.items()
        if bound.node.tool == FORM_TRIGGER or bound.spec is None
    ]
    absent = [name for name in wiring.after if name not in resolved.by_name]
    begun = successors([*triggers, *absent], wiring.after)
    names = {bound.node.name for bound in resolved.nodes if bound.node.tool == FORM}
    for bound in forms:
        name = bound.node.name
        if name not in begun:
            yield _wrong_trigger(bound, FORM_TRIGGER, f'no form trigger leads to "{name}"')
        if effective_parameters(bound).get("operation") == "completion":
            later = _next_among(names, name, wiring)
            if later is not None:
                yield new_diagnostic(
                    WRONG_TRIGGER,
                    (*bound.node.at, "parameters", "operation"),
                    f'"{name}" is the last page of its form, but "{later}" follows it: '
                    "n8n fails the run",
                    help='make it a page ("operation": "page"), or remove the later one',
                    node=name,
                    token="completion",  # noqa: S106 - a parameter's value, no secret
                )


def _next_among(names: Container[str], name: str, wiring: Wiring) -> str | None:
    """Returns the nearest of these nodes that data reaches from a node, itself excluded."""
    seen = {name}
    queue = deque([name])
    while queue:
        for edge in wiring.after.get(queue.popleft(), ()):
            if edge.target not in seen:
                if edge.target in names:
                    return edge.target
                seen.add(edge.target)
                queue.append(edge.target)
    return None


def _check_chats(chats: Sequence[ResolvedNode], resolved: ResolvedGraph) -> Iterator[Diagnostic]:
    if not chats:
        return
    triggers = [node for node in resolved.nodes if node.node.tool == CHAT_TRIGGER]
    unknown = any(node.spec is None for node in resolved.nodes)
    for bound in chats:
        if not triggers and not unknown:
            name = bound.node.name
            yield _wrong_trigger(bound, CHAT_TRIGGER, f'no chat trigger starts the run of "{name}"')
        elif len(triggers) == 1 and triggers[0].spec is not None:
            yield from _check_chat_trigger(bound, triggers[0])


def _check_chat_trigger(bound: ResolvedNode, trigger: ResolvedNode) -> Iterator[Diagnostic]:
    parameters = effective_parameters(trigger)
    options: Any = parameters.get("options")
    mode = options.get("responseMode") if isinstance(options, Mapping) else None
    if parameters.get("mode") == "webhook":
        yield _wrong_trigger_setting(bound, trigger, ("mode",), '"mode" to "hostedChat"')
    elif mode != "responseNodes" and not (isinstance(mode, str) and mode.startswith("=")):
        place = ("options", "responseMode")
        yield _wrong_trigger_setting(
            bound, trigger, place, '"options.responseMode" to "responseNodes"'
        )


def _wrong_trigger(bound: ResolvedNode, trigger: str, message: str) -> Diagnostic:
    return new_diagnostic(
        WRONG_TRIGGER,
        bound.node.at,
        f"{message}: n8n fails the run",
        help=f"start the workflow with {trigger}",
        node=bound.node.name,
        token=bound.node.tool,
        alternatives=(trigger,),
    )


def _wrong_trigger_setting(
    bound: ResolvedNode, trigger: ResolvedNode, place: tuple[str, ...], setting: str
) -> Diagnostic:
    return new_diagnostic(
        WRONG_TRIGGER,
        (*trigger.node.at, "parameters", *place),
        f'"{bound.node.name}" cannot respond in the chat of "{trigger.node.name}", which is not '
        "set up for it: n8n fails the run",
        help=f"set {setting}",
        node=trigger.node.name,
        token=place[-1],
    )
