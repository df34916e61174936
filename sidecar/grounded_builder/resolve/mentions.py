"""Finds the tools that a text mentions by name; recognizes everyday words and usual names."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.synonyms import is_verb, synonym_groups
from grounded_builder.catalog.tokenize import GENERIC_NOUNS, STARTERS, STOP, split_identifier, stem
from grounded_builder.resolve.short_names import ShortName, needs_account, short_names

_WORD = re.compile(r"[^\W_]+")
_OBJECT_AFTER = re.compile(
    r"\s+(?:the|an?|all|any|each|every|it|them|this|these|those|my|our|their|its|new|incoming)\b",
    re.IGNORECASE,
)
# The next item of a list: "and Tasks", ", Docs", "/ Calendar".
_NEXT_IN_LIST = re.compile(r"\s*(?:,(?:\s*and(?=\s))?|&|\+|/|\band\b)\s*([A-Z]\w+)")
_PREPOSITION_BEFORE = re.compile(
    r"\b(?:to|in|into|on|from|with|via|using|through|by|of|my|our|a|an|the|for|and)\s+$",
    re.IGNORECASE,
)
_ARTICLE_BEFORE = re.compile(r"\b(?:an?|the)\s+$", re.IGNORECASE)
_NEXT_WORD = re.compile(r"[ -]([^\W_]+)")
_END_OF_ITEM = re.compile(r"\s*(?:$|[^\w\s(-]|(?:and|or|then|when|if|for|as|to|in|into|on|with)\b)")
_CONJUNCTION_BEFORE = re.compile(r"(?:,|&|\+|/|\bor)\s*$")
THING_AFTER = re.compile(
    r"\s+(?:messages?|channels?|rows?|records?|sheets?|tables?|pages?|cards?|tasks?|issues?|tickets?|"
    r"contacts?|deals?|leads?|accounts?|nodes?|triggers?|bots?|api|chat|notifications?|alerts?)\b",
    re.IGNORECASE,
)
_CAPITAL = re.compile(r"\b[A-Z][\w.]*\w")
CONTEXT = 100
"""The number of characters before and after a name that are read."""
# The word directly before a name, the start of a sentence, and a capital directly after a name.
_WORD_BEFORE = re.compile(r"([^\W_]+)(\W+)$")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;\n])[\s\d)*#-]*$")
_CAPITAL_AFTER = re.compile(r"[ -][A-Z]")
# The items before and after one in a list.
_ITEM_BEFORE = re.compile(r"([^\W_]+)(?:\s*[,&+/]|\s(?:and|or))\s*(?:(?:and|or)\s)?$")
_ITEM_AFTER = re.compile(r"(?:\s*[,&+/]|\s(?:and|or))\s*(?:(?:and|or)\s)?([^\W_]+)")
_MIN_RARITY = 0.66
# The log from which the requests with a word are known to use a tool.
_USUAL = -1.0
QUOTED = re.compile(r"\"[^\"]*\"|“[^”]{0,400}”|'[^']*'(?!\w)")
"""The quoted parts of a text."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in a text: the tools that have it, its text, and the index of its first character."""

    tools: tuple[str, ...]
    text: str
    at: int


