"""Select the installed tools for a request, with the operations that it asks for."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.sanitize import shorten_gaps
from grounded_builder.catalog.search_document import best_actions
from grounded_builder.catalog.synonyms import synonym_groups
from grounded_builder.catalog.text_search import Hit
from grounded_builder.compiler.named_services import Service
from grounded_builder.ir.domain import Domain
from grounded_builder.resolve.tool_search import find_tools

_CLAUSE = re.compile(
    r"[;\n]+|\.(?:\s|$)|,\s*|\s+(?:->|=>|→)\s+"
    r"|\b(?:and then|then|afterwards|after that|and also|and)\b",
    re.IGNORECASE,
)
_LONGEST_REQUEST = 8_000
_MOST_CLAUSES = 20
_SHOWN = 24
_WHOLE, _EACH, _STARTERS, _SERVING = 12, 3, 4, 2
# Named services come first, then tools meant by a phrase, then tools suggested by words.
_NAMED, _STARTS_NAMED, _CUED = 3.0, 2.5, 2.0
_FEWEST_WORDS = 2
_CLEAR, _LEAST_FIT = 1.0, 0.2
_MOST_OPERATIONS = 6


@dataclass(frozen=True, slots=True)
class ShownTools:
    """A tool shown to a drafter; ``operations`` are those that fit, ``score`` rates the fit.

    ``whole`` are the parts of the request that it does in one step; a ``sure`` tool is never
    dropped for space.
    """

    tool: str
    operations: tuple[Mapping[str, Any], ...]
    score: float
    whole: tuple[str, ...] = ()
    sure: bool = False


@dataclass(slots=True)
class _Gathered:
    """The results of reading a request: scores, operations and whole parts of tools."""

    scores: dict[str, float] = field(default_factory=dict)
    operations: dict[str, dict[str, tuple[float, Mapping[str, Any]]]] = field(default_factory=dict)
    whole: dict[str, list[str]] = field(default_factory=dict)

    def take(self, tool: str, score: float) -> None:
        self.scores[tool] = max(self.scores.get(tool, 0.0), score)

    def take_hit(self, hit: Hit, share: float = 1.0) -> None:
        self.take(hit.tool, hit.score * share)
        if hit.params:
            self.take_operation(hit.tool, hit.params, _CLEAR)

    def take_operation(self, tool: str, params: Mapping[str, Any], score: float) -> None:
        """Records that an operation fits, and how well."""
        known = self.operations.setdefault(tool, {})
        key = repr(sorted(params.items()))
        known[key] = (max(score, known.get(key, (0.0,))[0]), params)

    def fitting(self, tool: str, registry: Registry) -> tuple[Mapping[str, Any], ...]:
        """Returns the fitting operations of a tool that its usual version has, best first."""
        known = sorted(self.operations.get(tool, {}).values(), key=lambda item: -item[0])
        usual = usual_operations(tool, registry) if known else []
        return tuple(params for _, params in known if params in usual)[:_MOST_OPERATIONS]


def clauses(request: str) -> list[str]:
    """Returns the parts of a request that each ask for one thing, in order."""
    text = shorten_gaps(request)[:_LONGEST_REQUEST]
    parts = (part.strip(" .,:") for part in _CLAUSE.split(text) if part)
    return [part for part in parts if len(part) > 1]


def shown_tools(
    request: str,
    domain: Domain,
    registry: Registry,
    services: Iterable[Service] = (),
    denied: Collection[str] = (),
) -> tuple[ShownTools, ...]:
    """Returns the tools to show for a request, best first, the domain's staples last.

    Those of ``services`` are always included, those ``denied`` never.
    """
    text = request[:_LONGEST_REQUEST]
    gathered = _Gathered()
    named = tuple(services)
    for service in named:
        for tool in service.tools:
            gathered.take(tool, _NAMED)
        for tool in service.starters:
            gathered.take(tool, _STARTS_NAMED)
    _read(text, gathered, domain, registry)
    for kind in _required_inputs(gathered.scores, domain, registry):
        for hit in find_tools(text, registry, _SERVING, kind=kind):
            gathered.take(hit.tool, 0.5)
    sure = {tool for item in named for tool in (*item.tools, *item.starters)}
    ranked = sorted(gathered.scores, key=lambda tool: (-gathered.scores[tool], tool))[:_SHOWN]
    staples = [tool for tool in domain.prompting.always_shown_tools if tool in registry.tools]
    return tuple(
        ShownTools(
            tool,
            gathered.fitting(tool, registry),
            gathered.scores.get(tool, 0.0),
            tuple(dict.fromkeys(gathered.whole.get(tool, ()))),
            tool in sure,
        )
        for tool in dict.fromkeys([*ranked, *staples])
        if registry.tools[tool].availability == "installed" and tool not in denied
    )


def usual_operations(tool: str, registry: Registry) -> list[Mapping[str, Any]]:
    """Returns the operations of a tool at its usual version; older versions may have had others."""
    usual, variants = registry.tools[tool].preferred_version, registry.tool(tool)["variants"]
    variant = next((item for item in variants if usual in item["versions"]), variants[-1])
    return [operation["params"] for operation in variant.get("operations") or ()]


def tools_by_phrase(text: str, domain: Domain, registry: Registry) -> Iterator[str]:
    """Returns installed tools that a phrase of the text means without naming them."""
    for cue in domain.prompting.phrases:
        tool = registry.tools.get(cue.tool)
        if (
            tool
            and tool.availability == "installed"
            and re.search(cue.pattern, text, re.IGNORECASE)
        ):
            yield cue.tool


def _read(text: str, gathered: _Gathered, domain: Domain, registry: Registry) -> None:
    """Reads the request as a whole, then each of its parts."""
    for tool in tools_by_phrase(text, domain, registry):
        gathered.take(tool, _CUED)
    for hit in find_tools(text, registry, _WHOLE):
        gathered.take_hit(hit)
    for hit in find_tools(text, registry, _STARTERS, trigger=True):
        gathered.take_hit(hit)
    for clause in clauses(text)[:_MOST_CLAUSES]:
        for tool in tools_by_phrase(clause, domain, registry):
            gathered.take(tool, _CUED)
        hits = find_tools(clause, registry, _EACH)
        for hit in (*hits, *find_tools(clause, registry, 1, trigger=True)):
            gathered.take_hit(hit)
        for hit in hits:
            if _is_whole(clause, hit, registry):
                gathered.whole.setdefault(hit.tool, []).append(clause)
        _fit_operations(clause, gathered, registry)


def _fit_operations(clause: str, gathered: _Gathered, registry: Registry) -> None:
    """Records the operations of named tools that a part of the request may ask for."""
    search = registry.search
    terms = search.terms(clause)
    for tool, score in gathered.scores.items():
        document = search.by_id.get(tool)
        if score < _STARTS_NAMED or document is None:
            continue
        for fit, action in best_actions(document, terms, _EACH):
            if fit >= _LEAST_FIT:
                gathered.take_operation(tool, action.params, fit)


def _is_whole(clause: str, hit: Hit, registry: Registry) -> bool:
    """Returns whether one operation of a tool covers a clause completely."""
    row, document = registry.tools[hit.tool], registry.search.by_id[hit.tool]
    terms = registry.search.terms(clause)
    if row.is_generic or document.is_trigger or not hit.params or len(terms) < _FEWEST_WORDS:
        return False
    return all(
        term in document.stems or not document.operation_meanings.isdisjoint(synonym_groups(term))
        for term in terms
    )


def _required_inputs(tools: Mapping[str, float], domain: Domain, registry: Registry) -> list[str]:
    """Returns the kinds of input that tools among these require."""
    kinds: dict[str, None] = {}
    for tool in sorted(tools, key=lambda item: (-tools[item], item))[:_SHOWN]:
        row = registry.tools[tool]
        for kind in domain.prompting.required_sub_nodes(
            registry.spec(tool, row.preferred_version), {}
        ):
            kinds[kind] = None
    return list(kinds)
