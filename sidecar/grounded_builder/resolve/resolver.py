"""Resolves one tool name: exact id, user decision, spelling, then words and usage."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice

from grounded_builder.catalog.name_index import fold_name, id_head, id_tail
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tokenize import (
    GENERIC_NOUNS,
    STARTERS,
    STOP,
    singular,
    split_identifier,
    stem,
)
from grounded_builder.catalog.usage_prior import ExpectedTool
from grounded_builder.ir.resolution import (
    Candidate,
    NameContext,
    Resolution,
    ambiguous,
    resolved_to,
    unknown,
)
from grounded_builder.resolve.context_boost import boost_by_context, shares_package_with_neighbours
from grounded_builder.resolve.lexical_match import LexicalMatch, score_tools
from grounded_builder.resolve.query_tokens import QueryTokens, split_query
from grounded_builder.resolve.ranking import (
    EXPECTED,
    Ranked,
    cap_by_measurement,
    confidence_steps,
    estimate_confidence,
    rank,
)
from grounded_builder.resolve.spelling_match import (
    is_allowed,
    match_spelling,
    near_tools,
    strip_package_words,
    with_runners_up,
)
from grounded_builder.resolve.user_decisions import apply_decisions

# Set by hand, between 0 and 1 unless the name says otherwise; `python -m evals.bench.resolver`
# measures what a change does.
_MAX_CANDIDATES = 5
_MAX_EXPECTED = 3
_MIN_LEXICAL_SCORE = 0.25
_MIN_PRIOR_SHARE = 0.3
_MIN_SIMILARITY = 0.6
_MIN_OFFERED_SHARE = 0.01

_ACCEPT_SCORE = 0.72
_ACCEPT_MARGIN = 0.1
_ACCEPT_EXPLAINED_WORDS = 0.74
_ACCEPT_SHARE = 0.7
_ACCEPT_WORD_SHARE = 0.8
_ACCEPT_CERTAIN_SHARE = 0.92
_FULL_NAME_SCORE = 0.85
_MIN_EXPLAINED = 0.6
_MIN_PARTIAL_NAME_LOG = -0.5
_MIN_EXPECTED_LOG = -0.3
_MAX_CONTRADICTED_LOG = -0.7
_EXPECTED_SHARE = 0.97
_MIN_LABEL_CONFIDENCE = 0.97
_RIVAL_SCORE = 0.45
_CLEAR_LEXICAL_SCORE = 0.5
_MAX_MISSPELLED_WORDS = 4
_SHORT_NAME_CHARS = 5
_VENDORLESS_MARGIN = 0.15
_NO_CONTEXT = NameContext()


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence about a text that is not the spelling of a name.

    ``known`` is the number of words in the lexicon. ``ranked`` are all candidates, best first.
    ``lexical`` are those that match words of the catalog. ``near`` are those with a similar name;
    ``is_near_clear`` is true if the first of them is clearly the best. A label consists of words,
    in contrast to an id. ``package`` is the package before the name.
    """

    query: QueryTokens
    known: int
    ranked: list[Ranked]
    lexical: list[LexicalMatch]
    near: tuple[Candidate, ...]
    is_near_clear: bool
    is_label: bool
    package: str


def resolve_name(text: str, registry: Registry, context: NameContext | None = None) -> Resolution:
    """Returns the resolution of one tool name: ambiguous or unknown if no tool fits clearly.

    Without a context, only spellings of a name resolve. With one, the words and the surroundings of
    the step can decide. A label resolves only if nearly all such labels were right in measurements.
    """
    token = text.strip()
    if token in registry.tools and is_allowed(token, registry, context):
        return resolved_to(with_runners_up(token, {}, 1.0, registry), "exact")
    is_label = context is not None and context.label
    resolution = apply_decisions(token, registry, context)
    if resolution is None and not is_label:
        resolution = _with_measured_confidence(
            token, match_spelling(token, registry, context), registry
        )
    resolution = resolution or _resolve_by_meaning(token, registry, context)
    candidates = tuple(
        candidate
        for candidate in resolution.candidates
        if is_allowed(candidate.tool, registry, context)
    )
    return replace(resolution, candidates=candidates)


