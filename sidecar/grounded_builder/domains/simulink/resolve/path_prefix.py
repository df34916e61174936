"""What stands before a name in its path: the library and the category that are meant."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.simulink.resolve.constraints import kept
from grounded_builder.domains.simulink.resolve.name_index import BASE, Names, fold, split_path
from grounded_builder.ir.resolution import NameContext

QUICK = "simulink/Quick Insert/"
_SHORTEST_ROOT = 3


@dataclass(frozen=True, slots=True)
class NameQuery:
    """A question: the name wanted, what stands before it, and the constraints."""

    name: str
    before: tuple[str, ...]
    registry: Registry
    context: NameContext | None


def kept_of(ids: Iterable[str], question: NameQuery) -> list[str]:
    """Those that the constraints of a question leave."""
    return kept(ids, question.registry, question.context)


def hinted(ids: list[str], question: NameQuery, names: Names) -> list[str]:
    """Of some blocks those of the library, then of the category, that stand before the name."""
    if not question.before:
        return []
    roots = _roots(question, names)
    here = [id_ for id_ in ids if question.registry.tools[id_].package in roots]
    if not here:
        return []
    results = {fold(part) for part in question.before}
    nearer = [name for name in here if results & {fold(part) for part in split_path(name)[1:2]}]
    # A preset's own name says more than what the block of that category is called otherwise.
    if not any(_bears(name, question) for name in nearer):
        presets = (name for name in here if name.startswith(QUICK) and _bears(name, question))
        nearer += [
            preset for preset in presets if results & {fold(p) for p in split_path(preset)[2:-1]}
        ]
    nearer = nearer or [
        name for name in here if results & {fold(p) for p in split_path(name)[2:-1]}
    ]
    if not nearer and any(results & names.places[root] for root in roots - {BASE}):
        # Thermal mass is no mass: what other libraries file elsewhere is something else.
        return []
    others = [name for name in here if name.startswith(QUICK) and name in nearer]
    # Presets lie in categories of the same names: those alone do not speak for a preset.
    return here if others and len(others) == len(nearer) else nearer or here


def _bears(tool: str, question: NameQuery) -> bool:
    return fold(question.registry.tools[tool].name) == fold(question.name)


def _roots(question: NameQuery, names: Names) -> set[str]:
    entries: set[str] = set()
    for part in question.before[:2]:
        entries |= names.roots.get(fold(part), set())
    begun = fold(question.before[0]) if question.before else ""
    if not entries and len(begun) >= _SHORTEST_ROOT:
        # Of a product rather its libraries: dsp is none, dspsrcs4 is.
        entries = {
            name for root, own in names.roots.items() if root.startswith(begun) for name in own
        }
    return entries


def is_elsewhere(ids: list[str], question: NameQuery, names: Names) -> bool:
    """Whether the library written is a known one, and nothing written is of these blocks' paths."""
    if not question.before or not _roots(question, names):
        return False
    results = {fold(part) for part in question.before}
    return not any(results & {fold(part) for part in split_path(id_)[1:-1]} for id_ in ids)
