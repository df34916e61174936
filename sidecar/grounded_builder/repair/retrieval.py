"""Choose the installed tools that a request is about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from grounded_builder.domain import Domain
from grounded_builder.registry.registry import Registry

_CLAUSE = re.compile(
    r"[;\n]+|\.(?:\s|$)|,\s*|\s+(?:->|=>|→)\s+"
    r"|\b(?:and then|then|afterwards|after that|and also|and)\b",
    re.IGNORECASE,
)
_LONGEST_REQUEST = 8_000
_SHOWN = 24
_EACH = 4


@dataclass(frozen=True, slots=True)
class Shown:
    """A tool shown to a drafter; ``params`` are the operations that fit, ``score`` how well."""

    tool: str
    operations: tuple[Mapping[str, Any], ...]
    score: float


def clauses(request: str) -> list[str]:
    """The parts of a request that each ask for one thing, in order."""
    parts = (part.strip(" .,:") for part in _CLAUSE.split(request[:_LONGEST_REQUEST]) if part)
    return [part for part in parts if len(part) > 1]


def shown_tools(request: str, domain: Domain, registry: Registry) -> tuple[Shown, ...]:
    """The tools to show for a request, the best first, the domain's staples last."""
    scores: dict[str, float] = {}
    operations: dict[str, dict[str, Mapping[str, Any]]] = {}
    for text in [request[:_LONGEST_REQUEST], *clauses(request)]:
        for tool in cued(text, domain, registry):
            scores[tool] = scores.get(tool, 0.0) + 1.0
        for starts in (None, True):
            for hit in registry.search.find(text, _EACH, trigger=starts):
                scores[hit.tool] = max(scores.get(hit.tool, 0.0), hit.score)
                if hit.params:
                    operations.setdefault(hit.tool, {})[repr(sorted(hit.params.items()))] = (
                        hit.params
                    )
    for kind in _wanted(scores, domain, registry):
        for hit in registry.search.find(request[:_LONGEST_REQUEST], 2, kind=kind):
            scores.setdefault(hit.tool, 0.5)
    ranked = sorted(scores, key=lambda tool: (-scores[tool], tool))[:_SHOWN]
    staples = [tool for tool in domain.speech.staples if tool in registry.tools]
    return tuple(
        Shown(tool, tuple(operations.get(tool, {}).values()), scores.get(tool, 0.0))
        for tool in dict.fromkeys([*ranked, *staples])
        if registry.tools[tool].availability == "installed"
    )


def cued(text: str, domain: Domain, registry: Registry) -> Iterator[str]:
    """Installed tools that a phrase of the text means without naming them."""
    for cue in domain.speech.cues:
        tool = registry.tools.get(cue.tool)
        if (
            tool
            and tool.availability == "installed"
            and re.search(cue.pattern, text, re.IGNORECASE)
        ):
            yield cue.tool


def _wanted(tools: Mapping[str, float], domain: Domain, registry: Registry) -> list[str]:
    """The kinds of input that tools among these cannot do without."""
    kinds: dict[str, None] = {}
    for tool in list(tools)[:_SHOWN]:
        row = registry.tools[tool]
        version = row.default_version if row.default_version in row.versions else row.newest
        for kind in domain.speech.wants(registry.spec(tool, version), {}):
            kinds[kind] = None
    return list(kinds)
