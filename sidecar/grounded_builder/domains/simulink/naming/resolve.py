"""Resolve the name of a block: exact where one is meant alone, a question where several may be.

A name that merely resembles one is never taken: what is taken is a path or name but for case,
white space and marks, a BlockType, a mask's type, an old or colloquial name, the name of a copy
(``Gain1``), or a slip of the pen that can be no other word.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from grounded_builder.domains.simulink.naming.constraints import kept
from grounded_builder.domains.simulink.naming.forms import COPY, forms
from grounded_builder.domains.simulink.naming.index import (
    BASE,
    Names,
    fold,
    folded_path,
    names_of,
    split_path,
)
from grounded_builder.domains.simulink.naming.near import nearest, slip, spoken
from grounded_builder.registry.registry import Registry
from grounded_builder.registry.words import parts
from grounded_builder.resolve.model import (
    Candidate,
    NameContext,
    Resolution,
    asked,
    chosen,
    missed,
)

_QUICK = "simulink/Quick Insert/"
_LONGEST = 300
_OFFERED = 5
_QUOTES = "'\"`\u2018\u2019\u201c\u201d "


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question: the name wanted, what stands before it, and the constraints."""

    name: str
    before: tuple[str, ...]
    registry: Registry
    context: NameContext | None


def resolve(token: str, registry: Registry, context: NameContext | None = None) -> Resolution:
    """Resolve one name of a block; abstains when several blocks fit, or none does clearly."""
    text = " ".join(token[: _LONGEST * 4].split()).strip(_QUOTES)[:_LONGEST]
    if not fold(text):
        return missed((), "none")
    names = names_of(registry)
    by_path = text if text in registry.tools else names.paths.get(folded_path(text))
    if by_path is not None:
        method = "exact" if by_path == text else "case"
        found = _exact(by_path, method, registry, context)
        if found is not None:
            return found
    whole = _Asked(text, (), registry, context)
    path = split_path(text)
    if len(path) > 1 and all(path):
        parted = _Asked(path[-1], tuple(path[:-1]), registry, context)
        return _resolved(whole, names, loose=False) or _resolved(parted, names) or _likely(parted)
    return _resolved(whole, names) or _likely(whole)


def _exact(
    tool: str, method: str, registry: Registry, context: NameContext | None
) -> Resolution | None:
    """The block of a path, or what stands in its place now."""
    row = registry.tools[tool]
    successors = [one for one in row.replaced_by if one in registry.tools]
    if successors:
        left = kept(successors, registry, context)
        if len(left) == 1:
            return _chosen(left[0], 0.97, "renamed", registry)
    blocked = context is not None and not kept(
        [tool], registry, replace(context, goal="", action="")
    )
    if blocked:
        return None
    return _chosen(tool, 1.0 if method == "exact" else 0.99, method, registry)


def _resolved(question: _Asked, names: Names, *, loose: bool = True) -> Resolution | None:
    """What a name stands for by one of its forms; None where no block goes by it."""
    for at, form in enumerate(forms(question.name)):
        if at and not loose:
            break
        key = fold(form)
        titled = _kept(names.titles.get(key, ()), question)
        called = _kept(names.others.get(key, ()), question)
        if not titled and not called:
            continue
        shorter = _shorter(form, question, names) if at else []
        if shorter:
            either = list(dict.fromkeys([*titled, *called, *shorter]))
            return _question(_without_twins(either, question.registry), "name", question.registry)
        return _between(form, titled, called, question, names)
    return None


def _shorter(form: str, question: _Asked, names: Names) -> list[str]:
    """Blocks of a name whose number could be a copy's too: Atan20 is one of Atan or of Atan2."""
    if not form[-1].isdigit() or form == question.name or f"{COPY.sub('', form)}1" == form:
        return []
    plain = fold(COPY.sub("", form))
    found = [*names.titles.get(plain, ()), *names.others.get(plain, ())]
    base = [one for one in found if question.registry.tools[one].package == BASE]
    return _kept(base or found, question) if plain else []


def _kept(ids: Iterable[str], question: _Asked) -> list[str]:
    return kept(ids, question.registry, question.context)


def _between(
    form: str, titled: list[str], called: list[str], question: _Asked, names: Names
) -> Resolution:
    """One block of a name, or a question between several."""
    registry = question.registry
    everything = list(dict.fromkeys([*titled, *called]))
    hinted = _hinted(everything, question, names)
    if hinted:
        everything = hinted
        titled = [one for one in titled if one in hinted]
    elif _is_elsewhere(everything, question, names):
        meant = _kept(spoken(question.name, registry), question)
        return _question(list(dict.fromkeys([*everything, *meant])), "name", registry)
    left = _without_twins(everything, registry)
    base = [one for one in left if registry.tools[one].package == BASE]
    # Twins of other libraries give way to the base library, where that bears the name itself.
    if base and not hinted and (not titled or any(one in titled for one in base)):
        left = base
    # A name that a block bears counts more than what others are called, but only a little.
    own = [one for one in left if one in titled]
    if len(left) > 1 and len(own) == 1 and _same_block(own[0], left, registry):
        left = own
    if len(left) > 1 and question.context is not None:
        left = _in_company(left, question.context, registry) or left
    if len(left) != 1:
        return _question(_also_meant(left, question), "name", registry)
    only = left[0]
    if not _is_safe(form, only, registry) and not question.before:
        return _question([only, *_offered(question)], "name", registry)
    confidence = 0.98 if only in titled else 0.95
    method = "name" if only in titled and form == question.name else "alias"
    if question.before:
        method = "path"
    others = [one for one in everything if one != only]
    return _chosen(only, confidence, method, registry, others)


