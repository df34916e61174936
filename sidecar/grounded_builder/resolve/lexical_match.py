"""Scores how well tools match the words of a text: whole names, words of names, operations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from heapq import nlargest
from typing import Any, Literal

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.search_document import Document, best_actions, likeness
from grounded_builder.catalog.synonyms import synonym_groups
from grounded_builder.catalog.tokenize import (
    GENERIC_NOUNS,
    MAYBE_STARTERS,
    STARTERS,
    split_identifier,
    stem,
)
from grounded_builder.ir.resolution import NameContext
from grounded_builder.resolve.query_tokens import QueryTokens

# Set by hand, between 0 and 1 unless the name says otherwise; `python -m evals.bench.resolver`
# measures what a change does.
_MAX_SEARCHED = 8
_MIN_SCORE_SHARE = 0.35
_VARIANT_SHARE = 0.5
_CLOSE_SHARE = 0.7
_OPERATION_SHARE = 0.9
_KEYWORD_SHARE = 0.6
_TEXT_SHARE = 0.45
_SYNONYM_SHARE = 0.35
_OTHER_ROLE_SHARE = 0.6
_OTHER_USE_SHARE = 0.5
_OPERATION_TIE = 0.04
_UNNAMED_SHARE = 0.5
_SAME_NOUN_SHARE = 0.85


MissingPart = Literal["nothing", "vendor", "more"]


@dataclass(frozen=True, slots=True)
class LexicalMatch:
    """A tool and an operation, and how well they explain the words of a text (0 to 1).

    ``matched_stems`` are the stems of the text that belong to one name of the tool.
    ``missing_part`` is what the text lacks of that name: nothing, the vendor, or more.
    ``explained`` is the share of the words that the tool explains, weighted by rarity; in
    ``explained_words`` each word has the same weight.
    """

    tool: str
    params: Mapping[str, Any]
    score: float
    matched_stems: frozenset[str]
    missing_part: MissingPart
    explained: float
    explained_words: float


def score_tools(
    query: QueryTokens, registry: Registry, context: NameContext, expected: Iterable[str] = ()
) -> list[LexicalMatch]:
    """Returns the tools that match a text, best first.

    Tools in ``expected`` are kept even if many others have the same words.
    """
    search = registry.search
    if not query.words:
        return []
    covered: dict[str, set[int]] = {}
    for phrase in registry.names.phrases(query.words):
        for tool in (
            name
            for named_tool in phrase.ids
            for name in _tools_at_position(named_tool, registry, context)
        ):
            covered.setdefault(tool, set()).update(range(phrase.start, phrase.end))
    numbers = search.scores(dict(zip(query.stems, query.weights, strict=True)))
    documents = search.documents
    is_sub_node = context.position == "sub-node"
    min_score = _MIN_SCORE_SHARE * _VARIANT_SHARE * max(numbers.values(), default=0.0)
    likely = [(score, -number) for number, score in numbers.items() if score >= min_score]
    candidates = (
        likely
        if is_sub_node
        else [entry for entry in likely if not documents[-entry[1]].is_variant]
    )
    best_score = max(likely, default=(0.0, 0))
    if max(candidates, default=(0.0, 0))[0] < _CLOSE_SHARE * best_score[0]:
        # A name that only a sub-node has (``Qdrant``) leads to a question instead of being ignored.
        candidates = [
            entry
            for entry in likely
            if entry in candidates or entry[0] >= _CLOSE_SHARE * best_score[0]
        ]
    best = nlargest(_MAX_SEARCHED, candidates)
    selected = [-number for score, number in best if score >= _MIN_SCORE_SHARE * best[0][0]]
    if best:
        expected_numbers = map(search.number_of.get, expected)
        selected += [
            number
            for number in expected_numbers
            if number is not None and numbers.get(number, 0.0) >= _MIN_SCORE_SHARE * best[0][0]
        ]
    tools = dict.fromkeys([*covered, *(documents[number].row.id for number in selected)])
    matches = [
        _match_tool(search.by_id[tool], query, covered.get(tool, set()), context, registry)
        for tool in tools
        if tool in search.by_id
    ]
    matches.sort(
        key=lambda match: (-match.score, -_count_versions(registry, match.tool), match.tool)
    )
    return matches


def _tools_at_position(tool: str, registry: Registry, context: NameContext) -> tuple[str, ...]:
    """Returns a named tool, and the tools that its name can mean at this position."""
    if context.position == "trigger":
        return (tool, *registry.names.starters.get(tool, ()))
    if context.position == "sub-node":
        return (tool, *registry.names.renderings.get(tool, ()))
    return (tool,)


def _match_tool(
    document: Document,
    text: QueryTokens,
    covered: set[int],
    context: NameContext,
    registry: Registry,
) -> LexicalMatch:
    matched_stems, name_share, missing_part = _match_name(document, text, covered, registry)
    rest = {stem_: weight for stem_, weight in text.content if stem_ not in matched_stems}
    params, operation_shares = _choose_operation(document, rest, context)
    total = explained = 0.0
    explained_words = 0
    for stem_, weight in text.content:
        share = 1.0
        if stem_ not in matched_stems and stem_ not in _GENERIC_STEMS:
            is_event = document.is_trigger and stem_ in _MAYBE_STARTERS
            share = (
                1.0
                if is_event
                else max(_field_share(document, stem_), operation_shares.get(stem_, 0.0))
            )
        total += weight
        explained += weight * share
        explained_words += share > _TEXT_SHARE
    explained *= _role_share(document, text, matched_stems, context) / total if total else 0.0
    return LexicalMatch(
        tool=document.row.id,
        params=params,
        score=explained * (_UNNAMED_SHARE + (1 - _UNNAMED_SHARE) * name_share),
        matched_stems=matched_stems,
        missing_part=missing_part,
        explained=explained,
        explained_words=explained_words / len(text.content) if text.content else 0.0,
    )


def _match_name(
    document: Document, text: QueryTokens, covered: set[int], registry: Registry
) -> tuple[frozenset[str], float, MissingPart]:
    """Returns the stems in the tool's best matching name, their share, and the missing part."""
    if covered:
        return frozenset(text.stems[at] for at in covered), 1.0, "nothing"
    present = text.present
    if document.name_stems.isdisjoint(present) and document.name_meanings.isdisjoint(text.meanings):
        return frozenset(), 0.0, "more"
    vendor = stem(document.row.family)
    best: tuple[float, frozenset[str], MissingPart] = (0.0, frozenset(), "more")
    for name in document.names:
        matched_stems: set[str] = set()
        total = matched_weight = 0.0
        missing_part: MissingPart = "nothing"
        for part in name:
            weight = registry.search.rarity(part)
            total += weight
            if part in present:
                matched_weight += weight
                matched_stems.add(part)
                continue
            synonym = _find_synonym(part, present)
            if synonym:
                matched_weight += weight * _SAME_NOUN_SHARE
                matched_stems.add(synonym)
            if (
                missing_part == "nothing"
                and not synonym
                and (part == vendor or part in _GENERIC_STEMS)
            ):
                missing_part = "vendor"
            else:
                missing_part = "more"
        if total and matched_weight / total > best[0]:
            if missing_part == "nothing" and not _is_adjacent(matched_stems, text):
                missing_part = "more"
            best = matched_weight / total, frozenset(matched_stems), missing_part
    return best[1], best[0] * 0.9, best[2]


