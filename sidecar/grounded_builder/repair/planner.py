"""The retrieval planner: a plan without any model, made of what the catalog finds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from grounded_builder.domain import Domain
from grounded_builder.registry.registry import Registry
from grounded_builder.registry.search import Hit
from grounded_builder.repair.retrieval import clauses, cued

_STARTS = re.compile(
    r"^(?:when(?:ever)?|if (?:a|an|there)|on|once|every|each|after|as soon as|new|watch|monitor|"
    r"take new|get new|check for new|trigger\w*|start\w*)\b",
    re.IGNORECASE,
)
_URL = re.compile(r"https?://[^\s,;\"'<>)]+")
_LEAST = 0.55
_MOST_STEPS = 20


@dataclass(frozen=True, slots=True)
class Proposal:
    """A plan, and the parts of the request that found no tool."""

    plan: Mapping[str, Any]
    unplaced: tuple[str, ...]


@dataclass(slots=True)
class _Draft:
    steps: list[dict[str, Any]] = field(default_factory=list)
    unplaced: list[str] = field(default_factory=list)


def propose(request: str, domain: Domain, registry: Registry) -> Proposal:
    """Plan a request: one step a clause, a trigger first, sub-nodes for what needs them."""
    draft = _Draft()
    parts = clauses(request)[:_MOST_STEPS]
    for position, clause in enumerate(parts):
        hit = _choose(clause, position == 0, domain, registry)
        if hit is None:
            draft.unplaced.append(clause)
        else:
            _add(draft, hit, clause, domain, registry)
    _lead_with_a_trigger(draft, domain, registry)
    _serve_wants(draft, request, domain, registry)
    plan = {"version": 1, "goal": " ".join(request.split())[:300], "steps": draft.steps}
    return Proposal(plan, tuple(draft.unplaced))


def _choose(clause: str, first: bool, domain: Domain, registry: Registry) -> Hit | None:
    starts = first and bool(_STARTS.match(clause))
    cues = [
        tool
        for tool in cued(clause, domain, registry)
        if _is_trigger(tool, registry) == (first and _is_trigger(tool, registry))
    ]
    hits = registry.search.find(clause, 3, trigger=True if starts else None if first else False)
    best = hits[0] if hits and hits[0].score >= _LEAST else None
    named = best is not None and _named(best, clause, registry)
    if cues and not named:
        return Hit(cues[0], {}, 1.0, ("cue",))
    if best is None and starts:
        others = registry.search.find(clause, 1, trigger=False)
        best = others[0] if others and others[0].score >= _LEAST else None
    return best


def _named(hit: Hit, clause: str, registry: Registry) -> bool:
    """Whether the clause says the tool's own name, its kind-words aside."""
    name = re.sub(r"\b(?:trigger|node)\b", "", registry.tools[hit.tool].name, flags=re.IGNORECASE)
    return name.strip().casefold() in clause.casefold()


def _add(draft: _Draft, hit: Hit, clause: str, domain: Domain, registry: Registry) -> None:
    step: dict[str, Any] = {
        "id": f"s{len(draft.steps) + 1}",
        "tool": hit.tool,
        "action": clause[:80],
        "params": dict(hit.params),
    }
    url = _URL.search(clause)
    if url is not None and "url" in domain.speech.brief(_spec(hit.tool, registry), hit.params):
        step["params"]["url"] = url[0]
    before = draft.steps[-1] if draft.steps else None
    if before is not None and before["tool"] == hit.tool and before["params"] == step["params"]:
        before["action"] = f"{before['action']}, {clause}"[:80]
        return
    draft.steps.append(step)


def _lead_with_a_trigger(draft: _Draft, domain: Domain, registry: Registry) -> None:
    if draft.steps and _is_trigger(draft.steps[0]["tool"], registry):
        return
    starter = domain.speech.starter
    if starter in registry.tools:
        draft.steps.insert(0, {"id": "start", "tool": starter, "action": "Start", "params": {}})


def _serve_wants(draft: _Draft, request: str, domain: Domain, registry: Registry) -> None:
    """Give every step that needs sub-nodes one of each kind: the request's own, else the best."""
    for step in list(draft.steps):
        spec = _spec(step["tool"], registry)
        for kind in domain.speech.wants(spec, step["params"]):
            hits = registry.search.find(request, 1, kind=kind)
            if not hits:
                continue
            number = len(draft.steps) + 1
            sub = {"id": f"s{number}", "tool": hits[0].tool, "for": step["id"], "as": kind}
            draft.steps.append({**sub, "params": {}})


def _is_trigger(tool: str, registry: Registry) -> bool:
    return "trigger" in registry.tools[tool].capabilities


def _spec(tool: str, registry: Registry) -> Any:
    row = registry.tools[tool]
    version = row.default_version if row.default_version in row.versions else row.newest
    return registry.spec(tool, version)
