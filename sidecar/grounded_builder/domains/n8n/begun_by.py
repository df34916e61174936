"""Nodes that work only in a run which a certain trigger has begun."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.diagnostics import Diagnostic, found
from grounded_builder.domains.n8n.ports import filled
from grounded_builder.domains.n8n.wiring import Wiring, leading_to, led_to
from grounded_builder.graph import Bound, Resolved

# n8n-nodes-base Form.node execute: throws without a form trigger before it, and when a form
# follows its last page.
FORM = "n8n-nodes-base.form"
FORM_TRIGGER = "n8n-nodes-base.formTrigger"
# @n8n/n8n-nodes-langchain Chat.node execute: throws without a chat trigger in the workflow, and
# unless that one is hosted and leaves the answers to nodes.
CHAT = "@n8n/n8n-nodes-langchain.chat"
CHAT_TRIGGER = "@n8n/n8n-nodes-langchain.chatTrigger"


def check_begun_by(resolved: Resolved, wiring: Wiring) -> Iterator[Diagnostic]:
    """Find pages of forms and chat messages in runs that no form or chat begins."""
    for bound in resolved.bound:
        if bound.spec is None or bound.node.disabled or bound.node.name not in wiring.before:
            continue
        if bound.node.tool == FORM:
            yield from _form(bound, resolved, wiring)
        elif bound.node.tool == CHAT:
            yield from _chat(bound, resolved, wiring)


def _form(bound: Bound, resolved: Resolved, wiring: Wiring) -> Iterator[Diagnostic]:
    name = bound.node.name
    before = [resolved.by_name.get(one) for one in leading_to([name], wiring.before)]
    if not any(one is None or one.node.tool in (FORM_TRIGGER, None) for one in before):
        yield _foreign(bound, FORM_TRIGGER, f'no form trigger leads to "{name}"')
    if filled(bound).get("operation") == "completion":
        later = sorted(
            one
            for one in led_to([name], wiring.after)
            if one in resolved.by_name and resolved.by_name[one].node.tool == FORM and one != name
        )
        if later:
            yield found(
                "N8N349",
                (*bound.node.at, "parameters", "operation"),
                f'"{name}" is the last page of its form, yet "{later[0]}" follows it: '
                "n8n fails the run",
                help='let it be a page ("operation": "page"), or take the later one out',
                node=name,
                token="completion",  # noqa: S106 - a parameter's value, no secret
            )


def _chat(bound: Bound, resolved: Resolved, wiring: Wiring) -> Iterator[Diagnostic]:
    name = bound.node.name
    every = [one for one in resolved.bound if one.node.tool == CHAT_TRIGGER]
    if not every:
        if not any(one.spec is None for one in resolved.bound):
            yield _foreign(bound, CHAT_TRIGGER, f'no chat trigger begins the run of "{name}"')
        return
    above = leading_to([name], wiring.before)
    own = [one for one in every if one.node.name in above and not one.node.disabled] or every
    trigger = own[0]
    if len(own) > 1 or trigger.spec is None:
        return
    parameters = filled(trigger)
    options: Any = parameters.get("options")
    mode = options.get("responseMode") if isinstance(options, Mapping) else None
    if parameters.get("mode") == "webhook":
        yield _unfit(bound, trigger, ("mode",), '"mode" to "hostedChat"')
    elif mode != "responseNodes" and not (isinstance(mode, str) and mode.startswith("=")):
        place = ("options", "responseMode")
        yield _unfit(bound, trigger, place, '"options.responseMode" to "responseNodes"')


def _foreign(bound: Bound, trigger: str, message: str) -> Diagnostic:
    return found(
        "N8N349",
        bound.node.at,
        f"{message}: n8n fails the run",
        help=f"start the workflow with {trigger}",
        node=bound.node.name,
        token=bound.node.tool,
        alternatives=(trigger,),
    )


def _unfit(bound: Bound, trigger: Bound, place: tuple[str, ...], setting: str) -> Diagnostic:
    return found(
        "N8N349",
        (*trigger.node.at, "parameters", *place),
        f'"{bound.node.name}" cannot answer in the chat of "{trigger.node.name}", which is not '
        "set up for it: n8n fails the run",
        help=f"set {setting}",
        node=trigger.node.name,
        token=place[-1],
    )
