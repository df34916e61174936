"""Advises against nodes and settings that n8n has deprecated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from grounded_builder.catalog.text_cleaning import sub_closed
from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.n8n.parameters.defaults import filled_parameters
from grounded_builder.domains.n8n.parameters.properties import Property
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

DEPRECATED_TOOL = Rule.advice(
    "N8N331", "deprecated-tool", "SuboptimalTool", "n8n keeps this node only for old workflows."
)
DEPRECATED_SETTING = Rule.advice(
    "N8N339", "deprecated-setting", "SuboptimalTool", "n8n declares a setting deprecated."
)

_DEPRECATION = re.compile(
    r"\bdeprecated\b|no longer (?:supported|maintained)|was discontinued", re.IGNORECASE
)
_MARKUP = re.compile(r"<[^>]*>")
_MAX_NOTICE_LENGTH = 220


def advise(resolved: ResolvedGraph) -> Iterator[Diagnostic]:
    """Reports nodes that n8n keeps for old workflows, and settings that it declares deprecated."""
    for bound in resolved.nodes:
        if bound.tool is None or bound.spec is None:
            continue
        if bound.tool.is_superseded or bound.spec.traits.get("hidden"):
            yield _report_tool(bound)
            continue
        notices = _deprecation_notices(bound.spec)
        if notices:
            yield from _check_settings(bound, notices)


def _report_tool(bound: ResolvedNode) -> Diagnostic:
    tool, instead = bound.tool, bound.tool.replaced_by if bound.tool else ()
    removal = tool.version_deprecated if tool else None
    status = (
        "keeps it for old workflows" if instead or removal else "does not offer it to new workflows"
    )
    until = f" and removes it in version {removal}" if removal else ""
    return new_diagnostic(
        DEPRECATED_TOOL,
        (*bound.node.at, "type"),
        f'"{bound.node.name}" uses {bound.node.tool} version {bound.version:g}: '
        f"n8n {status}{until}",
        help=f"use {' or '.join(instead)}" if instead else "use a newer version or another node",
        node=bound.node.name,
        token=bound.node.tool,
        alternatives=instead,
    )


def _check_settings(bound: ResolvedNode, notices: tuple[Property, ...]) -> Iterator[Diagnostic]:
    simple = filled_parameters(bound).simple
    for notice in notices:
        if notice.is_shown(simple, simple):
            text = sub_closed(_MARKUP, ">", "", str(notice.raw.get("displayName"))).strip()
            yield new_diagnostic(
                DEPRECATED_SETTING,
                (*bound.node.at, "parameters"),
                f'a setting of "{bound.node.name}" is deprecated',
                help=f"follow n8n's notice: {text[:_MAX_NOTICE_LENGTH]}",
                node=bound.node.name,
            )


@lru_cache(4096)
def _deprecation_notices(spec: NodeSpec) -> tuple[Property, ...]:
    """Returns the notices of a node type that declare something deprecated."""
    return tuple(
        prop
        for prop in spec.declarations.root.properties
        if prop.type == "notice"
        and prop.condition is not False
        and _DEPRECATION.search(str(prop.raw.get("displayName")))
    )
