"""Weigh which tools a text speaks of: whole names in it, words of names, operations, the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from heapq import nlargest
from typing import Any, Literal

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.search_document import Document, best_actions, likeness
from grounded_builder.catalog.tokenize import (
    GENERIC_NOUNS,
    MAYBE_STARTERS,
    STARTERS,
    split_identifier,
    stem,
    synonym_groups,
)
from grounded_builder.ir.resolution import NameContext
from grounded_builder.resolve.query_tokens import Reading

_SEARCHED = 8
_LEAST_SHARE = 0.35
_ASIDE_SHARE = 0.5
_CLEARLY_LESS = 0.7
_AS_OPERATION = 0.9
_AS_KEYWORD = 0.6
_AS_TEXT = 0.45
_AS_MEANING = 0.35
_OTHER_ROLE = 0.6
_OTHER_USE = 0.5
_ALIKE_OPERATIONS = 0.04
_NAMELESS = 0.5
_AS_SAME_NOUN = 0.85


Lack = Literal["nothing", "vendor", "more"]


@dataclass(frozen=True, slots=True)
class LexicalMatch:
    """A tool, the operation asked for, and how well both account for the words (0 to 1).

    ``held`` are the words of the text that belong to one of the tool's own names, ``lacks``
    what is missing of that name: nothing, its vendor, or more. ``explained`` is the share
    of the words that the tool accounts for by rarity, ``spoken`` with each counting the same.
    """

    tool: str
    params: Mapping[str, Any]
    score: float
    held: frozenset[str]
    lacks: Lack
    explained: float
    spoken: float


def score_tools(
    read: Reading, registry: Registry, context: NameContext, expected: Iterable[str] = ()
) -> list[LexicalMatch]:
    """All tools worth naming for a text, best first.

    Of many with the same words those ``expected`` are never left out.
    """
    search = registry.search
    if not read.words:
        return []
    covered: dict[str, set[int]] = {}
    for phrase in registry.names.phrases(read.words):
        for tool in (name for named in phrase.ids for name in _placed(named, registry, context)):
            covered.setdefault(tool, set()).update(range(phrase.start, phrase.end))
    numbers = search.scores(dict(zip(read.stems, read.weights, strict=True)))
    documents = search.documents
    is_sub = context.position == "sub-node"
    least = _LEAST_SHARE * _ASIDE_SHARE * max(numbers.values(), default=0.0)
    likely = [(score, -number) for number, score in numbers.items() if score >= least]
    fitting = likely if is_sub else [item for item in likely if not documents[-item[1]].aside]
    most = max(likely, default=(0.0, 0))
    if max(fitting, default=(0.0, 0))[0] < _CLEARLY_LESS * most[0]:
        # What a tool beside a step alone is called (``Qdrant``) is asked about, not passed over.
        fitting = [item for item in likely if item in fitting or item[0] >= _CLEARLY_LESS * most[0]]
    best = nlargest(_SEARCHED, fitting)
    results = [-number for score, number in best if score >= _LEAST_SHARE * best[0][0]]
    if best:
        places = map(search.number_of.get, expected)
        results += [
            at
            for at in places
            if at is not None and numbers.get(at, 0.0) >= _LEAST_SHARE * best[0][0]
        ]
    tools = dict.fromkeys([*covered, *(documents[number].row.id for number in results)])
    weighed = [
        _weigh(search.by_id[tool], read, covered.get(tool, set()), context, registry)
        for tool in tools
        if tool in search.by_id
    ]
    weighed.sort(key=lambda match: (-match.score, -_prior(registry, match.tool), match.tool))
    return weighed


def _placed(tool: str, registry: Registry, context: NameContext) -> tuple[str, ...]:
    """A named tool, and what else its name means at this place in a graph."""
    if context.position == "trigger":
        return (tool, *registry.names.starters.get(tool, ()))
    if context.position == "sub-node":
        return (tool, *registry.names.renderings.get(tool, ()))
    return (tool,)


def _weigh(
    document: Document, text: Reading, covered: set[int], context: NameContext, registry: Registry
) -> LexicalMatch:
    held, named, lacks = _held(document, text, covered, registry)
    rest = {item: weight for item, weight in text.content if item not in held}
    params, entries = _operation(document, rest, context)
    total = explained = 0.0
    spoken = 0
    for item, weight in text.content:
        share = 1.0
        if item not in held and item not in _CARRIERS:
            is_event = document.starts and item in _MAYBE_STARTERS
            share = 1.0 if is_event else max(_strength(document, item), entries.get(item, 0.0))
        total += weight
        explained += weight * share
        spoken += share > _AS_TEXT
    explained *= _role(document, text, held, context) / total if total else 0.0
    return LexicalMatch(
        tool=document.row.id,
        params=params,
        score=explained * (_NAMELESS + (1 - _NAMELESS) * named),
        held=held,
        lacks=lacks,
        explained=explained,
        spoken=spoken / len(text.content) if text.content else 0.0,
    )


def _held(
    document: Document, text: Reading, covered: set[int], registry: Registry
) -> tuple[frozenset[str], float, Lack]:
    """The words of the text in that of the tool's names that has most of them."""
    if covered:
        return frozenset(text.stems[at] for at in covered), 1.0, "nothing"
    present = text.present
    if document.own.isdisjoint(present) and document.own_meant.isdisjoint(text.meant):
        return frozenset(), 0.0, "more"
    vendor = stem(document.row.family)
    best: tuple[float, frozenset[str], Lack] = (0.0, frozenset(), "more")
    for name in document.names:
        entries: set[str] = set()
        total = held = 0.0
        lacks: Lack = "nothing"
        for part in name:
            weight = registry.search.rarity(part)
            total += weight
            if part in present:
                held += weight
                entries.add(part)
                continue
            same = _same_noun(part, present)
            if same:
                held += weight * _AS_SAME_NOUN
                entries.add(same)
            if lacks == "nothing" and not same and (part == vendor or part in _CARRIERS):
                lacks = "vendor"
            else:
                lacks = "more"
        if total and held / total > best[0]:
            if lacks == "nothing" and not _adjoin(entries, text):
                lacks = "more"
            best = held / total, frozenset(entries), lacks
    return best[1], best[0] * 0.9, best[2]


