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
# Words of something that happens; a schedule beside them polls for it, without them it acts.
_EVENT = re.compile(
    r"\b(?:when\w*|trigger\w*|new|once|upon|arriv\w+|receiv\w+|check for)\b", re.IGNORECASE
)
_URL = re.compile(r"https?://[^\s,;\"'<>)]+")
_LEAST = 0.55
_LEAST_WITH_OPERATION = 0.35
_FEW_WORDS = 1
_MOST_STEPS = 20


@dataclass(frozen=True, slots=True)
class Proposal:
    """A plan, the parts of the request that found no tool, and whether it does more than start."""

    plan: Mapping[str, Any]
    unplaced: tuple[str, ...]
    does_something: bool


@dataclass(slots=True)
class _Draft:
    steps: list[dict[str, Any]] = field(default_factory=list)
    unplaced: list[str] = field(default_factory=list)


def propose(request: str, domain: Domain, registry: Registry) -> Proposal:
    """Plan a request: a step for each thing asked for, a trigger first, sub-nodes where wanted."""
    draft = _Draft()
    for clause in clauses(request)[:_MOST_STEPS]:
        hits = _choices(clause, not draft.steps, domain, registry)
        if not hits:
            draft.unplaced.append(clause)
        for hit in hits:
            _add(draft, hit, clause, domain, registry)
    _lead_with_a_trigger(draft, domain, registry)
    _attach_sub_nodes(draft, domain, registry)
    _serve_wants(draft, request, domain, registry)
    plan = {"version": 1, "goal": " ".join(request.split())[:300], "steps": draft.steps}
    acts = any(not _is_trigger(step["tool"], registry) for step in draft.steps)
    return Proposal(plan, tuple(draft.unplaced), acts)


def _choices(clause: str, first: bool, domain: Domain, registry: Registry) -> list[Hit]:
    """The tools that a clause asks for: what starts the graph, what is done, or both."""
    if not first:
        action = _action(clause, domain, registry)
        return [action] if action is not None else []
    for cue in domain.speech.cues:
        match = re.search(cue.pattern, clause, re.IGNORECASE) if cue.starts else None
        if match is not None and cue.tool in registry.tools:
            rest = (clause[: match.start()] + " " + clause[match.end() :]).strip(" ,.:")
            service = _best(clause, domain, registry, starts=True)
            speaks_of_event = _EVENT.search(rest) is not None
            other = service is not None and service.tool != cue.tool
            if service and other and speaks_of_event and _named(service, clause, registry):
                return [service]
            told = len(rest.split()) > _FEW_WORDS
            action = _action(rest, domain, registry) if told else None
            start = Hit(cue.tool, {}, 1.0, ("cue",))
            return [start] if action is None else [start, action]
    if _STARTS.match(clause):
        start_hit = _best(clause, domain, registry, starts=True)
        if start_hit is not None:
            return [start_hit]
    action = _action(clause, domain, registry)
    return [action] if action is not None else []


def _action(clause: str, domain: Domain, registry: Registry) -> Hit | None:
    best = _best(clause, domain, registry, starts=False)
    if best is not None and _named(best, clause, registry):
        return best
    starting = {cue.tool for cue in domain.speech.cues if cue.starts}
    cues = [tool for tool in cued(clause, domain, registry) if tool not in starting]
    return Hit(cues[0], {}, 1.0, ("cue",)) if cues else best


def _best(clause: str, domain: Domain, registry: Registry, *, starts: bool) -> Hit | None:
    """The tool that fits a clause clearly enough; an operation that fits counts for it."""
    for hit in registry.search.find(clause, 6, trigger=starts):
        least = _LEAST_WITH_OPERATION if hit.params else _LEAST
        if hit.score < least:
            continue
        if _named(hit, clause, registry) or not domain.speech.serves(
            _spec(hit.tool, registry), hit.params
        ):
            return hit
    return None


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


def _attach_sub_nodes(draft: _Draft, domain: Domain, registry: Registry) -> None:
    """Hang every sub-node on the first step that takes its kind; without one it has no place."""
    homeless = []
    for step in draft.steps:
        kinds = domain.speech.serves(_spec(step["tool"], registry), step["params"])
        if not kinds:
            continue
        for host in draft.steps:
            takes = domain.speech.takes(_spec(host["tool"], registry), host["params"])
            kind = next((kind for kind in kinds if kind in takes), None)
            if host is not step and kind is not None:
                step.update({"for": host["id"], "as": kind})
                break
        else:
            homeless.append(step)
    for step in homeless:
        draft.steps.remove(step)
        draft.unplaced.append(step["action"])


def _serve_wants(draft: _Draft, request: str, domain: Domain, registry: Registry) -> None:
    """Give every step that needs sub-nodes one of each kind: the request's own, else the best."""
    for step in list(draft.steps):
        spec = _spec(step["tool"], registry)
        served = {one.get("as") for one in draft.steps if one.get("for") == step["id"]}
        for kind in domain.speech.wants(spec, step["params"]):
            if kind in served:
                continue
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