def find_mentions(text: str, registry: Registry) -> tuple[Mention, ...]:
    """Returns every whole name of an installed tool in a text, in order.

    A single everyday word (set, wait, code) counts only if it is written like a name.
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
        mention_text = text[first.start() : last.end()]
        tools = tuple(
            tool for tool in phrase.ids if registry.tools[tool].availability == "installed"
        )
        surroundings = text[: first.start()], text[last.end() :], bool(mentions)
        if tools and _is_name(
            mention_text, words[phrase.start : phrase.end], surroundings, tools, registry
        ):
            mentions.append(Mention(_prefer_current(tools, registry), mention_text, first.start()))
    mentions += _find_trigger_only_services(text, mentions, registry)
    mentions += _find_names_of_same_maker(text, mentions, registry)
    mentions += _find_short_names(text, mentions, registry)
    mentions.sort(key=lambda mention: mention.at)
    return tuple(mention for mention in mentions if not _is_imperative(mention, text))


def _find_trigger_only_services(
    text: str, mentions: list[Mention], registry: Registry
) -> list[Mention]:
    """Returns mentions of services that only have a trigger: "Acme" for "Acme Trigger"."""
    more = []
    taken = [(mention.at, mention.at + len(mention.text)) for mention in mentions]
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
            if is_whole and any(needs_account(tool, registry) for tool in tools):
                more.append(Mention(tools, match[0], match.start()))
    return more


def _find_short_names(text: str, mentions: list[Mention], registry: Registry) -> list[Mention]:
    """Returns mentions of services by their short names: "Teams" for "Microsoft Teams"."""
    names = short_names(registry)
    taken = [(mention.at, mention.at + len(mention.text)) for mention in mentions]
    covered = bytearray(len(text))
    for begin, stop in (*taken, *(match.span() for match in QUOTED.finditer(text))):
        covered[begin:stop] = b"\1" * (stop - begin)
    words = list(_WORD.finditer(text))
    folded = [match[0].casefold() for match in words]
    more: list[Mention] = []
    at = 0
    while at < len(words):
        lengths = range(min(names.longest, len(words) - at), 0, -1)
        keys = ((length, names.by_words.get(tuple(folded[at : at + length]))) for length in lengths)
        length, name = next(((length, name) for length, name in keys if name), (1, None))
        start, end = words[at].start(), words[at + length - 1].end()
        is_free = not any(covered[start:end])
        if name and is_free and _is_short_name(text, words[at : at + length], name, registry):
            more.append(Mention(_prefer_current(name.tools, registry), text[start:end], start))
        at += length
    return more


def _is_short_name(
    text: str, places: list[re.Match[str]], name: ShortName, registry: Registry
) -> bool:
    """Returns whether the words of a short name are used as a name.

    Ordinary words are a name only if written as in the catalog, within a sentence, and not as part
    of a longer name: "post it to Teams", not "Teams that win" or "our Sales Teams".
    """
    start, end = places[0].start(), places[-1].end()
    before, after = text[max(0, start - CONTEXT) : start], text[end : end + CONTEXT]
    if not name.is_ordinary:
        words = [match[0] for match in places]
        return len(words) > 1 or _is_name(
            words[0], [words[0].casefold()], (before, after, False), name.tools, registry
        )
    if tuple(match[0] for match in places) != name.words or _CAPITAL_AFTER.match(after):
        return False
    previous = _WORD_BEFORE.search(before)
    if previous is None or _SENTENCE_START.search(before):
        return THING_AFTER.match(after) is not None
    word = previous[1].casefold()
    begins_with_verb = _SENTENCE_START.search(before[: previous.start()]) and is_everyday(word)
    maker = synonym_groups(stem(name.maker.casefold()))
    is_of_longer_name = previous[1][0].isupper() and previous[2].isspace()
    return (
        not is_of_longer_name
        or bool(begins_with_verb)
        or not maker.isdisjoint(synonym_groups(stem(word)))
    )


def _find_names_of_same_maker(
    text: str, mentions: list[Mention], registry: Registry
) -> list[Mention]:
    """Returns mentions such as B in "Maker A and B", for a tool called "Maker B"."""
    more: list[Mention] = []
    taken = {mention.at for mention in mentions}
    for mention in mentions:
        maker, _, rest = mention.text.partition(" ")
        at = mention.at + len(mention.text)
        while rest and (next_name := _NEXT_IN_LIST.match(text, at)):
            phrases = registry.names.phrases(split_identifier(f"{maker} {next_name[1]}"))
            ids = [tool for phrase in phrases if phrase.start == 0 for tool in phrase.ids]
            tools = tuple(t for t in ids if registry.tools[t].availability == "installed")
            is_whole = any(
                phrase.end == len(split_identifier(f"{maker} {next_name[1]}")) for phrase in phrases
            )
            if not tools or not is_whole or next_name.start(1) in taken:
                break
            more.append(Mention(_prefer_current(tools, registry), next_name[1], next_name.start(1)))
            at = next_name.end(1)
    return more


def _is_imperative(mention: Mention, text: str) -> bool:
    """Returns whether a name is the verb at the start of a clause: "filter the rows"."""
    after = text[mention.at + len(mention.text) :]
    return mention.at == 0 and " " not in mention.text and _OBJECT_AFTER.match(after) is not None


def _is_name(
    text: str,
    words: list[str],
    surroundings: tuple[str, str, bool],
    tools: tuple[str, ...],
    registry: Registry,
) -> bool:
    """Returns whether words are used as a name.

    ``surroundings`` are the text before, the text after, and whether the text has other names.
    """
    before, after, has_other_names = surroundings
    if len(words) > 1:
        is_phrase = is_verb(words[0]) and not all(part[:1].isupper() for part in text.split())
        return not is_phrase and not all(is_everyday(word) for word in words)
    word = words[0]
    if is_everyday(word):
        return False
    if _is_common(word, tools, registry):
        is_inside = not (_SENTENCE_START.search(before[-CONTEXT:]) or _CAPITAL_AFTER.match(after))
        is_written_so = text[:1].isupper() and (is_inside or not text.istitle())
        return is_written_so or _is_beside_name(before[-CONTEXT:], after, registry)
    if text[:1].isupper() and (before or not text.istitle()):
        return True
    is_rare = registry.search.rarity(stem(word)) >= _MIN_RARITY
    if not is_rare and not _is_usual_service(word, tools, registry):
        return False
    if text[:1].isupper() or THING_AFTER.match(after):
        return True
    # A word in lower case is a name only in the position of one: "medium" rarely is. After an
    # article, as in "the line total", it is a noun unless an object of the tool follows or
    # requests with the word use the tool.
    before = before[-CONTEXT:]
    is_after_article = _ARTICLE_BEFORE.search(before) is not None
    if _PREPOSITION_BEFORE.search(before) and not is_after_article:
        return True
    is_in_list = has_other_names and _CONJUNCTION_BEFORE.search(before)
    if is_in_list and _END_OF_ITEM.match(after):
        return True
    if not is_in_list and not is_after_article:
        return False
    return _is_object_next(after, tools, registry) or is_usual_name(word, tools, registry)


def _is_object_next(after: str, tools: tuple[str, ...], registry: Registry) -> bool:
    """Returns whether the word after a name is one of the tool's operations."""
    match = _NEXT_WORD.match(after)
    documents = registry.search.by_id
    return match is not None and any(
        stem(match[1].casefold()) in documents[tool].operation_stems
        for tool in tools
        if tool in documents
    )