def gather_evidence(token: str, registry: Registry, context: NameContext) -> Evidence:
    """Returns the evidence for all tools that a text can mean."""
    query_text = strip_package_words(token, registry)
    query = split_query(query_text, registry)
    near: tuple[Candidate, ...] = ()
    is_near_clear = False
    if len(query.words) <= _MAX_MISSPELLED_WORDS and (query.has_unknown_word or not query.words):
        near, is_near_clear = near_tools(token, registry, context)
    is_label = context.label or any(char.isspace() for char in token) or not query.words
    expected = registry.expectation.expect_by_name(
        query_text if is_label else " ".join(query.words), EXPECTED
    )
    logs = {tool: log for tool, log in expected.logs.items() if is_allowed(tool, registry, context)}
    lexical = [
        match
        for match in score_tools(query, registry, context, islice(logs, _MAX_EXPECTED))
        if is_allowed(match.tool, registry, context)
    ]
    if " " not in token and not near and (not lexical or lexical[0].score < _CLEAR_LEXICAL_SCORE):
        near, _ = near_tools(token, registry, context)
        near = tuple(
            replace(candidate, confidence=round(candidate.confidence * 0.6, 3))
            for candidate in near
        )
    if any((context.neighbours, context.params, context.action, context.goal)):
        lexical = boost_by_context(lexical, registry, context)
    expected_tool = ExpectedTool(logs, expected.known)
    first = next(iter(query.stems), "")
    # The full name of a tool (``MS Teams``) is not a label of a step that uses it.
    by_catalog = not is_label or (not context.label and _is_named(lexical))
    ranked = rank(
        expected_tool, lexical, near, registry, context, first=first, by_catalog=by_catalog
    )
    facts = (query, expected.known, ranked, lexical, near, is_near_clear, is_label)
    return Evidence(*facts, package=id_head(token))


def _is_named(lexical: list[LexicalMatch]) -> bool:
    """Returns whether the words are the full name of one tool, or synonyms of it."""
    return (
        bool(lexical) and lexical[0].score >= _FULL_NAME_SCORE and lexical[0].explained_words == 1.0
    )


def _resolve_by_meaning(token: str, registry: Registry, context: NameContext | None) -> Resolution:
    evidence = gather_evidence(token, registry, context or _NO_CONTEXT)
    is_label = context is not None and context.label
    is_misspelling = evidence.is_near_clear and not _is_longer_word(
        token, evidence.near[0].tool, registry
    )
    if is_misspelling and not is_label and not _is_contradicted(evidence, registry):
        return resolved_to(evidence.near, "near")
    candidates = _offer_candidates(evidence, registry)
    if not evidence.ranked or not _has_evidence(evidence):
        return unknown(candidates, "near" if candidates else "none")
    if context is None:
        return unknown(candidates, "near")
    if is_label:
        is_sure = (
            bool(confidence_steps(_evidence_kind(evidence), registry))
            and candidates[0].confidence >= _MIN_LABEL_CONFIDENCE
        )
    else:
        is_sure = _is_clear(evidence, registry, context)
    if is_sure:
        return resolved_to(candidates, "words")
    return ambiguous(candidates, "words")


def _with_measured_confidence(
    token: str, resolution: Resolution | None, registry: Registry
) -> Resolution | None:
    """Returns a spelling match with its measured confidence.

    An id or the last part of one is no label and keeps its confidence.
    """
    if resolution is None or resolution.status != "resolved":
        return resolution
    if id_head(token) or token == id_tail(resolution.tool or ""):
        return resolution
    confidence = cap_by_measurement(resolution.method, resolution.confidence, registry)
    first = replace(resolution.candidates[0], confidence=confidence)
    return replace(
        resolution, confidence=confidence, candidates=(first, *resolution.candidates[1:])
    )


def _is_longer_word(token: str, tool: str, registry: Registry) -> bool:
    """Returns whether a short name is a tool's name plus an ending, which makes another word."""
    written = fold_name(id_tail(token))
    for name in (fold_name(id_tail(tool)), fold_name(registry.tools[tool].name)):
        ending = written.removeprefix(name)
        if len(name) <= _SHORT_NAME_CHARS and ending not in (written, "", name[-1:]):
            return True
    return False


def _is_contradicted(evidence: Evidence, registry: Registry) -> bool:
    """Returns whether the words of a name are known to mean another tool than the similar one."""
    tool = evidence.near[0].tool
    if not evidence.known or tool not in registry.expectation.seen:
        return False
    return all(
        entry.tool != tool or entry.features[0] < _MAX_CONTRADICTED_LOG for entry in evidence.ranked
    )


def _evidence_kind(evidence: Evidence) -> str:
    """Returns the kind of text for which shares are measured: words with spaces, or one word."""
    return "label" if evidence.is_label else "word"


