"""Resolves the name of a block: exact where one block is meant, ambiguous where several may be.

A name that only resembles a block's is never accepted. Accepted are a path or a name apart from
case, white space and punctuation, a BlockType, a mask type, a former or colloquial name, the name
of a copy (``Gain1``), and a misspelling that cannot be another word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tokenize import split_identifier
from grounded_builder.domains.simulink.resolve.constraints import filter_by_constraints
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
    filter_by_prefix,
    filter_for_query,
    is_elsewhere,
)
from grounded_builder.domains.simulink.resolve.spelling import (
    find_by_words,
    find_misspelling,
    find_similar,
)
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
    """Resolves the name of a block; abstains when several blocks fit or none is certain."""
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
        return (
            _resolve_forms(whole, names, loose=False)
            or _resolve_forms(parted, names)
            or _likely(parted)
        )
    return _resolve_forms(whole, names) or _ask_listed(whole, names) or _likely(whole)


def _ask_listed(question: NameQuery, names: Names) -> Resolution | None:
    """Returns a question between blocks that are listed in one name, as in page titles."""
    listed = _LISTED.split(question.name)
    if len(listed) < _SEVERAL:
        return None
    resolutions = [
        _resolve_forms(replace(question, name=item), names) for item in listed if fold(item)
    ]
    results = [
        resolution.tool
        for resolution in resolutions
        if resolution is not None and resolution.tool is not None
    ]
    if len(results) < len(listed):
        return None
    return _ask_between(list(dict.fromkeys(results)), "name", question.registry)


def _exact(
    tool: str, method: str, registry: Registry, context: NameContext | None
) -> Resolution | None:
    """Returns the block of a path, or its successor."""
    row = registry.tools[tool]
    successors = [name for name in row.replaced_by if name in registry.tools]
    if successors:
        left = filter_by_constraints(successors, registry, context)
        if len(left) == 1:
            return _choose_block(left[0], 0.97, "renamed", registry)
    blocked = context is not None and not filter_by_constraints(
        [tool], registry, replace(context, goal="", action="")
    )
    if blocked:
        return None
    return _choose_block(tool, 1.0 if method == "exact" else 0.99, method, registry)


def _resolve_forms(question: NameQuery, names: Names, *, loose: bool = True) -> Resolution | None:
    """Returns the resolution of a name by one of its forms; None where no block has it."""
    for at, form in enumerate(forms(question.name)):
        if at and not loose:
            break
        key = fold(form)
        titled = filter_for_query(names.titles.get(key, ()), question)
        called = filter_for_query(
            (*names.others.get(key, ()), *names.capitals.get(form, ())), question
        )
        if not titled and not called:
            continue
        own = any(question.registry.tools[name].package == BASE for name in (*titled, *called))
        shorter = _shorter(form, question, names, own=own) if at else []
        if shorter:
            either = list(dict.fromkeys([*titled, *called, *shorter]))
            return _ask_between(
                _without_twins(either, question.registry), "name", question.registry
            )
        return _choose_or_ask(form, titled, called, question, names)
    return None


def _shorter(form: str, question: NameQuery, names: Names, *, own: bool) -> list[str]:
    """Returns blocks whose copy may have this name: Atan20 is a copy of Atan or of Atan2.

    The ports of the base library (``own``) are called In1 and Out1, and are copied as such.
    """
    if not form[-1].isdigit() or form == question.name:
        return []
    if own and f"{COPY.sub('', form)}1" == form:
        return []
    plain = fold(COPY.sub("", form))
    results = [*names.titles.get(plain, ()), *names.others.get(plain, ())]
    base = [item for item in results if question.registry.tools[item].package == BASE]
    return filter_for_query(base or results, question) if plain else []


def _choose_or_ask(
    form: str, titled: list[str], called: list[str], question: NameQuery, names: Names
) -> Resolution:
    """Returns one block of a name, or a question between several."""
    registry = question.registry
    everything = list(dict.fromkeys([*titled, *called]))
    typed = _list_same_type(titled, called, question)
    if typed:
        return _ask_between([*typed, *titled], "name", registry)
    here = filter_by_prefix(everything, question, names)
    if here:
        everything = here
        titled = [name for name in titled if name in here]
    elif is_elsewhere(everything, question, names):
        results = filter_for_query(find_by_words(question.name, registry), question)
        return _ask_between(list(dict.fromkeys([*everything, *results])), "name", registry)
    left = _without_twins(everything, registry)
    base = [name for name in left if registry.tools[name].package == BASE]
    # Blocks of other libraries give way to equal ones of the base library that have the name.
    if base and not here and (not titled or any(name in titled for name in base)):
        left = base
    # A block's own name takes precedence over other names, but only slightly.
    own = [name for name in left if name in titled]
    if len(left) > 1 and len(own) == 1 and _same_block(own[0], left, registry):
        left = own
    if len(left) > 1 and question.context is not None:
        left = _filter_by_neighbours(left, question.context, registry) or left
    if len(left) != 1:
        return _ask_between(_add_related(left, question), "name", registry)
    only = left[0]
    others = [] if registry.tools[only].package == BASE else _kinds_of(only, question, names)
    if (others or not _is_safe(form, only, registry)) and not question.before:
        return _ask_between([only, *others], "name", registry)
    confidence = 0.98 if only in titled else 0.95
    method = "name" if only in titled and form == question.name else "alias"
    if question.before:
        method = "path"
    others = [name for name in everything if name != only]
    return _choose_block(only, confidence, method, registry, others)


def _kinds_of(only: str, question: NameQuery, names: Names) -> list[str]:
    """Returns other readings of a block outside the base library: patterns, and kinds of its name.

    For example, the foundation library has three kinds of voltage source and none with that name
    alone.
    """
    tools = question.registry.tools
    patterns = _list_patterns(question)
    if tools[only].package == FOUNDATION:
        return patterns
    last = fold(tools[only].name)
    kinds = [
        name
        for title, ids in names.titles.items()
        if title.endswith(last) and title != last
        for name in filter_for_query(ids, question)
        if tools[name].package in (BASE, FOUNDATION)
    ]
    return [*patterns, *kinds] if len(kinds) > 1 else patterns


def _list_same_type(titled: list[str], called: list[str], question: NameQuery) -> list[str]:
    """Returns blocks with exactly this BlockType, where a title differs from it in punctuation."""
    registry = question.registry
    if question.before or any(registry.tools[name].name == question.name for name in titled):
        return []
    specs = ((name, registry.spec(name, registry.tools[name].newest)) for name in called if titled)
    return [item for item, spec in specs if spec.block_type == question.name and item not in titled]


def _add_related(ids: list[str], question: NameQuery) -> list[str]:
    """Returns the blocks of a question with related base library blocks and patterns."""
    registry = question.registry
    if any(registry.tools[id_].package == BASE for id_ in ids):
        return ids
    base = [
        name
        for name in filter_for_query(find_by_words(question.name, registry), question)
        if registry.tools[name].package == BASE
    ]
    more = [*_list_patterns(question), *base][: _OFFERED - 2]
    room = _OFFERED - len(more)
    return list(dict.fromkeys([*ids[:room], *more, *ids[room:]]))


def _without_twins(ids: list[str], registry: Registry) -> list[str]:
    left = [
        id_ for id_ in ids if not any(other in ids for other in registry.tools[id_].equivalent_to)
    ]
    return left or ids


def _same_block(own: str, ids: list[str], registry: Registry) -> bool:
    """Returns whether the others are the base of a preset, or presets of the block."""
    bases = {id_: _base(id_, registry) for id_ in ids}
    return all(id_ == own or id_ == bases[own] or bases[id_] == own for id_ in ids)


def _base(tool: str, registry: Registry) -> str | None:
    row = registry.tools[tool]
    version = row.newest
    base: str | None = registry.spec(tool, version).base
    return base


def _filter_by_neighbours(ids: list[str], context: NameContext, registry: Registry) -> list[str]:
    """Returns the only block from the libraries of neighbouring steps, else nothing."""
    around = {
        registry.tools[neighbour].package
        for neighbour in context.neighbours
        if neighbour in registry.tools
    }
    near = [id_ for id_ in ids if registry.tools[id_].package in around]
    return near if len(near) == 1 else []


def _is_safe(form: str, tool: str, registry: Registry) -> bool:
    """Returns whether a name may be accepted: for other products only with the same words."""
    row = registry.tools[tool]
    if row.package == BASE or not row.requires_license:
        return True
    return any(
        split_identifier(form) == split_identifier(name) for name in (row.name, *row.aliases)
    )


def _likely(question: NameQuery) -> Resolution:
    """Returns the block of a misspelling, else blocks that the name may mean."""
    registry = question.registry
    known = find_misspelling(question.name, registry)
    if known is not None:
        left = _without_twins(filter_for_query(known, question), registry)
        base = [name for name in left if registry.tools[name].package == BASE]
        left = base or left
        if len(left) == 1:
            return _choose_block(left[0], 0.9, "near", registry)
        if left:
            return _ask_between(left, "near", registry)
    patterns = _list_patterns(question)
    likely = filter_for_query(find_by_words(question.name, registry), question)
    if likely and not patterns:
        return _ask_between(likely, "words", registry)
    near = [*patterns, *likely, *filter_for_query(find_similar(question.name, registry), question)]
    offered = tuple(Candidate(fromkey, {}, 0.1) for fromkey in list(dict.fromkeys(near))[:_OFFERED])
    return unknown(offered, "near" if offered else "none")


def _list_patterns(question: NameQuery) -> list[str]:
    """Returns the patterns that a name mentions, best first; they are offered, never accepted."""
    results = {
        name for word in split_identifier(question.name) for name in (word, fold(question.name))
    }
    patterns = names_of(question.registry).patterns
    matches = sorted(
        (pattern for pattern in patterns if pattern[0] <= results), key=lambda item: -len(item[0])
    )
    return filter_for_query(dict.fromkeys(tool for _, tool in matches), question)


def _ask_between(ids: list[str], method: str, registry: Registry) -> Resolution:
    share = round(0.9 / max(len(ids), 2), 3)
    return ambiguous(
        tuple(Candidate(id_, _preset(id_, registry), share) for id_ in ids[:_OFFERED]), method
    )


def _choose_block(
    tool: str, confidence: float, method: str, registry: Registry, others: Iterable[str] = ()
) -> Resolution:
    rest = tuple(Candidate(other, {}, 0.02) for other in list(others)[: _OFFERED - 1])
    return resolved_to((Candidate(tool, _preset(tool, registry), confidence), *rest), method)


def _preset(tool: str, registry: Registry) -> dict[str, str]:
    row = registry.tools[tool]
    if "preset" not in row.capabilities:
        return {}
    return dict(registry.spec(tool, row.newest).preset)