def is_usual_name(word: str, tools: tuple[str, ...], registry: Registry) -> bool:
    """Returns whether requests with this word use one of the tools."""
    logs = registry.expectation.expect_by_request(word).logs
    return any(logs.get(tool, -math.inf) >= _USUAL for tool in tools)


def _is_common(word: str, tools: tuple[str, ...], registry: Registry) -> bool:
    """Returns whether requests have this word, and none of them uses a tool with it in its name.

    Such a word is a common one, as "line" is.
    """
    is_used = stem(word) in _stems_of_used_names(registry)
    is_used = is_used or any(tool in registry.expectation.seen for tool in tools)
    return not is_used and registry.expectation.expect_by_request(word).known > 0


def _is_beside_name(before: str, after: str, registry: Registry) -> bool:
    """Returns whether the next or the last item of a list is a name that requests use."""
    items = (_ITEM_BEFORE.search(before), _ITEM_AFTER.match(after))
    words = [match[1].casefold() for match in items if match]
    return any(is_usual_name(word, registry.names.by_plain(word), registry) for word in words)


@lru_cache(4)
def _stems_of_used_names(registry: Registry) -> frozenset[str]:
    """Returns the stems in the names of the tools that some request is known to use."""
    documents = registry.search.by_id
    used = (documents[tool] for tool in registry.expectation.seen if tool in documents)
    return frozenset(word for document in used for word in document.name_stems)


def _is_usual_service(word: str, tools: tuple[str, ...], registry: Registry) -> bool:
    """Returns whether requests with this word use a service that has it as its name."""
    services = tuple(
        tool
        for tool in tools
        if needs_account(tool, registry) and "trigger" not in registry.tools[tool].capabilities
    )
    return bool(services) and is_usual_name(word, services, registry)


def is_everyday(word: str) -> bool:
    """Returns whether a word is a word of structure or a verb that many tools share."""
    return (
        word in STOP
        or word in GENERIC_NOUNS
        or word in STARTERS
        or bool(synonym_groups(stem(word)))
    )


def _prefer_current(tools: tuple[str, ...], registry: Registry) -> tuple[str, ...]:
    """Returns current tools and originals before superseded tools and variants.

    A superseded tool is replaced by its only successor of the same kind.
    """
    rows, derived = registry.tools, registry.names.variants
    current = dict.fromkeys(_find_successor(tool, registry) or tool for tool in tools)
    return tuple(sorted(current, key=lambda tool: (rows[tool].is_superseded, tool in derived)))


def _find_successor(tool: str, registry: Registry) -> str | None:
    row = registry.tools[tool]
    later = [registry.tools[name] for name in row.replaced_by if name in registry.tools]
    if not row.is_superseded or len(later) != 1 or later[0].is_superseded:
        return None
    same_kind = later[0].capabilities == row.capabilities
    return later[0].id if same_kind and later[0].availability == "installed" else None