def _has_evidence(evidence: Evidence) -> bool:
    """Returns whether any evidence but a weak similarity supports a tool."""
    best = max((match.score for match in evidence.lexical), default=0.0)
    similarity = max((candidate.confidence for candidate in evidence.near), default=0.0)
    if best >= _MIN_LEXICAL_SCORE or similarity >= _MIN_SIMILARITY:
        return True
    return evidence.known > 0 and evidence.ranked[0].share >= _MIN_PRIOR_SHARE


def _is_clear(evidence: Evidence, registry: Registry, context: NameContext) -> bool:
    """Returns whether the first candidate can be used without a question.

    The text must have its whole name, at most without the vendor, and the tool must explain nearly
    all words. No other tool may match as well, or match more of the words by its name.
    """
    first, matches = evidence.ranked[0], evidence.lexical
    best = first.lexical
    min_share = _ACCEPT_SHARE if evidence.is_label else _ACCEPT_WORD_SHARE
    if best is None or first.share < min_share or matches[0].tool != first.tool:
        return False
    if best.explained_words < _ACCEPT_EXPLAINED_WORDS or (
        evidence.query.has_unknown_word and not evidence.is_label
    ):
        return False
    if not evidence.is_label and _has_meaningful_filler(evidence.query, best.tool, registry):
        return False
    if evidence.package in registry.packages and id_head(first.tool) != evidence.package:
        # All tools of an installed package are known: the name means a tool elsewhere.
        return False
    is_expected = first.features[0] >= _MIN_EXPECTED_LOG and first.share >= _EXPECTED_SHARE
    is_expected = is_expected or shares_package_with_neighbours(first.tool, registry, context)
    if evidence.is_label and first.tool in registry.expectation.seen and not is_expected:
        return False
    triggers = registry.names.starters.get(best.tool, ())
    if evidence.query.may_start and context.position is None and triggers:
        return False
    is_short = sum(stem_ not in _GENERIC_STEMS for stem_, _ in evidence.query.content) < 2
    if is_short and not _is_written_in_name(evidence.query, best.tool, registry):
        return False
    if is_short and best.missing_part == "more" and not evidence.package:
        # One word of a longer name can be part of other names too (``Edit``).
        return False
    is_partial_name = (
        best.missing_part == "more" and is_short and first.features[0] < _MIN_PARTIAL_NAME_LOG
    )
    is_certain = first.share >= _ACCEPT_CERTAIN_SHARE and best.explained >= _MIN_EXPLAINED
    if is_certain and not is_partial_name and not evidence.is_label:
        return True
    if best.missing_part == "more" or best.score < _ACCEPT_SCORE:
        return False
    for other in matches[1:]:
        if best.score - other.score < _ACCEPT_MARGIN:
            return False
        if other.matched_stems > best.matched_stems and other.score >= _RIVAL_SCORE:
            return False
        if best.missing_part == "vendor" and best.explained - other.explained < _VENDORLESS_MARGIN:
            return False
    return True


def _has_meaningful_filler(query: QueryTokens, tool: str, registry: Registry) -> bool:
    """Returns whether a joined word has a part that is empty in a sentence but not in a name.

    At the front it belongs to a brand (``WePigeon``); "tool" means a variant of the tool.
    """
    name_words = {
        part
        for name in (registry.tools[tool].name, id_tail(tool))
        for part in split_identifier(name)
    }
    if query.words[0] in _FILLERS and query.words[0] not in name_words and len(query.words) > 1:
        return True
    return "tool" in query.words and "tool" not in name_words and bool(registry.names.renderings)


def _is_written_in_name(query: QueryTokens, tool: str, registry: Registry) -> bool:
    """Returns whether a word occurs as written in a name of the tool, as stems can mislead."""
    row = registry.tools[tool]
    names = (row.name, id_tail(tool), *row.aliases)
    name_words = {fold_name(name) for name in names}
    name_words |= {singular(part) for name in names for part in split_identifier(name)}
    return any(word in name_words or singular(word) in name_words for word in query.words)


def _offer_candidates(evidence: Evidence, registry: Registry) -> tuple[Candidate, ...]:
    """Returns the best candidates, each with its operation and a calibrated confidence."""
    return tuple(
        Candidate(
            ranked.tool,
            ranked.lexical.params if ranked.lexical else {},
            estimate_confidence(ranked.share, _evidence_kind(evidence), registry),
        )
        for ranked in evidence.ranked[:_MAX_CANDIDATES]
        if ranked.share >= _MIN_OFFERED_SHARE
    )


_FILLERS = GENERIC_NOUNS | STOP
# Words that can follow the name of any tool, which are no evidence for one.
_GENERIC_STEMS = frozenset(stem(word) for word in GENERIC_NOUNS | STARTERS)
