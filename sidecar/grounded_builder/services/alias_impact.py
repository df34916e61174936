"""Replay names that are known to mean something, and tell which would mean something else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.name_stats import normalize_name
from grounded_builder.ir.resolution import NameContext
from grounded_builder.resolve import resolve_name
from grounded_builder.resolve.user_decisions import apply_decisions

_CONTEXTS = (None, NameContext())
_RUNS_TOLD = 5

Names = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class ResolutionChange:
    """A name that would resolve otherwise: the tool before and after, None for none.

    ``runs`` (the newest) hold the name; a golden name stands in none.
    """

    name: str
    before: str | None
    after: str | None
    runs: tuple[str, ...] = ()


def resolution_changes(
    registry: Registry, proposed: Registry, names: Names
) -> tuple[ResolutionChange, ...]:
    """The names that resolve otherwise under other decisions, as they stand and as asked.

    ``proposed`` is the same catalog.
    """
    entries: dict[ResolutionChange, None] = {}
    for name, runs in names.items():
        for context in _CONTEXTS:
            # Where both decide alike the rest is the same, and costs a hundred times as much.
            if apply_decisions(name, registry, context) == apply_decisions(name, proposed, context):
                continue
            before = resolve_name(name, registry, context)
            after = resolve_name(name, proposed, context)
            if (before.tool, before.params) != (after.tool, after.params):
                entries[ResolutionChange(name, before.tool, after.tool, runs[:_RUNS_TOLD])] = None
    return tuple(entries)


def canonical_names(registry: Registry) -> Names:
    """The names that must go on meaning what they mean: ids, names and aliases of all tools."""
    rows = registry.tools.values()
    return {name: () for row in rows for name in (row.id, row.name, *row.aliases) if name}


def stored(drafts: Iterable[tuple[str, Any]], key: str) -> Names:
    """The tool names in recorded drafts, each with the runs that hold it; ``key`` is the domain's.

    A draft is a plan, whose steps name a tool, or a document of the domain.
    """
    entries: dict[str, dict[str, None]] = {}
    for run, draft in drafts:
        lists = draft.values() if isinstance(draft, dict) else ()
        parts = (part for item in lists if isinstance(item, list) for part in item)
        for part in parts:
            name = (part.get("tool") or part.get(key)) if isinstance(part, dict) else None
            if isinstance(name, str) and normalize_name(name):
                entries.setdefault(normalize_name(name), {})[run] = None
    return {name: tuple(runs) for name, runs in entries.items()}
