"""Resolve the name of a block: exact where one is meant alone, a question where several may be.

A name that merely resembles one is never taken: what is taken is a path or name but for case,
white space and marks, a BlockType, a mask's type, an old or colloquial name, the name of a copy
(``Gain1``), or a slip of the pen that can be no other word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tokenize import split_identifier
from grounded_builder.domains.simulink.resolve.constraints import kept
from grounded_builder.domains.simulink.resolve.name_index import (
    BASE,
    FOUNDATION,
    Names,
    as_path,
    fold,
    folded_path,
    names_of,
    split_path,
)
from grounded_builder.domains.simulink.resolve.name_variants import COPY, forms
from grounded_builder.domains.simulink.resolve.path_prefix import (
    NameQuery,
    hinted,
    is_elsewhere,
    kept_of,
)
from grounded_builder.domains.simulink.resolve.spelling import nearest, slip, spoken
from grounded_builder.ir.resolution import (
    Candidate,
    NameContext,
    Resolution,
    ambiguous,
    resolved_to,
    unknown,
)

_LONGEST = 300
_OFFERED = 5
_SEVERAL = 2
_LISTED = re.compile(r"(?:(?<!\s)\s+)?,\s*|(?<!\s)\s+(?:and|or)\s+")
_QUOTES = "'\"`\u2018\u2019\u201c\u201d "


def resolve(token: str, registry: Registry, context: NameContext | None = None) -> Resolution:
    """Resolve one name of a block; abstains when several blocks fit, or none does clearly."""
    text = as_path(" ".join(token[: _LONGEST * 4].split()).strip(_QUOTES)[:_LONGEST])
    if not fold(text):
        return unknown((), "none")
    names = names_of(registry)
    by_path = text if text in registry.tools else names.paths.get(folded_path(text))
    if by_path is not None:
        method = "exact" if by_path == text else "case"
        resolution = _exact(by_path, method, registry, context)
        if resolution is not None:
            return resolution
    whole = NameQuery(text, (), registry, context)
    path = split_path(text)
    if len(path) > 1 and all(path):
        parted = NameQuery(path[-1], tuple(path[:-1]), registry, context)
        return _resolved(whole, names, loose=False) or _resolved(parted, names) or _likely(parted)
    return _resolved(whole, names) or _listed(whole, names) or _likely(whole)


def _listed(question: NameQuery, names: Names) -> Resolution | None:
    """A question between blocks that are named one after the other, as titles of pages do."""
    listed = _LISTED.split(question.name)
    if len(listed) < _SEVERAL:
        return None
    resolutions = [_resolved(replace(question, name=item), names) for item in listed if fold(item)]
    results = [
        resolution.tool
        for resolution in resolutions
        if resolution is not None and resolution.tool is not None
    ]
    if len(results) < len(listed):
        return None
    return _question(list(dict.fromkeys(results)), "name", question.registry)


def _exact(
    tool: str, method: str, registry: Registry, context: NameContext | None
) -> Resolution | None:
    """The block of a path, or what stands in its place now."""
    row = registry.tools[tool]
    successors = [name for name in row.replaced_by if name in registry.tools]
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


def _resolved(question: NameQuery, names: Names, *, loose: bool = True) -> Resolution | None:
    """What a name stands for by one of its forms; None where no block goes by it."""
    for at, form in enumerate(forms(question.name)):
        if at and not loose:
            break
        key = fold(form)
        titled = kept_of(names.titles.get(key, ()), question)
        called = kept_of((*names.others.get(key, ()), *names.capitals.get(form, ())), question)
        if not titled and not called:
            continue
        own = any(question.registry.tools[name].package == BASE for name in (*titled, *called))
        shorter = _shorter(form, question, names, own=own) if at else []
        if shorter:
            either = list(dict.fromkeys([*titled, *called, *shorter]))
            return _question(_without_twins(either, question.registry), "name", question.registry)
        return _between(form, titled, called, question, names)
    return None


def _shorter(form: str, question: NameQuery, names: Names, *, own: bool) -> list[str]:
    """Blocks of a name whose number could be a copy's too: Atan20 is one of Atan or of Atan2.

    The base library's ``own`` ports are called In1 and Out1: those are copied.
    """
    if not form[-1].isdigit() or form == question.name:
        return []
    if own and f"{COPY.sub('', form)}1" == form:
        return []
    plain = fold(COPY.sub("", form))
    results = [*names.titles.get(plain, ()), *names.others.get(plain, ())]
    base = [item for item in results if question.registry.tools[item].package == BASE]
    return kept_of(base or results, question) if plain else []


def _between(
    form: str, titled: list[str], called: list[str], question: NameQuery, names: Names
) -> Resolution:
    """One block of a name, or a question between several."""
    registry = question.registry
    everything = list(dict.fromkeys([*titled, *called]))
    typed = _typed(titled, called, question)
    if typed:
        return _question([*typed, *titled], "name", registry)
    here = hinted(everything, question, names)
    if here:
        everything = here
        titled = [name for name in titled if name in here]
    elif is_elsewhere(everything, question, names):
        results = kept_of(spoken(question.name, registry), question)
        return _question(list(dict.fromkeys([*everything, *results])), "name", registry)
    left = _without_twins(everything, registry)
    base = [name for name in left if registry.tools[name].package == BASE]
    # Twins of other libraries give way to the base library, where that bears the name itself.
    if base and not here and (not titled or any(name in titled for name in base)):
        left = base
    # A name that a block bears counts more than what others are called, but only a little.
    own = [name for name in left if name in titled]
    if len(left) > 1 and len(own) == 1 and _same_block(own[0], left, registry):
        left = own
    if len(left) > 1 and question.context is not None:
        left = _in_company(left, question.context, registry) or left
    if len(left) != 1:
        return _question(_also_meant(left, question), "name", registry)
    only = left[0]
    others = [] if registry.tools[only].package == BASE else _kinds_of(only, question, names)
    if (others or not _is_safe(form, only, registry)) and not question.before:
        return _question([only, *others], "name", registry)
    confidence = 0.98 if only in titled else 0.95
    method = "name" if only in titled and form == question.name else "alias"
    if question.before:
        method = "path"
    others = [name for name in everything if name != only]
    return _chosen(only, confidence, method, registry, others)


def _kinds_of(only: str, question: NameQuery, names: Names) -> list[str]:
    """What a block of another library may be taken for: patterns, and several kinds of its name.

    The foundation has voltage sources of three kinds, and none that is called so alone.
    """
    tools = question.registry.tools
    patterns = _offered(question)
    if tools[only].package == FOUNDATION:
        return patterns
    last = fold(tools[only].name)
    kinds = [
        name
        for title, ids in names.titles.items()
        if title.endswith(last) and title != last
        for name in kept_of(ids, question)
        if tools[name].package in (BASE, FOUNDATION)
    ]
    return [*patterns, *kinds] if len(kinds) > 1 else patterns


def _typed(titled: list[str], called: list[str], question: NameQuery) -> list[str]:
    """Others of the BlockType written to the letter, where a title is it but for its marks."""
    registry = question.registry
    if question.before or any(registry.tools[name].name == question.name for name in titled):
        return []
    specs = ((name, registry.spec(name, registry.tools[name].newest)) for name in called if titled)
    return [item for item, spec in specs if spec.block_type == question.name and item not in titled]


def _also_meant(ids: list[str], question: NameQuery) -> list[str]:
    """What a name is asked about, with what of the base library and patterns its words speak of."""
    registry = question.registry
    if any(registry.tools[id_].package == BASE for id_ in ids):
        return ids
    base = [
        name
        for name in kept_of(spoken(question.name, registry), question)
        if registry.tools[name].package == BASE
    ]
    more = [*_offered(question), *base][: _OFFERED - 2]
    room = _OFFERED - len(more)
    return list(dict.fromkeys([*ids[:room], *more, *ids[room:]]))


def _without_twins(ids: list[str], registry: Registry) -> list[str]:
    left = [
        id_ for id_ in ids if not any(other in ids for other in registry.tools[id_].equivalent_to)
    ]
    return left or ids


def _same_block(own: str, ids: list[str], registry: Registry) -> bool:
    """Whether the others are what a preset is made of, or presets of the block itself."""
    bases = {id_: _base(id_, registry) for id_ in ids}
    return all(id_ == own or id_ == bases[own] or bases[id_] == own for id_ in ids)


def _base(tool: str, registry: Registry) -> str | None:
    row = registry.tools[tool]
    version = row.newest
    base: str | None = registry.spec(tool, version).base
    return base


def _in_company(ids: list[str], context: NameContext, registry: Registry) -> list[str]:
    """Those of the libraries that the steps around come from, where that leaves one."""
    around = {
        registry.tools[neighbour].package
        for neighbour in context.neighbours
        if neighbour in registry.tools
    }
    near = [id_ for id_ in ids if registry.tools[id_].package in around]
    return near if len(near) == 1 else []


def _is_safe(form: str, tool: str, registry: Registry) -> bool:
    """Whether a name may be taken: of a product beside Simulink, only as its words are spelt."""
    row = registry.tools[tool]
    if row.package == BASE or not row.requires_license:
        return True
    return any(
        split_identifier(form) == split_identifier(name) for name in (row.name, *row.aliases)
    )


def _likely(question: NameQuery) -> Resolution:
    """A slip of the pen, else what the name may mean."""
    registry = question.registry
    known = slip(question.name, registry)
    if known is not None:
        left = _without_twins(kept_of(known, question), registry)
        base = [name for name in left if registry.tools[name].package == BASE]
        left = base or left
        if len(left) == 1:
            return _chosen(left[0], 0.9, "near", registry)
        if left:
            return _question(left, "near", registry)
    patterns = _offered(question)
    likely = kept_of(spoken(question.name, registry), question)
    if likely and not patterns:
        return _question(likely, "words", registry)
    near = [*patterns, *likely, *kept_of(nearest(question.name, registry), question)]
    offered = tuple(Candidate(fromkey, {}, 0.1) for fromkey in list(dict.fromkeys(near))[:_OFFERED])
    return unknown(offered, "near" if offered else "none")


def _offered(question: NameQuery) -> list[str]:
    """The patterns that a name speaks of, by most of its words first: offered, never taken."""
    results = {
        name for word in split_identifier(question.name) for name in (word, fold(question.name))
    }
    patterns = names_of(question.registry).patterns
    matches = sorted(
        (pattern for pattern in patterns if pattern[0] <= results), key=lambda item: -len(item[0])
    )
    return kept_of(dict.fromkeys(tool for _, tool in matches), question)


def _question(ids: list[str], method: str, registry: Registry) -> Resolution:
    share = round(0.9 / max(len(ids), 2), 3)
    return ambiguous(
        tuple(Candidate(id_, _preset(id_, registry), share) for id_ in ids[:_OFFERED]), method
    )


def _chosen(
    tool: str, confidence: float, method: str, registry: Registry, others: Iterable[str] = ()
) -> Resolution:
    rest = tuple(Candidate(other, {}, 0.02) for other in list(others)[: _OFFERED - 1])
    return resolved_to((Candidate(tool, _preset(tool, registry), confidence), *rest), method)


def _preset(tool: str, registry: Registry) -> dict[str, str]:
    row = registry.tools[tool]
    if "preset" not in row.capabilities:
        return {}
    return dict(registry.spec(tool, row.newest).preset)
