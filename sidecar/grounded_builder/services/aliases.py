"""Records decisions about names after checking their effect; lists decisions and proposals."""

from __future__ import annotations

import unicodedata
from dataclasses import asdict, dataclass, replace
from typing import Any

from grounded_builder.catalog.likeness import find_nearest
from grounded_builder.catalog.name_decisions import LONGEST_NAME, decision_key
from grounded_builder.catalog.name_index import fold_name, id_tail
from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.name_stats import normalize_name
from grounded_builder.ir.domain import Domain
from grounded_builder.resolve.user_decisions import find_owner
from grounded_builder.services.alias_impact import (
    ResolutionChange,
    canonical_names,
    names_in_drafts,
    resolution_changes,
)
from grounded_builder.services.alias_proposals import Proposal, evidence, proposals
from grounded_builder.storage import runs
from grounded_builder.storage.aliases import AliasStore, DecidedMeanwhileError, Decision, Verb
from grounded_builder.storage.name_stats import NameStatsStore
from grounded_builder.storage.store import Store

_REPLAYED = 500
_UNSEEN = ("Cf", "Cc", "Co", "Cs")


class AliasError(ValueError):
    """A decision that is refused; ``code`` and ``help`` give the reason and the alternative."""

    def __init__(self, code: str, message: str, help_text: str) -> None:
        super().__init__(message)
        self.code = code
        self.help = help_text


@dataclass(frozen=True, slots=True)
class AliasDecisionRequest:
    """A decision requested by the person ``by``.

    ``preview`` only reports what would change. ``override`` takes the decision even where other
    names that mean a tool now would mean another tool or none.
    """

    name: str
    verb: Verb
    tool: str | None = None
    instead: str | None = None
    by: str = ""
    preview: bool = False
    override: bool = False


@dataclass(frozen=True, slots=True)
class DecisionResult:
    """A decision that holds, or would hold, with the names that resolve differently under it."""

    decision: Decision
    taken: bool
    changes: tuple[ResolutionChange, ...]

    def as_json(self) -> dict[str, Any]:
        """Returns the result as plain JSON."""
        return {
            "decision": asdict(self.decision),
            "taken": self.taken,
            "changes": [asdict(change) for change in self.changes],
        }


def list_names(store: Store, domain: Domain) -> list[dict[str, Any]]:
    """Returns the decisions that hold; ``dormant`` is the reason why a decision has no
    effect now.
    """
    registry = store.active(domain.name)
    current = AliasStore(store.engine, domain.name).current()
    return [
        {**asdict(decision), "dormant": _dormant_reason(decision, registry)} for decision in current
    ]


def count_names(store: Store, domain: Domain, limit: int) -> list[dict[str, Any]]:
    """Returns the most frequent names that are not exactly the name of a tool, as JSON."""
    return [asdict(count) for count in NameStatsStore(store.engine, domain.name).counts(limit)]


def list_proposals(store: Store, domain: Domain, **least: int) -> tuple[Proposal, ...]:
    """Returns proposals for frequent unresolved names without a decision."""
    decided = [decision.name for decision in AliasStore(store.engine, domain.name).current()]
    book = NameStatsStore(store.engine, domain.name)
    return proposals(book, decided, _active_registry(store, domain), **least)


def decide(store: Store, domain: Domain, wish: AliasDecisionRequest) -> DecisionResult:
    """Takes a decision and returns what it changes; raises AliasError when it is refused."""
    name = _validate_name(wish.name)
    registry = _active_registry(store, domain)
    aliases = AliasStore(store.engine, domain.name)
    last = aliases.last(name)
    if wish.verb == "dropped" and (last is None or last.decision == "dropped"):
        message = f"nothing is decided about {name!r}"
        raise AliasError("unknown-alias", message, "`grounded aliases` lists the decisions")
    wanted = Decision(
        name, wish.verb, wish.tool, wish.instead, _collect_evidence(store, domain, name)
    )
    if wish.verb in ("alias", "none"):
        _validate(wanted, registry)
    changes = _replay_decision(store, domain, registry, wanted)
    harmed = [
        resolution_change for resolution_change in changes if resolution_change.before is not None
    ]
    is_new = wish.verb in ("alias", "none") and not wanted.says_the_same(last)
    if wish.preview:
        return DecisionResult(wanted, False, changes)
    if harmed and is_new and not wish.override:
        text = "; ".join(
            f"{resolution_change.name!r} means {resolution_change.before} now"
            for resolution_change in harmed[:3]
        )
        hint = "look at a preview of the changes; use override to take the decision anyway"
        raise AliasError("changes-names", f"names would change their meaning: {text}", hint)
    try:
        made = aliases.decide(replace(wanted, by=wish.by), last)
    except DecidedMeanwhileError as error:
        message = f"another decision about {name!r} was taken meanwhile"
        raise AliasError("decided-meanwhile", message, "look at that decision first") from error
    return DecisionResult(made, True, changes)


