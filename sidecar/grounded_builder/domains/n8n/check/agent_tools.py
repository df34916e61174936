"""Checks the names and descriptions of an agent's tools, and derives their names from nodes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from grounded_builder.diagnostics import Diagnostic, Related, Route, Rule, new_diagnostic
from grounded_builder.domains.n8n.analysis.links import Wiring
from grounded_builder.domains.n8n.analysis.ports import effective_parameters
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

DUPLICATE_TOOL_NAME = Rule.wrong(
    "N8N318", "duplicate-tool-name", "DuplicateName", "Two tools of an agent have the same name."
)
UNDESCRIBED_TOOL = Rule.advice(
    "N8N319", "undescribed-tool", "MissingParameter", "A tool has no description."
)

_TOOL = "ai_tool"
_PACKAGE = "@n8n/n8n-nodes-langchain."
# Root nodes that reject two tools with the same name, and the version since which they do: the
# callers of getConnectedTools in @n8n/n8n-nodes-langchain that pass enforceUniqueNames.
_UNIQUE_NAMES_SINCE = {
    f"{_PACKAGE}agent": 1.5,
    f"{_PACKAGE}agentTool": 0,
    f"{_PACKAGE}mcpTrigger": 0,
    f"{_PACKAGE}openAiAssistant": 1.1,
    f"{_PACKAGE}openAi": 1.1,
    f"{_PACKAGE}anthropic": 0,
    f"{_PACKAGE}googleGemini": 0,
    f"{_PACKAGE}ollama": 0,
}
# The parameter that names a tool, and the last version that reads it. Later versions, and tools
# that n8n generates from nodes, take the name of their node (n8n-workflow tool-helpers).
_NAME_PARAMETERS: Mapping[str, tuple[str, float]] = {
    f"{_PACKAGE}toolWorkflow": ("name", 2.1),
    f"{_PACKAGE}toolCode": ("name", 1.1),
    f"{_PACKAGE}toolVectorStore": ("name", 1),
    f"{_PACKAGE}toolHttpRequest": ("", 0),
    f"{_PACKAGE}toolCalculator": ("", 0),
    f"{_PACKAGE}toolWikipedia": ("", 0),
}
# A human-in-the-loop node passes on the tools behind it under their own names.
_HUMAN_IN_THE_LOOP_SUFFIX = "HitlTool"
_MAX_NAME_LENGTH = 64
_DESCRIPTION_PARAMETERS = ("toolDescription", "description")


def check_tools(resolved: ResolvedGraph, wiring: Wiring) -> Iterator[Diagnostic]:
    """Reports tools of the same agent that share a name, and tools without a description."""
    for root, edges in wiring.serving.items():
        tools = {
            edge.source: resolved.by_name[edge.source]
            for edge in edges
            if edge.source_kind == _TOOL and edge.source in resolved.by_name
        }
        owner = resolved.by_name.get(root)
        if len(tools) > 1 and owner is not None and _requires_unique_names(owner):
            yield from _check_duplicate_names(owner, tools)
    for name, edges in wiring.served.items():
        bound = resolved.by_name.get(name)
        if bound is not None and any(edge.source_kind == _TOOL for edge in edges):
            yield from _check_description(bound)


def _requires_unique_names(bound: ResolvedNode) -> bool:
    since = _UNIQUE_NAMES_SINCE.get(bound.node.tool or "")
    return since is not None and not bound.node.disabled and (bound.version or 0) >= since


def _check_duplicate_names(
    owner: ResolvedNode, tools: Mapping[str, ResolvedNode]
) -> Iterator[Diagnostic]:
    first: dict[str, ResolvedNode] = {}
    for bound in tools.values():
        called = _name_and_route(bound)
        if called is None:
            continue
        name, at = called
        other = first.setdefault(name, bound)
        if other is bound:
            continue
        known = _name_and_route(other)
        yield new_diagnostic(
            DUPLICATE_TOOL_NAME,
            at,
            f'"{other.node.name}" and "{bound.node.name}" are both named "{name}" for the model '
            f'of "{owner.node.name}": n8n fails the run',
            help="give one of them another name; n8n keeps only A-Z, a-z, 0-9, - and _ of a name",
            node=bound.node.name,
            token=name,
            related=(Related(known[1], "the first of them"),) if known else (),
        )


def _name_and_route(bound: ResolvedNode) -> tuple[str, Route] | None:
    """Returns the name by which a model calls a tool and its route, or None if unknown."""
    if bound.spec is None or bound.node.disabled:
        return None
    tool = bound.node.tool or ""
    parameter, last = _NAME_PARAMETERS.get(tool, ("", -1.0))
    if last < 0 and (
        not bound.spec.traits.get("tool_of") or tool.endswith(_HUMAN_IN_THE_LOOP_SUFFIX)
    ):
        return None
    if parameter and (bound.version or 0) <= last:
        given = effective_parameters(bound).get(parameter)
        if not isinstance(given, str) or not given or given.startswith("="):
            return None
        return given, (*bound.node.at, "parameters", parameter)
    return tool_name(bound.node.name), (*bound.node.at, "name")


def tool_name(node: str) -> str:
    """Returns the tool name that n8n derives from a node's name (n8n-workflow tool-helpers)."""
    name = re.sub(r"[^a-zA-Z0-9_-]+", "_", node)
    return name if len(name) <= _MAX_NAME_LENGTH else name[:_MAX_NAME_LENGTH].rstrip("_-")


def _check_description(bound: ResolvedNode) -> Iterator[Diagnostic]:
    """Reports an empty description that n8n accepts but a model needs to choose the tool."""
    if bound.spec is None or bound.node.disabled or bound.spec.traits.get("tool_of"):
        return
    declared = bound.spec.declarations.root.by_name
    parameters = effective_parameters(bound)
    for name in _DESCRIPTION_PARAMETERS:
        given = parameters.get(name)
        if name in declared and isinstance(given, str) and not given.strip():
            if not any(item.raw.get("required") for item in declared[name]):
                yield new_diagnostic(
                    UNDESCRIBED_TOOL,
                    (*bound.node.at, "parameters", name),
                    f'the tool "{bound.node.name}" has no description: the model cannot know '
                    "what it is for",
                    help=f'describe in "{name}" what the tool does and when to use it',
                    node=bound.node.name,
                    token=name,
                )
            return
