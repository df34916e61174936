"""Reports webhooks of one workflow with equal method and path, which n8n does not publish."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Related, Route, Rule, new_diagnostic
from grounded_builder.domains.n8n.analysis.ports import effective_parameters
from grounded_builder.domains.n8n.check.flow.webhook_response import webhooks_of
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

DUPLICATE_WEBHOOK = Rule.wrong(
    "N8N346", "duplicate-webhook", "DuplicateName", "Two webhooks have the same method and path."
)

_EXPRESSION = re.compile(r"\{\{((?:[^{}]|\{(?!\{)|\}(?!\})){0,1000})\}\}")
_PARAMETER = re.compile(r'\$parameter(?:\["(\w+)"\]|\.(\w+))(?:\?\.(\w+)|\["(\w+)"\])?')
_LITERAL = re.compile(r'"([^"\\]*)"|\'([^\'\\]*)\'')


def check_duplicate_webhooks(resolved: ResolvedGraph) -> Iterator[Diagnostic]:
    """Reports webhooks with the same method and path, as n8n's webhook service compares them."""
    hooks = [bound for bound in resolved.by_name.values() if _has_webhook(bound)]
    if len(hooks) < 2:
        return
    first: dict[tuple[str, str], ResolvedNode] = {}
    for bound in hooks:
        for key in dict.fromkeys(_webhook_keys(bound)):
            other = first.setdefault(key, bound)
            if other is not bound:
                yield _report_duplicate(bound, other, *key)
                break


def _has_webhook(bound: ResolvedNode) -> bool:
    if bound.spec is None or bound.node.disabled:
        return False
    return any(not hook.get("restartWebhook") for hook in webhooks_of(bound))


def _report_duplicate(
    bound: ResolvedNode, other: ResolvedNode, method: str, path: str
) -> Diagnostic:
    at, name = _path_route(bound), bound.node.name
    by_id = at[-1] == "webhookId"
    reason = f'n8n gives "{name}" its own webhookId'
    return new_diagnostic(
        DUPLICATE_WEBHOOK,
        at,
        f'"{other.node.name}" and "{name}" {"share a webhookId and " if by_id else ""}both wait '
        f"for {method} {path}: n8n does not publish such a workflow",
        help="remove the webhookId: n8n gives each node its own"
        if by_id
        else "give one of them another path or method",
        node=name,
        token=path,
        related=(Related(_path_route(other), "the first of them"),),
        fix=Fix(True, (Edit("remove", at),), reason) if by_id else None,
    )


def _path_route(bound: ResolvedNode) -> Route:
    if "path" in bound.node.params:
        return (*bound.node.at, "parameters", "path")
    return (*bound.node.at, "webhookId") if "webhookId" in bound.node.source else bound.node.at


def _webhook_keys(bound: ResolvedNode) -> Iterator[tuple[str, str]]:
    """Yields method and path of each webhook of a node if both are known without running it."""
    identity = bound.node.source.get("webhookId")
    identity = identity if isinstance(identity, str) else ""
    for webhook in bound.spec.traits["webhooks"]:
        if not isinstance(webhook, Mapping) or webhook.get("restartWebhook"):
            continue
        path = _evaluate_text(webhook.get("path"), bound, identity)
        methods = _evaluate_text(webhook.get("httpMethod", "GET"), bound, identity)
        if path is None or methods is None:
            continue
        path = path.strip().removeprefix("/").removesuffix("/")
        if not webhook.get("isFullPath"):
            # Without an id n8n builds the path from the workflow's id and the node's name.
            path = f"{identity}/{path}" if identity else ""
        elif ":" in path:
            path = f"{identity}/{path}" if identity else ""
        if path:
            for method in methods.split(","):
                yield method.strip(), path


def _evaluate_text(value: Any, bound: ResolvedNode, identity: str) -> str | None:
    """Returns a text of a webhook's declaration with this node's parameters, None if unknown."""
    if not isinstance(value, str):
        return None
    if not value.startswith("="):
        return value
    parts: list[str] = []
    end = 1
    for match in _EXPRESSION.finditer(value):
        inner = _first_value(match[1].strip(), bound, identity)
        if inner is None:
            return None
        parts += [value[end : match.start()], inner]
        end = match.end()
    return "".join([*parts, value[end:]])


def _first_value(code: str, bound: ResolvedNode, identity: str) -> str | None:
    """Returns the first non-empty alternative of ``$parameter["path"] || $webhookId``."""
    parameters = effective_parameters(bound)
    for alternative in code.split("||"):
        term = alternative.strip()
        if term == "$webhookId":
            given: Any = identity
        elif literal := _LITERAL.fullmatch(term):
            given = literal[1] or literal[2] or ""
        elif match := _PARAMETER.fullmatch(term):
            given = parameters.get(match[1] or match[2])
            inner = match[3] or match[4]
            if inner:
                given = given.get(inner) if isinstance(given, Mapping) else None
        else:
            return None
        if isinstance(given, list) and all(isinstance(item, str) for item in given):
            given = ",".join(given)
        if isinstance(given, str) and given.startswith("="):
            return None
        if given:
            return given if isinstance(given, str) else None
    return ""
