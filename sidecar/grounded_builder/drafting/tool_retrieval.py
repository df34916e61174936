"""Selects the installed tools for a request, and orders their operations by what it asks for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.search_document import STOPPED
from grounded_builder.catalog.synonyms import synonym_groups
from grounded_builder.catalog.text_cleaning import shorten_gaps
from grounded_builder.catalog.text_search import Hit
from grounded_builder.catalog.tokenize import (
    MAYBE_STARTERS,
    STARTERS,
    separate_scripts,
    split_identifier,
    stem,
)
from grounded_builder.catalog.tool import Operation
from grounded_builder.compiler.named_services import Service, find_services, make_service
from grounded_builder.drafting.operation_ranking import (
    RequestPart,
    operation_key,
    rank_operations,
    read_parts,
)
from grounded_builder.drafting.planner.function_words import GRAMMAR
from grounded_builder.ir.domain import Domain, PhraseRule
from grounded_builder.resolve.tool_search import find_tools, find_tools_by_purpose

_CLAUSE = re.compile(
    r"[;\n]+|\.(?:\s|$)|,\s*|\s+(?:->|=>|→)\s+"
    r"|\b(?:and then|then|afterwards|after that|and also|and)\b",
    re.IGNORECASE,
)
# "e-mail" is one word.
_INITIAL = re.compile(r"(?<![^\W_])([^\W\d_])-(?=[^\W\d_]{3})")
_EVENT_WORDS = (STARTERS | MAYBE_STARTERS) - {"on", "start"}
_WORD = re.compile(r"[^\W_]+")
_QUOTES, _ENDS = " \"'\u00ab\u201e(", ".:!?\n;\u2192"
_LONGEST_REQUEST = 8_000
_MOST_CLAUSES = 20
_SHOWN = 24
_WHOLE, _EACH, _STARTERS, _SERVING = 12, 3, 4, 2
# Named services come first, then tools meant by a phrase, then tools suggested by words.
_NAMED, _STARTS_NAMED, _CUED = 3.0, 2.5, 2.0
# The number of tools that each part of a request adds by its words, their score, and what they
# need for it: the share of their name that the part has, or the likelihood by the uses of others.
_BY_PURPOSE, _PURPOSE_SCORE = 2, 0.5
_NAME_SHARE, _USE = 0.7, 0.1
# The score of tools that a hint lists, or that a likely tool requires.
_HINTED = 0.6
_FEWEST_WORDS = 2
# A word is rare from this rarity on; so many tools can share a rare word, and a name has so many
# letters at least.
_HARDLY_ANY = 0.7
_RELATIONS = frozenset(
    "about across after another before between both different inside many most once only other "
    "out over per such two used useful various without".split()
)
_RARE, _FEW_OWN, _FEW_TOOLS, _SHORTEST = 0.58, 2, 3, 3
_CLEAR = 1.0
_MOST_EVENTS = 10
# The letters that forms of a word share, as in "succeeds" and "succeeded".
_BEGINNING = 6
# A tool with less than this share of the best score is weak, one with less than the least score
# is not listed.
_LEAST_SHARE, _LEAST = 0.3, 0.05
# The score from which an unnamed tool is likely, and the share of it that its trigger gets.
_LIKELY, _STARTER_SHARE = 0.75, 0.6


@dataclass(frozen=True, slots=True)
class ShownTools:
    """A tool shown to a drafter; ``operations`` are its own, likeliest first, ``score`` rates the
    fit.

    ``whole`` are the parts of the request that it does in one step; a ``sure`` tool is never
    dropped for space. ``events`` are those of a trigger that fit. ``variant_of`` is the listed tool
    of which it is the variant for agents. A weak tool is suggested by few words. ``service`` is the
    text by which the request names the service of a sub-node.
    """

    tool: str
    operations: tuple[Mapping[str, Any], ...]
    score: float
    whole: tuple[str, ...] = ()
    sure: bool = False
    events: tuple[Mapping[str, Any], ...] = ()
    variant_of: str = ""
    is_weak: bool = False
    service: str = ""


@dataclass(slots=True)
class _Gathered:
    """The results of reading a request: scores, operations and whole parts of tools, and the
    services whose sub-nodes tools are.
    """

    scores: dict[str, float] = field(default_factory=dict)
    operations: dict[str, dict[str, float]] = field(default_factory=dict)
    whole: dict[str, list[str]] = field(default_factory=dict)
    served: dict[str, str] = field(default_factory=dict)

    def take(self, tool: str, score: float) -> None:
        self.scores[tool] = max(self.scores.get(tool, 0.0), score)

    def take_hit(self, hit: Hit) -> None:
        self.take(hit.tool, hit.score)
        if hit.params:
            self.take_operation(hit.tool, hit.params, _CLEAR)

    def take_operation(self, tool: str, params: Mapping[str, Any], score: float) -> None:
        """Records that an operation fits, and how well."""
        known = self.operations.setdefault(tool, {})
        key = operation_key(params)
        known[key] = max(score, known.get(key, 0.0))


def clauses(request: str) -> list[str]:
    """Returns the parts of a request that each ask for one thing, in order."""
    text = shorten_gaps(request)[:_LONGEST_REQUEST]
    parts = (part.strip(" .,:") for part in _CLAUSE.split(text) if part)
    return [part for part in parts if len(part) > 1]


def shown_tools(
    request: str,
    domain: Domain,
    registry: Registry,
    services: Iterable[Service] = (),
    denied: Collection[str] = (),
) -> tuple[ShownTools, ...]:
    """Returns the tools to show for a request, best first, the domain's staples last.

    Those of ``services`` are always included, those ``denied`` never.
    """
    text = separate_scripts(request[:_LONGEST_REQUEST])
    gathered = _Gathered()
    named = tuple(services)
    for service in named:
        for tool in service.tools:
            gathered.take(tool, _NAMED)
        for tool in service.starters:
            gathered.take(tool, _STARTS_NAMED)
    _read(text, gathered, domain, registry)
    _add_by_rare_words(text, gathered, named, domain, registry)
    _add_starters(gathered, registry)
    _add_sub_nodes(text, gathered, named, domain, registry)
    sure = {tool for item in named for tool in (*item.tools, *item.starters)}
    ranked = sorted(gathered.scores, key=lambda tool: (-gathered.scores[tool], tool))
    likely = (tool for tool in ranked[:_SHOWN] if gathered.scores[tool] >= _LEAST)
    best = list(dict.fromkeys([*likely, *(tool for tool in ranked if tool in sure)]))
    staples = [tool for tool in domain.prompting.always_shown_tools if tool in registry.tools]
    offered = [
        tool
        for tool in dict.fromkeys([*best, *staples])
        if _is_offered(tool, registry) and tool not in denied
    ]
    weak = _weak_tools(best, gathered, sure, staples)
    words = _event_keys(text)
    parts = read_parts(clauses(text)[:_MOST_CLAUSES], named, registry)
    shown = [
        ShownTools(
            tool,
            rank_operations(
                tool,
                usual_operations(tool, registry),
                parts,
                text,
                gathered.operations.get(tool, {}),
                domain,
                registry,
            ),
            gathered.scores.get(tool, 0.0),
            tuple(dict.fromkeys(gathered.whole.get(tool, ()))),
            tool in sure,
            _fitting_events(tool, words, domain, registry),
            is_weak=tool in weak,
            service=gathered.served.get(tool, ""),
        )
        for tool in offered
    ]
    shown = _with_variants_in_brief(shown, domain, registry)
    return (*shown, *_variants_for_agents(shown, domain, registry, denied))


def _add_starters(gathered: _Gathered, registry: Registry) -> None:
    """Records the triggers of likely tools, which a request may mean by the name of the tool."""
    for tool, score in list(gathered.scores.items()):
        if _LIKELY <= score < _STARTS_NAMED and not registry.tools[tool].is_generic:
            for starter in make_service(tool, (tool,), registry).starters:
                gathered.take(starter, _STARTER_SHARE * min(score, 1.0))


def _weak_tools(
    ranked: Sequence[str], gathered: _Gathered, sure: Collection[str], staples: Collection[str]
) -> frozenset[str]:
    """Returns the tools that only a few words suggest, where the request names services."""
    best = max((gathered.scores[tool] for tool in ranked if tool not in sure), default=0.0)
    least = _LEAST_SHARE * min(best, 1.0) if sure else 0.0
    unsure = (tool for tool in ranked if tool not in sure and tool not in staples)
    return frozenset(tool for tool in unsure if gathered.scores[tool] < least)


def _is_offered(tool: str, registry: Registry) -> bool:
    """Returns whether a tool is installed and not put aside for another."""
    row = registry.tools[tool]
    return row.availability == "installed" and not row.is_superseded


def _fitting_events(
    tool: str, words: frozenset[str], domain: Domain, registry: Registry
) -> tuple[Mapping[str, Any], ...]:
    """Returns the events of a trigger, those that share words with the request first."""
    read_events = domain.prompting.trigger_events
    row = registry.tools[tool]
    if read_events is None or "trigger" not in row.capabilities:
        return ()
    variant = registry.spec(tool, row.preferred_version).variant
    count = domain.prompting.count_uses or (lambda _tool, _params: 0)
    shared_words = [
        (event, _event_keys(f"{event.name} {_value(event)}") & words)
        for event in read_events(variant)
    ]
    shares = Counter(word for _, shared in shared_words for word in shared)
    # A word that many events of the trigger have tells little.
    events = [
        (sum(1 / shares[word] for word in shared), count(tool, event.params), event.params)
        for event, shared in shared_words
    ]
    ranked = sorted(events, key=lambda item: (-item[0], -item[1]))
    return tuple(params for _, _, params in ranked[:_MOST_EVENTS])


def _event_keys(text: str) -> frozenset[str]:
    """Returns the stems of a text, and the beginnings of its long words."""
    words = split_identifier(text)
    long = (word[:_BEGINNING] for word in words if len(word) > _BEGINNING)
    return frozenset((*map(stem, words), *long))


def _value(event: Operation) -> Any:
    return next(iter(event.params.values()), "")


def _with_variants_in_brief(
    shown: Sequence[ShownTools], domain: Domain, registry: Registry
) -> list[ShownTools]:
    """Returns the tools, of which variants for agents refer to the tool that is listed as well."""
    find_variant = domain.prompting.variant_for_agents
    if find_variant is None:
        return list(shown)
    bases = {find_variant(item.tool, registry): item.tool for item in shown}
    return [replace(item, variant_of=bases.get(item.tool, "")) for item in shown]


def _variants_for_agents(
    shown: Sequence[ShownTools], domain: Domain, registry: Registry, denied: Collection[str]
) -> Iterator[ShownTools]:
    """Yields the variants for agents of likely tools, where the request suggests an agent."""
    find_variant = domain.prompting.variant_for_agents
    if find_variant is None:
        return
    ids = {item.tool for item in shown}
    hosted = {
        kind
        for item in shown
        if item.score >= _CUED
        for kind in domain.prompting.accepted_sub_nodes(
            registry.spec(item.tool, registry.tools[item.tool].preferred_version), {}
        )
    }
    for item in shown:
        variant = find_variant(item.tool, registry) if item.score >= _LIKELY else ""
        if variant and variant not in ids and variant not in denied:
            spec = registry.spec(variant, registry.tools[variant].preferred_version)
            if hosted.intersection(domain.prompting.sub_node_kinds(spec, {})):
                yield ShownTools(variant, (), item.score, sure=item.sure, variant_of=item.tool)


@dataclass(frozen=True, slots=True)
class RequestReading:
    """A request with the operations that its parts mean."""

    text: str
    parts: Sequence[RequestPart]


def read_request(request: str, registry: Registry) -> RequestReading:
    """Returns a request with the operations that its parts mean."""
    text = separate_scripts(request[:_LONGEST_REQUEST])
    services = find_services(text, registry).wanted
    return RequestReading(text, read_parts(clauses(text)[:_MOST_CLAUSES], services, registry))


def order_operations(
    tool: str,
    reading: RequestReading,
    domain: Domain,
    registry: Registry,
    intended: Mapping[str, Any] | None = None,
) -> tuple[Mapping[str, Any], ...]:
    """Returns the operations of a tool, likeliest for a request first; one may be ``intended``."""
    fitting = {operation_key(intended): _CLEAR} if intended else {}
    operations = usual_operations(tool, registry)
    return rank_operations(tool, operations, reading.parts, reading.text, fitting, domain, registry)


def usual_operations(tool: str, registry: Registry) -> list[Mapping[str, Any]]:
    """Returns the operations of a tool at its usual version; older versions may have had others."""
    usual, variants = registry.tools[tool].preferred_version, registry.tool(tool)["variants"]
    variant = next((item for item in variants if usual in item["versions"]), variants[-1])
    return [operation["params"] for operation in variant.get("operations") or ()]


def tools_by_phrase(text: str, domain: Domain, registry: Registry) -> Iterator[str]:
    """Returns installed tools that a phrase of the text means without naming them."""
    yield from _tools_by_phrase(text, domain.prompting.phrases, registry)


def _tools_by_phrase(text: str, phrases: Iterable[PhraseRule], registry: Registry) -> Iterator[str]:
    for cue in phrases:
        tool = registry.tools.get(cue.tool)
        if (
            tool
            and tool.availability == "installed"
            and re.search(cue.pattern, text, re.IGNORECASE)
        ):
            yield cue.tool


def _read(text: str, gathered: _Gathered, domain: Domain, registry: Registry) -> None:
    """Reads the request as a whole, then each of its parts."""
    text = _INITIAL.sub(r"\1", text)
    for tool in _tools_by_phrase(text, domain.prompting.hints, registry):
        gathered.take(tool, _HINTED)
    for tool in tools_by_phrase(text, domain, registry):
        gathered.take(tool, _CUED)
    for hit in find_tools(text, registry, _WHOLE):
        gathered.take_hit(hit)
    for hit in find_tools(text, registry, _STARTERS, trigger=True):
        gathered.take_hit(hit)
    for clause in clauses(text)[:_MOST_CLAUSES]:
        for tool in tools_by_phrase(clause, domain, registry):
            gathered.take(tool, _CUED)
        hits = find_tools(clause, registry, _EACH)
        for hit in (*hits, *find_tools(clause, registry, 1, trigger=True)):
            gathered.take_hit(hit)
        for hit in find_tools_by_purpose(clause, registry, _BY_PURPOSE):
            if hit.score >= _USE or _name_share(hit.tool, clause, registry) >= _NAME_SHARE:
                gathered.take(hit.tool, _PURPOSE_SCORE)
        for hit in hits:
            if _is_whole(clause, hit, registry):
                gathered.whole.setdefault(hit.tool, []).append(clause)


def _add_by_rare_words(
    text: str,
    gathered: _Gathered,
    services: Sequence[Service],
    domain: Domain,
    registry: Registry,
) -> None:
    """Records the tools whose names or keywords have a word of the request that few others have.

    A word with a capital letter counts for all tools, any other for the domain's own ones, and for
    all whose keyword or description has it as a common noun that hardly any other tool has. Words
    of a service that the request names count for no other tool.
    """
    own, others = _rare_words(registry, domain.prompting.usual_tools)
    named = {stem(word) for service in services for word in split_identifier(service.text)}
    for match in _WORD.finditer(text):
        words = {stem(part) for part in split_identifier(match[0])} - named
        before = text[: match.start()].rstrip(_QUOTES)
        starts = not before or before[-1] in _ENDS
        is_name = match[0][0].isupper() and (match[0].isupper() or not starts)
        for word in words:
            for tool in (*own.get(word, ()), *(others.get(word, ()) if is_name else ())):
                gathered.take(tool, _HINTED)


@lru_cache(4)
def _rare_words(
    registry: Registry, find_usual: Callable[[Registry, Iterable[str]], Iterable[str]] | None
) -> tuple[Mapping[str, Sequence[str]], Mapping[str, Sequence[str]]]:
    """Returns words with the tools that have them: of the domain's own tools, and of all.

    Words of a tool are those of its names and keywords, of an own one also the verb with which its
    description begins.
    """
    search = registry.search
    usual = dict.fromkeys(find_usual(registry, ()) if find_usual else ())
    own: dict[str, list[str]] = {}
    every: dict[str, list[str]] = {}
    for document in search.documents:
        row = document.row
        if document.is_variant or row.is_superseded:
            continue
        keywords = {stem(word) for text in row.keywords for word in split_identifier(text)}
        first = {stem(verb) for verb in split_identifier(row.description)[:1]}
        common = keywords | _plain_words(row.description)
        for word in document.name_stems | keywords | first | common:
            if len(word) < _SHORTEST or word in STOPPED:
                continue
            if word not in first and not synonym_groups(word):
                every.setdefault(word, []).append(row.id)
            least = _RARE if row.id in usual and word not in common - keywords else _HARDLY_ANY
            if (row.id in usual or word in common) and search.rarity(word) >= least:
                own.setdefault(word, []).append(row.id)
    return (
        {word: tools for word, tools in own.items() if len(tools) <= _FEW_OWN},
        {word: tools for word, tools in every.items() if len(tools) <= _FEW_TOOLS},
    )


def _plain_words(description: str) -> set[str]:
    """Returns the content words of a description that are no names: those in lower case."""
    return {
        stem(part)
        for word in description.split()
        if word[0].islower()
        for part in split_identifier(word)
        if part not in GRAMMAR and part not in _RELATIONS
    }


def _name_share(tool: str, clause: str, registry: Registry) -> float:
    """Returns the share of a tool's name that a part of a request has, by the rarity of words."""
    search = registry.search
    return search.name_share(search.by_id[tool], search.terms(clause))