def _active_registry(store: Store, domain: Domain) -> Registry:
    registry = store.active(domain.name)
    if registry is None:
        message = f"no catalog of domain {domain.name} is loaded"
        raise AliasError("no-catalog", message, "load one: a decision refers to its tools")
    return registry


def _validate_name(text: str) -> str:
    """Returns the normalized name; raises AliasError for a name that cannot have a decision."""
    if len(text) > LONGEST_NAME:
        message = f"the name has {len(text):,} characters, the limit is {LONGEST_NAME}"
        raise AliasError("bad-name", message, "send a shorter name")
    if any(unicodedata.category(mark) in _UNSEEN for mark in text.strip()):
        message = f"the name {normalize_name(text)!r} contains invisible characters"
        raise AliasError("bad-name", message, "remove them")
    name = normalize_name(text)
    if not any(mark.isalnum() for mark in name):
        raise AliasError(
            "bad-name", "the name has no letter and no digit", "write a name with letters or digits"
        )
    return name


def _validate(wanted: Decision, registry: Registry) -> None:
    """Raises AliasError for a tool that is not installed or a name that is, or looks like, a tool's
    own.
    """
    for tool in (wanted.tool, wanted.instead):
        row = registry.tools.get(tool) if tool is not None else None
        if tool is not None and (row is None or row.availability != "installed"):
            near = ", ".join(find_nearest(tool[:LONGEST_NAME], registry.tools))
            message = f"no tool {tool[:LONGEST_NAME]!r} is installed"
            raise AliasError(
                "unknown-tool",
                message,
                f"nearest: {near}" if near else "write the id of an installed tool",
            )
    if wanted.decision == "alias" and wanted.tool is None:
        raise AliasError("unknown-tool", "an alias needs a tool", "write the id of the tool")
    owner = find_owner(wanted.name, registry)
    if owner is not None and owner == wanted.tool:
        message = f"{wanted.name!r} is a name of {owner} already"
        raise AliasError("exact-name", message, "no decision is needed")
    if owner is not None:
        message = f"{wanted.name!r} is the name of {owner}"
        raise AliasError("exact-name", message, "the name of a tool cannot be changed")
    seeming = _find_lookalike(wanted.name, registry)
    if seeming is not None and seeming != wanted.tool:
        message = f"{wanted.name!r} looks like a name of {seeming}"
        raise AliasError("look-alike", message, "write it with plain letters")


def _find_lookalike(name: str, registry: Registry) -> str | None:
    """Returns the tool whose own name equals this name after non-ASCII look-alikes are replaced."""
    for wanted in {fold_name(name), fold_name(id_tail(name))}:
        foreign = [at for at, mark in enumerate(wanted) if not mark.isascii()]
        if not foreign or 2 * len(foreign) > len(wanted):
            continue
        for row in registry.tools.values():
            for own in {fold_name(row.id), fold_name(id_tail(row.id)), fold_name(row.name)}:
                if len(own) == len(wanted) and all(
                    at in foreign or mark == own[at] for at, mark in enumerate(wanted)
                ):
                    return row.id
    return None


def _collect_evidence(store: Store, domain: Domain, name: str) -> dict[str, Any]:
    book, key = NameStatsStore(store.engine, domain.name), decision_key(name)
    met = [count for count in book.counts_of(name) if count.kind != "corrected"]
    return evidence(
        met,
        [correction for correction in book.corrections() if decision_key(correction.name) == key],
    )


def _replay_decision(
    store: Store, domain: Domain, registry: Registry, wanted: Decision
) -> tuple[ResolutionChange, ...]:
    """Returns the changes that a decision causes among golden names, names of stored runs and its
    own name.
    """
    learnt = {
        key: name_decisions
        for key, name_decisions in registry.learnt.items()
        if key != decision_key(wanted.name)
    }
    if wanted.learnt is not None:
        learnt[decision_key(wanted.name)] = wanted.learnt
    drafts = runs.newest_drafts(store.engine, domain.name, _REPLAYED)
    names = {
        wanted.name: (),
        **canonical_names(registry),
        **names_in_drafts(drafts, domain.reading.tool_route),
    }
    return resolution_changes(registry, registry.with_learnt(learnt), names)


def _dormant_reason(decision: Decision, registry: Registry | None) -> str | None:
    if decision.decision == "rejected":
        return None
    if registry is None:
        return "no catalog is loaded"
    if decision.tool is not None and decision.tool not in registry.tools:
        return f"{decision.tool} is not in the catalog"
    owner = find_owner(decision.name, registry)
    if owner not in (None, decision.tool):
        return f"it is now the name of {owner}"
    return None
