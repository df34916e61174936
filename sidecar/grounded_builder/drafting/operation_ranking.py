"""Reads the parts of a request, and ranks a tool's operations by how likely each is asked for."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log1p
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.search_document import best_actions
from grounded_builder.catalog.synonyms import synonym_groups
from grounded_builder.catalog.tokenize import split_identifier, stem
from grounded_builder.compiler.named_services import Service
from grounded_builder.ir.domain import Domain

# The weights of the signs that an operation is meant, set by hand on half of the requests of
# `evals/prompts/operations.jsonl`.
_FIT, _USED, _NAMED_SO, _OF_OBJECT = 1.5, 0.3, 0.1, 0.2
_ONE_OF_SEVERAL, _SAID, _CUE, _NOT_MEANT = 2.2, 1.5, 2.0, 10.0
_SEVERAL = 1.0
_PLACE, _OF_PLACE = 0.3, 0.2
_REMOVAL, _READING = "delete", "read"
_BEST, _LEAST_FIT = 5, 0.2
_ALL = frozenset({"all", "many", "list", "search"})
_PLACES = re.compile(
    r"\b(?:to|in|into|on|onto|from|under|at)\s+((?:[\w'#&-]+\s*){1,5})", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class RequestPart:
    """A part of a request: its terms, its words with their weights, and the tools that it names.

    A word that states a place, such as the channel in "to the channel", has less weight.
    """

    terms: Mapping[str, float]
    words: Mapping[str, float]
    plurals: frozenset[str]
    tools: frozenset[str]


def read_parts(
    clauses: Iterable[str], services: Sequence[Service], registry: Registry
) -> list[RequestPart]:
    """Returns the parts of a request with what they say."""
    return [_read_part(clause, services, registry) for clause in clauses]


def rank_operations(
    tool: str,
    operations: Sequence[Mapping[str, Any]],
    parts: Iterable[RequestPart],
    request: str,
    fitting: Mapping[str, float],
    domain: Domain,
    registry: Registry,
) -> tuple[Mapping[str, Any], ...]:
    """Returns operations of a tool, likeliest first.

    An operation is likely that fits a part of the request, shares words with it, or is often used:
    itself, an operation of its name or about its object by other tools. Parts that name other tools
    do not count. ``fitting`` has how well operations fit by other signs.
    """
    own = [part for part in parts if not part.tools or tool in part.tools]
    fits = dict(fitting)
    document = registry.search.by_id.get(tool)
    actions = (
        (fit, action)
        for part in own
        if document is not None
        for fit, action in best_actions(document, part.terms, _BEST)
    )
    for fit, action in actions:
        if fit >= _LEAST_FIT:
            key = operation_key(action.params)
            fits[key] = max(fits.get(key, 0.0), fit)
    words: dict[str, float] = {}
    for part in own:
        for word, weight in part.words.items():
            words[word] = max(words.get(word, 0.0), weight)
    plurals = frozenset[str]().union(*(part.plurals for part in own))
    count = domain.prompting.count_uses or (lambda _tool, _params: 0)
    cues = domain.prompting.operation_cues
    asked = {cue.operation: cue.pattern.search(request) is not None for cue in cues}

    is_removal = any(_REMOVAL in synonym_groups(word) for word in words)

    def likelihood(params: Mapping[str, Any]) -> float:
        name = {key: value for key, value in params.items() if key == "operation"}
        thing = {key: value for key, value in params.items() if key == "resource"}
        fit = _FIT * fits.get(operation_key(params), 0.0)
        score = (
            (_OF_PLACE if _is_place(thing, words) else 1.0) * fit
            + sum(_share_of(value, words) for value in params.values())
            + _USED * log1p(count(tool, params))
            + _NAMED_SO * log1p(count("", name))
            + _OF_OBJECT * log1p(count("", thing))
        )
        if plurals and _reads_one(params) and _names_any(thing, plurals):
            score -= _ONE_OF_SEVERAL
        if _names_plural(params, plurals):
            score += _SEVERAL
        if _removes(params):
            score += _SAID if is_removal else -_CUE
        for value in params.values():
            if value in asked:
                score += _CUE if asked[value] else -_NOT_MEANT
        return score

    return tuple(sorted(operations, key=lambda params: -likelihood(params)))


def operation_key(params: Mapping[str, Any]) -> str:
    """Returns the same text for equal operations."""
    return repr(sorted(params.items()))


def _read_part(clause: str, services: Sequence[Service], registry: Registry) -> RequestPart:
    folded = clause.casefold()
    tools = {
        tool
        for service in services
        if service.text.casefold() in folded
        for tool in (*service.tools, *service.starters)
    }
    places = {
        stem(word) for match in _PLACES.finditer(clause) for word in split_identifier(match[1])
    }
    first = _PLACES.split(clause, maxsplit=1)[0]
    direct = {stem(word) for word in split_identifier(first)}
    words = {
        word: _PLACE if word in places and word not in direct else 1.0
        for word in (stem(word) for word in split_identifier(clause))
    }
    plurals = {
        stem(word) for word in split_identifier(clause) if word.endswith("s") and stem(word) != word
    }
    terms = {
        term: weight * words.get(term, 1.0)
        for term, weight in registry.search.terms(clause).items()
    }
    return RequestPart(terms, words, frozenset(plurals), frozenset(tools))


def _share_of(value: Any, words: Mapping[str, float]) -> float:
    """Returns the share of the words of a value that a request has, of several without the first:
    the verb in names such as ``getIssues``.
    """
    parts = [stem(word) for word in split_identifier(str(value))]
    parts = parts[1:] or parts
    return sum(words.get(part, 0.0) for part in parts) / len(parts) if parts else 0.0


def _is_place(thing: Mapping[str, Any], words: Mapping[str, float]) -> bool:
    """Returns whether a request names the object of an operation, and as a place only."""
    parts = [stem(word) for value in thing.values() for word in split_identifier(str(value))]
    return bool(parts) and all(words.get(part) == _PLACE for part in parts)


def _removes(params: Mapping[str, Any]) -> bool:
    parts = split_identifier(str(params.get("operation", "")))
    return any(_REMOVAL in synonym_groups(stem(part)) for part in parts)


def _reads_one(params: Mapping[str, Any]) -> bool:
    parts = split_identifier(str(params.get("operation", "")))
    return _ALL.isdisjoint(parts) and any(_READING in synonym_groups(stem(part)) for part in parts)


def _names_plural(params: Mapping[str, Any], plurals: Collection[str]) -> bool:
    """Returns whether an operation is about several things that the request names as such."""
    words = split_identifier(str(params.get("operation", "")))[1:]
    return any(word.endswith("s") and stem(word) in plurals for word in words)


def _names_any(thing: Mapping[str, Any], words: Collection[str]) -> bool:
    parts = [stem(word) for value in thing.values() for word in split_identifier(str(value))]
    return any(part in words for part in parts)
