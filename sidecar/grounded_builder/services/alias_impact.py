"""Finds the names whose tool changes under other user decisions; collects the known names."""

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
    """A name that resolves to another tool: ``before`` and ``after``, None for no tool.

    ``runs`` are the newest runs that contain the name; golden names have none.
    """

    name: str
    before: str | None
    after: str | None
    runs: tuple[str, ...] = ()


def resolution_changes(
    registry: Registry, proposed: Registry, names: Names
) -> tuple[ResolutionChange, ...]:
    """Returns the names that resolve to another tool in ``proposed`` than in ``registry``.

    ``proposed`` is the same catalog with other decisions.
    """
    changes: dict[ResolutionChange, None] = {}
    for name, runs in names.items():
        for context in _CONTEXTS:
            # Equal decisions give equal resolutions, which cost a hundred times as much.
            if apply_decisions(name, registry, context) == apply_decisions(name, proposed, context):
                continue
            before = resolve_name(name, registry, context)
            after = resolve_name(name, proposed, context)
            if (before.tool, before.params) != (after.tool, after.params):
                changes[ResolutionChange(name, before.tool, after.tool, runs[:_RUNS_TOLD])] = None
    return tuple(changes)


def canonical_names(registry: Registry) -> Names:
    """Returns the names whose meaning must not change: ids, names and aliases of all tools."""
    rows = registry.tools.values()
    return {name: () for row in rows for name in (row.id, row.name, *row.aliases) if name}


def names_in_drafts(drafts: Iterable[tuple[str, Any]], key: str) -> Names:
    """Returns the tool names in recorded drafts, each with the runs that contain it.

    ``key`` is the domain's key for a name. A draft is a plan, whose steps name tools, or a native
    document.
    """
    runs_by_name: dict[str, dict[str, None]] = {}
    for run, draft in drafts:
        lists = draft.values() if isinstance(draft, dict) else ()
        parts = (part for names in lists if isinstance(names, list) for part in names)
        for part in parts:
            name = (part.get("tool") or part.get(key)) if isinstance(part, dict) else None
            if isinstance(name, str) and normalize_name(name):
                runs_by_name.setdefault(normalize_name(name), {})[run] = None
    return {name: tuple(runs) for name, runs in runs_by_name.items()}
