"""Resolve one tool name; the kinds of likeness in their order, each stricter than the next."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice

from grounded_builder.catalog.name_index import head, plain, tail
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
from grounded_builder.resolve.context_boost import bonus, shares_package_with_neighbours
from grounded_builder.resolve.lexical_match import LexicalMatch, score_tools
from grounded_builder.resolve.query_tokens import Reading, read_text
from grounded_builder.resolve.ranking import (
    EXPECTED,
    Ranked,
    confidence_of,
    measured,
    rank,
    steps_of,
)
from grounded_builder.resolve.spelling_match import (
    allowed,
    match_spelling,
    near_tools,
    speech,
    with_runners_up,
)
from grounded_builder.resolve.user_decisions import apply_decisions

_OFFERED = 5
_LIKELIEST = 3
_MIN_LEXICAL_SCORE = 0.25
_MIN_PRIOR_SHARE = 0.3
_LEAST_SLIP = 0.6
_LEAST_SHARE = 0.01

_ACCEPT = 0.72
_ACCEPT_MARGIN = 0.1
_ACCEPT_SPOKEN = 0.74
_ACCEPT_SHARE = 0.7
_ACCEPT_WORD_SHARE = 0.8
_CERTAIN_SHARE = 0.92
_NAMED = 0.85
_LEAST_EXPLAINED = 0.6
_USUAL = -0.5
_AGREED = -0.3
_CONTRADICTED = -0.7
_AGREED_SHARE = 0.97
_SURE_LABEL = 0.97
_RIVAL = 0.45
_SPEAKS = 0.5
_LONGEST_SLIP = 4
_SHORT_NAME = 5
_VENDORLESS_MARGIN = 0.15
_NO_CONTEXT = NameContext()


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a text that is no spelling of a name speaks of.

    ``known`` words of it were ever heard; ``ranked`` are all candidates, likeliest first,
    ``weighed`` those that the words of the catalog lead to, ``near`` those of a like name, of
    which the first may be ``clear``. A label is written in words, an id is not;
    ``package`` is the one that is written before it.
    """

    read: Reading
    known: int
    ranked: list[Ranked]
    weighed: list[LexicalMatch]
    near: tuple[Candidate, ...]
    clear: bool
    is_label: bool
    package: str


def resolve_name(text: str, registry: Registry, context: NameContext | None = None) -> Resolution:
    """Resolve one tool name; abstains when several tools fit or none does clearly.

    Without a context only spellings of a name resolve; with one, words and what
    surrounds the step may decide. A label is taken only where nearly all such labels were right.
    """
    token = text.strip()
    if token in registry.tools and allowed(token, registry, context):
        return resolved_to(with_runners_up(token, {}, 1.0, registry), "exact")
    is_label = context is not None and context.label
    resolution = apply_decisions(token, registry, context)
    if resolution is None and not is_label:
        resolution = _as_measured(token, match_spelling(token, registry, context), registry)
    resolution = resolution or _resolve_by_meaning(token, registry, context)
    candidates = tuple(
        candidate
        for candidate in resolution.candidates
        if allowed(candidate.tool, registry, context)
    )
    return replace(resolution, candidates=candidates)