def _adjoin(found: set[str], text: Reading) -> bool:
    """Whether words stand side by side, but for words of structure between them."""
    places = [at for at, (item, _) in enumerate(text.content) if item in found]
    return places[-1] - places[0] < len(places)


def _same_noun(part: str, present: frozenset[str]) -> str:
    rows = synonym_groups(part)
    return (
        next((name for name in sorted(present) if rows & synonym_groups(name)), "") if rows else ""
    )


def _strength(document: Document, word: str) -> float:
    field = document.stems.get(word, 0.0)
    if field >= 2.0:
        return _AS_KEYWORD if field < 3.0 else 0.8
    if field >= 0.8:
        return _AS_TEXT
    return _AS_MEANING if any(f"~{row}" in document.stems for row in synonym_groups(word)) else 0.0


def _operation(
    document: Document, rest: Mapping[str, float], context: NameContext
) -> tuple[Mapping[str, Any], dict[str, float]]:
    """The parameters that the words set, and how far each word is said by the operation."""
    ranked = best_actions(document, rest)
    if not ranked:
        return {}, {}
    best = ranked[0][0]
    alike = [action for score, action in ranked if score >= best - _ALIKE_OPERATIONS]
    if len(alike) > 1 and context.action:
        entries = {stem(word): 0.3 for word in split_identifier(context.action)}
        wider = {action.name: score for score, action in best_actions(document, entries, 20)}
        most = max(wider.get(action.name, 0.0) for action in alike)
        alike = [action for action in alike if wider.get(action.name, 0.0) >= most] or alike
    first = alike[0]
    results = {word: _AS_OPERATION * likeness(word, first) for word in rest}
    common = {
        key: value
        for key, value in first.params.items()
        if all(action.params.get(key) == value for action in alike)
    }
    is_whole = next(iter(first.params), None) in common
    return (common if best > 0 and _is_asked(common, rest, is_whole) else {}), results


def _is_asked(params: Mapping[str, Any], rest: Iterable[str], is_whole: bool) -> bool:
    """Whether a word is one of these values, or at least says what to do.

    An operation without the resource that it is of must be said itself.
    """
    values = {stem(part) for value in params.values() for part in split_identifier(str(value))}
    return any(word in values or (is_whole and bool(synonym_groups(word))) for word in rest)


def _role(
    document: Document,
    text: Reading,
    held: frozenset[str],
    context: NameContext,
) -> float:
    """Less for a tool that starts where a step is meant, and for a rendering for another use."""
    share = 1.0
    if context.position is not None:
        share *= 1.0 if document.starts == (context.position == "trigger") else _OTHER_ROLE
    elif text.starts:
        share *= 1.0 if document.starts or held & _STARTERS else _OTHER_ROLE
    elif document.starts:
        share *= _OTHER_ROLE
    if document.aside != (context.position == "sub-node"):
        share *= _OTHER_USE if document.aside else 0.8
    if context.capability is not None and context.capability not in document.row.capabilities:
        share *= _OTHER_USE
    return share


def _prior(registry: Registry, tool: str) -> int:
    """Tools that are used and kept get many versions: which of equals is meant more often."""
    return len(registry.tools[tool].versions)


_CARRIERS = frozenset(stem(word) for word in GENERIC_NOUNS)
_STARTERS = frozenset(stem(word) for word in STARTERS)
_MAYBE_STARTERS = frozenset(stem(word) for word in MAYBE_STARTERS)