def _is_whole(clause: str, hit: Hit, registry: Registry) -> bool:
    """Returns whether one operation of a tool covers a clause completely.

    A clause that begins with "new" or "when" states an event.
    """
    row, document = registry.tools[hit.tool], registry.search.by_id[hit.tool]
    terms = registry.search.terms(clause)
    if row.is_generic or document.is_trigger or not hit.params or len(terms) < _FEWEST_WORDS:
        return False
    if next(iter(split_identifier(clause)), "") in _EVENT_WORDS:
        return False
    return all(
        term in document.stems or not document.operation_meanings.isdisjoint(synonym_groups(term))
        for term in terms
    )


def _add_sub_nodes(
    text: str,
    gathered: _Gathered,
    services: Iterable[Service],
    domain: Domain,
    registry: Registry,
) -> None:
    """Records the sub-nodes that likely tools require, and those of named services that they take.

    A tool that the request means counts with what any of its operations requires.
    """
    ranked = sorted(gathered.scores, key=lambda tool: (-gathered.scores[tool], tool))
    required: dict[str, float] = {}
    accepted: dict[str, None] = {}
    for tool in ranked[:_SHOWN]:
        score = gathered.scores[tool]
        if score < _LEAST_SHARE:
            break
        spec = registry.spec(tool, registry.tools[tool].preferred_version)
        is_meant = score >= _CUED
        for preset in ({}, *usual_operations(tool, registry)) if is_meant else ({},):
            for kind in domain.prompting.required_sub_nodes(spec, preset):
                required.setdefault(kind, _HINTED if is_meant else _PURPOSE_SCORE)
        if is_meant:
            accepted |= dict.fromkeys(domain.prompting.accepted_sub_nodes(spec, {}))
    for kind, score in required.items():
        for hit in find_tools(text, registry, _SERVING, kind=kind):
            gathered.take(hit.tool, score)
    search = registry.search
    for kind in sorted(accepted.keys() | required.keys()):
        for service in services:
            words = search.terms(service.text)
            for hit in search.find(service.text, 1, kind=kind):
                is_named = words.keys() <= search.by_id[hit.tool].name_stems
                if words and is_named and hit.tool not in registry.names.variants:
                    gathered.take(hit.tool, _CUED if kind in required else _HINTED)
                    gathered.served[hit.tool] = service.text
