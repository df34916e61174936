"""Resolves every node of a graph to a tool and version of the registry."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from grounded_builder.catalog.name_index import fold_name, id_head, id_tail
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tokenize import GENERIC_NOUNS, STARTERS, split_identifier, stem
from grounded_builder.catalog.tool import ToolRow
from grounded_builder.compiler.name_search import NAMES_NOT_COMPARED, NameSearch
from grounded_builder.compiler.node_cache import node_cache_of
from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Route, Rule, new_diagnostic
from grounded_builder.ir.domain import Domain, Recognition
from grounded_builder.ir.graph import Graph, Node, ResolvedGraph, ResolvedNode
from grounded_builder.ir.options import Limits
from grounded_builder.ir.resolution import Resolution, resolved_to
from grounded_builder.resolve.diagnose import (
    AMBIGUOUS_TOOL,
    MISSING_TOOL,
    NEAR_MISS_NAME,
    UNKNOWN_TOOL,
    ReferenceCatalogs,
    diagnose_exact_id,
    diagnose_unavailable,
    diagnose_unresolved,
    format_catalog_version,
    format_names,
    no_reference_catalogs,
)

UNSUPPORTED_VERSION = Rule.wrong(
    "GB205",
    "unsupported-version",
    "UnsupportedVersion",
    "This version of the tool is not installed.",
)

# Comparing what a node carries with all tools takes about a millisecond.
_MAX_RECOGNISED = 400
_LIMITS = Limits()

# Words that can be part of any tool's name.
_GENERIC_STEMS = frozenset(stem(word) for word in GENERIC_NOUNS | STARTERS)

_Resolve = Callable[[str], Resolution]
_Resolved = tuple[ResolvedNode, tuple[Diagnostic, ...]]


def resolve_graph(
    graph: Graph,
    domain: Domain,
    registry: Registry,
    references: ReferenceCatalogs = no_reference_catalogs,
    limits: Limits = _LIMITS,
) -> tuple[ResolvedGraph, tuple[Diagnostic, ...]]:
    """Resolves the names and versions of all nodes; failures are unresolved nodes.

    ``references`` returns catalogs of other versions. They explain unknown names and never resolve
    them; it is called only if a name is not in this catalog.
    """
    diagnostics: list[Diagnostic] = []
    nodes: list[ResolvedNode] = []
    by_name: dict[str, ResolvedNode] = {}
    names = NameSearch(domain, registry, limits.names)
    recognise = _Recognise(graph, domain, registry)
    for node in graph.nodes:
        resolved_node, node_diagnostics = _resolve_node(
            node, graph, domain, registry, references, names.resolve, recognise
        )
        nodes.append(resolved_node)
        by_name.setdefault(node.name, resolved_node)
        diagnostics += node_diagnostics
    diagnostics += (*names.findings(), *recognise.findings())
    return ResolvedGraph(graph, tuple(nodes), by_name), tuple(diagnostics)


class _Recognise:
    """Compares the content of nodes with all tools, for a bounded number of nodes."""

    def __init__(self, graph: Graph, domain: Domain, registry: Registry) -> None:
        self._graph = graph
        self._domain = domain
        self._registry = registry
        self._asked = 0

    def __call__(self, node: Node, among: Sequence[str] = ()) -> Recognition | None:
        """Returns the tools that a node fits; None where it fits none, or beyond the bound."""
        if self._domain.resolving.recognise is None:
            return None
        self._asked += 1
        if self._asked > _MAX_RECOGNISED:
            return None
        return self._domain.resolving.recognise(node, self._graph, self._registry, among)

    def findings(self) -> tuple[Diagnostic, ...]:
        """Returns the finding that nodes were not compared, if any were not."""
        skipped = self._asked - _MAX_RECOGNISED
        if skipped <= 0:
            return ()
        nodes = "1 node was" if skipped == 1 else f"{skipped:,} nodes were"
        message = (
            f"{nodes} not compared with all tools by what they carry: a draft has "
            f"{_MAX_RECOGNISED:,} such comparisons"
        )
        help_text = "write the ids of tools, or split the draft"
        return (new_diagnostic(NAMES_NOT_COMPARED, (), message, help=help_text),)


def _resolve_node(
    node: Node,
    graph: Graph,
    domain: Domain,
    registry: Registry,
    references: ReferenceCatalogs,
    resolve: _Resolve,
    recognise: _Recognise,
) -> _Resolved:
    at = (*node.at, domain.reading.tool_route)
    if node.tool is None:
        missing = new_diagnostic(
            MISSING_TOOL,
            at if domain.reading.tool_route in node.source else node.at,
            f'node "{node.name}" names no tool',
            help=f'set "{domain.reading.tool_route}" to the id of an installed tool',
            node=node.name,
        )
        return ResolvedNode(node), (missing,)
    tool = registry.tools.get(node.tool)
    is_exact = domain.reading.ids_are_exact
    if tool is None and is_exact is not None and is_exact(node, graph):
        unknown = diagnose_exact_id(node.tool, at, node.name, domain, registry)
        return ResolvedNode(node), (unknown,)
    if tool is None:
        return _resolve_by_name(node, at, domain, registry, references, resolve, recognise)
    if tool.availability != "installed":
        return ResolvedNode(node), (diagnose_unavailable(tool, at, node.name),)
    return _resolve_version(node, tool, domain, registry, references, recognise)


def _resolve_version(
    node: Node,
    tool: ToolRow,
    domain: Domain,
    registry: Registry,
    references: ReferenceCatalogs,
    recognise: _Recognise,
) -> _Resolved:
    version = node.version
    if version is None:
        version = tool.default_version if tool.default_version in tool.versions else tool.newest
    if version in tool.versions:
        spec = registry.spec(tool.id, version)
        if not domain.checking.remembers_nodes:
            return ResolvedNode(node, tool, version, spec), ()
        memo = node_cache_of(registry).memo_of(node, spec)
        return ResolvedNode(node, tool, version, spec, memo), ()
    nearest = min(tool.versions, key=lambda known: (abs(known - version), -known))
    at = (*node.at, domain.reading.version_route)
    elsewhere = [ref for ref in references() if _has_version(ref, tool.id, version)]
    known = f"; it exists in {format_catalog_version(elsewhere[0])}" if elsewhere else ""
    other = recognise(node)
    text, edit = "", Edit("set", at, nearest)
    reason = f"version {version:g} is {nearest:g} here"
    if other is not None:
        text = f"; its content matches {format_names(other.tools)}"
        edit = Edit("set", (*node.at, domain.reading.tool_route), other.tools[0])
        reason = _reason_for_recognition(node, other)
    unsupported = new_diagnostic(
        UNSUPPORTED_VERSION,
        at,
        f"{tool.id} has no version {version:g} here{known}{text}",
        help=f"installed versions: {', '.join(f'{v:g}' for v in tool.versions)}",
        node=node.name,
        token=f"{version:g}",
        alternatives=other.tools if other else [f"{nearest:g}"],
        fix=Fix(True, (edit,), reason) if other is None or other.is_sure else None,
    )
    return ResolvedNode(node), (unsupported,)


def _reason_for_recognition(node: Node, other: Recognition) -> str:
    return f'"{node.name}" carries what {other.tools[0]} takes: {other.because}'


def _resolve_by_name(
    node: Node,
    at: Route,
    domain: Domain,
    registry: Registry,
    references: ReferenceCatalogs,
    resolve: _Resolve,
    recognise: _Recognise,
) -> _Resolved:
    token = node.tool or ""
    resolution = _disambiguate(resolve(token), node)
    if resolution.status == "resolved" and resolution.tool is not None:
        near_miss = _diagnose_near_miss(node, at, domain, registry, resolution)
        tool = registry.tools[resolution.tool]
        if resolution.params or resolution.method == "near" or tool.availability != "installed":
            return ResolvedNode(node), (near_miss,)
        # Only the spelling is wrong, so the other errors are reported in the same round.
        resolved_node, others = _resolve_version(
            node, tool, domain, registry, references, recognise
        )
        return resolved_node, (near_miss, *others)
    finding = diagnose_unresolved(token, at, node.name, resolution, domain, registry, references)
    known = registry.packages.keys() | domain.resolving.core_packages
    if finding.rule in (UNKNOWN_TOOL, AMBIGUOUS_TOOL) and (
        id_head(token) in known or not id_head(token)
    ):
        finding = _recognise_by_content(finding, node, at, resolution, recognise)
    return ResolvedNode(node), (finding,)


def _recognise_by_content(
    finding: Diagnostic, node: Node, at: Route, resolution: Resolution, recognise: _Recognise
) -> Diagnostic:
    """Adds a fix to the finding if the node's parameters identify one candidate.

    A name of no tool is compared with all tools, not only with those of similar names. For a name
    that several tools have, only these are compared.
    """
    likely = tuple(dict.fromkeys(candidate.tool for candidate in resolution.candidates))
    other = recognise(node, likely if resolution.status == "ambiguous" else ())
    if other is None or not other.is_sure or other.tools[0] not in likely:
        return finding
    # If the name means something else, the node's content does not overrule it.
    is_safe = resolution.status == "ambiguous" or _shares_word(node.tool or "", other.tools[0])
    fix = Fix(is_safe, (Edit("set", at, other.tools[0]),), _reason_for_recognition(node, other))
    first = (
        other.tools[0],
        *(alternative for alternative in finding.alternatives if alternative != other.tools[0]),
    )
    return replace(finding, alternatives=first, fix=fix)


def _shares_word(token: str, tool: str) -> bool:
    """Returns whether a name has a word of a tool's name."""
    words = {stem(word) for word in split_identifier(id_tail(token))} - _GENERIC_STEMS
    tool_words = {stem(word) for word in split_identifier(id_tail(tool))} - _GENERIC_STEMS
    return not words.isdisjoint(tool_words) or fold_name(id_tail(tool)) in fold_name(id_tail(token))