def gather_evidence(token: str, registry: Registry, context: NameContext) -> Evidence:
    """Everything that a text could mean, with what speaks for it."""
    spoken = speech(token, registry)
    read = read_text(spoken, registry)
    near: tuple[Candidate, ...] = ()
    clear = False
    if len(read.words) <= _LONGEST_SLIP and (read.strange or not read.words):
        near, clear = near_tools(token, registry, context)
    is_label = context.label or any(mark.isspace() for mark in token) or not read.words
    expected = registry.expectation.named(spoken if is_label else " ".join(read.words), EXPECTED)
    logs = {tool: log for tool, log in expected.logs.items() if allowed(tool, registry, context)}
    weighed = [
        score_tool
        for score_tool in score_tools(read, registry, context, islice(logs, _LIKELIEST))
        if allowed(score_tool.tool, registry, context)
    ]
    if " " not in token and not near and (not weighed or weighed[0].score < _SPEAKS):
        near, _ = near_tools(token, registry, context)
        near = tuple(
            replace(candidate, confidence=round(candidate.confidence * 0.6, 3))
            for candidate in near
        )
    if any((context.neighbours, context.params, context.action, context.goal)):
        weighed = bonus(weighed, registry, context)
    expected_tool = ExpectedTool(logs, expected.known)
    first = next(iter(read.stems), "")
    # What somebody calls a tool by all of its words is no label of a step about it (``MS Teams``).
    by_catalog = not is_label or (not context.label and _is_named(weighed))
    ranked = rank(
        expected_tool, weighed, near, registry, context, first=first, by_catalog=by_catalog
    )
    facts = (read, expected.known, ranked, weighed, near, clear, is_label)
    return Evidence(*facts, package=head(token))


def _is_named(weighed: list[LexicalMatch]) -> bool:
    """Whether the words are the name of one tool, be it in other words of the same meaning."""
    return bool(weighed) and weighed[0].score >= _NAMED and weighed[0].spoken == 1.0


def _resolve_by_meaning(token: str, registry: Registry, context: NameContext | None) -> Resolution:
    evidence = gather_evidence(token, registry, context or _NO_CONTEXT)
    is_label = context is not None and context.label
    is_slip = evidence.clear and not _is_derived(token, evidence.near[0].tool, registry)
    if is_slip and not is_label and not _is_contradicted(evidence, registry):
        return resolved_to(evidence.near, "near")
    candidates = _offer_candidates(evidence, registry)
    if not evidence.ranked or not _has_evidence(evidence):
        return unknown(candidates, "near" if candidates else "none")
    if context is None:
        return unknown(candidates, "near")
    if is_label:
        sure = bool(steps_of(_kind(evidence), registry)) and candidates[0].confidence >= _SURE_LABEL
    else:
        sure = _is_clear(evidence, registry, context)
    if sure:
        return resolved_to(candidates, "words")
    return ambiguous(candidates, "words")


def _as_measured(
    token: str, resolution: Resolution | None, registry: Registry
) -> Resolution | None:
    """A spelling with the confidence that was measured; an id, or its last part, is no label."""
    if resolution is None or resolution.status != "resolved":
        return resolution
    if head(token) or token == tail(resolution.tool or ""):
        return resolution
    sure = measured(resolution.method, resolution.confidence, registry)
    first = replace(resolution.candidates[0], confidence=sure)
    return replace(resolution, confidence=sure, candidates=(first, *resolution.candidates[1:]))


def _is_derived(token: str, tool: str, registry: Registry) -> bool:
    """Whether a short name is a whole word with an ending: another word then, and no slip."""
    written = plain(tail(token))
    for name in (plain(tail(tool)), plain(registry.tools[tool].name)):
        ending = written.removeprefix(name)
        if len(name) <= _SHORT_NAME and ending not in (written, "", name[-1:]):
            return True
    return False


def _is_contradicted(evidence: Evidence, registry: Registry) -> bool:
    """Whether a name is like a tool's, yet its words are known to mean something else."""
    tool = evidence.near[0].tool
    if not evidence.known or tool not in registry.expectation.seen:
        return False
    return all(ranked.tool != tool or ranked.signs[0] < _CONTRADICTED for ranked in evidence.ranked)


def _kind(evidence: Evidence) -> str:
    """The kind of text, by which shares are measured: words with spaces, or one word."""
    return "label" if evidence.is_label else "word"


def _has_evidence(evidence: Evidence) -> bool:
    """Whether any sign but a vague likeness speaks for a tool."""
    best = max((match.score for match in evidence.weighed), default=0.0)
    slip = max((candidate.confidence for candidate in evidence.near), default=0.0)
    if best >= _MIN_LEXICAL_SCORE or slip >= _LEAST_SLIP:
        return True
    return evidence.known > 0 and evidence.ranked[0].share >= _MIN_PRIOR_SHARE


