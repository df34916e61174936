"""Filters blocks by a query's constraints and by the library or category in the written path."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.simulink.resolve.constraints import filter_by_constraints
from grounded_builder.domains.simulink.resolve.name_index import BASE, Names, fold, split_path
from grounded_builder.ir.resolution import NameContext

QUICK = "simulink/Quick Insert/"
_SHORTEST_ROOT = 3


@dataclass(frozen=True, slots=True)
class NameQuery:
    """A name to resolve, the path before it, and the constraints."""

    name: str
    before: tuple[str, ...]
    registry: Registry
    context: NameContext | None


def filter_for_query(ids: Iterable[str], question: NameQuery) -> list[str]:
    """Returns the blocks that satisfy the constraints of a query."""
    return filter_by_constraints(ids, question.registry, question.context)


def filter_by_prefix(ids: list[str], question: NameQuery, names: Names) -> list[str]:
    """Returns the blocks in the library, or else in the category, that precede the name."""
    if not question.before:
        return []
    roots = _roots(question, names)
    here = [id_ for id_ in ids if question.registry.tools[id_].package in roots]
    if not here:
        return []
    results = {fold(part) for part in question.before}
    nearer = [name for name in here if results & {fold(part) for part in split_path(name)[1:2]}]
    # The name of a preset takes precedence over other names of a block in that category.
    if not any(_bears(name, question) for name in nearer):
        presets = (name for name in here if name.startswith(QUICK) and _bears(name, question))
        nearer += [
            preset for preset in presets if results & {fold(p) for p in split_path(preset)[2:-1]}
        ]
    nearer = nearer or [
        name for name in here if results & {fold(p) for p in split_path(name)[2:-1]}
    ]
    if not nearer and any(results & names.places[root] for root in roots - {BASE}):
        # "Thermal mass" is not a mass: blocks of other libraries in other categories do not match.
        return []
    others = [name for name in here if name.startswith(QUICK) and name in nearer]
    # Categories of presets have the same names, so that they do not identify a preset.
    return here if others and len(others) == len(nearer) else nearer or here


def _bears(tool: str, question: NameQuery) -> bool:
    return fold(question.registry.tools[tool].name) == fold(question.name)


def _roots(question: NameQuery, names: Names) -> set[str]:
    entries: set[str] = set()
    for part in question.before[:2]:
        entries |= names.roots.get(fold(part), set())
    begun = fold(question.before[0]) if question.before else ""
    if not entries and len(begun) >= _SHORTEST_ROOT:
        # A product name stands for its libraries: "dsp" is not a library, "dspsrcs4" is.
        entries = {
            name for root, own in names.roots.items() if root.startswith(begun) for name in own
        }
    return entries


def is_elsewhere(ids: list[str], question: NameQuery, names: Names) -> bool:
    """Returns whether a known library is written, and no part of it matches these blocks."""
    if not question.before or not _roots(question, names):
        return False
    results = {fold(part) for part in question.before}
    return not any(results & {fold(part) for part in split_path(id_)[1:-1]} for id_ in ids)