def _disambiguate(resolution: Resolution, node: Node) -> Resolution:
    """Returns the operation of several that agrees with the node's own parameters."""
    candidates = resolution.candidates
    if resolution.status != "ambiguous" or len({candidate.tool for candidate in candidates}) != 1:
        return resolution
    matching = [
        candidate
        for candidate in candidates
        if any(key in node.params for key in candidate.params)
        and all(node.params.get(key, value) == value for key, value in candidate.params.items())
    ]
    return resolved_to((matching[0],), resolution.method) if len(matching) == 1 else resolution


def _diagnose_near_miss(
    node: Node, at: Route, domain: Domain, registry: Registry, resolution: Resolution
) -> Diagnostic:
    tool = registry.tools[resolution.tool or ""]
    preset = {key: value for key, value in resolution.params.items() if key not in node.params}
    edits = [Edit("set", at, tool.id)]
    edits += [
        Edit("set", (*node.at, *domain.reading.params_route, k), v) for k, v in preset.items()
    ]
    params_text = "".join(f", {key}={value}" for key, value in resolution.params.items())
    return new_diagnostic(
        NEAR_MISS_NAME,
        at,
        f'"{node.tool}" is not the exact name of {tool.id}{params_text}',
        help=f'write "{tool.id}"{params_text}',
        node=node.name,
        token=node.tool,
        alternatives=[tool.id],
        fix=Fix(
            tool.availability == "installed",
            tuple(edits),
            f'"{node.tool}" is {tool.id}{params_text}',
        ),
    )


def _has_version(registry: Registry, tool_id: str, version: float) -> bool:
    tool = registry.tools.get(tool_id)
    return tool is not None and version in tool.versions