def _also_meant(ids: list[str], question: _Asked) -> list[str]:
    """What a name is asked about, with what of the base library and patterns its words speak of."""
    registry = question.registry
    if any(registry.tools[one].package == BASE for one in ids):
        return ids
    base = [
        one
        for one in _kept(spoken(question.name, registry), question)
        if registry.tools[one].package == BASE
    ]
    more = [*_offered(question), *base][: _OFFERED - 2]
    room = _OFFERED - len(more)
    return list(dict.fromkeys([*ids[:room], *more, *ids[room:]]))


def _hinted(ids: list[str], question: _Asked, names: Names) -> list[str]:
    """Of some blocks those of the library, then of the category, that stand before the name."""
    if not question.before:
        return []
    roots = _roots(question, names)
    here = [one for one in ids if question.registry.tools[one].package in roots]
    if not here:
        return []
    said = {fold(part) for part in question.before}
    nearer = [one for one in here if said & {fold(part) for part in split_path(one)[1:2]}]
    # A preset's own name says more than what the block of that category is called otherwise.
    if not any(_bears(one, question) for one in nearer):
        presets = (one for one in here if one.startswith(_QUICK) and _bears(one, question))
        nearer += [one for one in presets if said & {fold(p) for p in split_path(one)[2:-1]}]
    nearer = nearer or [one for one in here if said & {fold(p) for p in split_path(one)[2:-1]}]
    others = [one for one in here if one.startswith(_QUICK) and one in nearer]
    # Presets lie in categories of the same names: those alone do not speak for a preset.
    return here if others and len(others) == len(nearer) else nearer or here


def _bears(tool: str, question: _Asked) -> bool:
    return fold(question.registry.tools[tool].name) == fold(question.name)


def _roots(question: _Asked, names: Names) -> set[str]:
    found: set[str] = set()
    for part in question.before[:2]:
        found |= names.roots.get(fold(part), set())
    return found


def _is_elsewhere(ids: list[str], question: _Asked, names: Names) -> bool:
    """Whether the library written is a known one, and nothing written is of these blocks' paths."""
    if not question.before or not _roots(question, names):
        return False
    said = {fold(part) for part in question.before}
    return not any(said & {fold(part) for part in split_path(one)[1:-1]} for one in ids)


def _without_twins(ids: list[str], registry: Registry) -> list[str]:
    left = [
        one for one in ids if not any(other in ids for other in registry.tools[one].equivalent_to)
    ]
    return left or ids


def _same_block(own: str, ids: list[str], registry: Registry) -> bool:
    """Whether the others are what a preset is made of, or presets of the block itself."""
    bases = {one: _base(one, registry) for one in ids}
    return all(one == own or one == bases[own] or bases[one] == own for one in ids)


def _base(tool: str, registry: Registry) -> str | None:
    row = registry.tools[tool]
    version = row.newest
    base: str | None = registry.spec(tool, version).base
    return base


def _in_company(ids: list[str], context: NameContext, registry: Registry) -> list[str]:
    """Those of the libraries that the steps around come from, where that leaves one."""
    around = {registry.tools[one].package for one in context.neighbours if one in registry.tools}
    near = [one for one in ids if registry.tools[one].package in around]
    return near if len(near) == 1 else []


def _is_safe(form: str, tool: str, registry: Registry) -> bool:
    """Whether a name may be taken: of a product beside Simulink, only as its words are spelt."""
    row = registry.tools[tool]
    if row.package == BASE or not row.requires_license:
        return True
    return any(parts(form) == parts(one) for one in (row.name, *row.aliases))


def _likely(question: _Asked) -> Resolution:
    """A slip of the pen, else what the name may mean."""
    registry = question.registry
    known = slip(question.name, registry)
    if known is not None:
        left = _without_twins(_kept(known, question), registry)
        base = [one for one in left if registry.tools[one].package == BASE]
        left = base or left
        if len(left) == 1:
            return _chosen(left[0], 0.9, "near", registry)
        if left:
            return _question(left, "near", registry)
    patterns = _offered(question)
    likely = _kept(spoken(question.name, registry), question)
    if likely and not patterns:
        return _question(likely, "words", registry)
    near = [*patterns, *likely, *_kept(nearest(question.name, registry), question)]
    offered = tuple(Candidate(one, {}, 0.1) for one in list(dict.fromkeys(near))[:_OFFERED])
    return missed(offered, "near" if offered else "none")


def _offered(question: _Asked) -> list[str]:
    """The patterns that a name speaks of, by most of its words first: offered, never taken."""
    said = {one for word in parts(question.name) for one in (word, fold(question.name))}
    patterns = names_of(question.registry).patterns
    found = sorted((one for one in patterns if one[0] <= said), key=lambda one: -len(one[0]))
    return _kept(dict.fromkeys(tool for _, tool in found), question)


def _question(ids: list[str], method: str, registry: Registry) -> Resolution:
    share = round(0.9 / max(len(ids), 2), 3)
    return asked(
        tuple(Candidate(one, _preset(one, registry), share) for one in ids[:_OFFERED]), method
    )


def _chosen(
    tool: str, confidence: float, method: str, registry: Registry, others: Iterable[str] = ()
) -> Resolution:
    rest = tuple(Candidate(one, {}, 0.02) for one in list(others)[: _OFFERED - 1])
    return chosen((Candidate(tool, _preset(tool, registry), confidence), *rest), method)


def _preset(tool: str, registry: Registry) -> dict[str, str]:
    row = registry.tools[tool]
    if "preset" not in row.capabilities:
        return {}
    return dict(registry.spec(tool, row.newest).preset)