def _is_clear(evidence: Evidence, registry: Registry, context: NameContext) -> bool:
    """Whether the first may be taken without asking.

    It must be named wholly, but for its vendor, and account for nearly all words. No other
    tool may be as good, or hold more of the words as its name.
    """
    first, ranked = evidence.ranked[0], evidence.weighed
    best = first.weighed
    least = _ACCEPT_SHARE if evidence.is_label else _ACCEPT_WORD_SHARE
    if best is None or first.share < least or ranked[0].tool != first.tool:
        return False
    if best.spoken < _ACCEPT_SPOKEN or (evidence.read.strange and not evidence.is_label):
        return False
    if not evidence.is_label and _means_more(evidence.read, best.tool, registry):
        return False
    if evidence.package in registry.packages and head(first.tool) != evidence.package:
        # An installed package is known wholly: what it does not have was meant elsewhere.
        return False
    is_usual = first.signs[0] >= _AGREED and first.share >= _AGREED_SHARE
    is_usual = is_usual or shares_package_with_neighbours(first.tool, registry, context)
    if evidence.is_label and first.tool in registry.expectation.seen and not is_usual:
        return False
    starters = registry.names.starters.get(best.tool, ())
    if evidence.read.may_start and context.position is None and starters:
        return False
    is_short = sum(item not in _ANY_TOOL for item, _ in evidence.read.content) < 2
    if is_short and not _is_spelt(evidence.read, best.tool, registry):
        return False
    if is_short and best.lacks == "more" and not evidence.package:
        # One word of a longer name, which other names may have as well (``Edit``).
        return False
    is_half = best.lacks == "more" and is_short and first.signs[0] < _USUAL
    is_certain = first.share >= _CERTAIN_SHARE and best.explained >= _LEAST_EXPLAINED
    if is_certain and not is_half and not evidence.is_label:
        return True
    if best.lacks == "more" or best.score < _ACCEPT:
        return False
    for other in ranked[1:]:
        if best.score - other.score < _ACCEPT_MARGIN:
            return False
        if other.held > best.held and other.score >= _RIVAL:
            return False
        if best.lacks == "vendor" and best.explained - other.explained < _VENDORLESS_MARGIN:
            return False
    return True


def _means_more(read: Reading, tool: str, registry: Registry) -> bool:
    """Whether one word has a part that says nothing in a sentence, but much in a name.

    In front it belongs to a brand (``WePigeon``); "tool" asks for a rendering of the tool.
    """
    own = {
        part for name in (registry.tools[tool].name, tail(tool)) for part in split_identifier(name)
    }
    if read.words[0] in _FILLERS and read.words[0] not in own and len(read.words) > 1:
        return True
    return "tool" in read.words and "tool" not in own and bool(registry.names.renderings)


def _is_spelt(read: Reading, tool: str, registry: Registry) -> bool:
    """Whether some word stands in a name of the tool as it is written: a stem alone may mislead."""
    row = registry.tools[tool]
    names = (row.name, tail(tool), *row.aliases)
    named = {plain(name) for name in names}
    named |= {singular(part) for name in names for part in split_identifier(name)}
    return any(word in named or singular(word) in named for word in read.words)


def _offer_candidates(evidence: Evidence, registry: Registry) -> tuple[Candidate, ...]:
    """The likeliest candidates, each with its operation and a calibrated confidence."""
    return tuple(
        Candidate(
            ranked.tool,
            ranked.weighed.params if ranked.weighed else {},
            confidence_of(ranked.share, _kind(evidence), registry),
        )
        for ranked in evidence.ranked[:_OFFERED]
        if ranked.share >= _LEAST_SHARE
    )


_FILLERS = GENERIC_NOUNS | STOP
# Words that any tool may bear behind its name: no evidence for one of them.
_ANY_TOOL = frozenset(stem(word) for word in GENERIC_NOUNS | STARTERS)
