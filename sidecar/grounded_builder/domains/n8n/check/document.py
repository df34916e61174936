"""Reports keys and values of a workflow that n8n's API rejects, and its export-only keys."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from grounded_builder.catalog.likeness import find_nearest
from grounded_builder.catalog.name_index import fold_name
from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.unread_keys import is_prose
from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Route, Rule, new_diagnostic
from grounded_builder.domains.n8n import api_schema as api
from grounded_builder.domains.n8n.parameters.javascript_semantics import number_of
from grounded_builder.domains.n8n.parameters.misplaced import report_outer_parameter
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.domains.n8n.read.edge_lists import EdgeList
from grounded_builder.domains.n8n.read.workflow import (
    MALFORMED_NODE,
    base_route,
    find_edge_lists,
)
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode
from grounded_builder.ir.options import CompileOptions
from grounded_builder.ir.plan import EXPECT

UNKNOWN_KEY = Rule.wrong(
    "N8N101", "unknown-key", "InvalidDocument", "n8n refuses a key of this document."
)
STRIPPED_KEY = Rule.info(
    "N8N102", "stripped-key", "An export-only key is omitted from the artifact."
)

_ENABLED = "enabled"
# Keys whose values the workflow reader has already checked.
_CHECKED_BY_READER = frozenset({"name", "type", "typeVersion", "parameters"})


def check(
    resolved: ResolvedGraph, registry: Registry, options: CompileOptions
) -> Iterator[Diagnostic]:
    """Reports keys and values that n8n rejects at creation, and export-only keys."""
    del registry, options
    document, at = resolved.graph.document, base_route(resolved.graph)
    stripped: dict[str, None] = {}
    edge_lists, reader = find_edge_lists(document), EdgeList(document["nodes"])
    for key, value in document.items():
        if key in edge_lists:
            continue
        if key in api.WORKFLOW_EXPORT_ONLY:
            stripped[key] = None
        elif key not in api.WORKFLOW and key != EXPECT:
            yield _keep_edges(
                _unknown_key(key, document, at, "workflow", api.WORKFLOW, None), value, reader
            )
        elif key not in ("connections", EXPECT) and not api.WORKFLOW[key][0](value):
            yield _malformed_value(key, value, (*at, key), "workflow", api.WORKFLOW, None)
    settings = document.get("settings")
    if isinstance(settings, dict):
        yield from _check_settings(settings, (*at, "settings"), stripped)
    for bound in resolved.nodes:
        for finding in _check_node(bound, stripped):
            value = bound.node.source.get(str(finding.token))
            yield _keep_edges(finding, value, reader)
    if stripped:
        yield new_diagnostic(
            STRIPPED_KEY,
            at,
            f"omitted from the artifact, as n8n rejects or ignores them: {', '.join(stripped)}",
            help="nothing to do: n8n writes these keys itself",
        )


def _keep_edges(finding: Diagnostic, value: Any, reader: EdgeList) -> Diagnostic:
    """Returns a finding whose fix is not safe if it removes a value that names nodes.

    A value with two of the nodes, or one of them and its holder, may state edges.
    """
    fix = finding.fix
    if fix is None or fix.edits[0].op != "remove" or len(fix.edits) > 1:
        return finding
    names = reader.list_named(value)
    if len(names - {finding.node}) < (1 if finding.node else 2):
        return finding
    listed = ", ".join(f'"{name}"' for name in sorted(names)[:4])
    hint = f"it names {listed}: write edges in connections, then remove the key"
    return replace(finding, fix=replace(fix, safe=False), help=hint)


def _check_settings(
    settings: Mapping[str, Any], at: Route, stripped: dict[str, None]
) -> Iterator[Diagnostic]:
    for key, value in settings.items():
        follows = key in api.SETTINGS and value == api.SETTINGS_FOLLOW
        if follows or key in api.SETTINGS_EXPORT_ONLY:
            stripped[f"settings.{key}"] = None
        elif key not in api.SETTINGS:
            yield _unknown_key(key, settings, at, "settings", api.SETTINGS, None)
        elif not api.SETTINGS[key][0](value):
            yield _malformed_value(key, value, (*at, key), "settings", api.SETTINGS, None)


def _check_node(bound: ResolvedNode, stripped: dict[str, None]) -> Iterator[Diagnostic]:
    source, at, name = bound.node.source, bound.node.at, bound.node.name
    for key, value in source.items():
        known = api.NODE.get(key)
        if known is None:
            if key in api.NODE_EXPORT_ONLY:
                stripped[f"nodes.{key}"] = None
            elif isinstance(bound.spec, NodeSpec) and key in bound.spec.declarations.root.by_name:
                yield report_outer_parameter(source, at, name, key)
            else:
                yield _unknown_key(key, source, at, "node", api.NODE, name)
        elif not known[0](value) and (
            key not in _CHECKED_BY_READER or (key == "typeVersion" and value is None)
        ):
            yield _malformed_value(key, value, (*at, key), "node", api.NODE, name)


def _unknown_key(
    key: str,
    holder: Mapping[str, Any],
    holder_at: Route,
    owner: str,
    shape: api.Shape,
    node: str | None,
) -> Diagnostic:
    of = f'node "{node}"' if node is not None else f"the {owner}"
    at = (*holder_at, key)
    return new_diagnostic(
        UNKNOWN_KEY,
        at,
        f'n8n rejects the key "{key}" of {of}',
        help=f"remove it; a {owner} has {', '.join(shape)}"
        if owner != "settings"
        else f"remove it; settings has {', '.join(shape)}",
        node=node,
        token=key,
        alternatives=find_nearest(key, shape, 1),
        fix=_fix_unknown_key(key, holder, at, shape, of),
    )


def _fix_unknown_key(
    key: str, holder: Mapping[str, Any], at: Route, shape: api.Shape, of: str
) -> Fix:
    """Returns a fix that writes the value under the intended key, else removes the key.

    A key of the whole workflow describes the file; of a node or the settings it states something.
    """
    value = holder[key]
    known = _known_key(key, value, shape)
    if known is not None and known[0] not in holder:
        edits = (Edit("remove", at), Edit("set", (*at[:-1], known[0]), known[1]))
        return Fix(True, edits, f'"{key}" of {of} is written "{known[0]}"')
    if shape is api.NODE and is_prose(value) and not holder.get("notes"):
        edits = (Edit("remove", at), Edit("set", (*at[:-1], "notes"), f"{key}: {value}"))
        return Fix(True, edits, f'"{key}" of {of} was read as its notes')
    states_nothing = value is None or value in ("", [], {})
    loses = not states_nothing and shape is not api.WORKFLOW
    return Fix(True, (Edit("remove", at),), f'n8n rejects the key "{key}" of {of}', loses)


def _known_key(key: str, value: Any, shape: api.Shape) -> tuple[str, Any] | None:
    """Returns the key and the value that another spelling, or the opposite of a key, means."""
    folded = fold_name(key)
    for name, (is_valid, _) in shape.items():
        if fold_name(name) == folded and is_valid(value):
            return name, value
    if shape is api.NODE and folded == _ENABLED and isinstance(value, bool):
        return "disabled", not value
    return None


def _malformed_value(
    key: str, value: Any, at: Route, owner: str, shape: api.Shape, node: str | None
) -> Diagnostic:
    of = f'node "{node}"' if node is not None else f"the {owner}"
    expected = shape[key][1]
    return new_diagnostic(
        MALFORMED_NODE,
        at,
        f'"{key}" of {of} is {_describe(value)}, and n8n takes {expected}',
        help=f"write {expected}, or remove the key",
        node=node,
        token=key,
        fix=_fix_value(key, value, at, of),
    )


def _fix_value(key: str, value: Any, at: Route, of: str) -> Fix | None:
    """Returns a fix that keeps the meaning: a boolean for its text, no key for a default."""
    if isinstance(value, str) and value in ("true", "false"):
        return Fix(True, (Edit("set", at, value == "true"),), f'"{key}" of {of} is true or false')
    if key in api.NODE and api.NODE[key][0] is api.is_number and isinstance(value, str):
        number = number_of(value) if value.strip() else math.nan
        if math.isfinite(number):
            written = int(number) if number.is_integer() else number
            return Fix(True, (Edit("set", at, written),), f'"{key}" of {of} is a number')
    if value is None or key in ("id", "position", "webhookId", "settings"):
        loses = key == "settings" and bool(value)
        return Fix(True, (Edit("remove", at),), f'n8n fills in "{key}" of {of}', loses)
    return None


def _describe(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, str):
        return f'"{value[:40]}"'
    if isinstance(value, bool | int | float):
        return str(value).lower()
    return "an object" if isinstance(value, dict) else "a list"
