"""Reads the parts of a request, and ranks a tool's operations by how likely each is asked for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import log1p
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.search_document import STOPPED, best_actions
from grounded_builder.catalog.synonyms import synonym_groups
from grounded_builder.catalog.tokenize import split_identifier, stem
from grounded_builder.compiler.named_services import Service
from grounded_builder.ir.domain import Domain

# The weights of the signs that an operation is meant, set by hand on half of the requests of
# `evals/prompts/operations.jsonl`.
_FIT, _USED, _NAMED_SO, _OF_OBJECT = 1.5, 0.3, 0.1, 0.2
_ONE_OF_SEVERAL, _SAID, _CUE, _NOT_MEANT = 2.2, 1.5, 2.0, 10.0
_SEVERAL, _READS_SEVERAL = 1.0, 0.6
_PLACE, _OF_PLACE, _OF_OTHERS = 0.3, 0.2, 0.5
_UNNAMED, _DESCRIBED = 0.3, 0.6
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
    """Returns the parts of a request with their words and the tools that they name."""
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
    own = _parts_about(tool, parts)
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

    described = _described_words(registry, tool)
    is_removal = any(_REMOVAL in synonym_groups(word) for word in words)
    is_named = any(_names_object(params, words, plurals) for params in operations)

    def likelihood(params: Mapping[str, Any]) -> float:
        name = {key: value for key, value in params.items() if key == "operation"}
        thing = {key: value for key, value in params.items() if key == "resource"}
        popular = _UNNAMED if is_named and not _names_object(params, words, plurals) else 1.0
        fit = _FIT * fits.get(operation_key(params), 0.0)
        score = (
            (_OF_PLACE if _is_place(thing, words) else 1.0) * fit
            + sum(_share_of(key, value, words) for key, value in params.items())
            + _USED * log1p(count(tool, params))
            + _NAMED_SO * log1p(count("", name))
            + popular * _OF_OBJECT * log1p(count("", thing))
        )
        score += _DESCRIBED * _share_described(described.get(operation_key(params), {}), words)
        if plurals and _reads_one(params) and _names_any(thing, plurals):
            score -= _ONE_OF_SEVERAL
        if _names_plural(params, plurals):
            score += _SEVERAL
        if _reads_several(params) and _names_any(thing, plurals):
            score += _READS_SEVERAL
        if _removes(params):
            score += _SAID if is_removal else -_CUE
        for value in params.values():
            if value in asked:
                score += _CUE if asked[value] else -_NOT_MEANT
        return score

    return tuple(sorted(operations, key=lambda params: -likelihood(params)))


def _parts_about(tool: str, parts: Iterable[RequestPart]) -> list[RequestPart]:
    """Returns the parts that do not name other tools only, or all where none names the tool.

    In the latter the words of parts that name other tools have less weight.
    """
    parts = list(parts)
    if any(tool in part.tools for part in parts):
        return [part for part in parts if not part.tools or tool in part.tools]
    return [_weaken(part) if part.tools else part for part in parts]


def _weaken(part: RequestPart) -> RequestPart:
    words = {word: _OF_OTHERS * weight for word, weight in part.words.items()}
    terms = {term: _OF_OTHERS * weight for term, weight in part.terms.items()}
    return replace(part, words=words, terms=terms, plurals=frozenset())


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


@lru_cache(1_024)
def _described_words(registry: Registry, tool: str) -> Mapping[str, Mapping[str, float]]:
    """Returns the words in the description of each operation, by how few operations have them.

    A word that half of the operations have tells nothing.
    """
    usual, variants = registry.tools[tool].preferred_version, registry.tool(tool)["variants"]
    variant = next((item for item in variants if usual in item["versions"]), variants[-1])
    words = {
        operation_key(operation["params"]): {
            stem(word)
            for text in (operation.get("name"), operation.get("description"))
            for word in split_identifier(str(text or ""))
        }
        - STOPPED
        for operation in variant.get("operations") or ()
    }
    shares = Counter(word for each in words.values() for word in each)
    half = len(words) / 2
    return {
        key: {word: 1 - shares[word] / half for word in each if shares[word] < half}
        for key, each in words.items()
    }


def _share_described(described: Mapping[str, float], words: Mapping[str, float]) -> float:
    """Returns the best weight of a word that a description and a request have."""
    return max(
        (weight * min(words.get(word, 0.0) / _PLACE, 1.0) for word, weight in described.items()),
        default=0.0,
    )


def _share_of(key: str, value: Any, words: Mapping[str, float]) -> float:
    """Returns the share of the words of a value that a request has, of an operation without the
    first: the verb in names such as ``getIssues``.
    """
    parts = [stem(word) for word in split_identifier(str(value))]
    parts = (parts[1:] if key != "resource" else []) or parts
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


def _reads_several(params: Mapping[str, Any]) -> bool:
    return not _ALL.isdisjoint(split_identifier(str(params.get("operation", ""))))


def _names_plural(params: Mapping[str, Any], plurals: Collection[str]) -> bool:
    """Returns whether an operation is about several things that the request names as such."""
    words = split_identifier(str(params.get("operation", "")))[1:]
    return any(word.endswith("s") and stem(word) in plurals for word in words)


def _names_object(
    params: Mapping[str, Any], words: Mapping[str, float], plurals: Collection[str]
) -> bool:
    """Returns whether a request names the object of an operation, and not as a place only."""
    parts = [stem(word) for word in split_identifier(str(params.get("resource", "")))]
    is_named = any(words.get(part, 0.0) >= 1.0 for part in parts)
    return is_named or _names_plural(params, plurals)


def _names_any(thing: Mapping[str, Any], words: Collection[str]) -> bool:
    parts = [stem(word) for value in thing.values() for word in split_identifier(str(value))]
    return any(part in words for part in parts)
