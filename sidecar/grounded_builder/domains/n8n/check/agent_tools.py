"""The tools of an agent as its model sees them: each by a name of its own, with a description."""

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
# Roots that refuse two tools of one name, from this version on: the callers of getConnectedTools
# in @n8n/n8n-nodes-langchain with enforceUniqueNames.
_STRICT = {
    f"{_PACKAGE}agent": 1.5,
    f"{_PACKAGE}agentTool": 0,
    f"{_PACKAGE}mcpTrigger": 0,
    f"{_PACKAGE}openAiAssistant": 1.1,
    f"{_PACKAGE}openAi": 1.1,
    f"{_PACKAGE}anthropic": 0,
    f"{_PACKAGE}googleGemini": 0,
    f"{_PACKAGE}ollama": 0,
}
# The parameter that names a tool, and the last version that reads it: later ones, and the tools
# that n8n makes of nodes, are called by their node (n8n-workflow tool-helpers).
_NAMED_BY: Mapping[str, tuple[str, float]] = {
    f"{_PACKAGE}toolWorkflow": ("name", 2.1),
    f"{_PACKAGE}toolCode": ("name", 1.1),
    f"{_PACKAGE}toolVectorStore": ("name", 1),
    f"{_PACKAGE}toolHttpRequest": ("", 0),
    f"{_PACKAGE}toolCalculator": ("", 0),
    f"{_PACKAGE}toolWikipedia": ("", 0),
}
# A node that asks a person first hands on the tools behind it under their own names.
_ASKING = "HitlTool"
_LONGEST = 64
_DESCRIBING = ("toolDescription", "description")


def check_tools(resolved: ResolvedGraph, wiring: Wiring) -> Iterator[Diagnostic]:
    """Find tools of one agent that share a name, and tools without a description."""
    for root, edges in wiring.serving.items():
        tools = {
            edge.source: resolved.by_name[edge.source]
            for edge in edges
            if edge.source_kind == _TOOL and edge.source in resolved.by_name
        }
        owner = resolved.by_name.get(root)
        if len(tools) > 1 and owner is not None and _is_strict(owner):
            yield from _same_names(owner, tools)
    for name, edges in wiring.served.items():
        bound = resolved.by_name.get(name)
        if bound is not None and any(edge.source_kind == _TOOL for edge in edges):
            yield from _undescribed(bound)


def _is_strict(bound: ResolvedNode) -> bool:
    since = _STRICT.get(bound.node.tool or "")
    return since is not None and not bound.node.disabled and (bound.version or 0) >= since


def _same_names(owner: ResolvedNode, tools: Mapping[str, ResolvedNode]) -> Iterator[Diagnostic]:
    first: dict[str, ResolvedNode] = {}
    for bound in tools.values():
        called = _called(bound)
        if called is None:
            continue
        name, at = called
        other = first.setdefault(name, bound)
        if other is bound:
            continue
        known = _called(other)
        yield new_diagnostic(
            DUPLICATE_TOOL_NAME,
            at,
            f'"{other.node.name}" and "{bound.node.name}" are both called "{name}" by the model '
            f'of "{owner.node.name}": n8n fails the run',
            help="give one of them another name; of a name, n8n keeps A-Z, a-z, 0-9, - and _",
            node=bound.node.name,
            token=name,
            related=(Related(known[1], "the first of them"),) if known else (),
        )


def _called(bound: ResolvedNode) -> tuple[str, Route] | None:
    """The name by which a model calls a tool, with its place; None where it is not known."""
    if bound.spec is None or bound.node.disabled:
        return None
    tool = bound.node.tool or ""
    parameter, last = _NAMED_BY.get(tool, ("", -1.0))
    if last < 0 and (not bound.spec.traits.get("tool_of") or tool.endswith(_ASKING)):
        return None
    if parameter and (bound.version or 0) <= last:
        given = effective_parameters(bound).get(parameter)
        if not isinstance(given, str) or not given or given.startswith("="):
            return None
        return given, (*bound.node.at, "parameters", parameter)
    return tool_name(bound.node.name), (*bound.node.at, "name")


def tool_name(node: str) -> str:
    """The name that n8n makes of a node's name for a model (n8n-workflow tool-helpers)."""
    name = re.sub(r"[^a-zA-Z0-9_-]+", "_", node)
    return name if len(name) <= _LONGEST else name[:_LONGEST].rstrip("_-")


def _undescribed(bound: ResolvedNode) -> Iterator[Diagnostic]:
    """A description that n8n does not require, and without which a model cannot choose the tool."""
    if bound.spec is None or bound.node.disabled or bound.spec.traits.get("tool_of"):
        return
    declared = bound.spec.declarations.root.by_name
    parameters = effective_parameters(bound)
    for name in _DESCRIBING:
        given = parameters.get(name)
        if name in declared and isinstance(given, str) and not given.strip():
            if not any(item.raw.get("required") for item in declared[name]):
                yield new_diagnostic(
                    UNDESCRIBED_TOOL,
                    (*bound.node.at, "parameters", name),
                    f'the tool "{bound.node.name}" has no description: the model cannot know '
                    "what it is for",
                    help=f'say in "{name}" what the tool does and when to use it',
                    node=bound.node.name,
                    token=name,
                )
            return
