"""Weigh which tools a text speaks of: whole names in it, words of names, operations, the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from heapq import nlargest
from typing import Any

from grounded_builder.registry.registry import Registry
from grounded_builder.registry.search import Document, best_actions
from grounded_builder.registry.words import CARRIERS, STARTERS, STOP, meanings, parts, stem
from grounded_builder.resolve.model import NameContext

_SEARCHED = 12
_MOST_WORDS = 16
_AS_NAME_WORD = 0.9
_AS_OPERATION = 0.9
_AS_KEYWORD = 0.6
_AS_TEXT = 0.45
_AS_MEANING = 0.35
_OTHER_ROLE = 0.6
_OTHER_USE = 0.5
_ALIKE_OPERATIONS = 0.04
_NAMELESS = 0.5


@dataclass(frozen=True, slots=True)
class Weighed:
    """A tool, the operation asked for, and how well both account for the words (0 to 1).

    ``named`` is how much of one of the tool's own names the text holds, ``spoken`` how much
    of the text the tool accounts for.
    """

    tool: str
    params: Mapping[str, Any]
    score: float
    named: float
    spoken: float


@dataclass(frozen=True, slots=True)
class _Text:
    words: tuple[str, ...]
    stems: tuple[str, ...]
    weights: tuple[float, ...]
    starts: bool


def weigh(text: str, registry: Registry, context: NameContext) -> list[Weighed]:
    """All tools worth naming for a text, best first."""
    search = registry.search
    read = _read(text, registry)
    if not read.words:
        return []
    covered: dict[str, set[int]] = {}
    for phrase in registry.names.phrases(read.words):
        for tool in phrase.ids:
            covered.setdefault(tool, set()).update(range(phrase.start, phrase.end))
    numbers = search.scores(dict(zip(read.stems, read.weights, strict=True)))
    documents = search.documents
    likely = nlargest(_SEARCHED, numbers, key=lambda number: (numbers[number], -number))
    tools = dict.fromkeys([*covered, *(documents[number].row.id for number in likely)])
    weighed = [
        _weigh(search.by_id[tool], read, covered.get(tool, set()), context, registry)
        for tool in tools
        if tool in search.by_id
    ]
    weighed.sort(key=lambda one: (-one.score, -_prior(registry, one.tool), one.tool))
    return weighed


def _read(text: str, registry: Registry) -> _Text:
    words = parts(text)[:_MOST_WORDS]
    split = tuple(part for word in words for part in _split(word, registry))
    stems = tuple(stem(word) for word in split)
    empty = all(one in _STOP for one in stems)
    weights = tuple(0.0 if one in _STOP and not empty else _weight(one, registry) for one in stems)
    return _Text(split, stems, weights, any(one in _STARTERS for one in stems))


def _weight(word: str, registry: Registry) -> float:
    return registry.search.rarity(word) * (0.25 if word in _CARRIERS else 1.0)


def _split(word: str, registry: Registry) -> tuple[str, ...]:
    """Take ``telegrambot`` apart when it is no word of the catalog but both its parts are."""
    knows = registry.search.knows
    if len(word) < 6 or knows(stem(word)) or registry.names.phrases((word,)):
        return (word,)
    cuts = [
        (word[:cut], word[cut:])
        for cut in range(2, len(word) - 1)
        if all(len(part) > 2 or meanings(part) for part in (word[:cut], word[cut:]))
    ]
    good = [(a, b) for a, b in cuts if _is_word(a, registry) and _is_word(b, registry)]
    if not good:
        return (word,)
    return max(good, key=lambda pair: min(len(pair[0]), len(pair[1])))


def _is_word(word: str, registry: Registry) -> bool:
    return registry.search.knows(stem(word)) or word in CARRIERS or bool(meanings(stem(word)))


def _weigh(
    document: Document, text: _Text, covered: set[int], context: NameContext, registry: Registry
) -> Weighed:
    own = set(document.names[0])
    rest = {
        one: weight
        for at, (one, weight) in enumerate(zip(text.stems, text.weights, strict=True))
        if at not in covered and weight
    }
    params, said = _operation(document, rest, context)
    total = explained = 0.0
    for at, (one, weight) in enumerate(zip(text.stems, text.weights, strict=True)):
        total += weight
        if at in covered or (one in _CARRIERS and one not in own):
            explained += weight
        else:
            explained += weight * max(_strength(document, one, own), said.get(one, 0.0))
    spoken = explained / total if total else 0.0
    named = 1.0 if covered else _named(document, text, registry)
    score = spoken * (_NAMELESS + (1 - _NAMELESS) * named)
    score *= _role(document, text, bool(covered), context)
    return Weighed(document.row.id, params, min(score, 1.0), named, spoken)


def _strength(document: Document, word: str, own: set[str]) -> float:
    if word in own:
        return _AS_NAME_WORD
    field = document.stems.get(word, 0.0)
    if field >= 2.0:
        return _AS_KEYWORD if field < 3.0 else 0.8
    if field >= 0.8:
        return _AS_TEXT
    return _AS_MEANING if any(f"~{row}" in document.stems for row in meanings(word)) else 0.0


def _named(document: Document, text: _Text, registry: Registry) -> float:
    """The largest share of one of the tool's names that the words make up, by rarity."""
    words = {one for one, weight in zip(text.stems, text.weights, strict=True) if weight}
    best = 0.0
    for name in document.names:
        weights = [registry.search.rarity(part) for part in name]
        total = sum(weights)
        if total:
            held = sum(w for part, w in zip(name, weights, strict=True) if part in words)
            best = max(best, held / total)
    return best * 0.9


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
        told = {stem(word): 0.3 for word in parts(context.action)}
        wider = {action.name: score for score, action in best_actions(document, told, 20)}
        most = max(wider.get(action.name, 0.0) for action in alike)
        alike = [action for action in alike if wider.get(action.name, 0.0) >= most] or alike
    first = alike[0]
    said = {
        word: _AS_OPERATION
        if word in first.stems
        else 0.7 * _AS_OPERATION * bool(meanings(word) & first.meanings)
        for word in rest
    }
    common = {
        key: value
        for key, value in first.params.items()
        if all(action.params.get(key) == value for action in alike)
    }
    return (common if best > 0 else {}), said


def _role(document: Document, text: _Text, whole: bool, context: NameContext) -> float:
    """Less for a tool that starts where a step is meant, and for a rendering for another use."""
    share = 1.0
    if context.position == "trigger":
        share *= 1.0 if document.starts else _OTHER_ROLE
    elif context.position is not None or not (text.starts or whole):
        share *= _OTHER_ROLE if document.starts else 1.0
    elif text.starts and not whole:
        share *= 1.0 if document.starts else 0.9
    if document.base is not None and context.position != "sub-node":
        share *= _OTHER_USE
    if document.base is None and context.position == "sub-node" and not _is_sub(document):
        share *= 0.9
    if context.capability is not None and context.capability not in document.row.capabilities:
        share *= _OTHER_USE
    return share


def _is_sub(document: Document) -> bool:
    return bool(document.row.capabilities) and not document.actions


def _prior(registry: Registry, tool: str) -> int:
    """Tools that are used and kept get many versions: which of equals is meant more often."""
    return len(registry.tools[tool].versions)


_STOP = frozenset(stem(word) for word in STOP)
_CARRIERS = frozenset(stem(word) for word in CARRIERS)
_STARTERS = frozenset(stem(word) for word in STARTERS)
