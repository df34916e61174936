"""Lists the wrong names in drafts and the tools that replaced them, for the name statistics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

from grounded_builder.catalog.name_decisions import LONGEST_NAME
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.text_cleaning import clean_name
from grounded_builder.compiler.pipeline import Compilation
from grounded_builder.compiler.resolve_plan import RESOLVED_NAME
from grounded_builder.diagnostics import Diagnostic, Route
from grounded_builder.ir.lowering import ResolvedPlan
from grounded_builder.ir.resolution import Resolution, Status
from grounded_builder.ir.rules.artifact import CORRECTED
from grounded_builder.resolve.diagnose import AMBIGUOUS_TOOL, NEAR_MISS_NAME, UNKNOWN_TOOL

Kind = Literal["unknown", "ambiguous", "corrected"]

_UNRESOLVED: Mapping[str, Kind] = {UNKNOWN_TOOL.code: "unknown", AMBIGUOUS_TOOL.code: "ambiguous"}
_MAX_BESIDE = 6
# Only generated drafts have more wrong names; they must not displace the names of others.
MAX_NAMES = 200
_MADE = ("built", "incomplete")
_VALID = ("ok", "incomplete")


@dataclass(frozen=True, slots=True)
class NameOccurrence:
    """A name in a draft, its resolution, and the ids of the other tools of the draft."""

    kind: Kind
    name: str
    tool: str = ""
    beside: tuple[str, ...] = ()


def occurrences_of_name(name: str, resolution: Resolution) -> tuple[NameOccurrence, ...]:
    """Returns the occurrence for a resolved name, () for the exact name of a tool."""
    return occurrence_of_resolution(name, resolution.status, resolution.tool, resolution.method)


def occurrence_of_resolution(
    name: str, status: Status, tool: str | None, method: str
) -> tuple[NameOccurrence, ...]:
    """Returns the occurrence for a name with this resolution."""
    if status != "resolved":
        return (NameOccurrence(status, normalize_name(name)),) if normalize_name(name) else ()
    if method == "exact" or tool is None:
        return ()
    return (NameOccurrence("corrected", normalize_name(name), tool),)


def occurrences_in(compilation: Compilation, registry: Registry) -> tuple[NameOccurrence, ...]:
    """Returns the names of a draft that did not resolve or were corrected, each once."""
    diagnostics = (*compilation.diagnostics, *compilation.corrections)
    return occurrences_of(diagnostics, registry, compilation.document, compilation.plan)


def occurrences_of(
    diagnostics: Iterable[Diagnostic],
    registry: Registry,
    document: Any = None,
    plan: ResolvedPlan | None = None,
) -> tuple[NameOccurrence, ...]:
    """Returns the first 200 names in diagnostics, each with the tools beside it in the draft."""
    nodes = [node for node in plan.nodes if node.get("tool_id")] if plan else []
    chosen = {str(node["id"]): str(node["tool_id"]) for node in nodes}
    siblings = _Siblings(document, chosen, registry)
    occurrences: dict[tuple[Kind, str, str], NameOccurrence] = {}
    for finding in diagnostics:
        name = normalize_name(finding.token or "")
        kind = _UNRESOLVED.get(finding.code)
        tool = "" if kind else _replacement_in(finding, chosen, registry)
        if not name or not (kind or tool) or (kind or "corrected", name, tool) in occurrences:
            continue
        beside = siblings.tools_beside(finding, tool)
        occurrence = NameOccurrence(kind or "corrected", name, tool, beside)
        occurrences[occurrence.kind, name, tool] = occurrence
        if len(occurrences) == MAX_NAMES:
            break
    return tuple(occurrences.values())


class _Siblings:
    """Finds the tools beside a name: those of the other steps and those at the same key of the
    same list. Each list is read once, because a draft may have thousands of names in it.
    """

    def __init__(self, document: Any, chosen: Mapping[str, str], registry: Registry) -> None:
        self._document = document
        self._registry = registry
        self._nodes_of: dict[str, list[str]] = {}
        for node, tool in chosen.items():
            self._nodes_of.setdefault(tool, []).append(node)
        self._lists: dict[tuple[Route, str], tuple[str, ...]] = {}

    def tools_beside(self, finding: Diagnostic, tool: str) -> tuple[str, ...]:
        """Returns the ids of at most six tools other than ``tool`` beside the finding."""
        others = (name for name, nodes in self._nodes_of.items() if nodes != [finding.node])
        distinct = (name for name in chain(others, self._at(finding.at)) if name != tool)
        beside: dict[str, None] = {}
        for name in distinct:
            beside[name] = None
            if len(beside) == _MAX_BESIDE:
                break
        return tuple(beside)

    def _at(self, at: Route) -> tuple[str, ...]:
        """Returns the ids of different tools at the key of a place in all entries of its list."""
        if len(at) < 2 or not isinstance(at[-1], str):
            return ()
        place = (at[:-2], at[-1])
        if place not in self._lists:
            nodes = self._list_at(at[:-2])
            values = (node.get(at[-1]) for node in nodes if isinstance(node, dict))
            known = (name for name in values if isinstance(name, str))
            distinct = dict.fromkeys(name for name in known if name in self._registry.tools)
            self._lists[place] = tuple(distinct)
        return self._lists[place]

    def _list_at(self, route: Route) -> list[Any]:
        document = self._document
        for part in route:
            try:
                document = document[part]
            except (KeyError, IndexError, TypeError):
                return []
        return document if isinstance(document, list) else []


def find_corrections(
    outcome: str, drafts: Sequence[Mapping[str, Any]]
) -> tuple[tuple[str, str], ...]:
    """Returns unresolved names of earlier drafts, each with its tool in the last draft.

    Reads the record of a successful run. A step is the same if its id or its node's name is the
    same, and the same drafter wrote both drafts.
    """
    last = next((draft for draft in reversed(drafts) if draft["verdict"] in _VALID), None)
    if outcome not in _MADE or last is None:
        return ()
    nodes = (last["resolved"] or {}).get("nodes") or ()
    written = {str(node["id"]): str(node["tool_id"]) for node in nodes if node.get("tool_id")}
    corrected: dict[tuple[str, str], None] = {}
    for draft in drafts:
        if draft is last or draft["drafter"] != last["drafter"]:
            continue
        for name, node, at in _unresolved_names(draft):
            tool = written.get(node) or _value_at(at, node, last["parsed"])
            if name and tool and name != tool:
                corrected[name, tool] = None
    return tuple(corrected)


def normalize_name(name: str) -> str:
    """Returns a name on one line without control characters, at most 200 characters."""
    whole = name[: 4 * LONGEST_NAME].encode("utf-8", "backslashreplace").decode()
    return " ".join(clean_name(whole).split())[:LONGEST_NAME]


def _replacement_in(finding: Diagnostic, chosen: Mapping[str, str], registry: Registry) -> str:
    if finding.token in registry.tools:
        return ""
    if finding.rule == RESOLVED_NAME:
        return chosen.get(finding.node or "", "")
    is_of_name = finding.rule in (NEAR_MISS_NAME, CORRECTED)
    known = finding.alternatives[:1] if is_of_name else ()
    return next((name for name in known if name in registry.tools), "")


def _unresolved_names(draft: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Returns the unresolved names of a recorded draft, each with its node and place."""
    nodes = {
        (diagnostic["code"], diagnostic["at"]): diagnostic["node"]
        for diagnostic in draft["diagnostics"] or ()
    }
    return [
        (
            normalize_name(resolution["name"] or ""),
            nodes.get((resolution["code"], resolution["at"])) or "",
            resolution["at"],
        )
        for resolution in draft["resolutions"] or ()
        if resolution["code"] in _UNRESOLVED
    ]


def _value_at(at: str, node: str, document: Any) -> str:
    """Returns the value at a place of one draft in another one, at the node of the same name."""
    *route, _, key = ["", "", *at.split("/")[1:]]
    for part in route[2:]:
        document = document.get(part) if isinstance(document, dict) else None
    nodes = document if isinstance(document, list) else []
    matching = [
        entry for entry in nodes if isinstance(entry, dict) and node and entry.get("name") == node
    ]
    value = matching[0].get(key) if len(matching) == 1 else None
    return value if isinstance(value, str) else ""
