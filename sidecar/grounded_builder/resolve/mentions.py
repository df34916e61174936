"""Find the tools that a text calls by name."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tokenize import (
    GENERIC_NOUNS,
    STARTERS,
    STOP,
    is_verb,
    split_identifier,
    stem,
    synonym_groups,
)

_WORD = re.compile(r"[^\W_]+")
_OBJECT = re.compile(
    r"\s+(?:the|an?|all|any|each|every|it|them|this|these|those|my|our|their|its|new|incoming)\b",
    re.IGNORECASE,
)
# The next of several things: "and Tasks", ", Docs", "/ Calendar".
_JOINED = re.compile(r"\s*(?:,(?:\s*and(?=\s))?|&|\+|/|\band\b)\s*([A-Z]\w+)")
_TO = re.compile(
    r"\b(?:to|in|into|on|from|with|via|using|through|by|of|my|our|a|an|the|for|and)\s+$",
    re.IGNORECASE,
)
_AND = re.compile(r"(?:,|&|\+|/|\bor)\s*$")
_OF_IT = re.compile(
    r"\s+(?:messages?|channels?|rows?|records?|sheets?|tables?|pages?|cards?|tasks?|issues?|tickets?|"
    r"contacts?|deals?|leads?|accounts?|nodes?|triggers?|bots?|api|chat|notifications?|alerts?)\b",
    re.IGNORECASE,
)
_CAPITAL = re.compile(r"\b[A-Z][\w.]*\w")
_RARE = 0.66


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in a text: the tools that bear it, as ``said``, ``at`` which character."""

    tools: tuple[str, ...]
    said: str
    at: int


def mentions_in(text: str, registry: Registry) -> tuple[Mention, ...]:
    """Every whole name of an installed tool in a text, in order.

    A single everyday word (set, wait, code) is a name only where it is written like one.
    """
    words: list[str] = []
    places: list[re.Match[str]] = []
    for match in _WORD.finditer(text):
        for part in split_identifier(match[0]):
            words.append(part)
            places.append(match)
    mentions: list[Mention] = []
    for phrase in registry.names.phrases(words):
        first, last = places[phrase.start], places[phrase.end - 1]
        value = text[first.start() : last.end()]
        tools = tuple(
            tool for tool in phrase.ids if registry.tools[tool].availability == "installed"
        )
        place = text[: first.start()], text[last.end() :], bool(mentions)
        if tools and _is_name(value, words[phrase.start : phrase.end], place, registry):
            mentions.append(Mention(_preferred(tools, registry), value, first.start()))
    mentions += _starting_only(text, mentions, registry)
    mentions += _of_same_maker(text, mentions, registry)
    mentions.sort(key=lambda mention: mention.at)
    return tuple(mention for mention in mentions if not _is_imperative(mention, text))


def _starting_only(text: str, mentions: list[Mention], registry: Registry) -> list[Mention]:
    """The services of which there is a start alone: a tool called "Acme Trigger" for "Acme"."""
    more = []
    taken = [(mention.at, mention.at + len(mention.said)) for mention in mentions]
    for match in _CAPITAL.finditer(text):
        if any(start < match.end() and match.start() < end for start, end in taken):
            continue
        words = [*split_identifier(match[0]), "trigger"]
        for phrase in registry.names.phrases(words):
            tools = tuple(
                tool
                for tool in phrase.ids
                if registry.tools[tool].availability == "installed"
                and "trigger" in registry.tools[tool].capabilities
            )
            is_whole = len(words) > 1 and (phrase.start, phrase.end) == (0, len(words))
            if is_whole and any(_has_account(tool, registry) for tool in tools):
                more.append(Mention(tools, match[0], match.start()))
    return more


def _has_account(tool: str, registry: Registry) -> bool:
    """Whether a tool speaks to a service: an event of the product itself needs no account."""
    variants = registry.tool(tool)["variants"]
    return any(credential.get("required") for credential in variants[-1].get("credentials") or ())


def _of_same_maker(text: str, mentions: list[Mention], registry: Registry) -> list[Mention]:
    """What "Maker A and B" says of B: a tool called "Maker B"."""
    more: list[Mention] = []
    taken = {mention.at for mention in mentions}
    for mention in mentions:
        maker, _, rest = mention.said.partition(" ")
        at = mention.at + len(mention.said)
        while rest and (joined := _JOINED.match(text, at)):
            phrases = registry.names.phrases(split_identifier(f"{maker} {joined[1]}"))
            ids = [tool for phrase in phrases if phrase.start == 0 for tool in phrase.ids]
            tools = tuple(t for t in ids if registry.tools[t].availability == "installed")
            whole = any(
                phrase.end == len(split_identifier(f"{maker} {joined[1]}")) for phrase in phrases
            )
            if not tools or not whole or joined.start(1) in taken:
                break
            more.append(Mention(_preferred(tools, registry), joined[1], joined.start(1)))
            at = joined.end(1)
    return more


def _is_imperative(mention: Mention, text: str) -> bool:
    """Whether a name begins a clause as a verb does: "filter the rows"."""
    behind = text[mention.at + len(mention.said) :]
    return mention.at == 0 and " " not in mention.said and _OBJECT.match(behind) is not None


def _is_name(text: str, words: list[str], place: tuple[str, str, bool], registry: Registry) -> bool:
    """Whether words are meant as a name; ``place``: what is before, what behind, other names."""
    before, behind, others = place
    if len(words) > 1:
        is_phrase = is_verb(words[0]) and not all(part[:1].isupper() for part in text.split())
        return not is_phrase and not all(is_everyday(word) for word in words)
    word = words[0]
    if is_everyday(word):
        return False
    if text[:1].isupper() and (before or not text.istitle()):
        return True
    if registry.search.rarity(stem(word)) < _RARE:
        return False
    # In small letters a name stands where names stand: "medium" is mostly none.
    stands = _TO.search(before) or _OF_IT.match(behind) or (others and _AND.search(before))
    return text[:1].isupper() or bool(stands)


def is_everyday(word: str) -> bool:
    """Whether a word carries structure or says a verb that many tools share."""
    return (
        word in STOP
        or word in GENERIC_NOUNS
        or word in STARTERS
        or bool(synonym_groups(stem(word)))
    )


def _preferred(tools: tuple[str, ...], registry: Registry) -> tuple[str, ...]:
    """Tools that are current and their own before those that render another one.

    What is kept for old flows alone gives way to the one tool of its kind that took its place.
    """
    rows, derived = registry.tools, registry.names.derived
    current = dict.fromkeys(_successor(tool, registry) or tool for tool in tools)
    return tuple(sorted(current, key=lambda tool: (rows[tool].superseded, tool in derived)))


def _successor(tool: str, registry: Registry) -> str | None:
    row = registry.tools[tool]
    later = [registry.tools[name] for name in row.replaced_by if name in registry.tools]
    if not row.superseded or len(later) != 1 or later[0].superseded:
        return None
    same_kind = later[0].capabilities == row.capabilities
    return later[0].id if same_kind and later[0].availability == "installed" else None