def _is_adjacent(stems: set[str], text: QueryTokens) -> bool:
    """Returns whether stems are adjacent in a text, apart from words of structure."""
    places = [at for at, (stem_, _) in enumerate(text.content) if stem_ in stems]
    return places[-1] - places[0] < len(places)


def _find_synonym(part: str, present: frozenset[str]) -> str:
    groups = synonym_groups(part)
    return (
        next((name for name in sorted(present) if groups & synonym_groups(name)), "")
        if groups
        else ""
    )


def _field_share(document: Document, word: str) -> float:
    field = document.stems.get(word, 0.0)
    if field >= 2.0:
        return _KEYWORD_SHARE if field < 3.0 else 0.8
    if field >= 0.8:
        return _TEXT_SHARE
    return (
        _SYNONYM_SHARE if any(f"~{row}" in document.stems for row in synonym_groups(word)) else 0.0
    )


def _choose_operation(
    document: Document, rest: Mapping[str, float], context: NameContext
) -> tuple[Mapping[str, Any], dict[str, float]]:
    """Returns the parameters that the words select, and how well each word matches them."""
    ranked = best_actions(document, rest)
    if not ranked:
        return {}, {}
    best = ranked[0][0]
    alike = [action for score, action in ranked if score >= best - _OPERATION_TIE]
    if len(alike) > 1 and context.action:
        action_terms = {stem(word): 0.3 for word in split_identifier(context.action)}
        scores = {action.name: score for score, action in best_actions(document, action_terms, 20)}
        best_score = max(scores.get(action.name, 0.0) for action in alike)
        alike = [action for action in alike if scores.get(action.name, 0.0) >= best_score] or alike
    first = alike[0]
    shares = {word: _OPERATION_SHARE * likeness(word, first) for word in rest}
    common = {
        key: value
        for key, value in first.params.items()
        if all(action.params.get(key) == value for action in alike)
    }
    is_whole = next(iter(first.params), None) in common
    return (common if best > 0 and _is_requested(common, rest, is_whole) else {}), shares


def _is_requested(params: Mapping[str, Any], rest: Iterable[str], is_whole: bool) -> bool:
    """Returns whether a word is one of these values, or at least names an action.

    An operation that is chosen without its resource must be named itself.
    """
    values = {stem(part) for value in params.values() for part in split_identifier(str(value))}
    return any(word in values or (is_whole and bool(synonym_groups(word))) for word in rest)


def _role_share(
    document: Document,
    text: QueryTokens,
    matched_stems: frozenset[str],
    context: NameContext,
) -> float:
    """Returns a factor below 1 for a trigger or variant in a position that needs another role."""
    share = 1.0
    if context.position is not None:
        share *= (
            1.0 if document.is_trigger == (context.position == "trigger") else _OTHER_ROLE_SHARE
        )
    elif text.is_trigger:
        share *= 1.0 if document.is_trigger or matched_stems & _STARTERS else _OTHER_ROLE_SHARE
    elif document.is_trigger:
        share *= _OTHER_ROLE_SHARE
    if document.is_variant != (context.position == "sub-node"):
        share *= _OTHER_USE_SHARE if document.is_variant else 0.8
    if context.capability is not None and context.capability not in document.row.capabilities:
        share *= _OTHER_USE_SHARE
    return share


def _count_versions(registry: Registry, tool: str) -> int:
    """Returns the number of versions, which is higher for tools that are used more."""
    return len(registry.tools[tool].versions)


_GENERIC_STEMS = frozenset(stem(word) for word in GENERIC_NOUNS)
_STARTERS = frozenset(stem(word) for word in STARTERS)
_MAYBE_STARTERS = frozenset(stem(word) for word in MAYBE_STARTERS)
